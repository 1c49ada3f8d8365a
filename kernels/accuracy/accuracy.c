/*
 * accuracy: the sum of n copies of 1.23f, by the ways to sum of the family
 * reduce and by a textbook's ladder of its own, and how many digits each keeps
 * (the metric relative_error). Copies of one number round the same way again
 * and again, so errors add up where those of random numbers would cancel.
 */
#include <stdlib.h>

#include "kernels/reduce/reduce.h"

/*
 * Each addition of k that follow one another may lose 2^-24 of the sum. Trees
 * have k of 30 or so, grid strides n / (4 * resident threads): 6000 on the
 * smallest device, which is why the family's tolerance is as wide as it is.
 * What is computed at all is verified by the family reduce, with numbers that
 * let it be narrow; here the error is what is looked for.
 */
#define STRIDES_LOSE 5e-4
/* k is the resident blocks: 8448 of 32 threads on an H200. */
static const struct kernel_tolerance resident_blocks_lose = {.abs = 0.0, .rel = 2e-3};
/* k is n / block: three million of 10^8 elements in blocks of a warp. */
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
#define OWN_BUFFERS(list) .buffers = list, .buffer_count = ARRAY_SIZE(list)
#define TREE_OF_WARPS CONSTRAINTS(HALVES, WHOLE_WARPS("the tree ends in a whole warp"))

