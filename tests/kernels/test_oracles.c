/* The oracles, which verify all results, are compared with values calculated by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

/* A case with its data: inputs filled, results poisoned. */
struct bench {
	struct launch_case *work;
	struct host_buffers inputs, expected;
};

static void bench_init(struct bench *bench, const char *kernel, const char *variant, int64_t block,
		       int64_t n, int64_t ways)
{
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = kernel_find_variant(family, variant);
	const struct axis_value axes[] = {{"n", n}, {"block", block}, {"ways", ways}};
	struct device_limits limits = device_limits_minimum;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	/* Cases for larger devices are fine here. */
	limits.compute_capability = 90;
	limits.max_shared_bytes_per_block = 227 * 1024;
	memset(bench, 0, sizeof(*bench));
	assert_int_equal(
		kernel_resolve(&bench->work, &skip, family, row, axes, ways ? 3 : 2, &limits, &err),
		0);
	assert_non_null(bench->work);
	for (size_t i = 0; i < bench->work->buffer_count; i++) {
		const struct case_buffer *buffer = &bench->work->buffers[i];
		size_t bytes = (size_t)buffer->length * element_size_bytes(buffer->type);

		if (buffer->role == BUFFER_IN) {
			bench->inputs.data[i] = malloc(bytes);
			assert_non_null(bench->inputs.data[i]);
			kernel_fill(bench->inputs.data[i], buffer, 5, NULL);
		} else if (buffer->role == BUFFER_OUT) {
			bench->expected.data[i] = malloc(bytes);
			assert_non_null(bench->expected.data[i]);
			memset(bench->expected.data[i], 0xff, bytes);
		}
	}
}

static float *bench_data(const struct bench *bench, const char *name)
{
	for (size_t i = 0; i < bench->work->buffer_count; i++)
		if (!strcmp(bench->work->buffers[i].name, name))
			return bench->inputs.data[i] ? bench->inputs.data[i]
						     : bench->expected.data[i];
	fail_msg("no buffer %s", name);
	return NULL;
}

static void bench_compute(struct bench *bench)
{
	struct error err = {0};

	assert_int_equal(kernel_oracle_compute(kernel_find_oracle(bench->work->oracle), bench->work,
					       &bench->inputs, &bench->expected, &err),
			 0);
}

static void bench_release(struct bench *bench)
{
	for (size_t i = 0; i < KERNEL_MAX_BUFFERS; i++) {
		free(bench->inputs.data[i]);
		free(bench->expected.data[i]);
	}
	launch_case_free(bench->work);
}

static bool near(double value, double expected, double relative)
{
	return fabs(value - expected) <= relative * fabs(expected);
}

static void test_stream(void **state)
{
	static const struct {
		const char *variant;
		double of_a, of_b;
	} rows[] = {{"copy_scalar", 1, 0},
		    {"copy_unrolled", 1, 0},
		    {"scale_float4", 3, 0},
		    {"add_grid_stride", 1, 1},
		    {"triad_scalar", 1, 3}};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct bench bench;
		const float *a, *c;

		bench_init(&bench, "stream", rows[r].variant, 64, 37, 0);
		bench_compute(&bench);
		a = bench_data(&bench, "a");
		c = bench_data(&bench, "c");
		for (int i = 0; i < 37; i++) {
			double b = rows[r].of_b ? bench_data(&bench, "b")[i] : 0.0;

			assert_true(c[i] == (float)(rows[r].of_a * a[i] + rows[r].of_b * b));
		}
		bench_release(&bench);
	}
}

static void test_reduce(void **state)
{
	struct bench bench;
	float *x;

	(void)state;
	bench_init(&bench, "reduce", "shuffle", 64, 1, 0);
	bench_compute(&bench);
	assert_true(bench_data(&bench, "sum")[0] == bench_data(&bench, "x")[0]);
	bench_release(&bench);

	/* 1 … n, exactly; at odd sizes, so that no half is lost. */
	for (int n = 2; n < 5000; n = 2 * n + 1) {
		bench_init(&bench, "reduce", "naive", 64, n, 0);
		x = bench_data(&bench, "x");
		for (int i = 0; i < n; i++)
			x[i] = (float)(i + 1);
		bench_compute(&bench);
		assert_true(bench_data(&bench, "sum")[0] == (float)(n * (n + 1) / 2));
		bench_release(&bench);
	}
	/* Ten million times 1.23f: a running float sum would be off in the third digit. */
	bench_init(&bench, "reduce", "atomic_finish", 64, 10000000, 0);
	x = bench_data(&bench, "x");
	for (int i = 0; i < 10000000; i++)
		x[i] = 1.23f;
	bench_compute(&bench);
	assert_true(bench_data(&bench, "sum")[0] == (float)(1e7 * (double)1.23f));
	bench_release(&bench);
}

