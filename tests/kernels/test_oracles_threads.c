/* Oracles of the families about threads and warps, compared with values calculated by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

/* A case with its data: inputs filled, results computed. */
struct bench {
	struct launch_case *work;
	struct host_buffers inputs, expected;
};

static void fill(struct bench *bench, size_t i)
{
	const struct case_buffer *buffer = &bench->work->buffers[i];
	void *data = xcalloc((size_t)buffer->length, element_size_bytes(buffer->type));

	if (buffer->role == BUFFER_IN) {
		kernel_fill(data, buffer, 5, NULL);
		bench->inputs.data[i] = data;
	} else if (buffer->role == BUFFER_OUT) {
		bench->expected.data[i] = data;
	} else {
		free(data);
	}
}

/* "block=64,n=100"; axes that are not said have the first of their default values. */
static void bench_init(struct bench *bench, const char *kernel, const char *variant,
		       const char *config)
{
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = kernel_find_variant(family, variant);
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};
	size_t count = variant_axis_count(family, row);
	struct device_limits limits = device_limits_minimum;

	limits.compute_capability = 80; /* halves need it */
	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(family, row, i);
		char *key = xasprintf("%s=", axis->name);
		const char *said = strstr(config, key);

		memcpy(axes[i].name, axis->name, strlen(axis->name));
		axes[i].value = atoll(said ? said + strlen(key) : axis->values);
		free(key);
	}
	*bench = (struct bench){0};
	if (kernel_resolve(&bench->work, &skip, family, row, axes, count, &limits, &err))
		fail_msg("%s", err.text);
	if (!bench->work)
		fail_msg("%s/%s/%s: %s", kernel, variant, config, skip.data);
	for (size_t i = 0; i < bench->work->buffer_count; i++)
		fill(bench, i);
	assert_int_equal(kernel_oracle_compute(kernel_find_oracle(bench->work->oracle), bench->work,
					       &bench->inputs, &bench->expected, &err),
			 0);
}

static const void *data(const struct bench *bench, const char *name)
{
	for (size_t i = 0; i < bench->work->buffer_count; i++)
		if (!strcmp(bench->work->buffers[i].name, name))
			return bench->inputs.data[i] ? bench->inputs.data[i]
						     : bench->expected.data[i];
	fail_msg("no buffer %s", name);
	return NULL;
}

static float real(const struct bench *bench, const char *name, int64_t i)
{
	return ((const float *)data(bench, name))[i];
}

static void bench_release(struct bench *bench)
{
	for (size_t i = 0; i < KERNEL_MAX_BUFFERS; i++) {
		free(bench->inputs.data[i]);
		free(bench->expected.data[i]);
	}
	launch_case_free(bench->work);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-6 * fabs(expected)))
		fail_msg("%.9g, not %.9g", value, expected);
}

/* The block of the documents: 80 threads, three warps, the last of 16. */
static void test_warp_map(void **state)
{
	static const struct {
		int thread;
		uint32_t lane, lanes, first;
	} rows[] = {{0, 0, 32, 0},    {39, 7, 32, 32},  {40, 8, 32, 32},
		    {64, 0, 16, 64},  {79, 15, 16, 64}, {80, 0, 32, 0} /* of the next block */,
		    {159, 15, 16, 64}};
	struct bench bench;
	const uint32_t *place;

	(void)state;
	bench_init(&bench, "warp_map", "rows_of_forty", "block=80,n=200");
	assert_int_equal(bench.work->launches[0].block[0], 40);
	assert_int_equal(bench.work->launches[0].block[1], 2);
	place = data(&bench, "place");
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
		assert_int_equal(place[rows[r].thread],
				 rows[r].lane | rows[r].lanes << 8 | rows[r].first << 16);
	bench_release(&bench);
}

