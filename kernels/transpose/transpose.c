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

static int compute_transposed(const struct launch_case *work, const struct host_buffers *inputs,
			      struct host_buffers *expected, struct error *err)
{
	struct transposition transposition;
	void *from, *to;
	int64_t length, n;
	int rc = oracle_buffer(&from, work, inputs, "from", &length, err);

	if (!rc)
		rc = oracle_buffer(&to, work, expected, "to", &length, err);
	if (rc)
		return rc;
	if (!launch_case_axis(work, "n", &n) || n * n != length)
		return error_set(err, PL_EUSAGE, "oracle %s: the case has no axis n", work->oracle);
	transposition = (struct transposition){.from = from, .to = to, .n = n};
	parallel_for(n, GRAIN, transpose_rows, &transposition);
	return 0;
}

static const struct kernel_oracle oracle_transposed = {
	.name = "transpose/transposed",
	.axes = "n",
	.compute = compute_transposed,
};

/* The part of a block in the matrix has `rows` rows and 32 columns. */
#define BY_ROWS(name, rows)                                             \
	LAUNCHES({.entry = name,                                        \
		  .grid = {"ceil_div(n, 32)", "ceil_div(n, " rows ")"}, \
		  .block = {"32", "block / 32"},                        \
		  ARGS(ARG_OF_BUFFER("from"), ARG_OF_BUFFER("to"), ARG_OF_I64("n"))})
#define ROWS_OF_WARPS CONSTRAINTS(WHOLE_WARPS("it consists of rows of 32 threads"))

static const struct kernel_variant variants[] = {
	{
		.name = "naive_write",
		.lesson = "reads whole rows and writes columns: 32 sectors per request of a warp",
		.metric = "global_store_sectors_per_request",
		BY_ROWS("transpose_naive_write", "(block / 32)"),
		ROWS_OF_WARPS,
	},
	{
		.name = "naive_read",
		.lesson = "reads columns and writes whole rows: a cache keeps the rest of each "
			  "sector",
		.metric = "global_load_sectors_per_request",
		BY_ROWS("transpose_naive_read", "(block / 32)"),
		ROWS_OF_WARPS,
	},
	{
		.name = "conflicts",
		.lesson = "through shared memory both sides are rows, but a column of it lies in "
			  "one bank",
		.metric = "shared_load_bank_conflicts",
		BY_ROWS("transpose_conflicts", "32"),
		ROWS_OF_WARPS,
	},
	{
		.name = "padded",
		.lesson = "rows 33 words apart: a column lies in 32 banks, no conflict is left",
		.metric = "shared_load_bank_conflicts",
		BY_ROWS("transpose_padded", "32"),
		ROWS_OF_WARPS,
	},
	{
		.name = "swizzled",
		.lesson = "words exchanged within their row: no conflict, and no unused word",
		.metric = "shared_load_bank_conflicts",
		BY_ROWS("transpose_swizzled", "32"),
		ROWS_OF_WARPS,
	},
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
	.tolerance_abs = 0.0,
	.tolerance_rel = 0.0,
	.oracle = &oracle_transposed,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
