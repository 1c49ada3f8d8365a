/*
 * Oracles that compute in another order or with other instructions than their
 * definition, compared with it bit by bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/matmul/panel.h"
#include "oracle_bench.h"

static void assert_same_words(const struct oracle_bench *bench, const char *name,
			      const uint32_t *wanted)
{
	int64_t n;
	const uint32_t *words = oracle_bench_data(bench, name, &n);

	for (int64_t i = 0; i < n; i++)
		if (words[i] != wanted[i])
			fail_msg("%s/%s: %s[%lld] is %u, not %u", bench->work->kernel,
				 bench->work->variant, name, (long long)i, words[i], wanted[i]);
}

/* ---- warp_ops: one warp at a time, as documented ---- */

enum { WARP = 32, ROUNDS = 64 };
#define UNDEFINED 0x9e3779b9u

/* An exclusive or may lead to an earlier group of `width` lanes, but not to a later one. */
static int64_t source_of(const char *function, int64_t lane, int64_t width, int64_t distance)
{
	const int64_t first = lane / width * width, end = first + width;

	if (!strcmp(function, "shfl"))
		return first + distance % width;
	if (!strcmp(function, "shfl_up"))
		return lane - distance >= first ? lane - distance : lane;
	if (!strcmp(function, "shfl_down"))
		return lane + distance < end ? lane + distance : lane;
	return (lane ^ distance) < end ? lane ^ distance : lane;
}

static uint32_t vote_of(const char *function, const uint32_t *values, uint32_t members)
{
	uint32_t odd = 0;
	bool any = false;

	for (int lane = 0; lane < WARP; lane++)
		if (members >> lane & 1) {
			odd |= (values[lane] >> 8 & 1) << lane;
			any |= (values[lane] >> 8) % 32 == 0;
		}
	return !strcmp(function, "ballot") ? odd : !strcmp(function, "any") ? any : !any;
}

static void run_warp(const struct oracle_bench *bench, uint32_t values[WARP], int64_t threads)
{
	const char *function = bench->work->variant;
	const bool votes = !strstr(function, "shfl");
	const int64_t width = votes ? WARP : oracle_bench_axis(bench, "width");
	const int64_t distance = votes ? 0 : oracle_bench_axis(bench, "distance");
	const uint32_t present = threads < WARP ? (UINT32_C(1) << threads) - 1 : UINT32_MAX;
	const uint32_t members = present & (uint32_t)oracle_bench_axis(bench, "mask");

	for (int round = 0; round < ROUNDS; round++) {
		const uint32_t vote = vote_of(function, values, members);
		uint32_t next[WARP];

		for (int lane = 0; lane < WARP; lane++) {
			const int64_t from =
				votes ? lane : source_of(function, lane, width, distance);
			const bool is_defined = members >> lane & 1 && members >> from & 1;

			next[lane] =
				(values[lane] << 5 | values[lane] >> 27) + (!is_defined ? UNDEFINED
									    : votes     ? vote
										    : values[from]);
		}
		memcpy(values, next, sizeof(next));
	}
}

static void check_warps(const char *variant, const char *config)
{
	struct oracle_bench bench;
	int64_t n, block;
	const uint32_t *x;
	uint32_t *wanted;

	oracle_bench_init(&bench, "warp_ops", variant, config, 5, INPUTS_OF_KERNEL);
	oracle_bench_compute(&bench);
	x = oracle_bench_data(&bench, "x", &n);
	block = oracle_bench_axis(&bench, "block");
	wanted = xcalloc((size_t)n, sizeof(*wanted));
	for (int64_t first = 0; first < n; first += block)
		for (int64_t thread = 0; thread < block; thread += WARP) {
			const int64_t left = block - thread, threads = left < WARP ? left : WARP;
			uint32_t values[WARP] = {0};

			for (int64_t i = 0; i < threads && first + thread + i < n; i++)
				values[i] = x[first + thread + i];
			run_warp(&bench, values, threads);
			for (int64_t i = 0; i < threads && first + thread + i < n; i++)
				wanted[first + thread + i] = values[i];
		}
	assert_same_words(&bench, "y", wanted);
	free(wanted);
	oracle_bench_release(&bench);
}