static void test_select(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "select", "branch_short", "block=64,n=50");
	for (int i = 0; i < 50; i++) {
		double x = real(&bench, "x", i);
		double first = x < 0.5 ? 1 / 256.0 : 1 / 512.0;
		double second = x < 0.5 ? 2 / 256.0 : 3 / 512.0;

		assert_near(real(&bench, "y", i), (x / 2 + first) / 2 + second);
	}
	assert_int_equal(bench.work->flop, 50 * 4);
	bench_release(&bench);
	/* In 64 steps of halving nothing is left of x but which of the two sums was chosen:
	 * (s + 1) / 256 and (2 s + 1) / 512 tend to twice themselves less what lags behind. */
	bench_init(&bench, "select", "assignment", "block=64,n=50");
	for (int i = 0; i < 50; i++)
		assert_near(real(&bench, "y", i),
			    real(&bench, "x", i) < 0.5 ? 2 * 63 / 256.0 : 2 * 62.5 / 256.0);
	bench_release(&bench);
	/* by the index: ones for the first half, of 51 the first 25 */
	for (int odd = 0; odd < 2; odd++) {
		bench_init(&bench, "select", odd ? "assignment_constants" : "branch_constants",
			   odd ? "block=64,n=51" : "block=64,n=50");
		for (int i = 0; i < 50 + odd; i++)
			assert_true(real(&bench, "y", i) == (i < 25 ? 1.0 : 2.0));
		bench_release(&bench);
	}
}

static void test_tail(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "tail", "padded", "block=64,n=100");
	assert_int_equal(bench.work->buffers[2].length, 128);
	assert_int_equal(bench.work->flop, 100);
	for (int i = 0; i < 128; i++)
		assert_true(real(&bench, "c", i) == real(&bench, "a", i) + real(&bench, "b", i));
	bench_release(&bench);
	bench_init(&bench, "tail", "two_launches", "block=64,n=100");
	assert_int_equal(bench.work->launch_count, 2);
	assert_int_equal(bench.work->launches[1].block[0], 36);
	bench_release(&bench);
	bench_init(&bench, "tail", "two_launches", "block=64,n=128");
	assert_int_equal(bench.work->launch_count, 1);
	bench_release(&bench);
	bench_init(&bench, "tail", "two_launches", "block=64,n=63");
	assert_int_equal(bench.work->launch_count, 1);
	assert_int_equal(bench.work->launches[0].grid[0], 1);
	assert_int_equal(bench.work->launches[0].block[0], 63);
	bench_release(&bench);
}

/* Every message is what the recurrence tends to, long before its 32 steps are over. */
static void test_spin(void **state)
{
	const double message = 2 * (0.75 + 30 / 128.0);
	struct bench bench;

	(void)state;
	bench_init(&bench, "spin", "busy_wait", "block=64,n=150");
	for (int i = 0; i < 150; i++)
		assert_near(real(&bench, "y", i), real(&bench, "x", i) + 16 * message);
	bench_release(&bench);
}

static void test_stencil(void **state)
{
	/* At a seam of the oracle's own parts, too. */
	static const int64_t places[] = {0, 1, 63, 64, 16383, 16384, 39999};
	struct bench bench;

	(void)state;
	bench_init(&bench, "stencil", "two_ifs_short", "block=64,n=40000");
	assert_int_equal(bench.work->buffers[0].length, 40000 + 8);
	for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
		double sum = 0;

		for (int k = 0; k < 9; k++)
			sum += real(&bench, "x", places[p] + k) / 2 + 1 / 32.0;
		assert_near(real(&bench, "y", places[p]), sum);
	}
	bench_release(&bench);
	/* 32 halvings leave nothing of x. */
	bench_init(&bench, "stencil", "if_else_if", "block=64,n=40000");
	for (size_t p = 0; p < ARRAY_SIZE(places); p++)
		assert_near(real(&bench, "y", places[p]), 9 * 2 * 31 / 32.0);
	bench_release(&bench);
}

