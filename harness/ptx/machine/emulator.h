/*
 * emulator: launches an entry of a PTX program on data in host memory and
 * says what happened: results, counts for each instruction, findings. It is
 * deterministic: the same launch on the same data gives the same bytes and
 * counts on every machine, whatever its vector unit. Internal to harness/ptx/.
 */
#ifndef HARNESS_PTX_MACHINE_EMULATOR_H
#define HARNESS_PTX_MACHINE_EMULATOR_H

#include "harness/ptx/program/program.h"
#include "metrics/metrics.h"

/* ---- memory of the emulated device ---- */

/*
 * Allocations at addresses that are the same in every run: aligned to 512
 * bytes as cudaMalloc's, with at least DEVICE_GUARD_BYTES that belong to
 * nobody on both sides. Host bytes are zero at first.
 */
#define DEVICE_GUARD_BYTES 4096
struct device_memory;
/* No more than limit_bytes may be allocated in all. */
struct device_memory *device_memory_create(int64_t limit_bytes);
void device_memory_free(struct device_memory *memory);
/* `name` appears in findings. PL_ENOMEM over the limit or the host's memory. bytes 0 is fine. */
int device_memory_allocate(struct device_memory *memory, int64_t bytes, const char *name,
			   uint64_t *address, struct error *err);
/* The host's bytes of an allocation that begins at `address`; NULL: none does. */
void *device_memory_data(struct device_memory *memory, uint64_t address);
void device_memory_release(struct device_memory *memory, uint64_t address);

/* What the launches since the last reset touched: unique sectors of 32 bytes in all allocations. */
struct touched_bytes {
	int64_t read;    /* sectors that were loaded before they were written, in bytes */
	int64_t written; /* sectors that were written, in bytes */
};
struct touched_bytes device_memory_touched(const struct device_memory *memory);
void device_memory_touched_reset(struct device_memory *memory);

/* ---- findings ---- */

/* Symbol, word, ends the launch, meaning. */
#define FINDING_LIST(X)                                                                           \
	X(FINDING_OUT_OF_BOUNDS, "out of bounds", true,                                           \
	  "a global, shared or local access outside of what is allocated")                        \
	X(FINDING_MISALIGNED, "misaligned", true, "an address that is no multiple of the access") \
	X(FINDING_DIVERGENT_BARRIER, "divergent barrier", true,                                   \
	  "lanes of a warp wait at different barriers, or some never come")                       \
	X(FINDING_ABSENT_LANES, "absent lanes", true,                                             \
	  "a _sync instruction names lanes that are not there, or not the lane that runs it")     \
	X(FINDING_RACE, "shared-memory race", false,                                              \
	  "two threads touch a word between barriers, and one writes")                            \
	X(FINDING_UNINITIALISED, "uninitialised shared read", false,                              \
	  "shared memory is read that nobody has written")                                        \
	X(FINDING_DEADLOCK, "deadlock", true, "every warp of a block waits")                      \
	X(FINDING_ENDLESS, "endless", true, "more instructions than a launch may run")            \
	X(FINDING_TRAP, "trap", true, "the kernel executed a trap")                               \
	X(FINDING_ASSERTION, "assertion", true, "an assert() of the kernel failed")               \
	X(FINDING_STACK, "stack overflow", true, "calls nest deeper than local memory allows")    \
	X(FINDING_UNSUPPORTED, "unsupported", true, "something that only shows when it runs")

enum finding_kind {
#define X(symbol, word, ends, meaning) symbol,
	FINDING_LIST(X)
#undef X
};
const char *finding_kind_name(enum finding_kind kind);
bool finding_ends_launch(enum finding_kind kind);

struct finding {
	enum finding_kind kind;
	char *entry;
	int64_t block[3];
	int64_t thread[3]; /* -1 -1 -1: a whole warp */
	char *file;        /* source file as .file names it; NULL: not known (no -lineinfo) */
	uint32_t line;     /* in it */
	uint32_t ptx_line;
	char *text;     /* "a 4-byte store to 0x…, 4 bytes past the end of 'out' (4096 bytes)" */
	uint64_t times; /* at this place */
};
#define FINDINGS_MOST 64
struct finding_list {
	struct finding *items;
	size_t count, capacity;
	uint64_t beyond; /* findings at more places than FINDINGS_MOST */
};
void finding_list_release(struct finding_list *list);
/* "out of bounds in reduce_naive, block (0,0,0) thread (31,0,0), naive.cu:14: a 4-byte load …". */
void finding_text(struct text *out, const struct finding *finding);

/* ---- launches ---- */

/* A program with its module variables in device memory, and counts of all its launches. */
struct emulation;

enum emulated_lanes { LANES_BEST, LANES_PORTABLE, LANES_AVX2 };

/* PL_EUNSUPPORTED when lanes are asked for that this processor lacks. Borrows both. */
int emulation_create(struct emulation **out, const struct ptx_program *program,
		     struct device_memory *memory, enum emulated_lanes lanes, struct error *err);
void emulation_free(struct emulation *emulation);
const char *emulation_lanes_name(const struct emulation *emulation); /* "avx2" */
/* Module variables go back to what they begin as. */
void emulation_reset_variables(struct emulation *emulation);