/* One step of body `which`, as documented. */
static double body(double value, int which, int steps)
{
	for (int step = 0; step < steps; step++)
		value = value * (4095 - which) / 4096.0 + (step + 1 + 3 * which) / 8192.0;
	return value;
}

static void test_divergence(void **state)
{
	static const struct {
		const char *variant;
		int64_t block, ways;
		int steps;
		int which[5]; /* of elements 0, 1, 37, 63 and 200; -1: none */
	} rows[] = {
		{"thread_parity_short", 64, 0, 3, {0, 1, 1, 1, 0}},
		{"thread_parity_long", 64, 0, 256, {0, 1, 1, 1, 0}},
		{"if_else", 64, 0, 256, {0, 1, 1, 1, 0}},
		{"two_ifs", 64, 0, 256, {0, 1, 1, 1, 0}},
		{"no_else", 64, 0, 256, {-1, 1, 1, 1, -1}},
		{"no_else_warp", 64, 0, 256, {-1, -1, 1, 1, -1}},
		{"warp_parity_short", 64, 0, 3, {0, 0, 1, 1, 0}},
		{"warp_parity_long", 64, 0, 256, {0, 0, 1, 1, 0}},
		{"block_parity_long", 64, 0, 256, {0, 0, 0, 0, 1}},
		{"block_parity_short", 128, 0, 3, {0, 0, 0, 0, 1}},
		{"switch_lane", 64, 1, 64, {0, 0, 0, 0, 0}},
		{"switch_lane", 64, 4, 64, {0, 1, 1, 3, 0}},
		{"switch_lane", 64, 32, 64, {0, 1, 5, 31, 8}},
		{"switch_lane", 64, 5, 64, {0, 1, 0, 1, 3}},
		{"switch_warp", 64, 4, 64, {0, 0, 1, 1, 2}},
	};
	static const int elements[] = {0, 1, 37, 63, 200};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct bench bench;

		bench_init(&bench, "divergence", rows[r].variant, rows[r].block, 201, rows[r].ways);
		bench_compute(&bench);
		for (size_t e = 0; e < ARRAY_SIZE(elements); e++) {
			int i = elements[e];
			double x = bench_data(&bench, "x")[i];
			double expected =
				rows[r].which[e] < 0 ? x : body(x, rows[r].which[e], rows[r].steps);

			if (!near(bench_data(&bench, "y")[i], expected, 1e-7))
				fail_msg("%s, ways %d, element %d", rows[r].variant,
					 (int)rows[r].ways, i);
		}
		bench_release(&bench);
	}
}

/* The oracle composes the steps of a body, and runs them one by one where rounding could differ. */
static void test_divergence_is_exact(void **state)
{
	const int n = 1 << 20;
	struct bench bench;
	const float *x, *y;

	(void)state;
	bench_init(&bench, "divergence", "thread_parity_long", 64, n, 0);
	bench_compute(&bench);
	x = bench_data(&bench, "x");
	y = bench_data(&bench, "y");
	for (int i = 0; i < n; i++)
		if (y[i] != (float)body((double)x[i], i % 2, 256))
			fail_msg("element %d is %.9g", i, (double)y[i]);
	bench_release(&bench);
}

/* Both variants compute the same: steps of body 2 between those of an element's own. */
static void test_divergence_common(void **state)
{
	static const char *const variants[] = {"common_inside", "common_outside"};
	struct bench bench;

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(variants); v++) {
		bench_init(&bench, "divergence", variants[v], 64, 97, 0);
		bench_compute(&bench);
		for (int i = 0; i < 97; i++) {
			double value = body(bench_data(&bench, "x")[i], i % 2, 32);

			value = body(body(value, 2, 192), i % 2, 32);
			assert_true(near(bench_data(&bench, "y")[i], value, 1e-7));
		}
		assert_int_equal(bench.work->flop, 2 * 97 * 256);
		bench_release(&bench);
	}
}

