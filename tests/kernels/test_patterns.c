/* The addresses of kernels/patterns, compared with values calculated by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

#define N 32

/* "stride=2": axes that differ from their defaults; NULL ends the list. */
struct setting {
	const char *name;
	int64_t value;
};

struct bench {
	struct launch_case *work;
	uint32_t *in, *out; /* in: NULL where there is none */
};

static int64_t value_of(const struct kernel_axis *axis, const struct setting *settings)
{
	for (; settings->name; settings++)
		if (!strcmp(settings->name, axis->name))
			return settings->value;
	return !strcmp(axis->name, "n") || !strcmp(axis->name, "block") ? N : atoll(axis->values);
}

/* Computes the expected result of a variant; in[i] is 1000 + i. */
static void bench_init(struct bench *bench, const char *variant, const struct setting *settings)
{
	const struct kernel *kernel = kernel_find("patterns");
	struct host_buffers inputs = {0}, expected = {0};
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};

	memset(bench, 0, sizeof(*bench));
	for (size_t i = 0; i < kernel->axis_count; i++) {
		strcpy(axes[i].name, kernel->axes[i].name);
		axes[i].value = value_of(&kernel->axes[i], settings);
	}
	assert_int_equal(kernel_resolve(&bench->work, &skip, kernel,
					kernel_find_variant(kernel, variant), axes,
					kernel->axis_count, &device_limits_minimum, &err),
			 0);
	assert_non_null(bench->work);
	for (size_t i = 0; i < bench->work->buffer_count; i++) {
		size_t length = (size_t)bench->work->buffers[i].length;

		if (!strcmp(bench->work->buffers[i].name, "in")) {
			inputs.data[i] = bench->in = xcalloc(length, sizeof(uint32_t));
			for (size_t word = 0; word < length; word++)
				bench->in[word] = (uint32_t)(1000 + word);
		} else if (!strcmp(bench->work->buffers[i].name, "out")) {
			expected.data[i] = bench->out = xcalloc(length, sizeof(uint32_t));
			memset(bench->out, 0xff, length * sizeof(uint32_t));
		}
	}
	assert_int_equal(kernel_oracle_compute(kernel_find_oracle(bench->work->oracle), bench->work,
					       &inputs, &expected, &err),
			 0);
}

static void bench_release(struct bench *bench)
{
	free(bench->in);
	free(bench->out);
	launch_case_free(bench->work);
}

#define SETTINGS(...)            \
	(const struct setting[]) \
	{                        \
		__VA_ARGS__,     \
		{                \
			NULL, 0  \
		}                \
	}

/* Element i of a 4-byte load is 1000 + its place. */
static void expect_places(const struct setting *settings, int64_t (*place)(int64_t i))
{
	struct bench bench;

	bench_init(&bench, "load_4", settings);
	for (int64_t i = 0; i < N; i++)
		assert_int_equal(bench.out[i], 1000 + place(i));
	bench_release(&bench);
}

static int64_t seven_and_three_times(int64_t i)
{
	return 3 * i + 7;
}

static int64_t reversed(int64_t i)
{
	return 31 - i;
}

static int64_t reversed_in_fours(int64_t i)
{
	return i / 4 * 4 + 3 - i % 4;
}

static int64_t eight_at_one(int64_t i)
{
	return i / 8 * 5;
}

static void test_places(void **state)
{
	(void)state;
	expect_places(SETTINGS({"stride", 3}, {"start", 8}), seven_and_three_times);
	expect_places(SETTINGS({"flip", 32}), reversed);
	expect_places(SETTINGS({"flip", 4}), reversed_in_fours);
	expect_places(SETTINGS({"share", 8}, {"stride", 5}), eight_at_one);
}

/* Every place once, and hardly one where it would be in order. */
static void test_random_order(void **state)
{
	struct bench bench;
	bool seen[1024] = {false};
	int in_place = 0;

	(void)state;
	bench_init(&bench, "load_4", SETTINGS({"order", 2}, {"n", 1024}));
	for (int i = 0; i < 1024; i++) {
		uint32_t place = bench.out[i] - 1000;

		assert_true(place < 1024 && !seen[place]);
		seen[place] = true;
		in_place += place == (uint32_t)i;
	}
	assert_true(in_place < 16);
	bench_release(&bench);
}

