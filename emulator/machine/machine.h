/*
 * machine: the state of a running launch, which all handlers share. Internal
 * to emulator/.
 *
 * Blocks run one after another, those of a cooperative launch (grid.h) and those of a
 * cluster (cluster.h) in turns.
 * The warps of a block take turns of WARP_QUANTUM instructions. A warp has up to
 * 32 lanes. When its lanes take different sides of a branch, the warp splits,
 * and the split that is first in program order runs; a callee counts as if it
 * stood at its call. Splits that reach the same (frame, pc) merge. After
 * SPLIT_FAIRNESS backward branches that may belong to a spin lock, another split
 * gets a turn.
 *
 * A split that reaches an instruction which needs more lanes of its warp (a
 * shuffle, an aligned barrier) is parked there until those lanes arrive.
 *
 * The handlers in lanes/ are compiled twice from the same source: for AVX2 with
 * FMA, and for any processor. A launch uses one of the two sets.
 */
#ifndef EMULATOR_MACHINE_MACHINE_H
#define EMULATOR_MACHINE_MACHINE_H

#include "emulator/emulator.h"
#include "emulator/machine/undefined/undefined_bits.h"
#include "emulator/program/program.h"

#include <string.h>

/* For functions that gain from what their callers know. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define LANES 32
#define ALL_LANES UINT32_C(0xffffffff)
#define SPLIT_FAIRNESS 500
#define WARP_QUANTUM 100000

/* Generic addresses of shared and local memory lie in these windows; no allocation does. */
#define SHARED_WINDOW UINT64_C(0x0000100000000000)
#define LOCAL_WINDOW UINT64_C(0x0000200000000000)
#define WINDOW_BYTES (UINT64_C(1) << 32)

/* A function that some lanes of a warp execute. The outermost frame is the entry's. */
struct frame {
	const struct program_function *function;
	unsigned char *file; /* register file: function->file_bytes, 64-byte aligned */
	uint32_t function_index;
	uint32_t local_base;            /* offset of this frame in each lane's local memory */
	struct frame *caller;           /* NULL: the entry */
	uint32_t return_pc, lanes_left; /* mask of the lanes that have not returned yet */
	const struct program_call *call;
	uint32_t depth; /* 0: the entry */
	const struct control_flow *flow;
	struct frame *next; /* in warp->calls or warp->spare */
	int64_t block;      /* number of the block that the rows were filled for; -1: none */
	struct undefined_file undefined_bits; /* launches that follow them; undefined.h */
	/* By row: lanes that hold a value that is followed; NULL: none ever did. dead_loads.h */
	struct load_value_row *undefined;
	struct fragment_note *fragments; /* by row; NULL: no wgmma yet; warpgroup.h */
	uint32_t stack_used[LANES];      /* of the warp, when each lane entered; call_frame.h */
};

enum split_state {
	SPLIT_READY,
	SPLIT_PARKED,     /* waits at pc until the lanes `named` have arrived */
	SPLIT_AT_BARRIER, /* waits for other warps; pc is the instruction after the barrier */
	SPLIT_AT_CLUSTER_BARRIER, /* the same, for other threads of the cluster */
	SPLIT_AT_PRODUCT,         /* the same, until other warps issue a product of wgmma */
};

/* The lanes of a warp that are at the same (frame, pc). */
struct split {
	struct frame *frame;
	uint32_t pc;
	uint32_t mask;
	enum split_state state;
	uint32_t named;   /* PARKED: lanes that must arrive unless they have ended */
	uint32_t passed;  /* PARKED: lanes that were seen past pc, so they missed it */
	uint32_t barrier; /* AT_BARRIER: its number */
	uint32_t turn;    /* value of warp->turns when the split last ran */
};

#define BLOCK_BARRIERS 16

/* Shared memory that the system reserves for each block, as on GPUs of compute capability 9.0. */
#define RESERVED_SHARED_BYTES 1024
#define RESERVED_USED_BYTES 288 /* those that cooperative groups use */