/* Whole blocks of them: 128 of 97 elements. */
static void test_divergence_math_kernels(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "divergence", "math_kernel_ifs", 64, 97, 0);
	bench_compute(&bench);
	for (int i = 0; i < 128; i++)
		assert_true(bench_data(&bench, "c")[i] == (i % 2 ? 200.0f : 100.0f));
	bench_release(&bench);
	bench_init(&bench, "divergence", "math_kernel_warp", 64, 97, 0);
	bench_compute(&bench);
	for (int i = 0; i < 128; i++)
		assert_true(bench_data(&bench, "c")[i] == (i & 32 ? 200.0f : 100.0f));
	bench_release(&bench);
}

/* The work model counts the steps that the oracle makes. */
static void test_divergence_work(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "divergence", "thread_parity_short", 64, 1000, 0);
	assert_int_equal(bench.work->flop, 2 * 1000 * 3);
	bench_release(&bench);
	bench_init(&bench, "divergence", "switch_warp", 64, 1000, 8);
	assert_int_equal(bench.work->flop, 2 * 1000 * 64);
	bench_release(&bench);
	bench_init(&bench, "divergence", "no_else", 64, 1001, 0);
	assert_int_equal(bench.work->flop, 2 * 500 * 256);
	bench_release(&bench);
	/* eight odd warps and 7 elements of a ninth; eight, and an even one's 7 */
	bench_init(&bench, "divergence", "no_else_warp", 64, 17 * 32 + 7, 0);
	assert_int_equal(bench.work->flop, 2 * (8 * 32 + 7) * 256);
	bench_release(&bench);
	bench_init(&bench, "divergence", "no_else_warp", 64, 16 * 32 + 7, 0);
	assert_int_equal(bench.work->flop, 2 * 8 * 32 * 256);
	bench_release(&bench);
}

static void test_matmul(void **state)
{
	/* Below, at and above every blocking factor of the oracle. */
	static const int sizes[] = {1, 2, 3, 5, 127, 128, 129, 131, 260};
	struct bench bench;

	(void)state;
	bench_init(&bench, "matmul", "naive", 64, 2, 0);
	memcpy(bench_data(&bench, "a"), (float[]){1, 2, 3, 4}, 16);
	memcpy(bench_data(&bench, "b"), (float[]){5, 6, 7, 8}, 16);
	bench_compute(&bench);
	assert_memory_equal(bench_data(&bench, "c"), ((float[]){19, 22, 43, 50}), 16);
	bench_release(&bench);

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		int n = sizes[s];
		const float *a, *b, *c;

		bench_init(&bench, "matmul", "tiled", 64, n, 0);
		bench_compute(&bench);
		a = bench_data(&bench, "a");
		b = bench_data(&bench, "b");
		c = bench_data(&bench, "c");
		for (int row = 0; row < n; row++)
			for (int column = 0; column < n; column++) {
				double sum = 0.0;

				for (int k = 0; k < n; k++)
					sum += (double)a[row * n + k] * b[k * n + column];
				assert_true(near(c[row * n + column], sum, 1e-7));
			}
		bench_release(&bench);
	}
}

/* Three different sizes, so that no two can be confused. */
static void test_matmul_of_any_sizes(void **state)
{
	static const struct axis_value axes[] = {{"block", 64}, {"k", 131}, {"m", 65}, {"n", 130}};
	const struct kernel *kernel = kernel_find("matmul");
	struct host_buffers inputs = {0}, expected = {0};
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	const float *a, *b, *c;

	(void)state;
	assert_int_equal(kernel_resolve(&work, &skip, kernel,
					kernel_find_variant(kernel, "tiled_any"), axes,
					ARRAY_SIZE(axes), &device_limits_minimum, &err),
			 0);
	assert_non_null(work);
	assert_int_equal(work->flop, 2 * 65 * 130 * 131);
	for (size_t i = 0; i < work->buffer_count; i++) {
		void *data = xcalloc((size_t)work->buffers[i].length, sizeof(float));

		kernel_fill(data, &work->buffers[i], 7, NULL);
		if (work->buffers[i].role == BUFFER_IN)
			inputs.data[i] = data;
		else
			expected.data[i] = data;
	}
	assert_int_equal(kernel_oracle_compute(kernel_find_oracle("matmul/product_of_any"), work,
					       &inputs, &expected, &err),
			 0);
	a = inputs.data[0];
	b = inputs.data[1];
	c = expected.data[2];
	for (int row = 0; row < 65; row++)
		for (int column = 0; column < 130; column++) {
			double sum = 0.0;

			for (int i = 0; i < 131; i++)
				sum += (double)a[row * 131 + i] * b[i * 130 + column];
			assert_true(near(c[row * 130 + column], sum, 1e-7));
		}
	for (size_t i = 0; i < work->buffer_count; i++) {
		free(inputs.data[i]);
		free(expected.data[i]);
	}
	launch_case_free(work);
	text_release(&skip);
}