static void test_words_and_masks(void **state)
{
	struct bench bench;

	(void)state;
	/* Lanes 0 and 2: the words 0 to 3, and 8 to 11. */
	bench_init(&bench, "load_16", SETTINGS({"mask", 5}));
	assert_int_equal(bench.out[0], 4006);
	assert_int_equal(bench.out[1], 0);
	assert_int_equal(bench.out[2], 4038);
	assert_int_equal(bench.out[3], 0);
	bench_release(&bench);
	/* Lane 1 alone stores the words 2 and 3. */
	bench_init(&bench, "store_8", SETTINGS({"mask", 2}));
	assert_int_equal(bench.out[1], 0);
	assert_int_equal(bench.out[2], 2 * UINT32_C(0x9e3779b1) + 1);
	assert_int_equal(bench.out[3], 3 * UINT32_C(0x9e3779b1) + 1);
	assert_int_equal(bench.out[4], 0);
	bench_release(&bench);
}

static void test_sums(void **state)
{
	struct bench bench;
	float sum;

	(void)state;
	bench_init(&bench, "reduce_add", SETTINGS({"share", 8}));
	for (int i = 0; i < 5; i++)
		assert_int_equal(bench.out[i], i < 4 ? 8 : 0);
	bench_release(&bench);
	bench_init(&bench, "reduce_add_float", SETTINGS({"share", 32}));
	memcpy(&sum, bench.out, sizeof(sum));
	assert_true(sum == 32.0f);
	bench_release(&bench);
	bench_init(&bench, "reduce_one_address", SETTINGS({"mask", 7}, {"start", 2}));
	assert_int_equal(bench.out[0], 0);
	assert_int_equal(bench.out[1], 3);
	bench_release(&bench);
}

/* Tile place 3 * t is summed by thread 3 * t % 32, which is another for each t. */
static void test_tiles(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "shared_store_4", SETTINGS({"stride", 3}));
	for (uint32_t t = 0; t < N; t++)
		assert_int_equal(bench.out[3 * t % N], 3 * t * UINT32_C(0x9e3779b1) + 1);
	bench_release(&bench);
	/* The second block has a tile of its own, and one thread. */
	bench_init(&bench, "shared_reduce_add", SETTINGS({"n", 33}));
	assert_int_equal(bench.out[0], 1);
	assert_int_equal(bench.out[31], 8);
	assert_int_equal(bench.out[32], 1);
	bench_release(&bench);
	bench_init(&bench, "load_generic", SETTINGS({"n", 33}, {"start", 2}));
	assert_int_equal(bench.out[31], 1032);
	assert_int_equal(bench.out[32], UINT32_C(0x9e3779b1) + 1);
	bench_release(&bench);
}

static void test_arithmetic(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, "arithmetic_double", SETTINGS({"start", 1}));
	/* in[0] is 1000: a = 40, b = 15; ((a + b) * b * a + a + b) / 2 + 3 - (a * b + 1) */
	assert_int_equal(bench.out[0], 15929);
	bench_release(&bench);
}

static void test_constraints(void **state)
{
	static const struct setting refused[] = {
		{"share", 3}, {"flip", 33}, {"mask", INT64_C(1) << 32}, {"order", 3}};
	const struct kernel *kernel = kernel_find("patterns");

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(refused); r++) {
		const struct setting settings[] = {refused[r], {NULL, 0}};
		struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;

		for (size_t i = 0; i < kernel->axis_count; i++) {
			strcpy(axes[i].name, kernel->axes[i].name);
			axes[i].value = value_of(&kernel->axes[i], settings);
		}
		assert_int_equal(kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes,
						kernel->axis_count, &device_limits_minimum, NULL),
				 0);
		assert_null(work);
		assert_non_null(strstr(skip.data, refused[r].name));
		text_release(&skip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),          cmocka_unit_test(test_random_order),
		cmocka_unit_test(test_words_and_masks), cmocka_unit_test(test_sums),
		cmocka_unit_test(test_tiles),           cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_constraints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
