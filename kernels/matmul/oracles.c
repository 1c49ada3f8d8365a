/* CPU references of the matrix products. */
#include "kernels/matmul/oracles.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/matmul/panel.h"

/* The smallest number of rows for which the oracle uses another thread. Packing a panel costs about
 * as much as a row. */
#define GRAIN (16 * PANEL_ROWS)

/* A has m rows of k elements, B has k rows of n. */
struct product {
	const float *a, *b;
	float *c;
	int64_t m, n, k;
	double (*sums)[PANEL_COLUMNS]; /* one row of C each; a thread uses those of its own rows */
};

/* panel[i][j] = B[first_row + i][first_column + j], zero outside. */
static void pack_panel(double panel[PANEL_DEPTH][PANEL_COLUMNS], const struct product *product,
		       int64_t first_row, int64_t first_column)
{
	for (int64_t i = 0; i < PANEL_DEPTH; i++)
		for (int64_t j = 0; j < PANEL_COLUMNS; j++) {
			int64_t row = first_row + i, column = first_column + j;

			panel[i][j] = row < product->k && column < product->n
					      ? product->b[row * product->n + column]
					      : 0.0;
		}
}

/* Adds the product of columns [first, first + depth) of A and the panel to the sums of PANEL_ROWS
 * rows. Rows beyond `end` are computed and discarded. */
static void multiply_panel(const struct product *product, double panel[PANEL_DEPTH][PANEL_COLUMNS],
			   int64_t row, int64_t end, int64_t first, int64_t depth)
{
	double discarded[PANEL_COLUMNS] = {0};
	double *sums[PANEL_ROWS];
	const float *factors[PANEL_ROWS];

	for (int r = 0; r < PANEL_ROWS; r++) {
		const bool is_row = row + r < end;

		sums[r] = is_row ? product->sums[row + r] : discarded;
		factors[r] = product->a + (is_row ? row + r : row) * product->k + first;
	}
	panel_multiplication_at(0)(sums, factors, panel, depth);
}

/* Computes rows [begin, end) of PANEL_COLUMNS columns of C. */
static void multiply_stripe(const struct product *product, double panel[PANEL_DEPTH][PANEL_COLUMNS],
			    int64_t begin, int64_t end, int64_t first_column)
{
	int64_t n = product->n;
	int64_t width = n - first_column < PANEL_COLUMNS ? n - first_column : PANEL_COLUMNS;

	memset(&product->sums[begin], 0, (size_t)(end - begin) * sizeof(*product->sums));
	for (int64_t k = 0; k < product->k; k += PANEL_DEPTH) {
		int64_t depth = product->k - k < PANEL_DEPTH ? product->k - k : PANEL_DEPTH;

		pack_panel(panel, product, k, first_column);
		for (int64_t row = begin; row < end; row += PANEL_ROWS)
			multiply_panel(product, panel, row, end, k, depth);
	}
	for (int64_t row = begin; row < end; row++)
		for (int64_t j = 0; j < width; j++)
			product->c[row * n + first_column + j] = (float)product->sums[row][j];
}

/* Sums every element in the same order, however the rows are divided among threads. */
static void multiply_rows(void *context, int64_t begin, int64_t end)
{
	const struct product *product = context;
	double(*panel)[PANEL_COLUMNS] = xcalloc(PANEL_DEPTH, sizeof(*panel));

	for (int64_t column = 0; column < product->n; column += PANEL_COLUMNS)
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
