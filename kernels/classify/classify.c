/*
 * classify: puts items into bins and reads each bin once. The lists are of full
 * size, linked, or counted first. The result of a bin is only its count and its
 * sum, because the order within a bin is arbitrary. Sizes are in words of 4
 * bytes, as in the lecture: m items, N bins.
 */
#include "kernels/table.h"

static int compute_bins(const struct oracle_run *run)
{
	int64_t n, bins;
	const uint32_t *x = oracle_input(run, "x", &n);
	uint32_t *counts = oracle_result(run, "counts", &bins);
	uint32_t *sums = oracle_result(run, "sums", &bins);

	if (!x || !counts || !sums)
		return PL_EUSAGE;
	for (int64_t bin = 0; bin < bins; bin++)
		counts[bin] = sums[bin] = 0;
	for (int64_t i = 0; i < n; i++) {
		counts[x[i] % (uint64_t)bins]++;
		sums[x[i] % (uint64_t)bins] += x[i];
	}
	return 0;
}

static const struct kernel_oracle oracle_bins = {"classify/bins", "n,bins", compute_bins};

#define X ARG_OF_BUFFER("x")
#define LENGTHS ARG_OF_BUFFER("lengths")
#define HEADS ARG_OF_BUFFER("heads")
#define LINKS ARG_OF_BUFFER("links")
#define PAIRS ARG_OF_BUFFER("pairs")
#define COUNT ARG_OF_BUFFER("count")
#define BEGINS ARG_OF_BUFFER("begins")
#define PACKED ARG_OF_BUFFER("packed")
#define LISTS ARG_OF_BUFFER("lists")
#define COUNTS ARG_OF_BUFFER("counts")
#define SUMS ARG_OF_BUFFER("sums")
#define BINS ARG_OF_U32("bins")
#define A_BIN_A_THREAD .grid = {"ceil_div(bins, 64)"}, .block = {"64"}
#define A_BIN_A_BLOCK .grid = {"bins"}, .block = {"block"}

#define ITEMS_AND_BINS                                                            \
	{"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1048576.0},         \
		{"counts", ELEMENT_U32, "bins", BUFFER_OUT, FILL_NONE, 0.0, 0.0}, \
	{                                                                         \
		"sums", ELEMENT_U32, "bins", BUFFER_OUT, FILL_NONE, 0.0, 0.0      \
	}
#define SCRATCH(name, length) \
	TABLE_ROW(name, ELEMENT_U32, length, BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0)

/* Each variant has exactly the buffers that its lists need: studies compare their sizes. */
static const struct kernel_variant variants[] = {
	VARIANT("list_per_bin", "median_time_ns",
		"each of N lists has space for all m items: N + m * N words, read by many threads",
		BUFFERS(ITEMS_AND_BINS, SCRATCH("lengths", "bins"), SCRATCH("lists", "bins * n")),
		LAUNCHES({.entry = "classify_list_clear", A_BIN_A_THREAD, ARGS(LENGTHS, BINS)},
			 {.entry = "classify_list_per_bin",
			  ONE_A_THREAD,
			  ARGS(X, LISTS, LENGTHS, N, BINS)},
			 {.entry = "classify_list_read",
			  A_BIN_A_BLOCK,
			  ARGS(LISTS, LENGTHS, COUNTS, SUMS, N)})),
	VARIANT("linked_lists", "median_time_ns",
		"linked lists: N + 2 * m + 1 words, but one thread reads a list, item by item",
		BUFFERS(ITEMS_AND_BINS, SCRATCH("heads", "bins"), SCRATCH("pairs", "2 * n"),
			SCRATCH("count", "1")),
		LAUNCHES({.entry = "classify_linked_clear",
			  A_BIN_A_THREAD,
			  ARGS(HEADS, COUNT, BINS)},
			 {.entry = "classify_linked_lists",
			  ONE_A_THREAD,
			  ARGS(X, HEADS, PAIRS, COUNT, N, BINS)},
			 {.entry = "classify_linked_read",
			  A_BIN_A_THREAD,
			  ARGS(HEADS, PAIRS, COUNTS, SUMS, BINS)})),
	VARIANT("linked_in_place", "median_time_ns",
		"an item's index is its place: N + m words, and no counter shared by all threads",
		BUFFERS(ITEMS_AND_BINS, SCRATCH("heads", "bins"), SCRATCH("links", "n")),
		LAUNCHES({.entry = "classify_in_place_clear", A_BIN_A_THREAD, ARGS(HEADS, BINS)},
			 {.entry = "classify_linked_in_place",
			  ONE_A_THREAD,
			  ARGS(X, HEADS, LINKS, N, BINS)},
			 {.entry = "classify_in_place_read",
			  A_BIN_A_THREAD,
			  ARGS(X, HEADS, LINKS, COUNTS, SUMS, BINS)})),
	VARIANT("counted", "median_time_ns",
		"lists counted first: 2 * N + m words, read by many threads",
		BUFFERS(ITEMS_AND_BINS, SCRATCH("lengths", "bins"), SCRATCH("begins", "bins"),
			SCRATCH("packed", "n")),
		LAUNCHES({.entry = "classify_counted_clear", A_BIN_A_THREAD, ARGS(LENGTHS, BINS)},
			 {.entry = "classify_count", ONE_A_THREAD, ARGS(X, LENGTHS, N, BINS)},
			 {.entry = "classify_begin",
			  .grid = {"1"},
			  .block = {"1"},
			  ARGS(LENGTHS, BEGINS, BINS)},
			 {.entry = "classify_counted",
			  ONE_A_THREAD,
			  ARGS(X, BEGINS, PACKED, N, BINS)},
			 {.entry = "classify_counted_read",
			  A_BIN_A_BLOCK,
			  ARGS(PACKED, LENGTHS, BEGINS, COUNTS, SUMS)})),
};

const struct kernel kernel_classify = {
	.name = "classify",
	.summary = "items into bins: lists of full size, linked lists, lists counted first",
	AXES(AXIS_BLOCK, {"n", "2^18", "items"}, {"bins", "64", "bins for the items"}),
	.small_size = "2^12",
	BUFFERS(ITEMS_AND_BINS),
	CONSTRAINTS({"n < 4294967295", "n must be less than 2^32 - 1: links are 32 bits wide"},
		    {"bins <= 65535", "bins must be at most 65535: a block reads each bin"}),
	.work = {.bytes_read = "4 * n", .bytes_written = "8 * bins"},
	.oracle = &oracle_bins,
	OWN_VARIANTS(variants),
};
