/* Plans from the built-in kernels: selectors, typos, order, skips. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static int build(struct plan **plan, const char *const *selectors, size_t selector_count,
		 const struct axis_override *overrides, size_t override_count, struct error *err)
{
	const struct plan_request request = {.selectors = selectors,
					     .selector_count = selector_count,
					     .overrides = overrides,
					     .override_count = override_count};

	return plan_build(plan, &request, &device_limits_minimum, err);
}

static struct plan *plan_of(const char *selector, const char *block)
{
	const struct axis_override overrides[] = {{"block", block}};
	struct plan *plan = NULL;
	struct error err = {0};

	if (build(&plan, &selector, selector != NULL, overrides, block != NULL, &err))
		fail_msg("%s", err.text);
	return plan;
}

static bool has_case(const struct plan *plan, const char *kernel, const char *variant)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->cases[i].kernel, kernel) &&
		    !strcmp(plan->cases[i].variant, variant))
			return true;
	return false;
}

static void test_everything(void **context)
{
	struct plan *plan = plan_of(NULL, NULL);
	size_t count;
	const struct kernel *const *kernels = kernel_all(&count);
	size_t runnable = 0;

	(void)context;
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < kernels[k]->variant_count; v++)
			assert_int_equal(
				has_case(plan, kernels[k]->name, kernels[k]->variants[v].name),
				!kernels[k]->on_request);
	for (size_t i = 0; i < plan->count; i++) {
		/* Each case is either runnable or has a reason. */
		assert_int_equal(plan->cases[i].launch == NULL, plan->cases[i].skip_reason != NULL);
		runnable += plan->cases[i].launch != NULL;
	}
	assert_int_equal(plan->runnable, runnable);
	assert_true(runnable > 0);
	plan_free(plan);
}

/* Other arguments or other blocks change the launch hash. */
static void test_launches_have_a_hash(void **context)
{
	const struct axis_override overrides[] = {{"block", "64,128"}, {"work", "1000,1010"}};
	const char *selector = "planted/copy";
	struct plan *plan = NULL, *again = NULL;
	struct error err = {0};

	(void)context;
	assert_int_equal(build(&plan, &selector, 1, overrides, 2, &err), 0);
	assert_int_equal(build(&again, &selector, 1, overrides, 2, &err), 0);
	assert_int_equal(plan->count, 4);
	for (size_t i = 0; i < plan->count; i++) {
		char hash[HASH_TEXT_BYTES], other[HASH_TEXT_BYTES];

		launch_hash(hash, plan->cases[i].launch);
		assert_int_equal(strlen(hash), 16);
		for (size_t k = 0; k < again->count; k++) {
			launch_hash(other, again->cases[k].launch);
			assert_int_equal(strcmp(hash, other) == 0, i == k);
		}
	}
	plan_free(plan);
	plan_free(again);
}

