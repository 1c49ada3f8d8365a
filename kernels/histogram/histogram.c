/*
 * histogram: how often each of 256 values occurs. The axis `distinct` is the
 * number of different values: with 256 contention is least, with 1 all elements
 * fall into one bin.
 */
#include <string.h>

#include "kernels/table.h"

#define BINS 256 /* as in histogram.cuh, and in the expressions below */

static int compute_counts(const struct launch_case *work, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err)
{
	uint64_t tally[BINS] = {0};
	int64_t n, bins, distinct = BINS;
	void *x, *counts;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&counts, work, expected, "counts", &bins, err);
	if (rc)
		return rc;
	launch_case_axis(work, "distinct", &distinct);
	for (int64_t i = 0; i < n; i++)
		tally[((const uint32_t *)x)[i] & (uint32_t)(distinct - 1)]++;
	for (int64_t i = 0; i < bins; i++)
		((uint32_t *)counts)[i] = (uint32_t)tally[i];
	return 0;
}

static const struct kernel_oracle oracle_counts = {
	.name = "histogram/counts",
	.axes = "n,distinct",
	.compute = compute_counts,
};

#define X ARG_OF_BUFFER("x")
#define COUNTS ARG_OF_BUFFER("counts")
#define N ARG_OF_I64("n")
#define MASK ARG_OF_U32("distinct - 1")
#define CLEAR                                                                             \
	{                                                                                 \
		.entry = "histogram_clear", .grid = {"1"}, .block = {"256"}, ARGS(COUNTS) \
	}
/* As many blocks as fit on the device at the same time, each with its own histogram. */
#define RESIDENT_BLOCKS "min(ceil_div(n, block), sm_count * max(1, max_threads_per_sm / block))"
#define OF_BLOCKS(name)                             \
	LAUNCHES(CLEAR, {.entry = name,             \
			 .grid = {RESIDENT_BLOCKS}, \
			 .block = {"block"},        \
			 ARGS(X, COUNTS, N, MASK)})

static const struct kernel_variant variants[] = {
	{
		.name = "global_atomics",
		.lesson = "one histogram for all: equal elements wait for each other across the "
			  "device",
		.metric = "median_time_ns",
		LAUNCHES(CLEAR, {.entry = "histogram_global_atomics",
				 .grid = {"ceil_div(n, block)"},
				 .block = {"block"},
				 ARGS(X, COUNTS, N, MASK)}),
	},
	{
		.name = "shared_atomics",
		.lesson = "one histogram per block: the queues are short, and in shared memory",
		.metric = "median_time_ns",
		OF_BLOCKS("histogram_shared_atomics"),
	},
	{
		.name = "shared_one_each",
		.lesson = "one element per thread: every block adds the bins that it has met to "
			  "the result",
		.metric = "median_time_ns",
		LAUNCHES(CLEAR, {.entry = "histogram_shared_one_each",
				 .grid = {"ceil_div(n, block)"},
				 .block = {"block"},
				 ARGS(X, COUNTS, N, MASK)}),
	},
	{
		.name = "shared_vectorised",
		.lesson =
			"one histogram per block, four elements per load: near the speed of memory",
		.metric = "dram_bytes_per_s",
		OF_BLOCKS("histogram_shared_vectorised"),
	},
	{
		.name = "warp_private",
		.lesson = "one tagged histogram per warp: no atomics, but one more turn per "
			  "collision",
		.metric = "instructions",
		LAUNCHES(CLEAR, {.entry = "histogram_warp_private",
				 .grid = {RESIDENT_BLOCKS},
				 .block = {"block"},
				 .shared_bytes = "4 * 256 * (block / 32)",
				 ARGS(X, COUNTS, N, MASK)}),
		CONSTRAINTS(WHOLE_WARPS("each warp has a histogram, and all its lanes vote")),
	},
	{
		.name = "warp_aggregated",
		.lesson = "lanes with equal elements add once: the more contention, the less work",
		.metric = "median_time_ns",
		OF_BLOCKS("histogram_warp_aggregated"),
		CONSTRAINTS(WHOLE_WARPS("all lanes of a warp look for equal elements")),
	},
	{
		.name = "cub",
		.lesson = "CUB, the vendor's library: the library baseline for histograms",
		.metric = "median_time_ns",
		AXES({"block", "256", "ignored: the library chooses"},
		     {"distinct", "256", "always 256: the library takes the elements as they are"}),
		LAUNCHES({.library = "cub",
			  .entry = "histogram",
			  ARGS(X, COUNTS, N, ARG_OF_I64("256"))}),
		CONSTRAINTS({"distinct == 256",
			     "distinct must be 256: the library takes the elements as they are"}),
	},
};

const struct kernel kernel_histogram = {
	.name = "histogram",
	.summary = "how often each of 256 values occurs, with and without contention",
	AXES(AXIS_BLOCK, {"n", "2^24", "elements"},
	     {"distinct", "1,256",
	      "different values of the elements: 1 puts all of them into one bin"}),
	.small_size = "2^14",
	BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 256.0},
		{"counts", ELEMENT_U32, "256", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	CONSTRAINTS({"is_pow2(distinct) && distinct <= 256",
		     "distinct must be a power of two, at most 256: a mask cuts off bits"}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * 256"},
	.oracle = &oracle_counts,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