struct warp {
	/* State of the running split. `lanes` is `active` as a row: -1 for an active lane, else 0.
	 */
	unsigned char *file; /* frame->file */
	uint32_t active;     /* 0: no split runs */
	uint32_t active_count;
	uint32_t pc;
	struct frame *frame;
	_Alignas(64) int32_t lanes[LANES];

	struct block *block;
	unsigned index;              /* in the block */
	uint32_t present, exited;    /* masks: lanes that exist; lanes that have ended */
	struct split waiting[LANES]; /* the other splits, unordered */
	unsigned waiting_count, parked_count;
	uint32_t merge_pc; /* from this pc on the running split may have to merge or wait */
	bool favoured;     /* the running split runs out of program order */
	uint32_t turns;
	/* Backward branches that may spin, counted while splits wait, since a split last ran out of
	 * order. Lanes that diverge and merge within a loop do not reset the count, because that
	 * loop may be the spinning one. */
	uint32_t backward_branches;
	/* Instructions that warp_run() got, those left, and those charged for spinning. */
	int64_t turn_size, turn_left, turn_charged;
	bool blocked;                     /* no split is ready */
	uint32_t arrived[BLOCK_BARRIERS]; /* lanes that arrived at each barrier, waiting or not */
	/* Lanes that arrived at the barrier of the cluster in its present phase, and those that
	 * arrived in any and have not waited since. */
	uint32_t cluster_arrived, cluster_owing;
	struct frame *entry;
	struct frame *calls;  /* frames in use, except the entry's */
	struct frame **spare; /* by function: frames that are not in use */
	unsigned char *local; /* local_bytes per lane, lane after lane */
	uint32_t local_bytes;
	uint32_t stack_used[LANES]; /* bytes behind stack_base that alloca took; call_frame.h */
	struct warp_copies *copies; /* NULL: no asynchronous copy yet; async_copies.h */
	/* A byte for each byte of local memory: not 0 if the lane has not written it. NULL: nobody
	 * asks. */
	unsigned char *local_unwritten;
	struct undefined_memory local_undefined; /* launches that follow them; undefined.h */
	struct undefined_file *joint_undefined;  /* of lanes at several instructions; NULL: none */
	uint32_t load_value_rows; /* rows that hold a value that is followed; dead_loads.h */
	uint32_t dropped; /* lanes of the load that runs whose value nothing uses; dead_loads.h */
	struct warp_products *products; /* NULL: no wgmma yet; warpgroup.h */
	uint32_t pending_products;      /* of wgmma, which the warp has not waited for */
	uint16_t proxy_fences;          /* counts fence.proxy.async, for the race check */
	uint32_t sync_epoch; /* counts bar.warp.sync, shuffles, votes …, for the race check */
};

/* What happened at one instruction. Zero-initialised; indexed as the function's code. */
struct instruction_count {
	/* Lanes with a true guard, for guarded instructions but branches. Executions and active
	 * lanes are counted per basic block (control_flow.h); counts.c combines the two. */
	uint64_t guarded_lanes;
	uint64_t divergent; /* executions in which the warp split */
	/* Executions of a memory instruction with at least one lane. Generic ones count in each
	 * space that a lane accessed; `requests` is global memory. */
	uint64_t requests, shared_requests, local_requests;
	uint64_t remote_requests; /* those to shared memory of other blocks, which count no more */
	uint64_t bytes; /* unique bytes of each global load or store request; of bulk copies, all */
	uint64_t sectors;          /* unique 32-byte sectors of each request */
	uint64_t wavefronts;       /* of shared memory */
	uint64_t ideal_wavefronts; /* that the same bytes need without bank conflicts */
	uint64_t serialised;       /* atomics: sum over requests of the most lanes on one address */
};