static void test_warp_ops(void **state)
{
	static const char *const variants[] = {"ballot",  "any",       "all",     "shfl",
					       "shfl_up", "shfl_down", "shfl_xor"};
	/* whole warps, a short last warp, one thread, a block that ends the elements early */
	static const char *const configs[] = {
		"block=64,n=4099,mask=4294967295,width=32,distance=1",
		"block=256,n=70000,mask=4294967295,width=2,distance=1",
		"block=40,n=1003,mask=4294967295,width=8,distance=3",
		"block=1,n=37,mask=4294967295,width=32,distance=31",
		"block=96,n=30000,mask=1431655765,width=16,distance=2",
		"block=33,n=600,mask=2147483649,width=4,distance=5"};

	(void)state;
	for (size_t v = 0; v < ARRAY_SIZE(variants); v++)
		for (size_t c = 0; c < ARRAY_SIZE(configs); c++)
			check_warps(variants[v], configs[c]);
}

/* ---- integers ---- */

static void test_work_queue(void **state)
{
	static const char *const configs[] = {"block=64,n=20001,skew=1", "block=64,n=20001,skew=16",
					      "block=64,n=3,skew=4"};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(configs); c++) {
		struct oracle_bench bench;
		int64_t n, skew;
		uint32_t *wanted;

		oracle_bench_init(&bench, "work_queue", "static_split", configs[c], 5, 0);
		oracle_bench_compute(&bench);
		skew = oracle_bench_axis(&bench, "skew");
		wanted = oracle_bench_data(&bench, "x", &n);
		for (int64_t i = 0; i < n; i++)
			for (int64_t step = i < (n + skew - 1) / skew ? 64 * skew : 1; step; step--)
				wanted[i] = wanted[i] * UINT32_C(1664525) + UINT32_C(1013904223);
		assert_same_words(&bench, "y", wanted);
		oracle_bench_release(&bench);
	}
}

static void test_warp_map(void **state)
{
	static const char *const configs[] = {"block=64,n=100000", "block=1,n=50001",
					      "block=100,n=70001", "block=1024,n=5000",
					      "block=33,n=40"};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(configs); c++) {
		struct oracle_bench bench;
		int64_t n, block;
		uint32_t *wanted;

		oracle_bench_init(&bench, "warp_map", "line", configs[c], 5, 0);
		oracle_bench_compute(&bench);
		block = oracle_bench_axis(&bench, "block");
		oracle_bench_data(&bench, "place", &n);
		wanted = xcalloc((size_t)n, sizeof(*wanted));
		for (int64_t i = 0; i < n; i++) {
			const int64_t thread = i % block, lane = thread % 32, first = thread - lane;
			const int64_t lanes = block - first < 32 ? block - first : 32;

			wanted[i] = (uint32_t)(lane | lanes << 8 | first << 16);
		}
		assert_same_words(&bench, "place", wanted);
		free(wanted);
		oracle_bench_release(&bench);
	}
}

static void test_cached_tiles(void **state)
{
	static const char *const configs[] = {"block=64,n=100000,blocks=1",
					      "block=5,n=12295,blocks=3",
					      "block=1000,n=12288,blocks=2"};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(configs); c++) {
		struct oracle_bench bench;
		int64_t n, results, threads;
		const uint32_t *x;
		uint32_t *wanted;

		oracle_bench_init(&bench, "occupancy", "cached_tiles", configs[c], 5, 0);
		oracle_bench_compute(&bench);
		threads = oracle_bench_axis(&bench, "block");
		x = oracle_bench_data(&bench, "x", &n);
		oracle_bench_data(&bench, "y", &results);
		wanted = xcalloc((size_t)results, sizeof(*wanted));
		for (int64_t i = 0; i < n; i++)
			wanted[i / 12288 * threads + i % 12288 % threads] += 136 * x[i];
		assert_same_words(&bench, "y", wanted);
		free(wanted);
		oracle_bench_release(&bench);
	}
}

