/* CPU references of the matrix products. */
#include "kernels/matmul/oracles.h"

#include <stdlib.h>
#include <string.h>

/* The blocks of the oracle: a panel of B in doubles stays in the second-level cache, ROWS times
 * COLUMNS accumulators in the first-level cache. Fixed bounds let the compiler vectorise. */
#define DEPTH 128
#define COLUMNS 128
#define ROWS 4
#define STRIP 16
#if defined(__x86_64__)
#define WIDE_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define WIDE_VECTORS
#endif
/* The smallest number of rows for which the oracle uses another thread. Packing a panel costs about
 * as much as a row. */
#define GRAIN (16 * ROWS)

/* A has m rows of k elements, B has k rows of n. */
struct product {
	const float *a, *b;
	float *c;
	int64_t m, n, k;
	double (*sums)[COLUMNS]; /* one row of C each; a thread uses those of its own rows */
};

/* panel[i][j] = B[first_row + i][first_column + j], zero outside. */
static void pack_panel(double panel[DEPTH][COLUMNS], const struct product *product,
		       int64_t first_row, int64_t first_column)
{
	for (int64_t i = 0; i < DEPTH; i++)
		for (int64_t j = 0; j < COLUMNS; j++) {
			int64_t row = first_row + i, column = first_column + j;

			panel[i][j] = row < product->k && column < product->n
					      ? product->b[row * product->n + column]
					      : 0.0;
		}
}

/*
 * Adds A[row .. row + ROWS][first ..] times the panel to the sums of these rows, one strip of
 * columns at a time, with the sums of a strip in registers. A sum has the same additions in the
 * same order whatever vectors a processor has: nothing is fused.
 */
WIDE_VECTORS static void multiply_panel(const struct product *product, double panel[DEPTH][COLUMNS],
					int64_t row, int64_t first)
{
	int64_t depth = product->k - first < DEPTH ? product->k - first : DEPTH;
	int64_t rows = product->m - row < ROWS ? product->m - row : ROWS;
	const float *factors[ROWS];

	for (int64_t r = 0; r < ROWS; r++) /* rows beyond the last are computed and discarded */
		factors[r] = product->a + (row + (r < rows ? r : 0)) * product->k + first;
	for (int64_t strip = 0; strip < COLUMNS; strip += STRIP) {
		double sums[ROWS][STRIP] = {{0.0}};

		for (int64_t r = 0; r < rows; r++)
			memcpy(sums[r], &product->sums[row + r][strip], sizeof(sums[r]));
		for (int64_t k = 0; k < depth; k++)
			for (int r = 0; r < ROWS; r++)
				for (int j = 0; j < STRIP; j++)
					sums[r][j] += (double)factors[r][k] * panel[k][strip + j];
		for (int64_t r = 0; r < rows; r++)
			memcpy(&product->sums[row + r][strip], sums[r], sizeof(sums[r]));
	}
}

/* Computes rows [begin, end) of COLUMNS columns of C. */
static void multiply_stripe(const struct product *product, double panel[DEPTH][COLUMNS],
			    int64_t begin, int64_t end, int64_t first_column)
{
	int64_t n = product->n;
	int64_t width = n - first_column < COLUMNS ? n - first_column : COLUMNS;

	memset(&product->sums[begin], 0, (size_t)(end - begin) * sizeof(*product->sums));
	for (int64_t k = 0; k < product->k; k += DEPTH) {
		pack_panel(panel, product, k, first_column);
		for (int64_t row = begin; row < end; row += ROWS)
			multiply_panel(product, panel, row, k);
	}
	for (int64_t row = begin; row < end; row++)
		for (int64_t j = 0; j < width; j++)
			product->c[row * n + first_column + j] = (float)product->sums[row][j];
}

/* Sums every element in the same order, however the rows are divided among threads. */
static void multiply_rows(void *context, int64_t begin, int64_t end)
{
	const struct product *product = context;
	double(*panel)[COLUMNS] = xcalloc(DEPTH, sizeof(*panel));

	for (int64_t column = 0; column < product->n; column += COLUMNS)
		multiply_stripe(product, panel, begin, end, column);
	free(panel);
}

/* `m`, `k`: the names of the axes with these sizes. */
static int compute_any(const struct launch_case *work, const struct host_buffers *inputs,
		       struct host_buffers *expected, const char *m, const char *k,
		       struct error *err)
{
	struct product product;
	int64_t length[3];
	void *data[3];
	int rc = oracle_buffer(&data[0], work, inputs, "a", &length[0], err);

