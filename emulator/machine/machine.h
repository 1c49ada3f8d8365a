/*
 * machine: the state of a launch while it runs, as the handlers share it.
 * Internal to emulator/.
 *
 * A block runs after the other; its warps take turns of WARP_QUANTUM
 * instructions. A warp is up to 32 lanes; where they disagree on a branch it
 * splits, and the split that is first in program order runs (a callee counts
 * as lying at its call); splits that meet at one (frame, pc) merge. After
 * SPLIT_FAIRNESS branches back that may be a spin lock's, another split gets a
 * turn.
 *
 * A split that comes to an instruction which needs more lanes of its warp (a
 * shuffle, a barrier of aligned warps) is parked there until they come.
 *
 * Handlers are compiled twice from the same source (lanes/), for AVX2 with FMA
 * and for what every x86-64 or other machine has; a launch chooses one set.
 */
#ifndef EMULATOR_MACHINE_MACHINE_H
#define EMULATOR_MACHINE_MACHINE_H

#include "emulator/emulator.h"
#include "emulator/program/program.h"

#define LANES 32
#define ALL_LANES UINT32_C(0xffffffff)
#define SPLIT_FAIRNESS 500
#define WARP_QUANTUM 100000

/* Generic addresses of shared and local memory: windows that no allocation lies in. */
#define SHARED_WINDOW UINT64_C(0x0000100000000000)
#define LOCAL_WINDOW UINT64_C(0x0000200000000000)
#define WINDOW_BYTES (UINT64_C(1) << 32)

/* A function being run by some lanes of a warp. The outermost belongs to the warp. */
struct frame {
	const struct program_function *function;
	unsigned char *file; /* register file: function->file_bytes, 64-byte aligned */
	uint32_t function_index;
	uint32_t local_base;            /* of this frame in each lane's local memory */
	struct frame *caller;           /* NULL: the entry */
	uint32_t return_pc, lanes_left; /* lanes that have not returned yet, a mask */
	const struct program_call *call;
	uint32_t depth; /* 0: the entry */
	const struct control_flow *flow;
	struct frame *next; /* of warp->calls or warp->spare */
	int64_t block;      /* number of the block that its rows were filled for; -1: none */
};

enum split_state {
	SPLIT_READY,
	SPLIT_PARKED,     /* at pc, until the lanes `named` are there */
	SPLIT_AT_BARRIER, /* waits for the block; pc is after the barrier */
};

/* Lanes of a warp that are at one place. */
struct split {
	struct frame *frame;
	uint32_t pc;
	uint32_t mask;
	enum split_state state;
	uint32_t named;   /* PARKED: lanes that must come, were they alive */
	uint32_t passed;  /* PARKED: lanes seen behind the place, to which they cannot have come */
	uint32_t barrier; /* AT_BARRIER: which */
	uint32_t turn;    /* when it ran last, by the warp's count of turns */
};

#define BLOCK_BARRIERS 16

struct warp {
	/* Of the split that runs. `lanes` is `active` as a row: -1 for a lane that runs, else 0. */
	unsigned char *file; /* frame->file */
	uint32_t active;     /* 0: no split runs */
	uint32_t active_count;
	uint32_t pc;
	struct frame *frame;
	_Alignas(64) int32_t lanes[LANES];

	struct block *block;
	unsigned index;              /* in the block */
	uint32_t present, exited;    /* lanes that exist; that have ended */
	struct split waiting[LANES]; /* the other splits, in no order */
	unsigned waiting_count, parked_count;
	uint32_t merge_pc; /* from here on the running split may have to merge or to wait */
	bool favoured;     /* the running split has a turn out of order */
	uint32_t turns;
	/* That may spin while splits wait, since one of those last had a turn out of order. Lanes
	 * that part and meet within a loop do not begin it anew: it may be the spinning one. */
	uint32_t backward_branches;
	int64_t turn_left, turn_charged;  /* instructions of the warp's turn; of those, none's */
	bool blocked;                     /* no split is ready */
	uint32_t arrived[BLOCK_BARRIERS]; /* lanes at each barrier, waiting or not */
	struct frame *entry;
	struct frame *calls;  /* frames in use but the entry's */
	struct frame **spare; /* by function: frames that nobody uses */
	unsigned char *local; /* local_bytes a lane, lane after lane */
	uint32_t local_bytes;
	struct warp_copies *copies; /* asynchronous ones; NULL: never any. copies.h */
	uint32_t sync_epoch; /* of this warp: counts bar.warp.sync, shuffles, votes … (races) */
};