struct emulated_launch {
	const char *entry;
	int64_t grid[3], block[3];
	int64_t shared_bytes;  /* dynamic */
	const void *arguments; /* the parameter block, laid out as the entry declares */
	size_t argument_bytes;
	uint64_t max_instructions; /* warp-instructions; 0: no limit */
	/* Blocks to run, by linear number, ascending; NULL: all. */
	const int64_t *blocks;
	size_t block_count;
	/* Shared-memory races and uninitialised reads are looked for in the first and last
	 * `checked_blocks` blocks each; negative: in all. */
	int64_t checked_blocks;
	void (*print)(void *context, const char *text); /* of device printf; NULL: dropped */
	void *print_context;
	const volatile int *stop; /* not 0: end at the next turn of a warp; NULL: none */
};

/*
 * Runs a launch to its end or to a finding that ends it. Findings are added
 * to *findings. 0 even with findings; PL_EUSAGE for a launch that no device
 * would take (no threads, over 1024, more arguments than declared …).
 */
int emulation_launch(struct emulation *emulation, const struct emulated_launch *launch,
		     struct finding_list *findings, struct error *err);

/* ---- counts ---- */

/*
 * Sums over instructions, launches and blocks since creation or
 * emulation_counts_reset(). Field, metric name, unit, meaning: the metrics of
 * the backend are made from this list and the ratios in counters.c.
 */
#define EMULATED_COUNT_LIST(X)                                                                    \
	X(warp_instructions, "ptx_warp_instructions", "instruction",                              \
	  "PTX instructions that warps executed")                                                 \
	X(lane_instructions, "ptx_lane_instructions", "instruction",                              \
	  "the same, counted for each lane that runs and whose guard holds")                      \
	X(branches, "ptx_branches", "instruction", "conditional branches that warps executed")    \
	X(divergent_branches, "ptx_divergent_branches", "instruction",                            \
	  "conditional branches on which the lanes of a warp parted")                             \
	X(global_load_requests, "ptx_global_load_requests", "request",                            \
	  "load instructions of warps on global memory")                                          \
	X(global_load_sectors, "ptx_global_load_sectors", "sector",                               \
	  "32-byte sectors of those loads, each once a request")                                  \
	X(global_load_bytes, "ptx_global_load_bytes", "byte", "bytes that lanes loaded")          \
	X(global_store_requests, "ptx_global_store_requests", "request",                          \
	  "store instructions of warps on global memory")                                         \
	X(global_store_sectors, "ptx_global_store_sectors", "sector",                             \
	  "32-byte sectors of those stores, each once a request")                                 \
	X(global_store_bytes, "ptx_global_store_bytes", "byte", "bytes that lanes stored")        \
	X(global_atomic_requests, "ptx_global_atomic_requests", "request",                        \
	  "atomics with a result on global memory")                                               \
	X(global_atomic_sectors, "ptx_global_atomic_sectors", "sector", "sectors of those")       \
	X(global_reduction_requests, "ptx_global_reduction_requests", "request",                  \
	  "atomics on global memory whose result nobody reads")                                   \
	X(global_reduction_sectors, "ptx_global_reduction_sectors", "sector", "sectors of those") \
	X(atomic_lanes, "ptx_atomic_lanes", "instruction", "lanes that executed an atomic")       \
	X(atomic_serialised, "ptx_atomic_serialised", "instruction",                              \
	  "steps of atomics if lanes on one address queue: the longest queue of each request")    \
	X(local_load_requests, "ptx_local_load_requests", "request", "loads of local memory")     \
	X(local_store_requests, "ptx_local_store_requests", "request", "stores to local memory")  \
	X(shared_load_requests, "ptx_shared_load_requests", "request", "loads of shared memory")  \
	X(shared_store_requests, "ptx_shared_store_requests", "request",                          \
	  "stores to shared memory")                                                              \
	X(shared_atomic_requests, "ptx_shared_atomic_requests", "request",                        \
	  "atomics on shared memory")                                                             \
	X(shared_load_wavefronts, "ptx_shared_load_wavefronts", "wavefront",                      \
	  "passes that the banks need for those loads")                                           \
	X(shared_store_wavefronts, "ptx_shared_store_wavefronts", "wavefront",                    \
	  "passes that the banks need for those stores")                                          \
	X(shared_bank_conflicts, "ptx_shared_bank_conflicts", "wavefront",                        \
	  "passes beyond those that the bytes alone would need")                                  \
	X(barriers, "ptx_barriers", "instruction", "barriers of the block that warps executed")   \
	X(f16_flop, "ptx_f16_flop", "flop",                                                       \
	  "half and bfloat16: add, mul; an fma is two; x2 is twice")                              \
	X(f32_flop, "ptx_f32_flop", "flop", "single: add, mul; an fma is two")                    \
	X(f64_flop, "ptx_f64_flop", "flop", "double: add, mul; an fma is two")                    \
	X(special_flop, "ptx_special_operations", "instruction",                                  \
	  "divisions, roots, reciprocals and transcendentals, lanes; not in the flop")

struct emulated_counts {
#define X(field, name, unit, meaning) uint64_t field;
	EMULATED_COUNT_LIST(X)
#undef X
	uint64_t blocks_executed, blocks_total;
};
void emulation_counts(const struct emulation *emulation, struct emulated_counts *out);
void emulation_counts_reset(struct emulation *emulation);

/* The same for each source line (or PTX line where there is no .loc); adds to *out. */
void emulation_lines(const struct emulation *emulation, struct line_count_list *out);

#endif
