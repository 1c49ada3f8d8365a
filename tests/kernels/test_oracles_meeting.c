/*
 * Oracles of the families with threads that access the same words or take turns, and of others that
 * are best tested with inputs written by hand. The expected results are calculated by hand, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"

/* A case, its inputs zero, its results poisoned. */
struct bench {
	struct launch_case *work;
	struct host_buffers inputs, expected;
};

static void bench_init(struct bench *bench, const char *kernel, const char *variant,
		       const struct axis_value *axes, size_t axis_count)
{
	const struct kernel *family = kernel_find(kernel);
	struct text skip = TEXT_INIT;
	struct error err = {0};

	*bench = (struct bench){0};
	if (kernel_resolve(&bench->work, &skip, family, kernel_find_variant(family, variant), axes,
			   axis_count, &device_limits_minimum, &err))
		fail_msg("%s", err.text);
	if (!bench->work)
		fail_msg("%s/%s: %s", kernel, variant, skip.data);
	for (size_t i = 0; i < bench->work->buffer_count; i++) {
		const struct case_buffer *buffer = &bench->work->buffers[i];
		size_t bytes = (size_t)buffer->length * element_size_bytes(buffer->type);

		if (buffer->role == BUFFER_IN)
			bench->inputs.data[i] = xcalloc(1, bytes);
		if (buffer->role == BUFFER_OUT)
			bench->expected.data[i] = memset(xcalloc(1, bytes), 0xff, bytes);
	}
}
#define BENCH_INIT(bench, kernel, variant, ...)                                      \
	bench_init(bench, kernel, variant, (const struct axis_value[]){__VA_ARGS__}, \
		   ARRAY_SIZE(((const struct axis_value[]){__VA_ARGS__})))

static void *data(const struct bench *bench, const char *name)
{
	for (size_t i = 0; i < bench->work->buffer_count; i++)
		if (!strcmp(bench->work->buffers[i].name, name))
			return bench->inputs.data[i] ? bench->inputs.data[i]
						     : bench->expected.data[i];
	fail_msg("no buffer %s", name);
	return NULL;
}

static uint32_t *words(const struct bench *bench, const char *name)
{
	return data(bench, name);
}

static void bench_compute(struct bench *bench)
{
	struct error err = {0};

	if (kernel_oracle_compute(kernel_find_oracle(bench->work->oracle), bench->work,
				  &bench->inputs, &bench->expected, &err))
		fail_msg("%s", err.text);
}

static void bench_release(struct bench *bench)
{
	for (size_t i = 0; i < KERNEL_MAX_BUFFERS; i++) {
		free(bench->inputs.data[i]);
		free(bench->expected.data[i]);
	}
	launch_case_free(bench->work);
}

static void assert_words(const uint32_t *words, const uint32_t *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != expected[i])
			fail_msg("word %zu is %u, not %u", i, words[i], expected[i]);
}

/* An element counts in the bin of its last bits: 0, 1, 2, 2, 255 and 3 of these six. */
static void test_histogram(void **state)
{
	static const uint32_t x[] = {0, 1, 2, 258, 255, 3};
	struct bench bench;
	uint32_t *counts;
	uint32_t all = 0;

	(void)state;
	BENCH_INIT(&bench, "histogram", "global_atomics", {"block", 64}, {"n", 6},
		   {"distinct", 256});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	counts = words(&bench, "counts");
	assert_words(counts, (const uint32_t[]){1, 1, 2, 1, 0}, 5);
	assert_int_equal(counts[255], 1);
	for (int bin = 0; bin < 256; bin++)
		all += counts[bin];
	assert_int_equal(all, 6);
	bench_release(&bench);
	/* two bits are left of each: 0, 1, 2, 2, 3 and 3 */
	BENCH_INIT(&bench, "histogram", "shared_atomics", {"block", 64}, {"n", 6}, {"distinct", 4});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	assert_words(words(&bench, "counts"), (const uint32_t[]){1, 1, 2, 2, 0}, 5);
	bench_release(&bench);
}

