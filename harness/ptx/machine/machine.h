/*
 * machine: the state of a launch while it runs, as the handlers share it.
 * Internal to harness/ptx/.
 *
 * A block runs after the other; its warps take turns. A warp is up to 32
 * lanes; where they disagree on a branch it splits, and the split with the
 * lowest program counter runs first; splits that meet at one (frame, pc)
 * merge. After SPLIT_FAIRNESS backward branches of a split warp the next split
 * gets a turn, so that a spin lock inside a warp ends; after WARP_QUANTUM
 * instructions the next warp does.
 *
 * Handlers are compiled twice from the same source (lanes/), for AVX2 with FMA
 * and for what every x86-64 or other machine has; a launch chooses one set.
 */
#ifndef HARNESS_PTX_MACHINE_MACHINE_H
#define HARNESS_PTX_MACHINE_MACHINE_H

#include "harness/ptx/machine/emulator.h"
#include "harness/ptx/program/program.h"

#define LANES 32
#define ALL_LANES UINT32_C(0xffffffff)
#define SPLIT_FAIRNESS 2000
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
};

/* Lanes of a warp that are at one place. */
struct split {
	struct frame *frame;
	uint32_t pc;
	uint32_t mask;
	bool at_barrier;  /* waits there; pc is after it */
	uint32_t barrier; /* which */
};

struct warp {
	/* Of the split that runs. `lanes` is `active` as a row: -1 for a lane that runs, else 0. */
	unsigned char *file; /* frame->file */
	uint32_t active;
	uint32_t pc;
	struct frame *frame;
	_Alignas(64) int32_t lanes[LANES];

	struct block *block;
	unsigned index;           /* in the block */
	uint32_t present, exited; /* lanes that exist; that have ended */
	struct split *waiting;    /* the other splits, ascending by pc */
	size_t waiting_count, waiting_capacity;
	uint32_t backward_branches; /* since the last change of splits */
	bool at_barrier;            /* the whole warp waits */
	unsigned char *local;       /* local_bytes a lane, lane after lane */
	uint32_t local_bytes;
	uint32_t sync_epoch; /* of this warp: counts bar.warp.sync, shuffles, votes … (races) */
};

/* What happened at one instruction. Zero-initialised; index as the function's code. */
struct instruction_count {
	uint64_t warps, lanes; /* executions; lanes whose guard held. Kept at leaders and guarded
				  instructions; the others follow (counts_complete()) */
	uint64_t divergent;    /* branches on which the warp split */
	uint64_t requests;     /* memory instructions with at least one lane */
	uint64_t bytes;        /* that lanes asked for */
	uint64_t sectors;      /* 32-byte sectors, unique in one request */
	uint64_t wavefronts;   /* shared memory: passes */
	uint64_t ideal_wavefronts; /* of the same bytes without a conflict */
	uint64_t serialised; /* atomics: lanes of a request on one address, the most, summed */
};

struct block {
	struct launch *launch;
	int64_t index[3]; /* %ctaid */
	int64_t number;   /* linear */
	struct warp *warps;
	unsigned warp_count;
	unsigned char *shared;        /* launch->shared_bytes, and slack of 16 bytes */
	uint32_t epoch;               /* counts barriers of the whole block (races) */
	struct shared_shadow *shadow; /* NULL: this block is not checked; machine/shadow.h */
};

struct handlers; /* a set: lanes/handlers.h */

struct launch {
	const struct ptx_program *program;
	uint32_t entry;
	const struct handlers *handlers;
	struct device_memory *memory;
	struct emulated_launch what;       /* grid, block, shared bytes, arguments, limits */
	int64_t shared_bytes;              /* static and dynamic */
	struct instruction_count **counts; /* by function, by instruction */
	struct finding_list *findings;
	bool stopped;               /* a finding ended it */
	uint64_t instructions_left; /* warp-instructions that it may still run */
};

/* ---- what handlers use ---- */

static inline void *row_of(const struct warp *warp, uint32_t offset)
{
	return warp->file + offset;
}

/* The guard's lanes of the warp's active ones. */
uint32_t predicate_mask(const int32_t *row);
/* Makes `mask` the active lanes: sets active and lanes[]. */
void warp_set_active(struct warp *warp, uint32_t mask);

static inline struct instruction_count *count_of(struct warp *warp, const struct instruction *at)
{
	return &warp->block->launch
			->counts[warp->frame->function_index][at - warp->frame->function->code];
}

/*
 * Records a finding at an instruction: lane (its thread) or -1 for the whole warp. Each place is
 * told once for each kind, with how often it happened. Returns STEP_STOPPED for kinds that end a
 * launch (see emulator.h), else STEP_NEXT.
 */
enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...) PRINTF_LIKE(5, 6);

#endif