/* Lanes of a half group, and which of it they get the value of; groups of eight do the same. */
static void test_warp_ops_shuffles(void **state)
{
	static const struct {
		const char *variant, *config;
		int source[8];
	} rows[] = {
		{"shfl",
		 "block=64,n=64,mask=4294967295,width=4,distance=6",
		 {2, 2, 2, 2, 6, 6, 6, 6}},
		{"shfl_up",
		 "block=64,n=64,mask=4294967295,width=4,distance=1",
		 {0, 0, 1, 2, 4, 4, 5, 6}},
		{"shfl_up",
		 "block=64,n=64,mask=4294967295,width=8,distance=3",
		 {0, 1, 2, 0, 1, 2, 3, 4}},
		{"shared_shfl_down",
		 "block=64,n=64,mask=4294967295,width=4,distance=1",
		 {1, 2, 3, 3, 5, 6, 7, 7}},
		{"shfl_xor",
		 "block=64,n=64,mask=4294967295,width=8,distance=3",
		 {3, 2, 1, 0, 7, 6, 5, 4}},
		/* A lane gets values of a segment below, but not above. */
		{"shfl_xor",
		 "block=64,n=64,mask=4294967295,width=4,distance=5",
		 {0, 1, 2, 3, 1, 0, 3, 2}},
		/* -1: lanes 0 and 5 of eight do not take part, and no lane gets a value from them.
		 */
		{"shfl_up",
		 "block=64,n=64,mask=3739147998,width=8,distance=1",
		 {-1, -1, 1, 2, 3, -1, -1, 6}},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct bench bench;
		uint32_t values[64], next[64];
		const uint32_t *y;

		bench_init(&bench, "warp_ops", rows[r].variant, rows[r].config);
		memcpy(values, data(&bench, "x"), sizeof(values));
		for (int round = 0; round < 64; round++) {
			for (int i = 0; i < 64; i++) {
				int source = rows[r].source[i % 8];
				uint32_t given =
					source < 0 ? 0x9e3779b9u : values[i / 8 * 8 + source];

				next[i] = (values[i] << 5 | values[i] >> 27) + given;
			}
			memcpy(values, next, sizeof(values));
		}
		y = data(&bench, "y");
		for (int i = 0; i < 64; i++)
			if (y[i] != values[i])
				fail_msg("%s/%s: element %d", rows[r].variant, rows[r].config, i);
		bench_release(&bench);
	}
}

/* A block of 40 threads: a warp, and a part of one that has less to say. */
static void test_warp_ops_votes(void **state)
{
	static const char *const variants[] = {"ballot", "shared_any", "all"};

	(void)state;
	for (int v = 0; v < 3; v++) {
		struct bench bench;
		uint32_t values[40];

		bench_init(&bench, "warp_ops", variants[v], "block=40,n=40,mask=4294967294");
		memcpy(values, data(&bench, "x"), sizeof(values));
		for (int round = 0; round < 64; round++) {
			uint32_t odd[2] = {0}, any[2] = {0};

			for (int i = 0; i < 40; i++) {
				odd[i / 32] |= (i % 32 ? values[i] >> 8 & 1 : 0) << i % 32;
				any[i / 32] |= i % 32 && values[i] >> 8 << 27 == 0;
			}
			for (int i = 0; i < 40; i++)
				values[i] = (values[i] << 5 | values[i] >> 27) +
					    (i % 32 == 0 ? 0x9e3779b9u
					     : v == 0    ? odd[i / 32]
					     : v == 1    ? any[i / 32]
							 : !any[i / 32]);
		}
		assert_memory_equal(data(&bench, "y"), values, sizeof(values));
		bench_release(&bench);
	}
}

