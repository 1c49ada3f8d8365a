/* The names of expected results: cases with the same name share one result, so it must be right for
 * all of them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "harness/plan/plan.h"
#include "kernels/data_key.h"
#include "oracle_bench.h"

static char *key_of(const char *kernel, const char *variant, const char *config)
{
	struct oracle_bench bench;
	char *key = NULL;

	oracle_bench_init(&bench, kernel, variant, config, 5, INPUTS_OF_KERNEL);
	for (size_t b = 0; b < bench.work->buffer_count && !key; b++)
		if (bench.expected.data[b])
			key = case_expected_key(bench.work, b, 5);
	assert_non_null(key);
	oracle_bench_release(&bench);
	return key;
}

static bool share(const char *kernel, const char *variant, const char *config, const char *other)
{
	char *a = key_of(kernel, variant, config), *b = key_of(kernel, variant, other);
	const bool same = strcmp(a, b) == 0;

	free(a);
	free(b);
	return same;
}

static void test_axes(void **state)
{
	(void)state;
	assert_true(share("divergence", "if_else", "block=64,n=100", "block=256,n=100"));
	assert_false(share("divergence", "if_else", "block=64,n=100", "block=64,n=101"));
	assert_false(share("divergence", "block_parity_long", "block=64,n=100", "block=256,n=100"));
	assert_false(share("divergence", "switch_lane", "block=64,n=100,ways=2",
			   "block=64,n=100,ways=4"));
}

/* Blocks of whole warps have the same warps; others do not. */
static void test_expressions(void **state)
{
	static const char *const rest = ",n=100,mask=4294967295,width=32,distance=1";
	static const struct {
		int block, other;
		bool shared;
	} rows[] = {{32, 1024, true}, {64, 96, true},  {64, 40, false},
		    {40, 72, false},  {33, 40, false}, {48, 48, true}};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		char *a = xasprintf("block=%d%s", rows[r].block, rest);
		char *b = xasprintf("block=%d%s", rows[r].other, rest);

		assert_int_equal(share("warp_ops", "ballot", a, b), rows[r].shared);
		assert_int_equal(share("warp_ops", "shfl_up", a, b), rows[r].shared);
		free(a);
		free(b);
	}
}

/* ---- all kernels ---- */

struct named {
	char *key, *name;
	uint64_t hash;
};

static uint64_t hash_of_results(const struct launch_case *work)
{
	struct host_buffers inputs = {0}, expected = {0};
	XXH64_state_t *state = XXH64_createState();
	struct error err = {0};
	uint64_t hash;

	XXH64_reset(state, 0);
	for (size_t b = 0; b < work->buffer_count; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		const size_t bytes = (size_t)buffer->length * element_size_bytes(buffer->type);

		if (case_buffer_is_input(buffer)) {
			inputs.data[b] = xcalloc(1, bytes);
			kernel_fill(inputs.data[b], buffer, 5, NULL);
		}
		if (case_buffer_is_result(buffer))
			expected.data[b] = xcalloc(1, bytes);
	}
	if (kernel_oracle_compute(kernel_find_oracle(work->oracle), work, &inputs, &expected, &err))
		fail_msg("%s", err.text);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (expected.data[b])
			XXH64_update(state, expected.data[b],
				     (size_t)work->buffers[b].length *
					     element_size_bytes(work->buffers[b].type));
		free(inputs.data[b]);
		free(expected.data[b]);
	}
	hash = XXH64_digest(state);
	XXH64_freeState(state);
	return hash;
}

static int compare_named(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->key, ((const struct named *)b)->key);
}

/* An oracle whose `axes` leave out one on which its result depends gives two results one name. */
static void test_equal_names_equal_bytes(void **state)
{
	static const struct axis_override small[] = {{"block", "32,40,64,96,256"}, {"n", "700"}};
	/* all that run by default, and those that run only when named */
	static const char *const selectors[] = {"*", "ceilings", "patterns", "planted"};
	struct plan_request request = {.selectors = selectors,
				       .selector_count = ARRAY_SIZE(selectors),
				       .overrides = small,
				       .override_count = ARRAY_SIZE(small)};
	struct device_limits limits = device_limits_minimum;
	struct plan *plan = NULL;
	struct named *all;
	struct error err = {0};
	size_t count = 0, shared = 0;

	(void)state;
	limits.compute_capability = 90;
	limits.max_shared_bytes_per_block = 227 * 1024;
	if (plan_build(&plan, &request, &limits, &err))
		fail_msg("%s", err.text);
	all = xcalloc(plan->count, sizeof(*all));
	for (size_t i = 0; i < plan->count; i++) {
		const struct launch_case *work = plan->cases[i].launch;
		size_t b = 0;

		if (!work)
			continue;
		while (!case_buffer_is_result(&work->buffers[b]))
			b++;
		all[count++] =
			(struct named){case_expected_key(work, b, 5),
				       xasprintf("%s/%s/%s", plan->cases[i].kernel,
						 plan->cases[i].variant, plan->cases[i].config),
				       hash_of_results(work)};
	}
	qsort(all, count, sizeof(*all), compare_named);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(all[i - 1].key, all[i].key))
			continue;
		shared++;
		if (all[i - 1].hash != all[i].hash)
			fail_msg("%s and %s have the same name, but not the same result",
				 all[i - 1].name, all[i].name);
	}
	assert_true(count > 500);
	assert_true(shared > count / 2);
	for (size_t i = 0; i < count; i++) {
		free(all[i].key);
		free(all[i].name);
	}
	free(all);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_equal_names_equal_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
