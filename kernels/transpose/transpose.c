/*
 * transpose: the rows of an n x n matrix of floats become columns. It computes
 * nothing, so only the order of memory accesses counts: from scattered accesses
 * on one side to whole rows on both sides, and from one bank of shared memory
 * to all of them.
 */
#include "kernels/table.h"

/* The smallest number of rows for which the oracle uses another thread. */
#define GRAIN 64
/* The side of squares that stay in the first-level cache. */
#define SQUARE 16

struct transposition {
	const float *from;
	float *to;
	int64_t n;
};

static void transpose_rows(void *context, int64_t begin, int64_t end)
{
	const struct transposition *t = context;

	for (int64_t first = 0; first < t->n; first += SQUARE)
		for (int64_t row = begin; row < end; row++)
			for (int64_t i = first; i < first + SQUARE && i < t->n; i++)
				t->to[row * t->n + i] = t->from[i * t->n + row];
}

static int compute_transposed(const struct oracle_run *run)
{
	struct transposition of;
	int64_t length;

	of.from = oracle_input(run, "from", &length);
	of.to = oracle_result(run, "to", &length);
	if (!of.from || !of.to)
		return PL_EUSAGE;
	if (!launch_case_axis(run->work, "n", &of.n) || of.n * of.n != length)
		return error_set(run->err, PL_EUSAGE, "oracle %s: the case has no axis n",
				 run->work->oracle);
	parallel_for(of.n, GRAIN, transpose_rows, &of);
	return 0;
}

static const struct kernel_oracle oracle_transposed = {"transpose/transposed", "n",
						       compute_transposed};

/* The part of a block in the matrix has `rows` rows and 32 columns. */
#define BY_ROWS(name, rows)                                             \
	LAUNCHES({.entry = name,                                        \
		  .grid = {"ceil_div(n, 32)", "ceil_div(n, " rows ")"}, \
		  .block = {"32", "block / 32"},                        \
		  ARGS(ARG_OF_BUFFER("from"), ARG_OF_BUFFER("to"), ARG_OF_I64("n"))})
#define ROWS_OF_WARPS CONSTRAINTS(WHOLE_WARPS("it consists of rows of 32 threads"))

static const struct kernel_variant variants[] = {
	VARIANT("naive_write", "global_store_sectors_per_request",
		"reads whole rows and writes columns: 32 sectors per request of a warp",
		BY_ROWS("transpose_naive_write", "(block / 32)"), ROWS_OF_WARPS),
	VARIANT("naive_read", "global_load_sectors_per_request",
		"reads columns and writes whole rows: a cache keeps the rest of each sector",
		BY_ROWS("transpose_naive_read", "(block / 32)"), ROWS_OF_WARPS),
	VARIANT("conflicts", "shared_load_bank_conflicts",
		"through shared memory both sides are rows, but a column of it lies in one bank",
		BY_ROWS("transpose_conflicts", "32"), ROWS_OF_WARPS),
	VARIANT("padded", "shared_load_bank_conflicts",
		"rows 33 words apart: a column lies in 32 banks, no conflict is left",
		BY_ROWS("transpose_padded", "32"), ROWS_OF_WARPS),
	VARIANT("swizzled", "shared_load_bank_conflicts",
		"words exchanged within their row: no conflict, and no unused word",
		BY_ROWS("transpose_swizzled", "32"), ROWS_OF_WARPS),
};

const struct kernel kernel_transpose = {
	.name = "transpose",
	.summary = "rows of a square matrix to columns: the order of accesses, and bank conflicts",
	AXES(AXIS_BLOCK, {"n", "8192", "rows and columns of the matrix"}),
	.small_size = "128",
	BUFFERS({"from", ELEMENT_F32, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"to", ELEMENT_F32, "n * n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.bytes_read = "4 * n * n", .bytes_written = "4 * n * n"},
	/* Nothing is computed. */
	.tolerance_rel = 0.0,
	.oracle = &oracle_transposed,
	OWN_VARIANTS(variants),
};