static void test_occupancy(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "occupancy", "eight_loads", "block=64,n=50,shared_kib=1");
	for (int i = 0; i < 50; i++)
		assert_near(real(&bench, "y", i), 2.0 * real(&bench, "x", i) + 1);
	assert_int_equal(bench.work->launches[0].shared_bytes, 1024);
	bench_release(&bench);
	bench_init(&bench, "occupancy", "maxnreg_48", "block=64,n=50");
	for (int i = 0; i < 50; i++) {
		double values[64], sum = 0;

		for (int k = 0; k < 64; k++)
			values[k] = real(&bench, "x", i) * (k + 1) / 64 + 1;
		for (int step = 0; step < 16; step++) {
			for (int k = 0; k < 63; k++)
				values[k] += values[k + 1] / 2;
			values[63] += values[0] / 2;
		}
		for (int k = 0; k < 64; k++)
			sum += values[k];
		assert_near(real(&bench, "y", i), sum);
	}
	assert_int_equal(bench.work->flop, 50 * (2 * 64 * 17 + 63));
	bench_release(&bench);
}

/* Two tiles, of 12288 elements and of the other seven: once, twice … 16 times. */
static void test_cached_tiles(void **state)
{
	uint32_t sums[2][5] = {{0}};
	struct bench bench;
	const uint32_t *x, *y;

	(void)state;
	bench_init(&bench, "occupancy", "cached_tiles", "block=5,n=12295,blocks=3");
	x = data(&bench, "x");
	y = data(&bench, "y");
	for (uint32_t pass = 1; pass <= 16; pass++)
		for (int i = 0; i < 12295; i++)
			sums[i / 12288][i % 12288 % 5] += pass * x[i];
	for (int t = 0; t < 10; t++)
		assert_int_equal(y[t], sums[t / 5][t % 5]);
	bench_release(&bench);
}

/* Steps as long as the first one come to every place before they come to one again. */
static void check_ring(const char *variant, const char *config, uint32_t places)
{
	uint32_t step, at = 0, visited = 0;
	struct bench bench;

	bench_init(&bench, "latency", variant, config);
	step = ((const uint32_t *)data(&bench, "y"))[0];
	bench_release(&bench);
	do {
		at = (at + step) % places;
		visited++;
	} while (at);
	assert_int_equal(visited, places);
}

static void test_latency(void **state)
{
	/* 8 places of a line: 5 is odd and about 0.618 of them */
	static const uint32_t ends[] = {7, 0, 1, 2, 3, 4, 5, 6, 7, 0};
	struct bench bench;
	const uint32_t *y;

	(void)state;
	bench_init(&bench, "latency", "global", "block=32,n=10,size_kib=1,steps=3");
	y = data(&bench, "y");
	for (int i = 0; i < 10; i++)
		assert_int_equal(y[i], ends[i]); /* 3 * 5 = 15, seven places on */
	bench_release(&bench);
	check_ring("global", "block=32,n=1,size_kib=16,steps=1", 128);
	check_ring("global", "block=32,n=1,size_kib=4096,steps=1", 32768);
	check_ring("shared", "block=32,n=1,size_kib=16,steps=1", 4096);
	check_ring("local", "block=32,n=1,size_kib=1,steps=1", 256);
	bench_init(&bench, "latency", "registers", "block=32,n=300,steps=77");
	y = data(&bench, "y");
	assert_int_equal(y[0], 77);
	assert_int_equal(y[255], 255 + 77);
	assert_int_equal(y[256], 77);
	assert_int_equal(bench.work->flop, 300 * 77 * 2);
	bench_release(&bench);
}

/* A period of 16 steps adds nine and takes seven away. */
static void test_precision(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "precision", "f16", "block=64,n=500,steps=48");
	for (int i = 0; i < 500; i++) {
		int x = ((const int32_t *)data(&bench, "x"))[i];

		assert_true(x >= -128 && x < -96);
		assert_true(real(&bench, "y", i) == (float)(x + 6));
	}
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warp_map),       cmocka_unit_test(test_select),
		cmocka_unit_test(test_tail),           cmocka_unit_test(test_spin),
		cmocka_unit_test(test_stencil),        cmocka_unit_test(test_warp_ops_shuffles),
		cmocka_unit_test(test_warp_ops_votes), cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_precision),      cmocka_unit_test(test_cached_tiles),
		cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
