/* Base cases: which case each case is measured beside, and what is added to a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

static struct plan *plan_of(const char *const *selectors, size_t count, const char *base_variant,
			    const char *block)
{
	const struct axis_override overrides[] = {{"block", block}};
	const struct plan_request request = {.selectors = selectors,
					     .selector_count = count,
					     .overrides = overrides,
					     .override_count = block != NULL,
					     .base_variant = base_variant};
	struct plan *plan = NULL;
	struct error err = {0};

	if (plan_build(&plan, &request, &device_limits_minimum, &err))
		fail_msg("%s", err.text);
	return plan;
}

#define PLAN(base_variant, block, ...)              \
	plan_of((const char *const[]){__VA_ARGS__}, \
		ARRAY_SIZE(((const char *const[]){__VA_ARGS__})), base_variant, block)

static size_t count_variant(const struct plan *plan, const char *variant)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++)
		count += !strcmp(plan->cases[i].variant, variant);
	return count;
}

static int64_t axis_of(const struct plan_case *planned, const char *name)
{
	for (size_t i = 0; i < planned->axis_count; i++)
		if (!strcmp(planned->axes[i].name, name))
			return planned->axes[i].value;
	return -1;
}

static void test_the_base_is_added_and_found(void **state)
{
	struct plan *plan = PLAN("sequential", "64,128,256", "reduce/shuffle", "reduce/naive");

	(void)state;
	assert_int_equal(plan->count, 9);
	assert_int_equal(count_variant(plan, "sequential"), 3);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		const struct plan_case *base = plan_base(plan, planned);

		if (!strcmp(planned->variant, "sequential")) {
			assert_null(planned->base_variant);
			assert_null(base);
			continue;
		}
		assert_string_equal(planned->base_variant, "sequential");
		assert_string_equal(base->variant, "sequential");
		assert_string_equal(base->config, planned->config);
	}
	assert_int_equal(plan->pair_remarks.count, 0);
	plan_free(plan);
}

static void test_without_a_base_there_are_no_pairs(void **state)
{
	struct plan *plan = PLAN(NULL, "64", "reduce");

	(void)state;
	for (size_t i = 0; i < plan->count; i++)
		assert_null(plan->cases[i].base_variant);
	plan_free(plan);
}

/* A selector with values adds only the base cases of these values. */
static void test_values_of_a_selector_hold_for_the_base(void **state)
{
	struct plan *plan = PLAN("sequential", NULL, "reduce/shuffle/block=256,n=4096");

	(void)state;
	assert_int_equal(plan->count, 2);
	assert_string_equal(plan->cases[0].config, "block=256,n=4096");
	assert_string_equal(plan->cases[1].config, "block=256,n=4096");
	plan_free(plan);
}

/* A variant of several kernels is the base of each; KERNEL/VARIANT of one. */
static void test_kernels_without_the_variant_stay_alone(void **state)
{
	struct plan *plan = PLAN("cub", "256", "reduce/shuffle", "histogram/shared_atomics",
				 "stream/copy_scalar");

	(void)state;
	assert_int_equal(count_variant(plan, "cub"), 2);
	for (size_t i = 0; i < plan->count; i++)
		assert_int_equal(plan->cases[i].base_variant != NULL,
				 strcmp(plan->cases[i].kernel, "stream") &&
					 strcmp(plan->cases[i].variant, "cub"));
	plan_free(plan);
	plan = PLAN("reduce/cub", "256", "reduce/shuffle", "histogram/shared_atomics");
	assert_int_equal(count_variant(plan, "cub"), 1);
	plan_free(plan);
}

static void test_axes_of_both_must_agree(void **state)
{
	/* the library has one block size, and the others have several */
	struct plan *plan = PLAN("cublas_f32", NULL, "matmul/naive");
	size_t paired = 0;

	(void)state;
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		const struct plan_case *base = plan_base(plan, planned);

		if (!strcmp(planned->variant, "cublas_f32"))
			continue;
		assert_string_equal(planned->base_variant, "cublas_f32");
		assert_int_equal(base != NULL, axis_of(planned, "block") == 256);
		paired += base != NULL;
	}
	assert_true(paired > 0);
	plan_free(plan);
}

