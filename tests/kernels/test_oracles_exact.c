/*
 * Oracles that compute many steps at once, compared bit by bit with the formulas
 * that they replace, which take every step in doubles and round at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle_bench.h"

/* The definition of element `index` of the result. */
typedef float element_formula(const struct oracle_bench *bench, const float *x, int64_t index);

static void compare(const char *kernel, const char *variant, const char *config, uint64_t seed,
		    double deviation, element_formula *formula)
{
	struct oracle_bench bench;
	int64_t n;
	const float *x, *y;

	oracle_bench_init(&bench, kernel, variant, config, seed, deviation);
	oracle_bench_compute(&bench);
	x = oracle_bench_data(&bench, "x", NULL);
	y = oracle_bench_data(&bench, "y", &n);
	for (int64_t i = 0; i < n; i++) {
		const float wanted = formula(&bench, x, i);

		if (memcmp(&y[i], &wanted, sizeof(wanted)))
			fail_msg("%s/%s/%s, seed %d, deviation %g: element %lld is %.9g, not %.9g",
				 kernel, variant, config, (int)seed, deviation, (long long)i,
				 (double)y[i], (double)wanted);
	}
	oracle_bench_release(&bench);
}

/*
 * Inputs of the kernel with two seeds, then normal ones. Small numbers have more
 * bits behind the point than the kernel's own; large ones are negative, too, and
 * exceed the constants of the steps. The sizes are not whole groups or ranges of
 * threads.
 */
static void compare_all(const char *kernel, const char *variant, const char *axes, int64_t n,
			element_formula *formula)
{
	static const int64_t few[] = {1, 31, 33, 64, 16385};
	char *config = xasprintf("%s,n=%lld", axes, (long long)n);

	compare(kernel, variant, config, 1, INPUTS_OF_KERNEL, formula);
	compare(kernel, variant, config, 99, INPUTS_OF_KERNEL, formula);
	compare(kernel, variant, config, 1, 1e-3, formula);
	compare(kernel, variant, config, 1, 1e4, formula);
	free(config);
	for (size_t i = 0; i < ARRAY_SIZE(few); i++) {
		config = xasprintf("%s,n=%lld", axes, (long long)few[i]);
		compare(kernel, variant, config, 7, INPUTS_OF_KERNEL, formula);
		free(config);
	}
}

/* ---- divergence ---- */

static double body(double value, int64_t which, int steps)
{
	for (int step = 0; step < steps; step++)
		value = value * ((double)(4095 - which) / 4096.0) +
			(double)(step + 1 + 3 * which) / 8192.0;
	return value;
}

static float by_parity(float x, int64_t number, int steps)
{
	return (float)body((double)x, number % 2, steps);
}

static float thread_short(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return by_parity(x[i], i, 3);
}

static float thread_long(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return by_parity(x[i], i, 256);
}

static float warp_short(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return by_parity(x[i], i / 32, 3);
}

static float warp_long(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return by_parity(x[i], i / 32, 256);
}

static float block_short(const struct oracle_bench *bench, const float *x, int64_t i)
{
	return by_parity(x[i], i / oracle_bench_axis(bench, "block"), 3);
}

static float block_long(const struct oracle_bench *bench, const float *x, int64_t i)
{
	return by_parity(x[i], i / oracle_bench_axis(bench, "block"), 256);
}

static float switch_lane(const struct oracle_bench *bench, const float *x, int64_t i)
{
	return (float)body((double)x[i], i % 32 % oracle_bench_axis(bench, "ways"), 64);
}

static float switch_warp(const struct oracle_bench *bench, const float *x, int64_t i)
{
	return (float)body((double)x[i], i / 32 % oracle_bench_axis(bench, "ways"), 64);
}

static float no_else(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return i % 2 ? (float)body((double)x[i], 1, 256) : x[i];
}

static float no_else_warp(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return i / 32 % 2 ? (float)body((double)x[i], 1, 256) : x[i];
}

static float common(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return (float)body(body(body((double)x[i], i % 2, 32), 2, 192), i % 2, 32);
}

