/* The ceilings' device code gives what their oracles expect. */
#include "support_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct case_runner runner;

static int set_up(void **context)
{
	(void)context;
	runner_open(&runner, NULL);
	return 0;
}

static int tear_down(void **context)
{
	(void)context;
	case_runner_release(&runner);
	return 0;
}

/* A device small enough to fill. */
static struct device_limits small_device(void)
{
	struct device_limits limits = device_limits_minimum;

	limits.compute_capability = 90;
	limits.sm_count = 3;
	limits.max_threads_per_sm = 512;
	limits.l2_bytes = 128 * 1024;
	return limits;
}

static struct launch_case *ceiling_case(const struct kernel_variant *variant, int64_t block,
					int64_t blocks_per_sm, int64_t turns)
{
	const struct kernel *ceilings = kernel_find("ceilings");
	const struct device_limits limits = small_device();
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t count = variant_axis_count(ceilings, variant);
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		const char *name = variant_axis(ceilings, variant, i)->name;

		snprintf(axes[i].name, sizeof(axes[i].name), "%s", name);
		axes[i].value = !strcmp(name, "block")           ? block
				: !strcmp(name, "blocks_per_sm") ? blocks_per_sm
				: !strcmp(name, "turns")         ? turns
				: !strcmp(name, "passes")        ? 5
				: !strcmp(name, "in_flight")     ? (turns == 1 ? 1 : 4)
								 : 2;
	}
	if (kernel_resolve(&work, &skip, ceilings, variant, axes, count, &limits, &err))
		fail_msg("%s: %s", variant->name, err.text);
	text_release(&skip);
	return work;
}

static void test_results(void **context)
{
	static const int64_t blocks[] = {32, 64, 96, 256, 512};
	const struct kernel *ceilings = kernel_find("ceilings");
	size_t ran = 0;

	(void)context;
	for (size_t v = 0; v < ceilings->variant_count; v++) {
		const struct kernel_variant *variant = &ceilings->variants[v];
		size_t of_variant = 0;

		for (size_t i = 0; i < ARRAY_SIZE(blocks) * 2; i++) {
			int64_t block = blocks[i / 2], turns = 1 + 2 * (int64_t)(i % 2);
			struct launch_case *work =
				ceiling_case(variant, block, 1 + (int64_t)(i % 2), turns);
			struct outcome outcome;

			if (!work)
				continue;
			outcome = outcome_of(&runner, work);
			if (outcome.status != TRIAL_OK)
				fail_msg("%s block=%d: %s: %s", variant->name, (int)block,
					 trial_status_name(outcome.status), outcome.reason.data);
			of_variant++;
			outcome_release(&outcome);
			launch_case_free(work);
		}
		assert_true(of_variant > 0);
		ran += of_variant;
	}
	assert_true(ran > 80);
}

static uint64_t count_at(const struct emulated_counts *counts, const char *name)
{
#define X(field, label, unit, meaning, worse) \
	if (strcmp(name, #field) == 0)        \
		return (uint64_t)counts->field;
	EMULATED_COUNT_LIST(X)
#undef X
	fail_msg("no count %s", name);
	return 0;
}

/* The work model is what the device code does: each operation, each byte at its level. */
static void test_work(void **context)
{
	static const struct {
		const char *variant, *count;
		int64_t bytes_each; /* 0: of the flop */
		double tolerance;
	} rows[] = {
		/* the sum of the chains at the end is not of the model */
		{"f32_fma", "f32_flop", 0, 0.005},
		{"f64_fma", "f64_flop", 0, 0.005},
		{"f16_fma", "f16_flop", 0, 0.005},
		{"tensor_f64", "tensor_f64_flop", 0, 0},
		{"tensor_f64_deep", "tensor_f64_flop", 0, 0},
		{"tensor_tf32", "tensor_tf32_flop", 0, 0},
		{"tensor_f16", "tensor_f16_flop", 0, 0},
		{"tensor_bf16", "tensor_bf16_flop", 0, 0},
		{"tensor_f16_wgmma", "tensor_f16_flop", 0, 0},
		{"tensor_f8_wgmma", "tensor_f8_flop", 0, 0},
		{"dram_read", "global_load_bytes", 1, 0},
		{"dram_copy", "global_load_bytes", 2, 0},
		{"l2_read", "global_load_bytes", 1, 0},
		{"l1_read", "global_load_bytes", 1, 0},
		{"shared_read", "shared_load_wavefronts", 128, 0},
	};

	(void)context;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const struct kernel_variant *variant =
			kernel_find_variant(kernel_find("ceilings"), rows[r].variant);
		struct launch_case *work = ceiling_case(variant, 256, 2, 8);
		struct outcome outcome = outcome_of(&runner, work);
		double counted = (double)count_at(&outcome.totals.counts, rows[r].count);
		double model = rows[r].bytes_each ? (double)(work->bytes_read + work->bytes_written)
						  : (double)work->flop;

		assert_int_equal(outcome.status, TRIAL_OK);
		if (rows[r].bytes_each)
			counted *= (double)rows[r].bytes_each;
		if (!(counted >= model && counted <= model * (1 + rows[r].tolerance)))
			fail_msg("%s: %.0f counted, %.0f of the model", rows[r].variant, counted,
				 model);
		outcome_release(&outcome);
		launch_case_free(work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
