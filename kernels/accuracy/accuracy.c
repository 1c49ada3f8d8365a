/*
 * accuracy: the sum of n copies of 1.23f, and how many digits each way of
 * summing keeps (metric relative_error). The variants are those of the family
 * reduce and a series taken from a textbook. Copies of one number round in the
 * same direction again and again, so errors add up that would cancel for random
 * numbers.
 */
#include <stdlib.h>

#include "kernels/reduce/reduce.h"

/*
 * Each of k successive additions may lose 2^-24 of the sum. In trees k is about
 * 30. In grid strides it is n / (4 * resident threads), 6000 on the smallest
 * device, hence the wide tolerance of the family. The family reduce verifies
 * the computation itself, with numbers that allow a narrow tolerance. Here the
 * error is the result.
 */
#define STRIDES_LOSE 5e-4
/* k is the number of resident blocks: 8448 blocks of 32 threads on an H200. */
static const struct kernel_tolerance resident_blocks_lose = {.abs = 0.0, .rel = 2e-3};
/* k is n / block: three million for 10^8 elements in blocks of one warp. */
static const struct kernel_tolerance all_blocks_lose = {.abs = 0.0, .rel = 0.2};

/* A tree in dynamic shared memory in each block, which then adds its sum to the result. */
#define TREES_ADDED_UP(name)                                                            \
	.metric = "instructions", .tolerance = &all_blocks_lose,                        \
	LAUNCHES({.entry = "accuracy_clear", .grid = {"1"}, .block = {"1"}, ARGS(SUM)}, \
		 {.entry = name,                                                        \
		  .grid = {BLOCKS},                                                     \
		  .block = {"block"},                                                   \
		  .shared_bytes = "4 * block",                                          \
		  ARGS(X, SUM, N)})
#define TREE_OF_WARPS CONSTRAINTS(HALVES, WHOLE_WARPS("the tree ends in a whole warp"))

/* At most as many blocks as static_sums in fixed_grid_static.cu has elements; no device holds as
 * many at a time. */
#define FIXED_BLOCKS "min(10240, " BLOCKS ")"
/* One kernel over all elements, then one over the sums of its blocks. */
#define TWICE(first, first_args, second, second_args)  \
	LAUNCHES({.entry = first,                      \
		  .grid = {FIXED_BLOCKS},              \
		  .block = {"block"},                  \
		  .shared_bytes = "4 * block",         \
		  first_args},                         \
		 {.entry = second,                     \
		  .grid = {"1"},                       \
		  .block = {FINISH_BLOCK},             \
		  .shared_bytes = "4 * " FINISH_BLOCK, \
		  second_args})
#define FIXED_GRID(buffer)                                                                     \
	TWICE("accuracy_fixed_grid", ARGS(X, ARG_OF_BUFFER(buffer), N), "accuracy_fixed_grid", \
	      ARGS(ARG_OF_BUFFER(buffer), SUM, ARG_OF_I64(FIXED_BLOCKS)))

/* ---- the order of additions ---- */

#define LARGE "1.23456e30"
#define SMALL "9.87654e-30"
/* LARGE + SMALL - LARGE, or LARGE - LARGE + SMALL. */
enum { SMALL_SECOND = 1, SMALL_LAST = 2 };

/* Expects what float arithmetic gives, not the exact sum: nothing is left of SMALL once LARGE has
 * been added to it. */
static int compute_order(const struct oracle_run *run)
{
	const int64_t order = oracle_axis(run, "order", SMALL_LAST);
	int64_t n;
	float *sums = oracle_result(run, "sums", &n);

	for (int64_t i = 0; sums && i < n; i++)
		sums[i] = order == SMALL_SECOND ? 0.0f : strtof(SMALL, NULL);
	return sums ? 0 : PL_EUSAGE;
}

static const struct kernel_oracle oracle_order = {"accuracy/order", "order", compute_order};
static const struct kernel_work order_work = {.flop = "3 * n", .bytes_written = "4 * n"};
/* Each order has exactly one result. */
static const struct kernel_tolerance nothing_lost = {.abs = 0.0, .rel = 0.0};