/* If only the base has an axis, its first value is taken, and the user is told once per variant. */
static void test_of_several_base_cases_the_first(void **state)
{
	const struct kernel *kernel = kernel_find("divergence");
	const char *with_ways = NULL, *without = NULL;
	char *selector;
	struct plan *plan;

	(void)state;
	for (size_t v = 0; v < kernel->variant_count; v++) {
		bool has = false;

		for (size_t a = 0; a < variant_axis_count(kernel, &kernel->variants[v]); a++)
			has |= !strcmp(variant_axis(kernel, &kernel->variants[v], a)->name, "ways");
		if (has && !with_ways)
			with_ways = kernel->variants[v].name;
		if (!has && !without)
			without = kernel->variants[v].name;
	}
	assert_non_null(with_ways);
	assert_non_null(without);
	selector = xasprintf("divergence/%s", without);
	plan = PLAN(with_ways, "64,128", selector);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *base = plan_base(plan, &plan->cases[i]);

		if (strcmp(plan->cases[i].variant, without) != 0)
			continue;
		assert_int_equal(axis_of(base, "ways"), 1);
		assert_int_equal(axis_of(base, "block"), axis_of(&plan->cases[i], "block"));
	}
	assert_int_equal(plan->pair_remarks.count, 1);
	assert_non_null(strstr(plan->pair_remarks.items[0], "with ways=1"));
	free(selector);
	plan_free(plan);
}

static void test_what_is_no_variant(void **state)
{
	static const struct {
		const char *base, *message;
	} rows[] = {
		{"sequental", "did you mean sequential"},
		{"reduce/sequental", "did you mean reduce/sequential"},
		{"stream/copy_scalar", "no selected kernel has such a variant"},
		{"", "no selected kernel has such a variant"},
		{"/", "no selected kernel has such a variant"},
		{"reduce/sequential/block=64", "no selected kernel has such a variant"},
		{"*", "no selected kernel has such a variant"},
	};
	const char *const selector = "reduce/shuffle";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct plan_request request = {
			.selectors = &selector, .selector_count = 1, .base_variant = rows[i].base};
		struct plan *plan = NULL;
		struct error err = {0};

		assert_int_equal(plan_choose(&plan, &request, &err), PL_EUSAGE);
		if (!strstr(err.text, rows[i].message))
			fail_msg("'%s' does not say '%s'", err.text, rows[i].message);
	}
}

/* A case lies in the shard of its base case, and every case in one. */
static void test_shards_keep_pairs_together(void **state)
{
	enum { SHARDS = 3 };
	size_t count = 0, whole = 0;

	(void)state;
	for (size_t shard = 0; shard <= SHARDS; shard++) {
		struct plan *plan = PLAN("sequential", "64..1024", "reduce/shuffle", "reduce/naive",
					 "stream/copy_scalar");

		if (!shard) {
			whole = plan->count;
		} else {
			plan_take_shard(plan, shard, SHARDS);
			count += plan->count;
		}
		for (size_t i = 0; i < plan->count; i++) {
			const struct plan_case *base = plan_base(plan, &plan->cases[i]);

			assert_int_equal(base != NULL, plan->cases[i].base_variant != NULL);
			if (base)
				assert_string_equal(base->config, plan->cases[i].config);
		}
		plan_free(plan);
	}
	assert_int_equal(count, whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_base_is_added_and_found),
		cmocka_unit_test(test_without_a_base_there_are_no_pairs),
		cmocka_unit_test(test_values_of_a_selector_hold_for_the_base),
		cmocka_unit_test(test_kernels_without_the_variant_stay_alone),
		cmocka_unit_test(test_axes_of_both_must_agree),
		cmocka_unit_test(test_of_several_base_cases_the_first),
		cmocka_unit_test(test_what_is_no_variant),
		cmocka_unit_test(test_shards_keep_pairs_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