/* B by columns, and elements of two bytes. */
static void test_matmul_of_columns(void **state)
{
	enum { N = 136 };
	static const struct {
		const char *variant;
		enum element_type type;
	} rows[] = {{"tensor_f16", ELEMENT_F16},
		    {"tensor_bf16", ELEMENT_BF16},
		    {"tensor_tf32", ELEMENT_TF32}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bench bench;
		const void *a, *b;
		const float *c;

		bench_init(&bench, "matmul", rows[i].variant, 256, N, 0);
		bench_compute(&bench);
		a = bench_data(&bench, "a");
		b = bench_data(&bench, "b");
		c = bench_data(&bench, "c");
		for (int row = 0; row < N; row++)
			for (int column = 0; column < N; column++) {
				double sum = 0.0;

				for (int k = 0; k < N; k++)
					sum += element_value(rows[i].type, a, row * N + k) *
					       element_value(rows[i].type, b, column * N + k);
				assert_true(near(c[row * N + column], sum, 1e-7));
			}
		bench_release(&bench);
	}
}

static void test_transpose(void **state)
{
	static const int sizes[] = {1, 2, 15, 16, 17, 63, 130};
	struct bench bench;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		int n = sizes[s];
		const float *from, *to;

		bench_init(&bench, "transpose", "padded", 64, n, 0);
		bench_compute(&bench);
		from = bench_data(&bench, "from");
		to = bench_data(&bench, "to");
		for (int row = 0; row < n; row++)
			for (int column = 0; column < n; column++)
				assert_true(to[row * n + column] == from[column * n + row]);
		bench_release(&bench);
	}
}

/* Floats added one after another, in both orders: one loses the small number, one keeps it. */
static void test_order_of_additions(void **state)
{
	static const float terms[2][3] = {{1.23456e30f, 9.87654e-30f, -1.23456e30f},
					  {1.23456e30f, -1.23456e30f, 9.87654e-30f}};
	const struct kernel *family = kernel_find("accuracy");
	float kept[2];

	(void)state;
	for (int64_t order = 1; order <= 2; order++) {
		const struct axis_value axes[] = {{"n", 70}, {"block", 32}, {"order", order}};
		struct text skip = TEXT_INIT;
		struct bench bench = {0};
		volatile float sum = 0.0f;
		float sums[70];

		assert_int_equal(kernel_resolve(&bench.work, &skip, family,
						kernel_find_variant(family, "order"), axes, 3,
						&device_limits_minimum, NULL),
				 0);
		assert_int_equal(bench.work->buffer_count, 1);
		bench.expected.data[0] = sums;
		bench_compute(&bench);
		for (int i = 0; i < 3; i++)
			sum += terms[order - 1][i];
		for (int i = 0; i < 70; i++)
			assert_true(sums[i] == sum);
		kept[order - 1] = sum;
		bench.expected.data[0] = NULL;
		bench_release(&bench);
	}
	assert_true(kept[0] == 0 && kept[1] == 9.87654e-30f);
}

/* An oracle with too few inputs returns an error. */
static void test_missing_buffer(void **state)
{
	struct bench bench;
	struct error err = {0};

	(void)state;
	bench_init(&bench, "reduce", "shuffle", 64, 10, 0);
	for (size_t i = 0; i < bench.work->buffer_count; i++)
		strcpy(bench.work->buffers[i].name, "other");
	assert_int_equal(kernel_oracle_compute(kernel_find_oracle("reduce/sum"), bench.work,
					       &bench.inputs, &bench.expected, &err),
			 PL_EUSAGE);
	assert_non_null(strstr(err.text, "\"x\""));
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_divergence),
		cmocka_unit_test(test_divergence_is_exact),
		cmocka_unit_test(test_divergence_common),
		cmocka_unit_test(test_divergence_math_kernels),
		cmocka_unit_test(test_divergence_work),
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_matmul_of_any_sizes),
		cmocka_unit_test(test_matmul_of_columns),
		cmocka_unit_test(test_transpose),
		cmocka_unit_test(test_order_of_additions),
		cmocka_unit_test(test_missing_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
