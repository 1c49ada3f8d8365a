/*
 * classify: items into bins, and each bin read once: lists with room for all,
 * linked lists, and lists that were counted first. Only counts and sums of
 * the bins are the result, for the order in a bin is nobody's to say.
 */
#include "kernels/table.h"

static int compute_bins(const struct launch_case *work, const struct host_buffers *inputs,
			struct host_buffers *expected, struct error *err)
{
	int64_t n, bins;
	void *x, *counts, *sums;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&counts, work, expected, "counts", &bins, err);
	if (!rc)
		rc = oracle_buffer(&sums, work, expected, "sums", &bins, err);
	if (rc)
		return rc;
	for (int64_t bin = 0; bin < bins; bin++)
		((uint32_t *)counts)[bin] = ((uint32_t *)sums)[bin] = 0;
	for (int64_t i = 0; i < n; i++) {
		const uint32_t value = ((const uint32_t *)x)[i];

		((uint32_t *)counts)[value % (uint64_t)bins]++;
		((uint32_t *)sums)[value % (uint64_t)bins] += value;
	}
	return 0;
}

static const struct kernel_oracle oracle_bins = {
	.name = "classify/bins",
	.axes = "n,bins",
	.compute = compute_bins,
};

#define X ARG_OF_BUFFER("x")
#define LENGTHS ARG_OF_BUFFER("lengths")
#define COUNTS ARG_OF_BUFFER("counts")
#define SUMS ARG_OF_BUFFER("sums")
#define N ARG_OF_I64("n")
#define BINS ARG_OF_U32("bins")
#define AN_ITEM_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}
#define A_BIN_A_THREAD .grid = {"ceil_div(bins, 64)"}, .block = {"64"}
#define A_BIN_A_BLOCK .grid = {"bins"}, .block = {"block"}

static const struct kernel_variant variants[] = {
	{
		.name = "list_per_bin",
		.lesson = "room for all items in each of m lists: N + m * N words, read by many",
		.metric = "gpu_time_ns",
		LAUNCHES({.entry = "classify_list_clear", A_BIN_A_THREAD, ARGS(LENGTHS, BINS)},
			 {.entry = "classify_list_per_bin",
			  AN_ITEM_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("lists"), LENGTHS, N, BINS)},
			 {.entry = "classify_list_read",
			  A_BIN_A_BLOCK,
			  ARGS(ARG_OF_BUFFER("lists"), LENGTHS, COUNTS, SUMS, N)}),
	},
	{
		.name = "linked_lists",
		.lesson = "N + 2 * m + 1 words; but a list is read by one thread, item by item",
		.metric = "gpu_time_ns",
		LAUNCHES({.entry = "classify_linked_clear",
			  A_BIN_A_THREAD,
			  ARGS(ARG_OF_BUFFER("heads"), BINS)},
			 {.entry = "classify_linked_lists",
			  AN_ITEM_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("heads"), ARG_OF_BUFFER("links"), N, BINS)},
			 {.entry = "classify_linked_read",
			  A_BIN_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("heads"), ARG_OF_BUFFER("links"), COUNTS, SUMS,
			       BINS)}),
	},
	{
		.name = "counted",
		.lesson = "counted first, lists need N + 2 * m words and are read by many",
		.metric = "gpu_time_ns",
		LAUNCHES({.entry = "classify_counted_clear", A_BIN_A_THREAD, ARGS(LENGTHS, BINS)},
			 {.entry = "classify_count", AN_ITEM_A_THREAD, ARGS(X, LENGTHS, N, BINS)},
			 {.entry = "classify_begin",
			  .grid = {"1"},
			  .block = {"1"},
			  ARGS(LENGTHS, ARG_OF_BUFFER("heads"), BINS)},
			 {.entry = "classify_counted",
			  AN_ITEM_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("heads"), ARG_OF_BUFFER("links"), N, BINS)},
			 {.entry = "classify_counted_read",
			  A_BIN_A_BLOCK,
			  ARGS(ARG_OF_BUFFER("links"), LENGTHS, ARG_OF_BUFFER("heads"), COUNTS,
			       SUMS)}),
	},
};

const struct kernel kernel_classify = {
	.name = "classify",
	.summary = "items into bins: lists with room for all, and lists without",
	AXES(AXIS_BLOCK, {"n", "2^18", "items"}, {"bins", "64", "bins that the items go into"}),
	.small_size = "2^12",
	BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1048576.0},
		{"counts", ELEMENT_U32, "bins", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
		{"sums", ELEMENT_U32, "bins", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
		{"lists", ELEMENT_U32, "bins * n", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},
		{"lengths", ELEMENT_U32, "bins", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},
		{"heads", ELEMENT_U32, "bins", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0},
		{"links", ELEMENT_U32, "n", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0}),
	CONSTRAINTS({"n < 4294967295", "n must be less than 2^32 - 1: links are 32 bits wide"},
		    {"bins <= 65535", "bins must be at most 65535: each is read by a block"}),
	.work = {.bytes_read = "4 * n", .bytes_written = "8 * bins"},
	.oracle = &oracle_bins,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