/* A barrier of a block. All zeroes: no lane has arrived. */
struct barrier {
	bool used;
	uint32_t threads; /* that it waits for, a multiple of 32; 0: all threads of the block */
	uint32_t count;   /* bar.red: lanes with a true predicate */
	bool all, any;
	const struct instruction *first_at; /* where the first lanes arrived; warp_sync.h */
	const struct ptx_statement *place;  /* its statement */
	unsigned first_warp;                /* of those lanes */
};

struct block {
	struct launch *launch;
	int64_t index[3];        /* %ctaid */
	int64_t number;          /* linear index */
	struct cluster *cluster; /* NULL: the launch has no clusters; cluster.h */
	unsigned rank;           /* in the cluster */
	struct warp *warps;
	unsigned warp_count, ended_count;
	struct barrier barriers[BLOCK_BARRIERS];
	unsigned char *shared;             /* launch->shared_bytes, plus 16 spare bytes */
	struct undefined_memory undefined; /* of it, in launches that follow; undefined.h */
	/* Count barriers, for the race check: of the whole block, and of some of its warps. */
	uint32_t epoch, partial_barriers;
	uint32_t fence_epoch;        /* epoch of the last fence.proxy.async, plus 1; 0: none */
	struct warpgroup *groups;    /* by warpgroup; NULL: no wgmma yet; warpgroup.h */
	bool spins;                  /* in the last turns every warp that ran waited in a loop */
	struct shared_races *shadow; /* NULL: the block is not checked; races_shared.h */
	struct block_order *order;   /* NULL: global memory is not checked; global_order.h */
	struct mbarriers *mbarriers; /* NULL: none was ever initialised; mbarrier.h */
	struct block_clocks *clocks; /* NULL: nothing needs them yet; block_clocks.h */
	/* By barrier: what warps knew when they arrived without waiting. NULL: none did. */
	struct warp_clocks *arrivals;
	struct shared_locks *locks; /* NULL: the same; block_clocks.h */
	struct bulk_state *bulk;    /* NULL: no bulk copy yet; bulk_pending.h */
	int64_t taken_bytes;        /* of the device memory: its shared and local memory */
};

struct handlers;          /* a set of handlers; lanes/handlers.h */
struct device_heap;       /* device_memory.h */
struct tensormap_updates; /* bulk.h */

struct launch {
	const struct ptx_program *program; /* the emulation's copy, with handlers */
	uint32_t entry;
	const struct control_flow *flows; /* by function; control_flow.h */
	const uint64_t *variables; /* addresses of module variables; 0: not in device memory */
	const struct handlers *handlers;
	struct device_memory *memory;
	struct emulated_launch what; /* grid, block, shared bytes, arguments, limits */
	int64_t cluster[3];          /* blocks of a cluster */
	bool explicit_cluster;       /* the launch or the entry gives the size of its clusters */
	int64_t shared_bytes;        /* reserved, static and dynamic */
	struct instruction_count **counts; /* by function, by instruction */
	struct finding_list *findings;
	uint32_t local_bytes; /* per lane */
	uint32_t stack_base;  /* of these, the frames take those before it, and alloca the others */
	/* Bytes at the start of shared memory that the system reserves; shared_bytes includes them.
	 * 0 unless the program asks where they are. */
	uint32_t reserved_bytes;
	uint64_t number;                       /* of the launch, in its emulation: from 1 on */
	struct device_heap *heap;              /* device_memory.h */
	struct print_fifo *printed;            /* NULL: nothing yet; control.h */
	struct dead_loads *uses;               /* dead_loads.h */
	struct follower *follower;             /* NULL: nothing is followed; undefined.h */
	bool *may_be_undefined;                /* of the emulation: a value may be undefined */
	struct finished_reads *finished_reads; /* NULL: nobody has asked yet; program.h */
	struct global_races *global; /* NULL: global memory is not checked; races_global.h */
	struct tensormap_updates *tensormap_updates; /* NULL: no tensor map has changed; bulk.h */
	uint8_t shared_locking;                      /* enum shared_locking */
	bool asks_for_workspace;                     /* the program reads where the workspace is */
	uint64_t grid_workspace; /* address of a cooperative launch's workspace; 0: none */
	/* Warp instructions that the emulation executed before the present turn, and the last
	 * value that a clock register gave. */
	uint64_t executed, clock;
	bool stopped;               /* a finding ended it */
	uint64_t instructions_left; /* warp instructions that may still run */
};

