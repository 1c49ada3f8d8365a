/*
 * counts: what the emulator counts, for a whole launch and for each source
 * line. One row per count serves the emulator, which increments the field, and
 * the catalogue, which publishes the metric: field of struct emulated_counts,
 * metric name, unit, meaning, and the direction that is worse (enum worse of
 * metrics/catalogue/catalogue.h).
 */
#ifndef EMULATOR_COUNTS_H
#define EMULATOR_COUNTS_H

#include "base/base.h"

#define EMULATED_COUNT_LIST(X)                                                                    \
	X(warp_instructions, "ptx_warp_instructions", "instruction",                              \
	  "PTX instructions that warps executed", WORSE_MORE)                                     \
	X(lane_instructions, "ptx_lane_instructions", "instruction",                              \
	  "the same, counted for each lane that runs and whose guard holds", WORSE_MORE)          \
	X(branches, "ptx_branches", "instruction", "conditional branches that warps executed",    \
	  WORSE_NEITHER)                                                                          \
	X(divergent_branches, "ptx_divergent_branches", "instruction",                            \
	  "conditional branches on which the lanes of a warp parted", WORSE_MORE)                 \
	X(global_load_requests, "ptx_global_load_requests", "request",                            \
	  "load instructions of warps on global memory", WORSE_MORE)                              \
	X(global_load_sectors, "ptx_global_load_sectors", "sector",                               \
	  "32-byte sectors of those loads, each once a request", WORSE_MORE)                      \
	X(global_load_bytes, "ptx_global_load_bytes", "byte",                                     \
	  "bytes of those loads, each once a request", WORSE_MORE)                                \
	X(global_store_requests, "ptx_global_store_requests", "request",                          \
	  "store instructions of warps on global memory", WORSE_MORE)                             \
	X(global_store_sectors, "ptx_global_store_sectors", "sector",                             \
	  "32-byte sectors of those stores, each once a request", WORSE_MORE)                     \
	X(global_store_bytes, "ptx_global_store_bytes", "byte",                                   \
	  "bytes of those stores, each once a request", WORSE_MORE)                               \
	X(global_atomic_requests, "ptx_global_atomic_requests", "request",                        \
	  "atomics with a result on global memory", WORSE_MORE)                                   \
	X(global_atomic_sectors, "ptx_global_atomic_sectors", "sector", "sectors of those",       \
	  WORSE_MORE)                                                                             \
	X(global_reduction_requests, "ptx_global_reduction_requests", "request",                  \
	  "atomics on global memory whose result nobody reads", WORSE_MORE)                       \
	X(global_reduction_sectors, "ptx_global_reduction_sectors", "sector", "sectors of those", \
	  WORSE_MORE)                                                                             \
	X(atomic_lanes, "ptx_atomic_lanes", "instruction", "lanes that executed an atomic",       \
	  WORSE_NEITHER)                                                                          \
	X(atomic_serialised, "ptx_atomic_serialised", "instruction",                              \
	  "steps of atomics if lanes on one address queue: the longest queue of each request",    \
	  WORSE_MORE)                                                                             \
	X(local_load_requests, "ptx_local_load_requests", "request", "loads of local memory",     \
	  WORSE_MORE)                                                                             \
	X(local_store_requests, "ptx_local_store_requests", "request", "stores to local memory",  \
	  WORSE_MORE)                                                                             \
	X(shared_load_requests, "ptx_shared_load_requests", "request", "loads of shared memory",  \
	  WORSE_NEITHER)                                                                          \
	X(shared_store_requests, "ptx_shared_store_requests", "request",                          \
	  "stores to shared memory", WORSE_NEITHER)                                               \
	X(shared_atomic_requests, "ptx_shared_atomic_requests", "request",                        \
	  "atomics on shared memory", WORSE_MORE)                                                 \
	X(shared_load_wavefronts, "ptx_shared_load_wavefronts", "wavefront",                      \
	  "passes that the banks need for those loads", WORSE_MORE)                               \
	X(shared_store_wavefronts, "ptx_shared_store_wavefronts", "wavefront",                    \
	  "passes that the banks need for those stores", WORSE_MORE)                              \
	X(shared_bank_conflicts, "ptx_shared_bank_conflicts", "wavefront",                        \
	  "passes beyond those that the bytes alone would need", WORSE_MORE)                      \
	X(async_copy_requests, "ptx_async_copy_requests", "request",                              \
	  "asynchronous copies from global to shared memory, in no count of loads or stores",     \
	  WORSE_NEITHER)                                                                          \
	X(async_copy_sectors, "ptx_async_copy_sectors", "sector",                                 \
	  "32-byte sectors that those read, each once a request", WORSE_MORE)                     \
	X(async_copy_wavefronts, "ptx_async_copy_wavefronts", "wavefront",                        \
	  "passes that the banks need for those", WORSE_MORE)                                     \
	X(barriers, "ptx_barriers", "instruction", "barriers of the block that warps executed",   \
	  WORSE_MORE)                                                                             \
	X(f16_flop, "ptx_f16_flop", "flop",                                                       \
	  "half and bfloat16: add, mul; an fma is two; x2 is twice", WORSE_NEITHER)               \
	X(f32_flop, "ptx_f32_flop", "flop", "single: add, mul; an fma is two", WORSE_NEITHER)     \
	X(f64_flop, "ptx_f64_flop", "flop", "double: add, mul; an fma is two", WORSE_NEITHER)     \
	X(special_flop, "ptx_special_operations", "instruction",                                  \
	  "divisions, roots, reciprocals and transcendentals, lanes; not in the flop", WORSE_MORE)

/* What an emulator counted at one source line of a kernel. */
struct line_count {
	char *file; /* as the compiler names it, owned; NULL: `line` is one of the PTX */
	int64_t line;
	int64_t instructions,
		lanes; /* PTX instructions of warps; the same for each lane that ran */
	int64_t branches, divergent;
	int64_t requests, sectors; /* global memory: loads, stores, atomics */
	int64_t shared_requests, wavefronts, conflicts;
};
/* Ascending by file (NULL first) and line, each once. All zeroes is an empty list. */
struct line_count_list {
	struct line_count *items;
	size_t count, capacity;
};
/* A new all-zero line at the end; `file` is copied. */
struct line_count *line_count_list_add(struct line_count_list *list, const char *file,
				       int64_t line);
void line_count_list_release(struct line_count_list *list);

#endif