/* Kernels that fail on purpose are planned only when they are selected by name. */
static void test_on_request(void **context)
{
	static const char *const naming[] = {"fault", "fault/trap", "fault/*", "fault/t*/n=64"};
	static const char *const sweeping[] = {"*", "*/none", "f*", "?ault", "*/*/n=64"};
	struct error err = {0};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(naming); i++) {
		struct plan *plan = plan_of(naming[i], NULL);

		assert_true(has_case(plan, "fault", "trap"));
		plan_free(plan);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sweeping); i++) {
		struct plan *plan = NULL;

		if (build(&plan, &sweeping[i], 1, NULL, 0, &err))
			assert_int_equal(err.code, PL_EUSAGE);
		else
			assert_false(has_case(plan, "fault", "none") ||
				     has_case(plan, "fault", "trap"));
		plan_free(plan);
	}
	assert_int_equal(build(&(struct plan *){NULL}, &sweeping[3], 1, NULL, 0, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'fault' runs only when its full name is given"));
}

static void test_order_and_config(void **context)
{
	static const char *const expected[] = {
		"block=64,n=4096",
		"block=64,n=8192",
		"block=128,n=4096",
		"block=128,n=8192",
	};
	struct plan *plan = plan_of("reduce/shuffle/n=8192,4096,block=128,64", NULL);

	(void)context;
	assert_int_equal(plan->count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(plan->cases[i].config, expected[i]);
		assert_int_equal(plan->cases[i].axis_count, 2);
		assert_string_equal(plan->cases[i].axes[0].name, "block");
	}
	plan_free(plan);
}

static void test_registry_order_for_any_selectors(void **context)
{
	const char *const selectors[] = {"reduce/shuffle", "stream", "reduce/*"};
	const struct axis_override overrides[] = {{"block", "256"}, {"n", "4096"}};
	struct plan *plan = NULL;
	struct error err = {0};
	bool reduce_seen = false;
	size_t shuffles = 0;

	(void)context;
	assert_int_equal(build(&plan, selectors, 3, overrides, 2, &err), 0);
	for (size_t i = 0; i < plan->count; i++) {
		if (!strcmp(plan->cases[i].kernel, "reduce"))
			reduce_seen = true;
		else
			assert_false(reduce_seen); /* the registry has stream first */
		shuffles += !strcmp(plan->cases[i].variant, "shuffle");
	}
	assert_true(reduce_seen);
	assert_int_equal(shuffles, 1); /* chosen twice, planned once */
	plan_free(plan);
}

static void test_patterns(void **context)
{
	struct plan *plan = plan_of("r?duce/sh*", "256");

	(void)context;
	assert_true(has_case(plan, "reduce", "shuffle"));
	assert_false(has_case(plan, "reduce", "naive"));
	plan_free(plan);
	/* Without a pattern a word matches whole names only. */
	struct error err = {0};
	const char *part = "reduc";

	assert_int_equal(build(&plan, &part, 1, NULL, 0, &err), PL_EUSAGE);
}

static void test_override_and_selector(void **context)
{
	struct plan *plan = plan_of("reduce/shuffle/n=4096,block=*", "64..128");

	(void)context;
	assert_int_equal(plan->count, 2);
	assert_string_equal(plan->cases[0].config, "block=64,n=4096");
	assert_string_equal(plan->cases[1].config, "block=128,n=4096");
	plan_free(plan);
	/* A full case name selects exactly that case; --set does not change it. */
	plan = plan_of("reduce/shuffle/block=512,n=4096", "64..128");
	assert_int_equal(plan->count, 1);
	assert_string_equal(plan->cases[0].config, "block=512,n=4096");
	plan_free(plan);
}

/* Each kernel's small size, unless a selector gives n. A kernel without one keeps its default. */
static void test_small_sizes(void **context)
{
	static const char *const selectors[] = {"stream/copy_scalar", "matmul/naive", "fault/none",
						"reduce/shuffle/n=77"};
	static const int64_t sizes[] = {65536, 77, 128, 65536};
	const struct axis_override overrides[] = {{"block", "64"}, {"n", "small"}};
	const struct axis_override blocks[] = {{"block", "small"}};
	struct plan *plan = NULL;
	struct error err = {0};

	(void)context;
	assert_int_equal(build(&plan, selectors, ARRAY_SIZE(selectors), overrides, 2, &err), 0);
	assert_int_equal(plan->count, ARRAY_SIZE(sizes));
	for (size_t i = 0; i < plan->count; i++)
		assert_int_equal(plan->cases[i].axes[1].value, sizes[i]);
	plan_free(plan);
	plan = NULL;
	assert_int_equal(build(&plan, NULL, 0, overrides, 2, &err), 0);
	for (size_t i = 0; i < plan->count; i++)
		for (size_t a = 0; a < plan->cases[i].axis_count; a++)
			if (!strcmp(plan->cases[i].axes[a].name, "n"))
				assert_in_range(plan->cases[i].axes[a].value, 1, 100000);
	plan_free(plan);
	/* Only the axis n accepts the word. */
	assert_int_equal(build(&plan, selectors, 1, blocks, 1, &err), PL_EUSAGE);
}

static void test_skips_have_reasons(void **context)
{
	struct plan *plan = plan_of("reduce/interleaved/n=4096", "96,128");

	(void)context;
	assert_int_equal(plan->count, 2);
	assert_int_equal(plan->runnable, 1);
	assert_null(plan->cases[0].launch);
	assert_non_null(strstr(plan->cases[0].skip_reason, "power of two"));
	assert_non_null(plan->cases[1].launch);
	plan_free(plan);
	plan = plan_of("reduce/shuffle/n=4096", "512..2048");
	assert_int_equal(plan->count, 3);
	assert_non_null(strstr(plan->cases[2].skip_reason, "block=2048"));
	plan_free(plan);
}

static const struct {
	const char *selector, *axis, *values, *message;
} bad[] = {
	{"redcue", NULL, NULL, "there is no kernel 'redcue': did you mean reduce?"},
	{"shuffle", NULL, NULL,
	 "there is no kernel 'shuffle': it is a variant, write "
	 "reduce/shuffle"},
	{"zzz", NULL, NULL, "there is no kernel 'zzz': choose from stream, reduce"},
	{"", NULL, NULL, "'' has an empty part"},
	{"reduce/", NULL, NULL, "'reduce/' has an empty part"},
	{"reduce/shufle", NULL, NULL,
	 "kernel 'reduce' has no variant 'shufle': did you mean "
	 "shuffle?"},
	{"reduce/shuffle/blck=64", NULL, NULL, "has no axis 'blck': did you mean block?"},
	{"reduce/shuffle/", NULL, NULL, "'reduce/shuffle/' has an empty part"},
	{"reduce/shuffle/64", NULL, NULL, "does not name the axis of '64'"},
	{"reduce/shuffle/block=64,block=128", NULL, NULL, "sets axis 'block' twice"},
	{"reduce/shuffle/block=0", NULL, NULL, "block=0: a block has at least one thread"},
	{"reduce", "blok", "64", "no selected kernel has an axis 'blok': did you mean block?"},
	{"reduce", "block", "64..", "axis 'block': '64..' has no last value"},
	{"reduce", "block", "0", "block=0: a block has at least 1 thread"},
	{"reduce", "block", "2048", "block=2048: a block has at most 1024 threads"},
	{"reduce/shuffle", "n", "2^62", "reduce/shuffle/block="},
	{"*", "n", "1..4096:+1", "the plan has more than"},
};

static void test_bad(void **context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct axis_override overrides[] = {{bad[i].axis, bad[i].values},
							  {"block", "1..1024:+1"}};
		/* The last row needs two axes to exceed the limit. */
		size_t override_count = !bad[i].axis ? 0 : i + 1 == ARRAY_SIZE(bad) ? 2 : 1;
		struct plan *plan = NULL;
		struct error err = {0};

		assert_int_equal(build(&plan, &bad[i].selector, 1, overrides, override_count, &err),
				 PL_EUSAGE);
		assert_null(plan);
		if (!strstr(err.text, bad[i].message))
			fail_msg("%s: %s", bad[i].selector, err.text);
	}
}