/* ---- reads of ceilings ---- */

/* The last argument of the launch: how often each thread turns. */
static int64_t turns_of(const struct oracle_bench *bench)
{
	const struct case_launch *launch = &bench->work->launches[0];

	return launch->args[launch->arg_count - 1].integer;
}

static uint32_t group_of(const uint32_t *words, int64_t group)
{
	return words[4 * group] + words[4 * group + 1] + words[4 * group + 2] +
	       words[4 * group + 3];
}

/* Blocks take tiles in turn; thread t of a block has four of every 4 * block words. */
static void check_tiles(const char *config)
{
	struct oracle_bench bench;
	int64_t n, threads, block, tile;
	const uint32_t *a;
	uint32_t *wanted;

	oracle_bench_init(&bench, "ceilings", "dram_read", config, 5, INPUTS_OF_KERNEL);
	oracle_bench_compute(&bench);
	a = oracle_bench_data(&bench, "a", &n);
	oracle_bench_data(&bench, "out", &threads);
	block = oracle_bench_axis(&bench, "block");
	tile = 4 * block * oracle_bench_axis(&bench, "in_flight");
	wanted = xcalloc((size_t)threads, sizeof(*wanted));
	for (int64_t i = 0; i < n; i++)
		wanted[i / tile % (threads / block) * block + i % tile / 4 % block] += a[i];
	assert_same_words(&bench, "out", wanted);
	free(wanted);
	oracle_bench_release(&bench);
}

/* Every access of every thread, `threads` groups further on each time. */
static void check_walk(const char *config)
{
	struct oracle_bench bench;
	int64_t n, threads, accesses;
	const uint32_t *a;
	uint32_t *wanted;

	oracle_bench_init(&bench, "ceilings", "l2_read", config, 5, INPUTS_OF_KERNEL);
	oracle_bench_compute(&bench);
	a = oracle_bench_data(&bench, "a", &n);
	oracle_bench_data(&bench, "out", &threads);
	accesses = 4 * turns_of(&bench);
	wanted = xcalloc((size_t)threads, sizeof(*wanted));
	for (int64_t t = 0; t < threads; t++)
		for (int64_t i = 0; i < accesses; i++)
			wanted[t] += group_of(a, (t + i * threads) % (n / 4));
	assert_same_words(&bench, "out", wanted);
	free(wanted);
	oracle_bench_release(&bench);
}

static void test_ceilings(void **state)
{
	(void)state;
	check_tiles("block=64,blocks_per_sm=2,in_flight=4");
	check_tiles("block=128,blocks_per_sm=1,in_flight=1");
	check_walk("block=64,blocks_per_sm=2,l2_part=4,passes=3");
	check_walk("block=32,blocks_per_sm=3,l2_part=16,passes=40");
	check_walk("block=96,blocks_per_sm=1,l2_part=7,passes=11");
}

/* ---- sums ---- */

static double pairwise(const float *x, int64_t n)
{
	double sum = 0;

	if (n > 1024)
		return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
	for (int64_t i = 0; i < n; i++)
		sum += (double)x[i];
	return sum;
}

/* The numbers have exponents so different that most additions round, and they cancel each other:
 * what is left depends on the order of all additions. */
static void test_sum(void **state)
{
	static const int64_t sizes[] = {1,       3,       1000,    1024,   1025,   2047,
					2049,    4096,    4097,    5001,   8191,   8192,
					8193,    9999,    16385,   65537,  100003, 1048576,
					1048579, 1500001, 2097151, 3000017};

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		char *config = xasprintf("block=64,n=%lld", (long long)sizes[s]);
		struct oracle_bench bench;
		float *x, wanted;

		oracle_bench_init(&bench, "reduce", "naive", config, 5, 1.0);
		x = oracle_bench_data(&bench, "x", NULL);
		for (int64_t i = 0; i < sizes[s] / 2; i++) {
			x[i] = ldexpf(x[i], (int)(i * 37 % 80));
			x[sizes[s] - 1 - i] = -x[i];
		}
		if (sizes[s] % 2)
			x[sizes[s] / 2] = 0;
		oracle_bench_compute(&bench);
		wanted = (float)pairwise(x, sizes[s]);
		assert_memory_equal(oracle_bench_data(&bench, "sum", NULL), &wanted,
				    sizeof(wanted));
		oracle_bench_release(&bench);
		free(config);
	}
}