static void test_divergence(void **state)
{
	static const struct {
		const char *variant;
		element_formula *formula;
	} rows[] = {
		{"thread_parity_short", thread_short},
		{"thread_parity_long", thread_long},
		{"if_else", thread_long},
		{"two_ifs", thread_long},
		{"warp_parity_short", warp_short},
		{"warp_parity_long", warp_long},
		{"no_else", no_else},
		{"no_else_warp", no_else_warp},
		{"common_inside", common},
		{"common_outside", common},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
		compare_all("divergence", rows[r].variant, "block=64", 40037, rows[r].formula);
}

static void test_divergence_of_axes(void **state)
{
	static const char *const blocks[] = {"block=32", "block=96", "block=1024"};
	static const char *const ways[] = {"block=64,ways=1", "block=64,ways=2", "block=64,ways=5",
					   "block=64,ways=31", "block=64,ways=32"};

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(blocks); b++) {
		compare_all("divergence", "block_parity_short", blocks[b], 40037, block_short);
		compare_all("divergence", "block_parity_long", blocks[b], 20037, block_long);
	}
	for (size_t w = 0; w < ARRAY_SIZE(ways); w++) {
		compare_all("divergence", "switch_lane", ways[w], 20037, switch_lane);
		compare_all("divergence", "switch_warp", ways[w], 20037, switch_warp);
	}
}

/* ---- select ---- */

static double choices(double x, bool is_below, int steps)
{
	for (int step = 0; step < steps; step++)
		x = 0.5 * x + (is_below ? (step + 1) / 256.0 : (2 * step + 1) / 512.0);
	return x;
}

static float choose_twice(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return (float)choices((double)x[i], x[i] < 0.5f, 2);
}

static float choose_often(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return (float)choices((double)x[i], x[i] < 0.5f, 64);
}

static void test_select(void **state)
{
	(void)state;
	compare_all("select", "branch_short", "block=64", 100037, choose_twice);
	compare_all("select", "branch", "block=64", 100037, choose_often);
}

/* ---- stencil ---- */

static double weight(double x, int steps)
{
	for (int step = 0; step < steps; step++)
		x = 0.5 * x + (step + 1) / 32.0;
	return x;
}

/* The nine weights from place i on are added in the order of their places modulo 9. */
static float window(const float *x, int64_t i, int steps)
{
	double sum = 0;

	for (int64_t k = 0; k < 9; k++) {
		const int64_t place = i + ((k - i) % 9 + 9) % 9;

		sum += weight((double)x[place], steps);
	}
	return (float)sum;
}

static float window_of_short(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return window(x, i, 1);
}

static float window_of_long(const struct oracle_bench *bench, const float *x, int64_t i)
{
	(void)bench;
	return window(x, i, 32);
}

static void test_stencil(void **state)
{
	(void)state;
	compare_all("stencil", "two_ifs_short", "block=64", 30037, window_of_short);
	compare_all("stencil", "one_if", "block=64", 100037, window_of_long);
}

/* ---- occupancy ---- */

static float recurrence(const struct oracle_bench *bench, const float *x, int64_t i)
{
	double values[64], sum = 0;

	(void)bench;
	for (int k = 0; k < 64; k++)
		values[k] = (double)x[i] * ((k + 1) / 64.0) + 1.0;
	for (int step = 0; step < 16; step++)
		for (int k = 0; k < 64; k++)
			values[k] += 0.5 * values[(k + 1) % 64];
	for (int k = 0; k < 64; k++)
		sum += values[k];
	return (float)sum;
}

/* Numbers whose results lie so close to the middle of two floats that one affine step gives the
 * wrong one. Random numbers hardly hit one. */
static void check_recurrences_near_the_middle(void)
{
	static const float near[] = {0x1.11773p-4f,    0x1.542bap-2f,  0x1.7d6028p-3f,
				     0x1.9eba6p-1f,    0x1.246818p-1f, 0x1.e97826p-1f,
				     -0x1.c25e5cp-15f, 0x1.867edap-12f};
	struct oracle_bench bench;
	float *x;
	const float *y;

	oracle_bench_init(&bench, "occupancy", "uncapped", "block=64,n=100", 1, INPUTS_OF_KERNEL);
	x = oracle_bench_data(&bench, "x", NULL);
	y = oracle_bench_data(&bench, "y", NULL);
	memcpy(x + 50, near, sizeof(near));
	oracle_bench_compute(&bench);
	for (int64_t i = 0; i < 100; i++)
		assert_true(y[i] == recurrence(&bench, x, i));
	oracle_bench_release(&bench);
}

static void test_occupancy(void **state)
{
	(void)state;
	check_recurrences_near_the_middle();
	compare_all("occupancy", "uncapped", "block=64", 100037, recurrence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divergence), cmocka_unit_test(test_divergence_of_axes),
		cmocka_unit_test(test_select),     cmocka_unit_test(test_stencil),
		cmocka_unit_test(test_occupancy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