static const struct kernel_variant variants[] = {
	VARIANT("pairs", "relative_error",
		"pairs, and pairs of pairs: both terms of a sum are equally large, the error is "
		"least",
		.image = "reduce/naive", IN_HALVES),
	VARIANT("tree", "relative_error",
		"a tree in each block, then one over the blocks: about seven digits are right",
		.image = "reduce/sequential", TREE("reduce_sequential"), CONSTRAINTS(HALVES)),
	VARIANT("registers", "relative_error", "the same tree in registers keeps the same digits",
		.image = "reduce/shuffle", TWO_PASSES("reduce_shuffle", BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("strides", "relative_error",
		"each thread adds hundreds of copies one by one: all threads make the same error",
		.image = "reduce/grid_stride", TWO_PASSES("reduce_grid_stride", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("atomic_resident", "relative_error",
		"a thousand atomic additions to one number: a digit or two are lost",
		.image = "reduce/atomic_finish", .tolerance = &resident_blocks_lose,
		ADDED_UP("reduce_clear", "reduce_atomic_finish", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("atomic_blocks", "relative_error",
		"one atomic addition per block: about three digits of a large sum are left",
		.tolerance = &all_blocks_lose,
		ADDED_UP("accuracy_clear", "accuracy_atomic_blocks", BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	{
		.name = "atomic_sequential",
		.lesson = "a tree with a barrier of the block in every step, then one atomic "
			  "addition",
		TREES_ADDED_UP("accuracy_atomic_sequential"),
		CONSTRAINTS(HALVES),
	},
	{
		.name = "atomic_syncwarp",
		.lesson = "as atomic_sequential, but in the last steps each warp synchronises only "
			  "itself",
		TREES_ADDED_UP("accuracy_atomic_syncwarp"),
		TREE_OF_WARPS,
	},
	{
		.name = "atomic_shuffle",
		.lesson = "as atomic_syncwarp, but the last steps are shuffles: no barrier, no "
			  "shared memory",
		TREES_ADDED_UP("accuracy_atomic_shuffle"),
		TREE_OF_WARPS,
	},
	{
		.name = "atomic_tile",
		.lesson = "as atomic_shuffle with a cooperative-groups tile: its cost compared "
			  "with shuffles",
		TREES_ADDED_UP("accuracy_atomic_tile"),
		TREE_OF_WARPS,
	},
	VARIANT("fixed_grid", "median_time_ns",
		"a grid of fixed size, many elements per thread, then the same kernel over its "
		"sums",
		FIXED_GRID("partials"), TREE_OF_WARPS),
	VARIANT("fixed_grid_static", "median_time_ns",
		"the fixed grid with its sums in a static device array: no allocation",
		TWICE("accuracy_fixed_grid_static", ARGS(X, N), "accuracy_fixed_grid_static_finish",
		      ARGS(SUM, ARG_OF_I64(FIXED_BLOCKS))),
		TREE_OF_WARPS),
	VARIANT("fixed_grid_per_call", "median_time_ns",
		"the fixed grid with its sums allocated in every call: what the allocation costs",
		.image = "accuracy/fixed_grid",
		BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, FILL_CONSTANT, 1.23, 0.0},
			{"sum", ELEMENT_F32, "1", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
			{"sums_of_call", ELEMENT_F32, FIXED_BLOCKS, BUFFER_PER_CALL, FILL_NONE, 0.0,
			 0.0}),
		FIXED_GRID("sums_of_call"), TREE_OF_WARPS),
	VARIANT("order", "relative_error",
		"1.2e30 + 9.9e-30 - 1.2e30 by atomics: the order decides whether the sum is 0",
		AXES({"n", "2^12", "sums"},
		     {"order", "1,2", "1: the small number second; 2: last"}),
		CONSTRAINTS({"order == 1 || order == 2",
			     "order must be 1 or 2: the small number second or last"}),
		BUFFERS({"sums", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		.oracle = &oracle_order, .work = &order_work, .tolerance = &nothing_lost,
		LAUNCHES({.entry = "accuracy_order",
			  .grid = {BLOCKS},
			  .block = {"block"},
			  ARGS(ARG_OF_BUFFER("sums"), ARG_OF_F32(LARGE), ARG_OF_F32(SMALL),
			       ARG_OF_U32("order"), N)})),
	VARIANT("cub", "relative_error", "CUB, the vendor's library: how many digits it keeps",
		AXES({"block", "256", "ignored: the library chooses"}),
		LAUNCHES({.library = "cub", .entry = "sum", ARGS(X, SUM, N)})),
};

const struct kernel kernel_accuracy = {
	.name = "accuracy",
	.summary = "the sum of n copies of 1.23f: how many digits each way of summing keeps",
	AXES({"block", "128,256", "threads in one block"}, {"n", "100000000", "copies to sum"}),
	.small_size = "100000",
	SUM_BUFFERS(FILL_CONSTANT, 1.23, 0.0),
	.work = {.flop = "n - 1", .bytes_read = "4 * n", .bytes_written = "4"},
	.tolerance_rel = STRIDES_LOSE,
	.oracle = &oracle_sum,
	OWN_VARIANTS(variants),
};
