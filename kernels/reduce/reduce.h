/*
 * Shared by the families that sum: the launches of each way of summing, and the
 * oracle. For their tables only.
 */
#ifndef KERNELS_REDUCE_REDUCE_H
#define KERNELS_REDUCE_REDUCE_H

#include "kernels/table.h"

/* Sums the buffer x into the buffer sum. Its axis is n. */
extern const struct kernel_oracle oracle_sum;

#define X ARG_OF_BUFFER("x")
#define PARTIALS ARG_OF_BUFFER("partials")
#define SUM ARG_OF_BUFFER("sum")

/* Blocks of a first pass, each of which leaves one partial sum: one element per thread. */
#define BLOCKS "ceil_div(n, block)"
#define FINISH_BLOCK "min(1024, max_threads_per_block)"
#define FINISH(partials, count)                                                     \
	TABLE_ROW(.entry = "reduce_finish", .grid = {"1"}, .block = {FINISH_BLOCK}, \
		  ARGS(ARG_OF_BUFFER(partials), SUM, ARG_OF_I64(count)))

/* A pass over x by `blocks` blocks without dynamic shared memory, then the second pass. */
#define TWO_PASSES(name, blocks)                                                              \
	LAUNCHES({.entry = name, .grid = {blocks}, .block = {"block"}, ARGS(X, PARTIALS, N)}, \
		 FINISH("partials", blocks))
/* Every block adds its sum to a result that `clear` has set to 0. */
#define ADDED_UP(clear, name, blocks)                                        \
	LAUNCHES({.entry = clear, .grid = {"1"}, .block = {"1"}, ARGS(SUM)}, \
		 {.entry = name, .grid = {blocks}, .block = {"block"}, ARGS(X, SUM, N)})
/* A tree in dynamic shared memory, then the second pass. */
#define TREE(name)                             \
	LAUNCHES({.entry = name,               \
		  .grid = {BLOCKS},            \
		  .block = {"block"},          \
		  .shared_bytes = "4 * block", \
		  ARGS(X, PARTIALS, N)},       \
		 FINISH("partials", BLOCKS))
#define HALVES                      \
	TABLE_ROW("is_pow2(block)", \
		  "block must be a power of two: the tree halves it in every step")
#define WHOLE_WARPS_OF_SHUFFLE WHOLE_WARPS("a shuffle needs all lanes of a warp")

/* log2(n), rounded up: the number of halvings until one value is left. */
#define HALVINGS "log2(2 * n - 1)"
#define IN_HALVES                                                             \
	LAUNCHES({.entry = "reduce_naive",                                    \
		  .grid = {"ceil_div(ceil_div(n, 2), block)"},                \
		  .block = {"block"},                                         \
		  ARGS(X, ARG_OF_BUFFER("halves"), SUM, N)},                  \
		 {.entry = "reduce_naive",                                    \
		  .repeat = "max(0, " HALVINGS " - 1)",                       \
		  .grid = {"ceil_div(ceil_div(n, pow2(i + 2)), block)"},      \
		  .block = {"block"},                                         \
		  ARGS(ARG_OF_BUFFER("halves"), ARG_OF_BUFFER("halves"), SUM, \
		       ARG_OF_I64("ceil_div(n, pow2(i + 1))"))})

/* x is filled as the family says. A variant uses the other buffers that it needs. */
#define SUM_BUFFERS(...)                                                                        \
	BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, __VA_ARGS__},                                \
		{"sum", ELEMENT_F32, "1", BUFFER_OUT, FILL_NONE, 0.0, 0.0},                     \
		{"halves", ELEMENT_F32, "ceil_div(n, 2)", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0}, \
		{"even_steps", ELEMENT_F32, "n", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},          \
		{"odd_steps", ELEMENT_F32, "n", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},           \
		{"partials", ELEMENT_F32, BLOCKS, BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},         \
		{"partials_of_call", ELEMENT_F32, RESIDENT_BLOCKS, BUFFER_PER_CALL, FILL_NONE,  \
		 0.0, 0.0})

#endif
