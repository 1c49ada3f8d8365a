#include "support_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/counts.h"
#include "harness/plan/plan.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

void runner_open(struct case_runner *runner, const char *folder)
{
	const struct chip *chip = NULL;

	assert_int_equal(chip_find(&chip, NULL, NULL), 0);
	case_runner_init(runner, chip, 1);
	runner->memory_limit_bytes = INT64_C(1) << 30;
	if (folder)
		runner->images.folder = xstrdup(folder);
}

static void add_axis(struct axis_value *axes, size_t *count, const struct kernel_axis *axis,
		     const struct axis_setting *settings)
{
	struct axis_value *value = &axes[(*count)++];
	struct axis_values defaults = {0};

	snprintf(value->name, sizeof(value->name), "%s", axis->name);
	assert_int_equal(axis_parse(&defaults, axis->values, NULL), 0);
	value->value = defaults.items[0];
	axis_values_release(&defaults);
	for (const struct axis_setting *s = settings; s->name; s++)
		if (!strcmp(s->name, axis->name))
			value->value = s->value;
}

struct launch_case *built_in_case(const char *kernel, const char *variant,
				  const struct axis_setting *axes)
{
	const struct kernel *found = kernel_find(kernel);
	const struct kernel_variant *way = found ? kernel_find_variant(found, variant) : NULL;
	struct axis_value values[KERNEL_MAX_CASE_AXES];
	struct launch_case *work = NULL;
	struct device_limits limits;
	struct device_info device;
	const struct chip *chip;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	size_t count = 0;

	if (!way)
		fail_msg("no kernel %s/%s", kernel, variant);
	for (size_t i = 0; i < variant_axis_count(found, way); i++)
		add_axis(values, &count, variant_axis(found, way, i), axes);
	assert_int_equal(chip_find(&chip, NULL, NULL), 0);
	chip_describe_device(chip, &device);
	device_limits_of(&limits, &device);
	if (kernel_resolve(&work, &skip, found, way, values, count, &limits, &err))
		fail_msg("%s/%s: %s", kernel, variant, err.text);
	text_release(&skip);
	return work;
}

void replace_text(char **member, const char *text)
{
	free(*member);
	*member = xstrdup(text);
}

struct outcome outcome_of(struct case_runner *runner, const struct launch_case *work)
{
	struct outcome outcome = {.status = TRIAL_OK, .reason = TEXT_INIT};
	struct error err = {0};

	if (case_emulate(runner, work, &outcome.totals, &outcome.status, &outcome.reason, &err))
		fail_msg("%s/%s: %s", work->kernel, work->variant, err.text);
	return outcome;
}

void outcome_release(struct outcome *outcome)
{
	text_release(&outcome->reason);
	case_totals_release(&outcome->totals);
}

void assert_same_counts(const struct case_totals *a, const struct case_totals *b)
{
#define X(field, name, unit, meaning, worse)                                              \
	if (a->counts.field != b->counts.field)                                           \
		fail_msg("%s: %llu, not %llu", name, (unsigned long long)a->counts.field, \
			 (unsigned long long)b->counts.field);
	EMULATED_COUNT_LIST(X)
#undef X
	assert_int_equal(a->lines.count, b->lines.count);
	for (size_t i = 0; i < a->lines.count; i++) {
		const struct line_count *x = &a->lines.items[i];
		const struct line_count *y = &b->lines.items[i];

		assert_int_equal(x->line, y->line);
		assert_int_equal(x->instructions, y->instructions);
		assert_int_equal(x->lanes, y->lanes);
		assert_int_equal(x->branches, y->branches);
		assert_int_equal(x->divergent, y->divergent);
		assert_int_equal(x->requests, y->requests);
		assert_int_equal(x->sectors, y->sectors);
		assert_int_equal(x->shared_requests, y->shared_requests);
		assert_int_equal(x->wavefronts, y->wavefronts);
		assert_int_equal(x->conflicts, y->conflicts);
	}
}

struct launch_case *image_case(const char *folder, const char *entry, int64_t n)
{
	const struct axis_setting axes[] = {{"block", 128}, {"n", n}, {0}};
	struct launch_case *work = built_in_case("fault", "none", axes);

	free(work->image);
	work->image = xasprintf("%s/%s", folder, entry);
	replace_text(&work->launches[0].entry, entry);
	work->buffers = realloc(work->buffers, 2 * sizeof(work->buffers[0]));
	assert_non_null(work->buffers);
	work->buffers[1] = work->buffers[0];
	work->buffers[0] = (struct case_buffer){.name = "x",
						.type = ELEMENT_F32,
						.length = n,
						.role = BUFFER_IN,
						.fill = FILL_UNIFORM,
						.fill_low = 0,
						.fill_high = 1};
	work->buffer_count = 2;
	work->launches[0].args[0] = (struct case_arg){.kind = ARG_BUFFER, .integer = 0};
	work->launches[0].args[1] = (struct case_arg){.kind = ARG_BUFFER, .integer = 1};
	return work;
}