/* ---- matrix products ---- */

static void test_matmul(void **state)
{
	static const int sizes[] = {1, 5, 127, 129, 260};

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		const int n = sizes[s];
		char *config = xasprintf("block=64,n=%d", n);
		struct oracle_bench bench;
		const float *a, *b, *c;

		oracle_bench_init(&bench, "matmul", "tiled", config, 5, 1e3);
		oracle_bench_compute(&bench);
		a = oracle_bench_data(&bench, "a", NULL);
		b = oracle_bench_data(&bench, "b", NULL);
		c = oracle_bench_data(&bench, "c", NULL);
		for (int row = 0; row < n; row++)
			for (int column = 0; column < n; column++) {
				double sum = 0.0;

				for (int k = 0; k < n; k++)
					sum += (double)a[row * n + k] * (double)b[k * n + column];
				assert_true(c[row * n + column] == (float)sum);
			}
		oracle_bench_release(&bench);
		free(config);
	}
}

/* Every instruction set gives the doubles of the plain loop, to the last bit. */
static void test_panels(void **state)
{
	enum { DEPTH = PANEL_DEPTH - 3 };
	static const struct case_buffer random = {.name = "x",
						  .type = ELEMENT_F32,
						  .length = PANEL_DEPTH * PANEL_COLUMNS,
						  .role = BUFFER_IN,
						  .fill = FILL_NORMAL,
						  .fill_high = 1e3};
	double(*panel)[PANEL_COLUMNS] = xcalloc(PANEL_DEPTH, sizeof(*panel));
	float *of_b = xcalloc(PANEL_DEPTH * PANEL_COLUMNS, sizeof(*of_b));
	float *of_a = xcalloc(PANEL_DEPTH * PANEL_COLUMNS, sizeof(*of_a));
	double wanted[PANEL_ROWS][PANEL_COLUMNS], computed[PANEL_ROWS][PANEL_COLUMNS];
	const float *factors[PANEL_ROWS];
	panel_multiplication *multiply;

	(void)state;
	kernel_fill(of_a, &random, 1, NULL);
	kernel_fill(of_b, &random, 2, NULL);
	for (int k = 0; k < PANEL_DEPTH; k++)
		for (int j = 0; j < PANEL_COLUMNS; j++)
			panel[k][j] = (double)of_b[k * PANEL_COLUMNS + j];
	for (int r = 0; r < PANEL_ROWS; r++) {
		factors[r] = of_a + r * PANEL_DEPTH;
		for (int j = 0; j < PANEL_COLUMNS; j++) {
			wanted[r][j] = r - 0.1 * j;
			for (int k = 0; k < DEPTH; k++)
				wanted[r][j] += (double)factors[r][k] * panel[k][j];
		}
	}
	for (int index = 0; (multiply = panel_multiplication_at(index)); index++) {
		double *sums[PANEL_ROWS];

		for (int r = 0; r < PANEL_ROWS; r++) {
			sums[r] = computed[r];
			for (int j = 0; j < PANEL_COLUMNS; j++)
				computed[r][j] = r - 0.1 * j;
		}
		multiply(sums, factors, panel, DEPTH);
		assert_memory_equal(computed, wanted, sizeof(wanted));
	}
	free(of_a);
	free(of_b);
	free(panel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warp_ops), cmocka_unit_test(test_work_queue),
		cmocka_unit_test(test_warp_map), cmocka_unit_test(test_cached_tiles),
		cmocka_unit_test(test_ceilings), cmocka_unit_test(test_sum),
		cmocka_unit_test(test_matmul),   cmocka_unit_test(test_panels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