static void test_override_twice(void **context)
{
	const struct axis_override overrides[] = {{"block", "64"}, {"block", "128"}};
	struct plan *plan = NULL;
	struct error err = {0};

	(void)context;
	assert_int_equal(build(&plan, NULL, 0, overrides, 2, &err), PL_EUSAGE);
	assert_string_equal(err.text, "axis 'block' is set twice");
}

/* A plan is chosen without a device, and resolved for one device after the other. */
static void test_chosen_then_resolved(void **context)
{
	const char *const selectors[] = {"reduce", "stream"};
	const struct plan_request request = {.selectors = selectors, .selector_count = 2};
	struct device_limits small = device_limits_minimum;
	struct plan *plan = NULL, *built = NULL;
	struct error err = {0};

	(void)context;
	small.global_memory_bytes = 1 << 20;
	assert_int_equal(plan_choose(&plan, &request, &err), 0);
	assert_int_equal(plan->runnable, 0);
	assert_int_equal(plan_check(plan, &err), 0);
	for (size_t i = 0; i < plan->count; i++)
		assert_true(!plan->cases[i].launch && !plan->cases[i].skip_reason);
	assert_int_equal(plan_resolve(plan, &small, &err), 0);
	assert_int_equal(plan->runnable, 0);
	assert_non_null(plan->cases[0].skip_reason);
	assert_int_equal(plan_resolve(plan, &device_limits_minimum, &err), 0);
	assert_int_equal(plan_build(&built, &request, &device_limits_minimum, &err), 0);
	assert_int_equal(plan->count, built->count);
	assert_int_equal(plan->runnable, built->runnable);
	for (size_t i = 0; i < plan->count; i++) {
		assert_string_equal(plan->cases[i].config, built->cases[i].config);
		assert_int_equal(plan->cases[i].launch == NULL, built->cases[i].launch == NULL);
	}
	plan_free(plan);
	plan_free(built);
}

/* Values that no device can have are found before a device is known. */
static void test_check_finds_overflow(void **context)
{
	const char *selector = "stream/copy_scalar";
	const struct axis_override override = {"n", "2^62"};
	const struct plan_request request = {.selectors = &selector,
					     .selector_count = 1,
					     .overrides = &override,
					     .override_count = 1};
	struct plan *plan = NULL;
	struct error err = {0};

	(void)context;
	assert_int_equal(plan_choose(&plan, &request, &err), 0);
	assert_int_equal(plan_check(plan, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "overflow"));
	plan_free(plan);
}

static void test_limits_of_a_device(void **context)
{
	const struct device_info device = {
		.sm_count = 132,
		.max_threads_per_sm = 2048,
		.max_threads_per_block = 1024,
		.shared_bytes_per_block = 232448,
		.l2_bytes = 62914560,
		.memory_bytes = INT64_C(150120955904),
	};
	struct device_limits limits;

	(void)context;
	device_limits_of(&limits, &device);
	assert_int_equal(limits.sm_count, 132);
	assert_int_equal(limits.max_grid_x, INT32_MAX);
	assert_int_equal(limits.max_shared_bytes_per_block, 232448);
	assert_int_equal(limits.global_memory_bytes, INT64_C(150120955904));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_launches_have_a_hash),
		cmocka_unit_test(test_on_request),
		cmocka_unit_test(test_order_and_config),
		cmocka_unit_test(test_registry_order_for_any_selectors),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_override_and_selector),
		cmocka_unit_test(test_small_sizes),
		cmocka_unit_test(test_skips_have_reasons),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_override_twice),
		cmocka_unit_test(test_chosen_then_resolved),
		cmocka_unit_test(test_check_finds_overflow),
		cmocka_unit_test(test_limits_of_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