/* As static_sums in fixed_grid_static.cu has room for; more than any device holds at once. */
#define FIXED_BLOCKS "min(10240, " BLOCKS ")"
/* One kernel over all elements, then over the sums of its blocks. */
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
static const struct kernel_buffer allocated_buffers[] = {
	{"x", ELEMENT_F32, "n", BUFFER_IN, FILL_CONSTANT, 1.23, 0.0},
	{"sum", ELEMENT_F32, "1", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
	{"sums_of_call", ELEMENT_F32, FIXED_BLOCKS, BUFFER_PER_CALL, FILL_NONE, 0.0, 0.0},
};

/* ---- the order of additions ---- */

#define LARGE "1.23456e30"
#define SMALL "9.87654e-30"
/* LARGE + SMALL - LARGE, or LARGE - LARGE + SMALL. */
enum { SMALL_SECOND = 1, SMALL_LAST = 2 };

/* What floats must give, not what is true: of SMALL nothing is left once LARGE has been added. */
static int compute_order(const struct launch_case *work, const struct host_buffers *inputs,
			 struct host_buffers *expected, struct error *err)
{
	int64_t n, order = SMALL_LAST;
	float left;
	void *sums;
	int rc = oracle_buffer(&sums, work, expected, "sums", &n, err);

	(void)inputs;
	if (rc)
		return rc;
	launch_case_axis(work, "order", &order);
	left = order == SMALL_SECOND ? 0.0f : strtof(SMALL, NULL);
	for (int64_t i = 0; i < n; i++)
		((float *)sums)[i] = left;
	return 0;
}

static const struct kernel_oracle oracle_order = {
	.name = "accuracy/order",
	.axes = "order",
	.compute = compute_order,
};
static const struct kernel_buffer order_buffers[] = {
	{"sums", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
};
static const struct kernel_work order_work = {.flop = "3 * n", .bytes_written = "4 * n"};
/* Each order has one result. */
static const struct kernel_tolerance nothing_lost = {.abs = 0.0, .rel = 0.0};

static const struct kernel_variant variants[] = {
	{
		.name = "pairs",
		.image = "reduce/naive",
		.lesson =
			"pairs, and pairs of pairs: every sum is of two as large, the error least",
		.metric = "relative_error",
		IN_HALVES,
	},
	{
		.name = "tree",
		.image = "reduce/sequential",
		.lesson = "a tree in each block, then one over the blocks: about seven digits",
		.metric = "relative_error",
		TREE("reduce_sequential"),
		CONSTRAINTS(HALVES),
	},
	{
		.name = "registers",
		.image = "reduce/shuffle",
		.lesson = "the same tree in registers keeps the same digits",
		.metric = "relative_error",
		TWO_PASSES("reduce_shuffle", BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE),
	},
	{
		.name = "strides",
		.image = "reduce/grid_stride",
		.lesson = "a thread adds hundreds one after another first: an error that all share",
		.metric = "relative_error",
		TWO_PASSES("reduce_grid_stride", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE),
	},
	{
		.name = "atomic_resident",
		.image = "reduce/atomic_finish",
		.lesson = "a thousand atomic additions to one number: a digit or two are gone",
		.metric = "relative_error",
		.tolerance = &resident_blocks_lose,
		ADDED_UP("reduce_clear", "reduce_atomic_finish", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE),
	},
	{
		.name = "atomic_blocks",
		.lesson = "an atomic addition of every block: about three digits of a large sum "
			  "are left",
		.metric = "relative_error",
		.tolerance = &all_blocks_lose,
		ADDED_UP("accuracy_clear", "accuracy_atomic_blocks", BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE),
	},
	{
		.name = "atomic_sequential",
		.lesson = "a tree with the block's barrier in all steps, and an atomic addition",
		TREES_ADDED_UP("accuracy_atomic_sequential"),
		CONSTRAINTS(HALVES),
	},
	{
		.name = "atomic_syncwarp",
		.lesson = "the same, but in the last steps each warp waits for itself alone",
		TREES_ADDED_UP("accuracy_atomic_syncwarp"),
		TREE_OF_WARPS,
	},
	{
		.name = "atomic_shuffle",
		.lesson = "the same, but the last steps are shuffles: no barrier, no shared memory",
		TREES_ADDED_UP("accuracy_atomic_shuffle"),
		TREE_OF_WARPS,
	},
	{
		.name = "atomic_tile",
		.lesson = "the same by a cooperative-groups tile: what it costs beside shuffles",
		TREES_ADDED_UP("accuracy_atomic_tile"),
		TREE_OF_WARPS,
	},
	{
		.name = "fixed_grid",
		.lesson = "many elements a thread in a grid of fixed size, then the same kernel "
			  "again",
		.metric = "gpu_time_ns",
		FIXED_GRID("partials"),
		TREE_OF_WARPS,
	},
	{
		.name = "fixed_grid_static",
		.lesson = "the same with its sums in a static device array: no allocation",
		.metric = "gpu_time_ns",
		TWICE("accuracy_fixed_grid_static", ARGS(X, N), "accuracy_fixed_grid_static_finish",
		      ARGS(SUM, ARG_OF_I64(FIXED_BLOCKS))),
		TREE_OF_WARPS,
	},
	{
		.name = "fixed_grid_per_call",
		.image = "accuracy/fixed_grid",
		.lesson = "the same, allocating its sums in every call: what that costs",
		.metric = "gpu_time_ns",
		OWN_BUFFERS(allocated_buffers),
		FIXED_GRID("sums_of_call"),
		TREE_OF_WARPS,
	},
	{
		.name = "order",
		.lesson = "1.2e30 + 9.9e-30 - 1.2e30 by atomics: the order decides whether it is 0",
		.metric = "relative_error",
		AXES({"n", "2^12", "sums"},
		     {"order", "1,2", "1: the small number second; 2: last"}),
		CONSTRAINTS({"order == 1 || order == 2",
			     "order must be 1 or 2: the small number second or last"}),
		OWN_BUFFERS(order_buffers),
		.oracle = &oracle_order,
		.work = &order_work,
		.tolerance = &nothing_lost,
		LAUNCHES({.entry = "accuracy_order",
			  .grid = {BLOCKS},
			  .block = {"block"},
			  ARGS(ARG_OF_BUFFER("sums"), ARG_OF_F32(LARGE), ARG_OF_F32(SMALL),
			       ARG_OF_U32("order"), N)}),
	},
	{
		.name = "cub",
		.lesson = "what the vendor's library keeps of it",
		.metric = "relative_error",
		AXES({"block", "256", "of no matter: the library chooses"}),
		LAUNCHES({.library = "cub", .entry = "sum", ARGS(X, SUM, N)}),
	},
};

const struct kernel kernel_accuracy = {
	.name = "accuracy",
	.summary = "the sum of n copies of 1.23f: how many digits each way to sum keeps",
	AXES({"block", "128,256", "threads in one block"}, {"n", "100000000", "copies to sum"}),
	.small_size = "100000",
	SUM_BUFFERS(FILL_CONSTANT, 1.23, 0.0),
	.work = {.flop = "n - 1", .bytes_read = "4 * n", .bytes_written = "4"},
	.tolerance_abs = 0.0,
	.tolerance_rel = STRIDES_LOSE,
	.oracle = &oracle_sum,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
