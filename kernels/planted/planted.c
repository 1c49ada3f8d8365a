/*
 * planted: slow-downs of a known size, to compare with what `perflab regress`
 * finds. The axis `work` says how much work is done, in thousandths of what is
 * needed, and does not change the results. Runs only when named.
 */
#include "kernels/table.h"

#define STRIDE 33

enum operation { COPY, GATHER };

struct computation {
	enum operation operation;
	const float *a;
	float *c;
	int64_t n;
};

static void planted_compute_range(void *context, int64_t begin, int64_t end)
{
	const struct computation *of = context;

	for (int64_t i = begin; i < end; i++)
		of->c[i] = of->a[of->operation == GATHER ? i * STRIDE % of->n : i];
}

static int planted_compute(const struct oracle_run *run)
{
	struct computation of = {.operation = (enum operation)run->oracle->which};

	of.a = oracle_input(run, "a", &of.n);
	of.c = oracle_result(run, "c", &of.n);
	if (!of.a || !of.c)
		return PL_EUSAGE;
	parallel_for(of.n, ORACLE_GRAIN, planted_compute_range, &of);
	return 0;
}

static int planted_compute_block_sums(const struct oracle_run *run)
{
	const int64_t block = oracle_axis(run, "block", 1);
	int64_t n;
	const float *a = oracle_input(run, "a", &n);
	float *c = oracle_result(run, "c", &n);

	if (!a || !c)
		return PL_EUSAGE;
	for (int64_t first = 0; first < n; first += block) {
		int64_t end = first + block < n ? first + block : n;
		double sum = 0;

		for (int64_t i = first; i < end; i++)
			sum += a[i];
		for (int64_t i = first; i < end; i++)
			c[i] = (float)sum;
	}
	return 0;
}

static const struct kernel_oracle oracle_copy = {"planted/copy", "", planted_compute, COPY};
static const struct kernel_oracle oracle_gather = {"planted/gather", "", planted_compute, GATHER};
static const struct kernel_oracle oracle_block_sums = {"planted/block_sums", "block",
						       planted_compute_block_sums};

static const struct kernel_work work_block_sums = {
	.flop = "n", .bytes_read = "4 * n", .bytes_written = "4 * n"};
static const struct kernel_work work_arithmetic = {
	.flop = "200 * n", .bytes_read = "4 * n", .bytes_written = "4 * n"};

#define WITH_SOME_BLOCKS_TWICE .grid = {"ceil_div(n, block) * work / 1000"}, .block = {"block"}

#define A ARG_OF_BUFFER("a")
#define C ARG_OF_BUFFER("c")

static const struct kernel_variant variants[] = {
	VARIANT("copy", "median_time_ns", "a slow-down by more bytes through DRAM",
		LAUNCHES({.entry = "planted_copy", WITH_SOME_BLOCKS_TWICE, ARGS(A, C, N)})),
	VARIANT("gather", "median_time_ns", "a slow-down by more sectors, one per lane",
		.oracle = &oracle_gather,
		LAUNCHES({.entry = "planted_gather", WITH_SOME_BLOCKS_TWICE, ARGS(A, C, N)})),
	VARIANT("block_sums", "median_time_ns", "a slow-down by more barriers and shared memory",
		.oracle = &oracle_block_sums, .work = &work_block_sums,
		CONSTRAINTS({"is_pow2(block)", "block must be a power of two: the tree halves it"}),
		LAUNCHES({.entry = "planted_block_sums",
			  WITH_SOME_BLOCKS_TWICE,
			  .shared_bytes = "4 * block",
			  ARGS(A, C, N)})),
	VARIANT("arithmetic", "median_time_ns", "a slow-down by more additions",
		.work = &work_arithmetic,
		LAUNCHES({.entry = "planted_arithmetic",
			  .grid = {"ceil_div(n, block)"},
			  .block = {"block"},
			  ARGS(A, C, ARG_OF_I64("2 * (work / 10)"), N)})),
};

const struct kernel kernel_planted = {
	.name = "planted",
	.summary = "slow-downs of a known size: what a search for regressions must find",
	.on_request = true,
	AXES(AXIS_BLOCK, {"n", "2^25", "elements"},
	     {"work", "1000", "work done, in thousandths of what is needed"}),
	.small_size = "2^16",
	/* Multiples of 2^-24 in [0, 1): 1 - v is exact. */
	BUFFERS({"a", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"c", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* Sums of up to 1024 numbers in another order; copies are exact. */
	.tolerance_rel = 1e-5,
	.oracle = &oracle_copy,
	OWN_VARIANTS(variants),
};
