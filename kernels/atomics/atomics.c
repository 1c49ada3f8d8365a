/*
 * atomics: additions by many threads to few words. Each block adds its elements
 * to one of `addresses` totals; with one address all blocks queue at one word.
 * Sums wrap at 32 bits, as unsigned sums do.
 */
#include "kernels/table.h"

static int compute_totals(const struct launch_case *work, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err)
{
	int64_t n, addresses, block = 1;
	void *x, *totals;
	uint32_t *out;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&totals, work, expected, "totals", &addresses, err);
	if (rc)
		return rc;
	launch_case_axis(work, "block", &block);
	out = totals;
	for (int64_t i = 0; i < addresses; i++)
		out[i] = 0;
	for (int64_t first = 0, b = 0; first < n; first += block, b++) {
		int64_t end = first + block < n ? first + block : n;
		uint32_t sum = 0;

		for (int64_t i = first; i < end; i++)
			sum += ((const uint32_t *)x)[i];
		out[b % addresses] += sum;
	}
	return 0;
}

static const struct kernel_oracle oracle_totals = {
	.name = "atomics/totals",
	.axes = "n,block,addresses",
	.compute = compute_totals,
};

#define X ARG_OF_BUFFER("x")
#define TOTALS ARG_OF_BUFFER("totals")
#define LOCKS ARG_OF_BUFFER("locks")
#define N ARG_OF_I64("n")
#define ADDRESSES ARG_OF_I64("addresses")
#define ONE_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}
#define FOR_EACH_TOTAL .grid = {"ceil_div(addresses, 256)"}, .block = {"256"}
#define ADDS(name)                                                                    \
	LAUNCHES({.entry = "atomics_clear", FOR_EACH_TOTAL, ARGS(TOTALS, ADDRESSES)}, \
		 {.entry = name, ONE_A_THREAD, ARGS(X, TOTALS, N, ADDRESSES)})
#define LOCKS_AND_ADDS(name)                                                                \
	LAUNCHES({.entry = "atomics_open", FOR_EACH_TOTAL, ARGS(TOTALS, LOCKS, ADDRESSES)}, \
		 {.entry = name, ONE_A_THREAD, ARGS(X, TOTALS, LOCKS, N, ADDRESSES)})

static const struct kernel_variant variants[] = {
	{
		.name = "native_add",
		.lesson =
			"the hardware adds where the total lies, for each word one lane at a time",
		.metric = "median_time_ns",
		ADDS("atomics_native_add"),
	},
	{
		.name = "cas_add",
		.lesson = "compare-and-swap: of the threads that collide one succeeds, the others "
			  "repeat",
		.metric = "instructions",
		/* If m threads want the same word, one succeeds and m - 1 repeat: a million
		 * elements take minutes. */
		AXES({"n", "2^12", "elements"}),
		ADDS("atomics_cas_add"),
	},
	{
		.name = "spin_lock",
		.lesson = "a lock taken by one lane per block: no deadlock, but a queue of blocks",
		.metric = "median_time_ns",
		LOCKS_AND_ADDS("atomics_spin_lock"),
	},
	{
		.name = "spin_lock_warp",
		.lesson = "a lock taken by one lane per warp: the warps of a block queue for it as "
			  "well",
		.metric = "median_time_ns",
		LOCKS_AND_ADDS("atomics_spin_lock_warp"),
		CONSTRAINTS(WHOLE_WARPS("a warp first adds up by shuffles")),
	},
	{
		.name = "spin_lock_lanes",
		.lesson = "a lock taken by all lanes of a warp: it works only if threads run "
			  "independently",
		.metric = "median_time_ns",
		/* Per block 32 threads want a lock, instead of one: slow, as with
		 * compare-and-swap. */
		AXES({"n", "2^12", "elements"}),
		LOCKS_AND_ADDS("atomics_spin_lock_lanes"),
		CONSTRAINTS({"compute_capability >= 70",
			     "threads of a warp must run independently: "
			     "compute capability 7.0 or later"}),
	},
	{
		.name = "block_first",
		.lesson = "one atomic addition per block gives the same sum without a lock",
		.metric = "median_time_ns",
		ADDS("atomics_block_first"),
	},
};

const struct kernel kernel_atomics = {
	.name = "atomics",
	.summary = "what it costs if many threads add to the same words",
	AXES(AXIS_BLOCK, {"n", "2^16", "elements"},
	     {"addresses", "1,1024", "totals that the blocks share: 1 means one queue"}),
	.small_size = "2^13",
	BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1000.0},
		{"totals", ELEMENT_U32, "addresses", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
		{"locks", ELEMENT_U32, "addresses", BUFFER_SCRATCH, FILL_NONE, 0.0, 0.0}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * addresses"},
	.oracle = &oracle_totals,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
