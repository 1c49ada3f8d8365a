/* Shards of a plan: together all of it, each case once, each variant shared out evenly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

#define MOST_SHARDS 7

static struct plan *make_plan(void)
{
	static const char *const selectors[] = {"stream", "reduce"};
	static const struct axis_override overrides[] = {{"block", "64..1024"},
							 {"n", "1024,1048576"}};
	const struct plan_request request = {.selectors = selectors,
					     .selector_count = ARRAY_SIZE(selectors),
					     .overrides = overrides,
					     .override_count = ARRAY_SIZE(overrides)};
	struct error err = {0};
	struct plan *plan = NULL;

	if (plan_build(&plan, &request, &device_limits_minimum, &err))
		fail_msg("%s", err.text);
	return plan;
}

static void assert_same_case(const struct plan_case *a, const struct plan_case *b)
{
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->variant, b->variant);
	assert_string_equal(a->config, b->config);
	assert_int_equal(a->launch == NULL, b->launch == NULL);
}

static void test_all_shards_are_the_plan(void **state)
{
	(void)state;
	for (size_t total = 1; total <= MOST_SHARDS; total++) {
		struct plan *whole = make_plan();
		bool *seen = xcalloc(whole->count, sizeof(*seen));
		size_t count = 0, runnable = 0;

		for (size_t shard = 1; shard <= total; shard++) {
			struct plan *plan = make_plan();

			plan_take_shard(plan, shard, total);
			for (size_t i = 0; i < plan->count; i++) {
				const struct plan_case *planned = &plan->cases[i];

				assert_true(planned->position < whole->count);
				assert_false(seen[planned->position]);
				seen[planned->position] = true;
				assert_same_case(planned, &whole->cases[planned->position]);
				assert_true(!i || planned->position > planned[-1].position);
			}
			count += plan->count;
			runnable += plan->runnable;
			plan_free(plan);
		}
		assert_int_equal(count, whole->count);
		assert_int_equal(runnable, whole->runnable);
		free(seen);
		plan_free(whole);
	}
}

/* How many cases a shard has of the variant of a case. */
static size_t count_of(const struct plan *plan, const struct plan_case *like)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++)
		count += !strcmp(plan->cases[i].kernel, like->kernel) &&
			 !strcmp(plan->cases[i].variant, like->variant);
	return count;
}

static void test_each_variant_is_shared_out(void **state)
{
	struct plan *whole = make_plan(), *shards[3];

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(shards); s++) {
		shards[s] = make_plan();
		plan_take_shard(shards[s], s + 1, ARRAY_SIZE(shards));
		/* and all of them alike */
		assert_in_range(shards[s]->count, whole->count / 3, whole->count / 3 + 1);
	}
	for (size_t i = 0; i < whole->count; i++) {
		size_t all = count_of(whole, &whole->cases[i]);

		for (size_t s = 0; s < ARRAY_SIZE(shards); s++)
			assert_in_range(count_of(shards[s], &whole->cases[i]), all / 3,
					all / 3 + 1);
	}
	for (size_t s = 0; s < ARRAY_SIZE(shards); s++)
		plan_free(shards[s]);
	plan_free(whole);
}

static void test_no_shard_has_all_the_large_ones(void **state)
{
	struct plan *plan = make_plan();
	size_t large = 0;

	(void)state;
	plan_take_shard(plan, 1, 2); /* there are two sizes, and the size runs fastest */
	for (size_t i = 0; i < plan->count; i++)
		large += strstr(plan->cases[i].config, "n=1048576") != NULL;
	assert_in_range(large, plan->count / 3, plan->count - plan->count / 3);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_shards_are_the_plan),
		cmocka_unit_test(test_each_variant_is_shared_out),
		cmocka_unit_test(test_no_shard_has_all_the_large_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
