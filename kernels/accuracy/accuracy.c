/*
 * accuracy: the sum of n copies of 1.23f, by the ways to sum of the family
 * reduce, and how many digits each keeps (the metric relative_error). Copies of
 * one number round the same way again and again, so errors add up where those
 * of random numbers would cancel.
 */
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
