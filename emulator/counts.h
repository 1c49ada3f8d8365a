/*
 * counts: what the emulator counts, for a launch and for each source line.
 *
 * One row of EMULATED_COUNT_LIST defines one count for all modules. The emulator
 * gets a field of struct emulated_counts, which emulator/machine/counts.c
 * increments. The workers add, compare and send all fields by this list, and
 * metrics/catalogue/ publishes each row as a metric.
 *
 * Columns: field, metric name, unit, meaning, the direction that is worse (enum
 * worse of metrics/catalogue/catalogue.h). Unless the meaning says otherwise, an
 * instruction counts once per warp that executes it.
 */
#ifndef EMULATOR_COUNTS_H
#define EMULATOR_COUNTS_H

#include "base/base.h"

/* clang-format off */
#define EMULATED_COUNT_LIST(X)                                                                     \
	X(warp_instructions, "ptx_warp_instructions", "instruction",                               \
	  "PTX instructions executed, counted once per warp", WORSE_MORE)                          \
	X(lane_instructions, "ptx_lane_instructions", "instruction",                               \
	  "PTX instructions executed, counted once per active lane: with a true guard, or of a branch", WORSE_MORE) \
	X(branches, "ptx_branches", "instruction",                                                 \
	  "conditional branches executed, counted once per warp", WORSE_NEITHER)                   \
	X(divergent_branches, "ptx_divergent_branches", "instruction",                             \
	  "conditional branches on which the active lanes of a warp diverged", WORSE_MORE)         \
	X(global_load_requests, "ptx_global_load_requests", "request",                             \
	  "load instructions of warps on global memory", WORSE_MORE)                               \
	X(global_load_sectors, "ptx_global_load_sectors", "sector",                                \
	  "32-byte sectors that global loads touch, each once per request", WORSE_MORE)            \
	X(global_load_bytes, "ptx_global_load_bytes", "byte",                                      \
	  "bytes that global loads read, each once per request", WORSE_MORE)                       \
	X(global_store_requests, "ptx_global_store_requests", "request",                           \
	  "store instructions of warps on global memory", WORSE_MORE)                              \
	X(global_store_sectors, "ptx_global_store_sectors", "sector",                              \
	  "32-byte sectors that global stores touch, each once per request", WORSE_MORE)           \
	X(global_store_bytes, "ptx_global_store_bytes", "byte",                                    \
	  "bytes that global stores write, each once per request", WORSE_MORE)                     \
	X(global_atomic_requests, "ptx_global_atomic_requests", "request",                         \
	  "atomic instructions of warps on global memory with a used result", WORSE_MORE)          \
	X(global_atomic_sectors, "ptx_global_atomic_sectors", "sector",                            \
	  "32-byte sectors that global atomics with a used result touch", WORSE_MORE)              \
	X(global_reduction_requests, "ptx_global_reduction_requests", "request",                   \
	  "atomic instructions of warps on global memory with an unused result", WORSE_MORE)       \
	X(global_reduction_sectors, "ptx_global_reduction_sectors", "sector",                      \
	  "32-byte sectors that global atomics with an unused result touch", WORSE_MORE)           \
	X(atomic_lanes, "ptx_atomic_lanes", "instruction",                                         \
	  "atomic instructions executed, counted once per lane", WORSE_NEITHER)                    \
	X(atomic_serialised, "ptx_atomic_serialised", "instruction",                               \
	  "steps of atomics if lanes with one address take turns: the longest queue per request",  \
	  WORSE_MORE)                                                                              \
	X(local_load_requests, "ptx_local_load_requests", "request",                               \
	  "load instructions of warps on local memory", WORSE_MORE)                                \
	X(local_store_requests, "ptx_local_store_requests", "request",                             \
	  "store instructions of warps on local memory", WORSE_MORE)                               \
	X(shared_load_requests, "ptx_shared_load_requests", "request",                             \
	  "load instructions of warps on shared memory", WORSE_NEITHER)                            \
	X(shared_store_requests, "ptx_shared_store_requests", "request",                           \
	  "store instructions of warps on shared memory", WORSE_NEITHER)                           \
	X(shared_atomic_requests, "ptx_shared_atomic_requests", "request",                         \
	  "atomic instructions of warps on shared memory", WORSE_MORE)                             \
	X(shared_load_wavefronts, "ptx_shared_load_wavefronts", "wavefront",                       \
	  "wavefronts that the banks need for shared-memory loads", WORSE_MORE)                    \
	X(shared_store_wavefronts, "ptx_shared_store_wavefronts", "wavefront",                     \
	  "wavefronts that the banks need for shared-memory stores", WORSE_MORE)                   \
	X(remote_shared_requests, "ptx_remote_shared_requests", "request",                         \
	  "instructions of warps on shared memory of other blocks of the cluster, which no other " \
	  "count of shared memory includes", WORSE_NEITHER)                                        \
	X(shared_bank_conflicts, "ptx_shared_bank_conflicts", "wavefront",                         \
	  "wavefronts of shared memory beyond those that the bytes alone need", WORSE_MORE)        \
	X(async_copy_requests, "ptx_async_copy_requests", "request",                               \
	  "asynchronous copies from global to shared memory, which are not counted as loads or "   \
	  "stores", WORSE_NEITHER)                                                                 \
	X(async_copy_sectors, "ptx_async_copy_sectors", "sector",                                  \
	  "32-byte sectors that asynchronous copies read, each once per request", WORSE_MORE)      \
	X(async_copy_wavefronts, "ptx_async_copy_wavefronts", "wavefront",                         \
	  "wavefronts that the banks need for asynchronous copies", WORSE_MORE)                    \
	X(bulk_copies, "ptx_bulk_copies", "instruction",                                           \
	  "bulk and tensor copies and reductions, counted once per thread that issues one. They "  \
	  "are no requests: no other count has what they access", WORSE_NEITHER)                   \
	X(bulk_bytes, "ptx_bulk_bytes", "byte",                                                    \
	  "bytes of bulk and tensor copies and reductions, whole boxes", WORSE_MORE)               \
	X(barriers, "ptx_barriers", "instruction",                                                 \
	  "block barriers executed, counted once per warp", WORSE_MORE)                            \
	X(f16_flop, "ptx_f16_flop", "flop",                                                        \
	  "half and bfloat16 operations: an add or mul is 1, an fma 2, an x2 instruction twice "   \
	  "that", WORSE_NEITHER)                                                                   \
	X(f32_flop, "ptx_f32_flop", "flop",                                                        \
	  "single-precision operations: an add or mul is 1, an fma 2", WORSE_NEITHER)              \
	X(f64_flop, "ptx_f64_flop", "flop",                                                        \
	  "double-precision operations: an add or mul is 1, an fma 2", WORSE_NEITHER)              \
	X(tensor_f64_flop, "ptx_tensor_f64_flop", "flop",                                          \
	  "operations of matrix products (mma.sync, wmma, wgmma) on doubles, in no other flop "    \
	  "count: a multiply-add is 2", WORSE_NEITHER)                                             \
	X(tensor_tf32_flop, "ptx_tensor_tf32_flop", "flop",                                        \
	  "operations of matrix products on tf32: a multiply-add is 2", WORSE_NEITHER)             \
	X(tensor_f16_flop, "ptx_tensor_f16_flop", "flop",                                          \
	  "operations of matrix products on half precision: a multiply-add is 2", WORSE_NEITHER)   \
	X(tensor_bf16_flop, "ptx_tensor_bf16_flop", "flop",                                        \
	  "operations of matrix products on bfloat16: a multiply-add is 2", WORSE_NEITHER)         \
	X(tensor_f8_flop, "ptx_tensor_f8_flop", "flop",                                            \
	  "operations of matrix products on 8-bit floats: a multiply-add is 2", WORSE_NEITHER)     \
	X(tensor_integer_operations, "ptx_tensor_integer_operations", "operation",                 \
	  "operations of matrix products on integers and bits", WORSE_NEITHER)                     \
	X(special_flop, "ptx_special_operations", "instruction",                                   \
	  "divisions, roots, reciprocals and transcendental functions, counted once per lane; not "\
	  "in the flop counts", WORSE_MORE)                                                         \
	X(unchecked_requests, "ptx_unchecked_requests", "request",                                 \
	  "requests to global memory that were not checked for races, because the case was "       \
	  "sampled or the check had no memory left", WORSE_NEITHER)
/* clang-format on */

/* What the emulator counted at one source line of a kernel. */
struct line_count {
	char *file; /* as the compiler names it, owned; NULL: `line` is a line of the PTX */
	int64_t line;
	int64_t instructions, lanes; /* PTX instructions, counted per warp and per active lane */
	int64_t branches, divergent;
	int64_t requests, sectors; /* global memory: loads, stores, atomics */
	int64_t shared_requests, wavefronts, conflicts;
};
/* Ascending by file (NULL first) and line, each line once. All zeroes is an empty list. */
struct line_count_list {
	struct line_count *items;
	size_t count, capacity;
};
/* Appends an all-zero line and returns it. Copies `file`. The caller keeps the order. */
struct line_count *line_count_list_add(struct line_count_list *list, const char *file,
				       int64_t line);
void line_count_list_release(struct line_count_list *list);

#endif
