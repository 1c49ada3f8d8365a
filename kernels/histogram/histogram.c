/*
 * histogram: how often each of 256 values occurs. The axis `distinct` is the
 * number of different values: with 256 contention is least, with 1 all elements
 * fall into one bin.
 */
#include "kernels/table.h"

#define BINS 256 /* as in histogram.cuh, and in the expressions below */

static int compute_counts(const struct oracle_run *run)
{
	const int64_t distinct = oracle_axis(run, "distinct", BINS);
	uint64_t tally[BINS] = {0};
	int64_t n, bins;
	const uint32_t *x = oracle_input(run, "x", &n);
	uint32_t *counts = oracle_result(run, "counts", &bins);

	if (!x || !counts)
		return PL_EUSAGE;
	for (int64_t i = 0; i < n; i++)
		tally[x[i] & (uint32_t)(distinct - 1)]++;
	for (int64_t i = 0; i < bins; i++)
		counts[i] = (uint32_t)tally[i];
	return 0;
}

static const struct kernel_oracle oracle_counts = {"histogram/counts", "n,distinct",
						   compute_counts};

#define X ARG_OF_BUFFER("x")
#define COUNTS ARG_OF_BUFFER("counts")
#define MASK ARG_OF_U32("distinct - 1")
#define CLEAR TABLE_ROW(.entry = "histogram_clear", .grid = {"1"}, .block = {"256"}, ARGS(COUNTS))
/* Each block has its own histogram. */
#define OF_BLOCKS(name)                             \
	LAUNCHES(CLEAR, {.entry = name,             \
			 .grid = {RESIDENT_BLOCKS}, \
			 .block = {"block"},        \
			 ARGS(X, COUNTS, N, MASK)})

static const struct kernel_variant variants[] = {
	VARIANT("global_atomics", "median_time_ns",
		"one histogram for all: equal elements wait for each other across the device",
		LAUNCHES(CLEAR, {.entry = "histogram_global_atomics",
				 ONE_A_THREAD,
				 ARGS(X, COUNTS, N, MASK)})),
	VARIANT("shared_atomics", "median_time_ns",
		"one histogram per block: the queues are short, and in shared memory",
		OF_BLOCKS("histogram_shared_atomics")),
	VARIANT("shared_one_each", "median_time_ns",
		"one element per thread: every block adds the bins that it has met to the result",
		LAUNCHES(CLEAR, {.entry = "histogram_shared_one_each",
				 ONE_A_THREAD,
				 ARGS(X, COUNTS, N, MASK)})),
	VARIANT("shared_vectorised", "dram_bytes_per_s",
		"one histogram per block, four elements per load: near the speed of memory",
		OF_BLOCKS("histogram_shared_vectorised")),
	VARIANT("warp_private", "instructions",
		"one tagged histogram per warp: no atomics, but one more turn per collision",
		LAUNCHES(CLEAR, {.entry = "histogram_warp_private",
				 .grid = {RESIDENT_BLOCKS},
				 .block = {"block"},
				 .shared_bytes = "4 * 256 * (block / 32)",
				 ARGS(X, COUNTS, N, MASK)}),
		CONSTRAINTS(WHOLE_WARPS("each warp has a histogram, and all its lanes vote"))),
	VARIANT("warp_aggregated", "median_time_ns",
		"lanes with equal elements add once: the more contention, the less work",
		OF_BLOCKS("histogram_warp_aggregated"),
		CONSTRAINTS(WHOLE_WARPS("all lanes of a warp look for equal elements"))),
	VARIANT("cub", "median_time_ns",
		"CUB, the vendor's library: the library baseline for histograms",
		AXES({"block", "256", "ignored: the library chooses"},
		     {"distinct", "256", "always 256: the library takes the elements as they are"}),
		LAUNCHES({.library = "cub",
			  .entry = "histogram",
			  ARGS(X, COUNTS, N, ARG_OF_I64("256"))}),
		CONSTRAINTS({"distinct == 256",
			     "distinct must be 256: the library takes the elements as they are"})),
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
	OWN_VARIANTS(variants),
};