	if (!rc)
		rc = oracle_buffer(&data[1], work, inputs, "b", &length[1], err);
	if (!rc)
		rc = oracle_buffer(&data[2], work, expected, "c", &length[2], err);
	if (rc)
		return rc;
	product = (struct product){.a = data[0], .b = data[1], .c = data[2]};
	if (!launch_case_axis(work, m, &product.m) || !launch_case_axis(work, k, &product.k) ||
	    !launch_case_axis(work, "n", &product.n) || product.m * product.k != length[0] ||
	    product.k * product.n != length[1] || product.m * product.n != length[2])
		return error_set(err, PL_EUSAGE, "oracle %s: axes and buffers disagree",
				 work->oracle);
	product.sums = malloc((size_t)product.m * sizeof(*product.sums));
	if (!product.sums)
		return error_set(err, PL_ENOMEM, "oracle %s: no memory for %lld rows", work->oracle,
				 (long long)product.m);
	parallel_for(product.m, GRAIN, multiply_rows, &product);
	free(product.sums);
	return 0;
}

static int compute_product(const struct launch_case *work, const struct host_buffers *inputs,
			   struct host_buffers *expected, struct error *err)
{
	return compute_any(work, inputs, expected, "n", "n", err);
}

static int compute_product_of_any(const struct launch_case *work, const struct host_buffers *inputs,
				  struct host_buffers *expected, struct error *err)
{
	return compute_any(work, inputs, expected, "m", "k", err);
}

/* ---- narrow operands, B by columns ---- */

struct widening {
	const struct case_buffer *a, *b;
	const void *of_a, *of_b;
	float *wide_a, *wide_b;
	int64_t n;
};

/* Widens rows [begin, end) of both. The rows of B become columns. */
static void widen_rows(void *context, int64_t begin, int64_t end)
{
	const struct widening *w = context;
	int64_t n = w->n;

	for (int64_t row = begin; row < end; row++)
		for (int64_t i = 0; i < n; i++) {
			w->wide_a[row * n + i] =
				(float)element_value(w->a->type, w->of_a, row * n + i);
			w->wide_b[i * n + row] =
				(float)element_value(w->b->type, w->of_b, row * n + i);
		}
}

static const struct case_buffer *buffer_of(const struct launch_case *work, const char *name)
{
	const struct case_buffer *buffer = work->buffers;

	while (strcmp(buffer->name, name))
		buffer++;
	return buffer;
}

/* Widening loses nothing: every value of these types is a float. */
static int compute_product_of_columns(const struct launch_case *work,
				      const struct host_buffers *inputs,
				      struct host_buffers *expected, struct error *err)
{
	struct widening widening = {0};
	struct product product = {0};
	int64_t length[3];
	void *data[3];
	int rc = oracle_buffer(&data[0], work, inputs, "a", &length[0], err);

	if (!rc)
		rc = oracle_buffer(&data[1], work, inputs, "b", &length[1], err);
	if (!rc)
		rc = oracle_buffer(&data[2], work, expected, "c", &length[2], err);
	if (rc)
		return rc;
	if (!launch_case_axis(work, "n", &widening.n) || widening.n * widening.n != length[0] ||
	    length[0] != length[1] || length[0] != length[2])
		return error_set(err, PL_EUSAGE, "oracle %s: axes and buffers disagree",
				 work->oracle);
	widening.a = buffer_of(work, "a");
	widening.b = buffer_of(work, "b");
	widening.of_a = data[0];
	widening.of_b = data[1];
	widening.wide_a = malloc((size_t)length[0] * sizeof(float));
	widening.wide_b = malloc((size_t)length[0] * sizeof(float));
	product = (struct product){.a = widening.wide_a,
				   .b = widening.wide_b,
				   .c = data[2],
				   .m = widening.n,
				   .n = widening.n,
				   .k = widening.n};
	product.sums = malloc((size_t)product.m * sizeof(*product.sums));
	if (widening.wide_a && widening.wide_b && product.sums) {
		parallel_for(widening.n, GRAIN, widen_rows, &widening);
		parallel_for(product.m, GRAIN, multiply_rows, &product);
	} else {
		rc = error_set(err, PL_ENOMEM, "oracle %s: no memory for n=%lld", work->oracle,
			       (long long)widening.n);
	}
	free(product.sums);
	free(widening.wide_b);
	free(widening.wide_a);
	return rc;
}

const struct kernel_oracle oracle_matmul_product_of_columns = {
	.name = "matmul/product_of_columns",
	.axes = "n",
	.compute = compute_product_of_columns,
};

const struct kernel_oracle oracle_matmul_product = {
	.name = "matmul/product",
	.axes = "n",
	.compute = compute_product,
};

const struct kernel_oracle oracle_matmul_product_of_any = {
	.name = "matmul/product_of_any",
	.axes = "m,n,k",
	.compute = compute_product_of_any,
};