/* What happened at one instruction. Zero-initialised; index as the function's code. */
struct instruction_count {
	/* How often warps came by, and with how many lanes, is counted for basic blocks
	 * (control_flow.h); of a guarded instruction here: the lanes whose guard held. counts.c
	 * completes it. */
	uint64_t guarded_lanes;
	uint64_t divergent; /* branches on which the warp split */
	/* Memory instructions with at least one lane; generic ones by where a lane of them went,
	 * `requests` being those with one in global memory. */
	uint64_t requests, shared_requests, local_requests;
	uint64_t bytes;            /* of global loads and stores, each once in a request */
	uint64_t sectors;          /* 32-byte sectors, unique in one request */
	uint64_t wavefronts;       /* shared memory: passes */
	uint64_t ideal_wavefronts; /* of the same bytes without a conflict */
	uint64_t serialised; /* atomics: lanes of a request on one address, the most, summed */
};

/* A barrier of a block that somebody has come to. All zeroes: nobody has. */
struct barrier {
	bool used;
	uint32_t threads; /* that it waits for, a multiple of 32; 0: all of the block */
	uint32_t count;   /* lanes whose predicate held, of bar.red */
	bool all, any;
};

struct block {
	struct launch *launch;
	int64_t index[3]; /* %ctaid */
	int64_t number;   /* linear */
	struct warp *warps;
	unsigned warp_count, ended_count;
	struct barrier barriers[BLOCK_BARRIERS];
	unsigned char *shared;        /* launch->shared_bytes, and slack of 16 bytes */
	uint32_t epoch;               /* counts barriers of the whole block (races) */
	struct shared_shadow *shadow; /* NULL: this block is not checked; machine/shadow.h */
};

struct handlers; /* a set: lanes/handlers.h */

struct launch {
	const struct ptx_program *program; /* the emulation's own, with its handlers */
	uint32_t entry;
	const struct control_flow *flows; /* by function; control_flow.h */
	const uint64_t *variables;        /* addresses of the module's, 0: not in device memory */
	const struct handlers *handlers;
	struct device_memory *memory;
	struct emulated_launch what;       /* grid, block, shared bytes, arguments, limits */
	int64_t shared_bytes;              /* static and dynamic */
	struct instruction_count **counts; /* by function, by instruction */
	struct finding_list *findings;
	uint32_t local_bytes;       /* a lane */
	bool stopped;               /* a finding ended it */
	uint64_t instructions_left; /* warp-instructions that it may still run */
};

/* ---- what handlers use ---- */

static inline void *row_of(const struct warp *warp, uint32_t offset)
{
	return warp->file + offset;
}

/* The lanes whose predicate holds. */
uint32_t predicate_mask(const int32_t *row);
/* Makes `mask` the active lanes: sets active and lanes[]. */
void warp_set_active(struct warp *warp, uint32_t mask);

static inline struct instruction_count *count_at(struct warp *warp, const struct instruction *at)
{
	return &warp->block->launch
			->counts[warp->frame->function_index][at - warp->frame->function->code];
}

/* A file as .file names it; NULL: the line is 0, or there is no such file. */
const char *source_file_name(const struct ptx_module *module, uint32_t file, uint32_t line);
/* "x.cu:20", of what was inlined where that was; "line 41 of the PTX" without -lineinfo. */
void source_place_text(struct text *out, const struct ptx_module *module,
		       const struct ptx_statement *statement);

/*
 * Records a finding at an instruction: lane (its thread) or -1 for the whole warp. Each place is
 * told once for each kind, with how often it happened. Returns STEP_STOPPED for kinds that end a
 * launch (see emulator.h), else STEP_NEXT.
 */
enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...) PRINTF_LIKE(5, 6);

#endif