/* ---- what handlers use ---- */

/* What is there before something is written; `place` makes words differ. 0 without poison. */
static inline uint64_t poison_word(const struct launch *launch, uint64_t place)
{
	const uint64_t word = (launch->what.poison + place) * UINT64_C(0x9e3779b97f4a7c15);

	return launch->what.poison ? (word ^ word >> 29) | UINT64_C(0x0101010101010101) : 0;
}

static inline void *row_of(const struct warp *warp, uint32_t offset)
{
	return warp->file + offset;
}

/* Runs a statement for each bit of a mask, such as that of a lane, from the lowest on. */
#define EACH_BIT(bit, mask)                                                   \
	for (uint32_t bit##_left = (mask), bit = 0;                           \
	     bit##_left && (bit = (uint32_t)__builtin_ctz(bit##_left), true); \
	     bit##_left &= bit##_left - 1)

/* A lane's value in a row with that many bytes of each lane, 4 or 8. Without a row: 0. */
static inline uint64_t lane_value(const struct warp *warp, uint32_t row, unsigned bytes,
				  unsigned lane)
{
	const unsigned char *from = row_of(warp, row);
	uint64_t value = 0;

	if (row && bytes == 8)
		memcpy(&value, from + 8 * (size_t)lane, 8);
	else if (row)
		memcpy(&value, from + 4 * (size_t)lane, 4);
	return value;
}

/* Sets it. Without a row: nothing is done. */
static inline void lane_set(struct warp *warp, uint32_t row, unsigned bytes, unsigned lane,
			    uint64_t value)
{
	unsigned char *to = row_of(warp, row);

	if (row && bytes == 8)
		memcpy(to + 8 * (size_t)lane, &value, 8);
	else if (row)
		memcpy(to + 4 * (size_t)lane, &value, 4);
}

/* The mask of the lanes with a true predicate. */
uint32_t predicate_mask(const int32_t *row);
/* Makes `mask` the active lanes: sets active, active_count and lanes[]. */
void warp_set_active(struct warp *warp, uint32_t mask);

static inline struct instruction_count *count_at(struct warp *warp, const struct instruction *at)
{
	return &warp->block->launch
			->counts[warp->frame->function_index][at - warp->frame->function->code];
}

/*
 * Records a finding at an instruction, for the thread of `lane` or, with -1, for the whole warp.
 * The list holds each (kind, instruction) once, with the number of times it happened. Returns
 * STEP_STOPPED for kinds that end a launch (see emulator.h), else STEP_NEXT.
 */
enum step warp_finding(struct warp *warp, const struct instruction *at, int lane,
		       enum finding_kind kind, const char *format, ...) PRINTF_LIKE(5, 6);

/* ---- lanes and places ---- */

static inline uint32_t warp_alive(const struct warp *warp)
{
	return warp->present & ~warp->exited;
}

static inline uint32_t pc_of(const struct warp *warp, const struct instruction *at)
{
	return (uint32_t)(at - warp->frame->function->code);
}

static inline unsigned lanes_in(uint32_t mask)
{
	mask -= mask >> 1 & UINT32_C(0x55555555);
	mask = (mask & UINT32_C(0x33333333)) + (mask >> 2 & UINT32_C(0x33333333));
	return ((mask + (mask >> 4)) & UINT32_C(0x0f0f0f0f)) * UINT32_C(0x01010101) >> 24;
}

#endif