/* Modulo 3: 0, 3 and 9 are in bin 0, 7 in bin 1, 5 and 11 in bin 2. */
static void test_classify(void **state)
{
	static const uint32_t x[] = {0, 3, 5, 7, 9, 11};
	struct bench bench;

	(void)state;
	BENCH_INIT(&bench, "classify", "linked_lists", {"block", 64}, {"n", 6}, {"bins", 3});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	assert_words(words(&bench, "counts"), (const uint32_t[]){3, 1, 2}, 3);
	assert_words(words(&bench, "sums"), (const uint32_t[]){12, 7, 16}, 3);
	bench_release(&bench);
	/* more bins than items: the last is empty; sums wrap at 32 bits, (2^32 - 1) + (2^32 - 1) */
	BENCH_INIT(&bench, "classify", "counted", {"block", 64}, {"n", 3}, {"bins", 4});
	memcpy(words(&bench, "x"), (const uint32_t[]){UINT32_MAX, 2, UINT32_MAX}, 12);
	bench_compute(&bench);
	assert_words(words(&bench, "counts"), (const uint32_t[]){0, 0, 1, 2}, 4);
	assert_words(words(&bench, "sums"), (const uint32_t[]){0, 0, 2, UINT32_MAX - 1}, 4);
	bench_release(&bench);
}

/*
 * A step is value * a + c modulo 2^32 with a = 1664525 and c = 1013904223.
 * From 0 one step leads to c, two to c * (a + 1), whose last 32 bits are
 * 1013904223 * 1664526 - 392941 * 2^32 = 1196435762. 64 steps are an affine
 * map, too, and so are 32 twice; here they are made by doubling.
 */
struct affine {
	uint32_t factor, addend;
};

static struct affine steps_doubled(int times)
{
	struct affine map = {1664525, 1013904223};

	for (; times > 0; times--)
		map = (struct affine){map.factor * map.factor, map.addend * (map.factor + 1)};
	return map;
}

static void test_work_queue(void **state)
{
	struct affine heavy = steps_doubled(6);
	struct bench bench;
	uint32_t *x, *y;

	(void)state;
	assert_int_equal(steps_doubled(1).addend, 1196435762);
	/* balanced: 64 steps of each */
	BENCH_INIT(&bench, "work_queue", "static_split", {"block", 64}, {"n", 5}, {"skew", 1});
	x = words(&bench, "x");
	y = words(&bench, "y");
	for (uint32_t i = 0; i < 5; i++)
		x[i] = i;
	bench_compute(&bench);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(y[i], (uint32_t)(heavy.factor * i + heavy.addend));
	bench_release(&bench);
	/* one in four has all the work, 256 steps; they lie first, two of five; the rest have one
	 */
	heavy = steps_doubled(8);
	BENCH_INIT(&bench, "work_queue", "dynamic_block", {"block", 64}, {"n", 5}, {"skew", 4});
	x = words(&bench, "x");
	y = words(&bench, "y");
	x[1] = 7;
	x[2] = 1;
	bench_compute(&bench);
	assert_words(y,
		     (const uint32_t[]){heavy.addend, heavy.factor * 7 + heavy.addend,
					1664525 + 1013904223, 1013904223, 1013904223},
		     5);
	bench_release(&bench);
}

/* Three blocks of two elements, the last of one, go to two totals in turn: 1 + 2 and 16, and 4 + 8;
 * and to one all together. */
