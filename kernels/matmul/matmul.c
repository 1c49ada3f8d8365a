/*
 * matmul: C = A B of square float matrices, row-major. The classic climb from
 * the bandwidth of memory to that of arithmetic.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/table.h"

/* Of the oracle's blocking: a panel of B in doubles stays in the second-level cache, ROWS
 * accumulators of COLUMNS in the first. The fixed bounds let the compiler vectorise. */
#define DEPTH 128
#define COLUMNS 128
#define ROWS 4
/* Rows worth a thread of their own: packing a panel costs about as much as a row. */
#define GRAIN (16 * ROWS)

/* panel[k][j] = B[first_row + k][first_column + j], zero outside. */
static void pack_panel(double panel[DEPTH][COLUMNS], const float *b, int64_t n, int64_t first_row,
		       int64_t first_column)
{
	for (int64_t k = 0; k < DEPTH; k++)
		for (int64_t j = 0; j < COLUMNS; j++) {
			int64_t row = first_row + k, column = first_column + j;

			panel[k][j] = row < n && column < n ? b[row * n + column] : 0.0;
		}
}

/* Adds A[row .. row + ROWS][first ..] times the panel to sums, which holds ROWS rows of COLUMNS. */
static void multiply_panel(double sums[ROWS][COLUMNS], double panel[DEPTH][COLUMNS], const float *a,
			   int64_t n, int64_t row, int64_t first)
{
	for (int64_t k = 0; k < DEPTH && first + k < n; k++)
		for (int64_t r = 0; r < ROWS && row + r < n; r++) {
			double factor = a[(row + r) * n + first + k];

			for (int j = 0; j < COLUMNS; j++)
				sums[r][j] += factor * panel[k][j];
		}
}

struct product {
	const float *a, *b;
	float *c;
	int64_t n;
	double (*sums)[COLUMNS]; /* a row of C each; those of a thread's rows are its own */
};

/* The rows [begin, end) of COLUMNS columns of C. */
static void multiply_stripe(const struct product *product, double panel[DEPTH][COLUMNS],
			    int64_t begin, int64_t end, int64_t first_column)
{
	int64_t n = product->n;
	int64_t width = n - first_column < COLUMNS ? n - first_column : COLUMNS;

	memset(&product->sums[begin], 0, (size_t)(end - begin) * sizeof(*product->sums));
	for (int64_t k = 0; k < n; k += DEPTH) {
		pack_panel(panel, product->b, n, k, first_column);
		for (int64_t row = begin; row < end; row += ROWS)
			multiply_panel(&product->sums[row], panel, product->a, n, row, k);
	}
	for (int64_t row = begin; row < end; row++)
		for (int64_t j = 0; j < width; j++)
			product->c[row * n + first_column + j] = (float)product->sums[row][j];
}

/* Every element is summed in the same order, however the rows are shared out. */
static void multiply_rows(void *context, int64_t begin, int64_t end)
{
	const struct product *product = context;
	double(*panel)[COLUMNS] = xcalloc(DEPTH, sizeof(*panel));

	for (int64_t column = 0; column < product->n; column += COLUMNS)
		multiply_stripe(product, panel, begin, end, column);
	free(panel);
}

static int compute_product(const struct launch_case *work, const struct host_buffers *inputs,
			   struct host_buffers *expected, struct error *err)
{
	struct product product;
	void *a, *b, *c;
	int64_t n, length;
	int rc = oracle_buffer(&a, work, inputs, "a", &length, err);

	if (!rc)
		rc = oracle_buffer(&b, work, inputs, "b", &length, err);
	if (!rc)
		rc = oracle_buffer(&c, work, expected, "c", &length, err);
	if (rc)
		return rc;
	if (!launch_case_axis(work, "n", &n) || n * n != length)
		return error_set(err, PL_EUSAGE, "oracle %s: the case has no axis n", work->oracle);
	product = (struct product){.a = a, .b = b, .c = c, .n = n};
	product.sums = malloc((size_t)n * sizeof(*product.sums));
	if (!product.sums)
		return error_set(err, PL_ENOMEM, "oracle %s: no memory for n=%lld", work->oracle,
				 (long long)n);
	parallel_for(n, GRAIN, multiply_rows, &product);
	free(product.sums);
	return 0;
}

static const struct kernel_oracle oracle_product = {
	.name = "matmul/product",
	.axes = "n",
	.compute = compute_product,
};

#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")
#define C ARG_OF_BUFFER("c")
#define N ARG_OF_I64("n")

static const struct kernel_variant variants[] = {
	{
		.name = "naive",
		.lesson = "every thread reads a row and a column: n loads an element, from caches",
		.metric = "l1_bytes",
		/* A warp a row of the block: its loads of B are neighbours. */
		LAUNCHES({.entry = "matmul_naive",
			  .grid = {"ceil_div(n, 32)", "ceil_div(n, block / 32)"},
			  .block = {"32", "block / 32"},
			  ARGS(A, B, C, N)}),
		CONSTRAINTS(WHOLE_WARPS("it is rows of 32 threads")),
	},
	{
		.name = "tiled",
		.lesson = "tiles in shared memory: loads fall by the width of the tile",
		.metric = "l2_bytes",
		LAUNCHES({.entry = "matmul_tiled",
			  .grid = {"ceil_div(n, isqrt(block))", "ceil_div(n, isqrt(block))"},
			  .block = {"isqrt(block)", "isqrt(block)"},
			  .shared_bytes = "2 * 4 * block",
			  ARGS(A, B, C, N)}),
		CONSTRAINTS({"isqrt(block) * isqrt(block) == block",
			     "block must be a square number: the tile is as wide as it is high"}),
	},
};

const struct kernel kernel_matmul = {
	.name = "matmul",
	.summary = "the product of two square float matrices, from naive to tiled",
	AXES(AXIS_BLOCK, {"n", "1024", "rows and columns of each matrix"}),
	.small_size = "128",
	BUFFERS({"a", ELEMENT_F32, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"b", ELEMENT_F32, "n * n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"c", ELEMENT_F32, "n * n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = "2 * n * n * n", .bytes_read = "8 * n * n", .bytes_written = "4 * n * n"},
	/*
	 * A running float sum of n positive products errs by about 0.29 * 2^-23 * sqrt(n / 3) (one
	 * standard deviation): 2.5e-6 at n = 16384, whose worst element is some six deviations off.
	 * A lost product is 1 / n, far more.
	 */
	.tolerance_abs = 0.0,
	.tolerance_rel = 2e-5,
	.oracle = &oracle_product,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
