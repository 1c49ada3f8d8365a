/*
 * atomics: additions by many threads to few words. Each block adds its elements
 * to one of `addresses` totals; with one address all blocks queue at one word.
 * Sums wrap at 32 bits, as unsigned sums do.
 */
#include "kernels/table.h"

static int compute_totals(const struct oracle_run *run)
{
	const int64_t block = oracle_axis(run, "block", 1);
	int64_t n, addresses;
	const uint32_t *x = oracle_input(run, "x", &n);
	uint32_t *totals = oracle_result(run, "totals", &addresses);

	if (!x || !totals)
		return PL_EUSAGE;
	for (int64_t i = 0; i < addresses; i++)
		totals[i] = 0;
	for (int64_t i = 0; i < n; i++)
		totals[i / block % addresses] += x[i];
	return 0;
}

static const struct kernel_oracle oracle_totals = {"atomics/totals", "n,block,addresses",
						   compute_totals};

#define X ARG_OF_BUFFER("x")
#define TOTALS ARG_OF_BUFFER("totals")
#define LOCKS ARG_OF_BUFFER("locks")
#define ADDRESSES ARG_OF_I64("addresses")
#define FOR_EACH_TOTAL .grid = {"ceil_div(addresses, 256)"}, .block = {"256"}
#define ADDS(name)                                                                    \
	LAUNCHES({.entry = "atomics_clear", FOR_EACH_TOTAL, ARGS(TOTALS, ADDRESSES)}, \
		 {.entry = name, ONE_A_THREAD, ARGS(X, TOTALS, N, ADDRESSES)})
#define LOCKS_AND_ADDS(name)                                                                \
	LAUNCHES({.entry = "atomics_open", FOR_EACH_TOTAL, ARGS(TOTALS, LOCKS, ADDRESSES)}, \
		 {.entry = name, ONE_A_THREAD, ARGS(X, TOTALS, LOCKS, N, ADDRESSES)})

static const struct kernel_variant variants[] = {
	VARIANT("native_add", "median_time_ns",
		"the hardware adds where the total lies, for each word one lane at a time",
		ADDS("atomics_native_add")),
	VARIANT("cas_add", "instructions",
		"compare-and-swap: of the threads that collide one succeeds, the others repeat",
		/* If m threads want the same word, one succeeds and m - 1 repeat: a million
		 * elements take minutes. */
		AXES({"n", "2^12", "elements"}), ADDS("atomics_cas_add")),
	VARIANT("spin_lock", "median_time_ns",
		"a lock taken by one lane per block: no deadlock, but a queue of blocks",
		LOCKS_AND_ADDS("atomics_spin_lock")),
	VARIANT("spin_lock_warp", "median_time_ns",
		"a lock taken by one lane per warp: the warps of a block queue for it as well",
		LOCKS_AND_ADDS("atomics_spin_lock_warp"),
		CONSTRAINTS(WHOLE_WARPS("a warp first adds up by shuffles"))),
	VARIANT("spin_lock_lanes", "median_time_ns",
		"a lock taken by all lanes of a warp: it works only if threads run independently",
		/* Per block 32 threads want a lock, instead of one: slow, as with
		 * compare-and-swap. */
		AXES({"n", "2^12", "elements"}), LOCKS_AND_ADDS("atomics_spin_lock_lanes"),
		CONSTRAINTS({"compute_capability >= 70",
			     "threads of a warp must run independently: "
			     "compute capability 7.0 or later"})),
	VARIANT("block_first", "median_time_ns",
		"one atomic addition per block gives the same sum without a lock",
		ADDS("atomics_block_first")),
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
	OWN_VARIANTS(variants),
};