static void test_atomics(void **state)
{
	static const uint32_t x[] = {1, 2, 4, 8, 16};
	struct bench bench;

	(void)state;
	BENCH_INIT(&bench, "atomics", "native_add", {"block", 2}, {"n", 5}, {"addresses", 2});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	assert_words(words(&bench, "totals"), (const uint32_t[]){19, 12}, 2);
	bench_release(&bench);
	BENCH_INIT(&bench, "atomics", "spin_lock", {"block", 2}, {"n", 5}, {"addresses", 1});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	assert_words(words(&bench, "totals"), (const uint32_t[]){31}, 1);
	bench_release(&bench);
	/* a total to which no thread adds is 0 */
	BENCH_INIT(&bench, "atomics", "block_first", {"block", 64}, {"n", 5}, {"addresses", 3});
	memcpy(words(&bench, "x"), x, sizeof(x));
	bench_compute(&bench);
	assert_words(words(&bench, "totals"), (const uint32_t[]){31, 0, 0}, 3);
	bench_release(&bench);
}

/* Where chains of places end. */
static void test_divergence_waiting(void **state)
{
	struct bench bench;
	uint32_t *x, *places;

	(void)state;
	BENCH_INIT(&bench, "divergence", "waiting", {"block", 64}, {"n", 100}, {"unit", 32});
	x = words(&bench, "x");
	places = words(&bench, "places");
	/* x is three quarters of 2^32: each step leads to place 75, or from the end to 99 - 75 */
	for (int i = 0; i < 100; i++)
		x[i] = UINT32_C(3) << 30;
	bench_compute(&bench);
	assert_int_equal(places[0], 24);
	assert_int_equal(places[31], 24);
	assert_int_equal(places[32], 75);
	assert_int_equal(places[63], 75);
	assert_int_equal(places[64], 24);
	/* a ring in which place p leads to p + 1: 256 steps from 40 lead to 296 - 2 * 100 */
	for (uint64_t i = 0; i < 100; i++)
		x[i] = (uint32_t)(((i + 1) % 100 << 32) / 100 + 1);
	bench_compute(&bench);
	assert_int_equal(places[40], 96);
	/* from the end place p leads to 99 - (p + 1), so two steps lead back: 256 do, too */
	assert_int_equal(places[10], 10);
	bench_release(&bench);
}

/* 1.23f is 10317988 / 2^23, 1.9e-8 more than 1.23: a thousand of it are 1230.00002, and the floats
 * beside 1230 are 1.2e-4 away. */
static void test_accuracy(void **state)
{
	struct bench bench;
	float *x, *sum;

	(void)state;
	BENCH_INIT(&bench, "accuracy", "tree", {"block", 128}, {"n", 1000});
	x = data(&bench, "x");
	sum = data(&bench, "sum");
	kernel_fill(x, &bench.work->buffers[0], 5, NULL);
	assert_true(x[0] == 10317988 / 8388608.0F && x[999] == x[0]);
	bench_compute(&bench);
	assert_true(*sum == 1230.0F);
	bench_release(&bench);
}

static void test_planted(void **state)
{
	static const float gathered[] = {0, 5, 3, 1, 6, 4, 2}, sums[] = {6, 6, 6, 6, 9, 9};
	struct bench bench;
	float *a, *c;

	(void)state;
	/* every 33rd of seven, over and over: 0, 33 - 28, 66 - 63 … */
	BENCH_INIT(&bench, "planted", "gather", {"block", 64}, {"n", 7}, {"work", 1000});
	a = data(&bench, "a");
	c = data(&bench, "c");
	for (int i = 0; i < 7; i++)
		a[i] = (float)i;
	bench_compute(&bench);
	for (int i = 0; i < 7; i++)
		assert_true(c[i] == gathered[i]);
	bench_release(&bench);
	/* each has the sum of its block of four: 0 + 1 + 2 + 3, and 4 + 5 */
	BENCH_INIT(&bench, "planted", "block_sums", {"block", 4}, {"n", 6}, {"work", 1000});
	a = data(&bench, "a");
	c = data(&bench, "c");
	for (int i = 0; i < 6; i++)
		a[i] = (float)i;
	bench_compute(&bench);
	for (int i = 0; i < 6; i++)
		assert_true(c[i] == sums[i]);
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_classify),
		cmocka_unit_test(test_work_queue),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_divergence_waiting),
		cmocka_unit_test(test_accuracy),
		cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
