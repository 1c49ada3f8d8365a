/* Builds the plan: the cases in canonical order, each runnable or skipped with a reason. */
#include "harness/plan/selector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_MAX_CASES 200000
#define PLAN_MAX_AXES KERNEL_MAX_CASE_AXES

/* One value for each axis, in the order of the variant's sorted axes. */
struct plan_choice {
	int64_t values[PLAN_MAX_AXES];
};

struct plan_maker {
	const struct plan_request *request;
	struct kernel_set kernels;
	struct selector *selectors;
	size_t selector_count;
	struct axis_values *overrides; /* parallel to request->overrides; empty for SIZE_SMALL */
	bool *override_used;
	struct plan *plan;
	size_t capacity;
};

void device_limits_of(struct device_limits *out, const struct device_info *device)
{
	*out = (struct device_limits){
		.compute_capability = 10 * device->cc_major + device->cc_minor,
		.max_threads_per_block = device->max_threads_per_block,
		/* Every device of compute capability 3.0 or later has this limit. */
		.max_grid_x = INT32_MAX,
		.max_shared_bytes_per_block = device->shared_bytes_per_block,
		.max_threads_per_sm = device->max_threads_per_sm,
		.sm_count = device->sm_count,
		.global_memory_bytes = device->memory_bytes,
		.l2_bytes = device->l2_bytes,
	};
}

/* ---- one variant ---- */

struct variant_plan {
	const struct kernel *kernel;
	const struct kernel_variant *variant;
	const struct kernel_axis *axes[PLAN_MAX_AXES]; /* sorted by name */
	size_t axis_count;
	struct plan_choice *choices;
	size_t count, capacity;
};

/* The values of the selector take precedence over an override, and an override over the default of
 * the descriptor. */
static int axis_choose(const struct axis_values **out, struct axis_values *fallback,
		       struct plan_maker *maker, const struct selector *selector,
		       const struct kernel *kernel, const struct kernel_axis *axis,
		       struct error *err)
{
	const struct axis_values *override = NULL;
	const struct axis_values *selected =
		selector ? selector_values(selector, axis->name) : NULL;
	bool small;
	int rc = 0;

	for (size_t i = 0; i < maker->request->override_count && !override; i++)
		if (!strcmp(maker->request->overrides[i].name, axis->name)) {
			maker->override_used[i] = true;
			override = &maker->overrides[i];
		}
	small = override && !override->count && kernel->small_size;
	*out = selected ? selected : override;
	if (!*out || !(*out)->count) {
		rc = axis_parse(fallback, small ? kernel->small_size : axis->values, err);
		*out = fallback;
	}
	return error_context(err, rc, "axis %s of %s", axis->name, kernel->name);
}

/* Adds the Cartesian product of the values. The last axis varies fastest. */
static int choices_add(struct variant_plan *plan, const struct axis_values *const *values,
		       size_t planned, struct error *err)
{
	size_t total = 1;

	for (size_t a = 0; a < plan->axis_count; a++)
		if (__builtin_mul_overflow(total, values[a]->count, &total) ||
		    total + plan->count + planned > PLAN_MAX_CASES)
			return error_set(err, PL_EUSAGE,
					 "the plan has more than %d cases at %s/%s: select fewer "
					 "kernels or fewer axis values",
					 PLAN_MAX_CASES, plan->kernel->name, plan->variant->name);
	plan->choices =
		xgrow(plan->choices, &plan->capacity, plan->count + total, sizeof(*plan->choices));
	for (size_t i = 0; i < total; i++) {
		struct plan_choice *choice = &plan->choices[plan->count++];
		size_t rest = i;

		*choice = (struct plan_choice){0};
		for (size_t a = plan->axis_count; a-- > 0;) {
			choice->values[a] = values[a]->items[rest % values[a]->count];
			rest /= values[a]->count;
		}
	}
	return 0;
}

/* A NULL selector selects everything. */
static int variant_choose(struct variant_plan *plan, struct plan_maker *maker,
			  const struct selector *selector, struct error *err)
{
	const struct axis_values *values[PLAN_MAX_AXES] = {0};
	struct axis_values fallbacks[PLAN_MAX_AXES] = {0};
	int rc = 0;

	for (size_t a = 0; a < plan->axis_count && !rc; a++)
		rc = axis_choose(&values[a], &fallbacks[a], maker, selector, plan->kernel,
				 plan->axes[a], err);
	if (!rc)
		rc = choices_add(plan, values, maker->plan->count, err);
	for (size_t a = 0; a < plan->axis_count; a++)
		axis_values_release(&fallbacks[a]);
	return rc;
}

static int compare_choices(const void *left, const void *right)
{
	const struct plan_choice *a = left;
	const struct plan_choice *b = right;

	for (size_t i = 0; i < PLAN_MAX_AXES; i++)
		if (a->values[i] != b->values[i])
			return a->values[i] < b->values[i] ? -1 : 1;
	return 0;
}

static void case_add(struct plan_maker *maker, const struct variant_plan *variant_plan,
		     const struct plan_choice *choice)
{
	struct plan_case planned = {0};
	struct text config = TEXT_INIT;
	struct plan *plan = maker->plan;

	for (size_t a = 0; a < variant_plan->axis_count; a++) {
		snprintf(planned.axes[a].name, sizeof(planned.axes[a].name), "%s",
			 variant_plan->axes[a]->name);
		planned.axes[a].value = choice->values[a];
	}
	planned.axis_count = variant_plan->axis_count;
	axes_text(&config, planned.axes, planned.axis_count);
	planned.descriptor = variant_plan->kernel;
	planned.descriptor_variant = variant_plan->variant;
	planned.kernel = xstrdup(variant_plan->kernel->name);
	planned.variant = xstrdup(variant_plan->variant->name);
	planned.config = text_detach(&config);
	planned.position = plan->count;
	planned.base = NO_BASE;
	plan->cases = xgrow(plan->cases, &maker->capacity, plan->count + 1, sizeof(*plan->cases));
	plan->cases[plan->count++] = planned;
}

/* Whether the selector takes in the cases of this variant: it selects the variant, or another
 * variant of the kernel, whose base variant this is. */
static bool selector_takes(const struct plan_maker *maker, const struct selector *selector,
			   const struct kernel *kernel, const struct kernel_variant *variant)
{
	if (selector_matches(selector, kernel, variant))
		return true;
	if (!is_base_variant(maker->request->base_variant, kernel->name, variant->name))
		return false;
	if (BASE_IS_REVISION(maker->request->base_variant)) {
		const size_t length = strlen(variant->name) - strlen(maker->request->base_variant);
		char *name = xstrndup(variant->name, length);
		struct kernel_variant now = *variant;
		bool takes;

		now.name = name;
		takes = selector_matches(selector, kernel, &now);
		free(name);
		return takes;
	}
	for (size_t v = 0; v < kernel->variant_count; v++)
		if (selector_matches(selector, kernel, &kernel->variants[v]))
			return true;
	return false;
}

static int variant_add(struct plan_maker *maker, const struct kernel *kernel,
		       const struct kernel_variant *variant, struct error *err)
{
	struct variant_plan plan = {.kernel = kernel, .variant = variant};
	int rc = 0;

	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);
		size_t at = plan.axis_count++;

		for (; at > 0 && strcmp(plan.axes[at - 1]->name, axis->name) > 0; at--)
			plan.axes[at] = plan.axes[at - 1];
		plan.axes[at] = axis;
	}
	if (!maker->selector_count && !kernel->on_request)
		rc = variant_choose(&plan, maker, NULL, err);
	for (size_t i = 0; i < maker->selector_count && !rc; i++)
		if (selector_takes(maker, &maker->selectors[i], kernel, variant))
			rc = variant_choose(&plan, maker, &maker->selectors[i], err);
	if (plan.count)
		qsort(plan.choices, plan.count, sizeof(*plan.choices), compare_choices);
	for (size_t i = 0; i < plan.count && !rc; i++)
		/* Selectors may overlap; each case is planned once. */
		if (!i || compare_choices(&plan.choices[i - 1], &plan.choices[i]))
			case_add(maker, &plan, &plan.choices[i]);
	free(plan.choices);
	return rc;
}

/* ---- the request ---- */

/* The axis n also takes a word. A word that looks like it is a typing error. */
static int override_values_parse(struct axis_values *out, const struct axis_override *override,
				 struct error *err)
{
	static const char *const words[] = {SIZE_SMALL};
	struct text near = TEXT_INIT;
	int rc = axis_parse(out, override->values, err);

	if (rc && !strcmp(override->name, "n") &&
	    nearest_names(&near, override->values, words, ARRAY_SIZE(words)))
		rc = error_set(err, PL_EUSAGE, "unknown size '%.80s': did you mean %s?",
			       override->values, near.data);
	text_release(&near);
	return error_context(err, rc, "axis '%s'", override->name);
}

static int overrides_parse(struct plan_maker *maker, struct error *err)
{
	const struct plan_request *request = maker->request;

	maker->overrides = xcalloc(request->override_count + 1, sizeof(*maker->overrides));
	maker->override_used = xcalloc(request->override_count + 1, sizeof(*maker->override_used));
	for (size_t i = 0; i < request->override_count; i++) {
		const struct axis_override *override = &request->overrides[i];
		int rc;

		for (size_t j = 0; j < i; j++)
			if (!strcmp(request->overrides[j].name, override->name))
				return error_set(err, PL_EUSAGE, "axis '%s' is set twice",
						 override->name);
		if (!strcmp(override->name, "n") && !strcmp(override->values, SIZE_SMALL))
			continue;
		rc = override_values_parse(&maker->overrides[i], override, err);
		if (rc)
			return rc;
		/* Without this check a typing error would skip every case. */
		if (!strcmp(override->name, "block") && maker->overrides[i].items[0] < 1)
			return error_set(err, PL_EUSAGE, "block=0: a block has at least 1 thread");
		if (!strcmp(override->name, "block") &&
		    maker->overrides[i].items[0] > device_limits_minimum.max_threads_per_block)
			return error_set(err, PL_EUSAGE,
					 "block=%" PRId64 ": a block has at most %" PRId64
					 " threads here: choose smaller ones, such as 64..1024",
					 maker->overrides[i].items[0],
					 device_limits_minimum.max_threads_per_block);
	}
	return 0;
}

/* Refuses an override of an axis that no selected case has. */
static int overrides_check(const struct plan_maker *maker, struct error *err)
{
	struct string_list names = {0};
	struct text hint = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < maker->plan->count; i++)
		for (size_t a = 0; a < maker->plan->cases[i].axis_count; a++)
			if (!string_list_has(&names, maker->plan->cases[i].axes[a].name))
				string_list_add(&names, maker->plan->cases[i].axes[a].name);
	for (size_t i = 0; i < maker->request->override_count && !rc; i++) {
		const char *name = maker->request->overrides[i].name;

		if (maker->override_used[i])
			continue;
		suggest_names(&hint, name, &names);
		rc = error_set(err, PL_EUSAGE, "no selected kernel has an axis '%s'%s", name,
			       hint.data);
	}
	string_list_release(&names);
	text_release(&hint);
	return rc;
}

int plan_choose(struct plan **out, const struct plan_request *request, struct error *err)
{
	struct plan_maker maker = {.request = request, .kernels = request->kernels};
	int rc;

	if (!maker.kernels.count)
		maker.kernels = kernel_set_built_in();

	maker.plan = xcalloc(1, sizeof(*maker.plan));
	rc = overrides_parse(&maker, err);
	maker.selectors = xcalloc(request->selector_count + 1, sizeof(*maker.selectors));
	while (!rc && maker.selector_count < request->selector_count) {
		rc = selector_parse(&maker.selectors[maker.selector_count],
				    request->selectors[maker.selector_count], &maker.kernels, err);
		maker.selector_count += !rc;
	}
	for (size_t k = 0; k < maker.kernels.count && !rc; k++) {
		const struct kernel *kernel = maker.kernels.items[k];

		for (size_t v = 0; v < kernel->variant_count && !rc; v++)
			rc = variant_add(&maker, kernel, &kernel->variants[v], err);
	}
	if (!rc)
		rc = overrides_check(&maker, err);
	if (!rc)
		rc = plan_pair(maker.plan, request->base_variant, err);
	for (size_t i = 0; i < maker.selector_count; i++)
		selector_release(&maker.selectors[i]);
	free(maker.selectors);
	for (size_t i = 0; i < request->override_count && maker.overrides; i++)
		axis_values_release(&maker.overrides[i]);
	free(maker.overrides);
	free(maker.override_used);
	if (rc) {
		plan_free(maker.plan);
		return rc;
	}
	*out = maker.plan;
	return 0;
}

/* ---- the device ---- */

/* A value that an expression of a user's kernel cannot take skips its case only: the file may have
 * others. The values of a built-in kernel come from the request, which is refused. */
static int case_resolve(struct launch_case **launch, struct text *skip, bool *impossible,
			const struct plan_case *planned, const struct device_limits *limits,
			struct error *err)
{
	struct error cause = {0};
	int rc = kernel_resolve(launch, skip, planned->descriptor, planned->descriptor_variant,
				planned->axes, planned->axis_count, limits, &cause);

	*impossible = rc == PL_EUSAGE && planned->descriptor_variant->source;
	if (*impossible) {
		text_clear(skip);
		text_add(skip, cause.text);
		return 0;
	}
	if (rc)
		error_set(err, rc, "%s", cause.text);
	return error_context(err, rc, "%s/%s/%s", planned->kernel, planned->variant,
			     planned->config);
}

int plan_check(const struct plan *plan, struct error *err)
{
	struct text skip = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < plan->count && !rc; i++) {
		struct launch_case *launch = NULL;
		bool impossible;

		text_clear(&skip);
		rc = case_resolve(&launch, &skip, &impossible, &plan->cases[i],
				  &device_limits_minimum, err);
		launch_case_free(launch);
	}
	text_release(&skip);
	return rc;
}

void plan_unresolve(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_case *planned = &plan->cases[i];

		launch_case_free(planned->launch);
		planned->launch = NULL;
		free(planned->skip_reason);
		planned->skip_reason = NULL;
		free(planned->failure);
		planned->failure = NULL;
	}
	plan->runnable = 0;
}

int plan_resolve_case(struct plan *plan, size_t index, const struct device_limits *limits,
		      struct error *err)
{
	struct plan_case *planned = &plan->cases[index];
	struct text skip = TEXT_INIT;
	int rc = case_resolve(&planned->launch, &skip, &planned->impossible, planned, limits, err);

	if (!rc && !planned->launch)
		planned->skip_reason = text_detach(&skip);
	plan->runnable += planned->launch != NULL;
	text_release(&skip);
	return rc;
}

int plan_resolve(struct plan *plan, const struct device_limits *limits, struct error *err)
{
	int rc = 0;

	plan_unresolve(plan);
	for (size_t i = 0; i < plan->count && !rc; i++)
		rc = plan_resolve_case(plan, i, limits, err);
	return rc;
}

void plan_skip(struct plan *plan, size_t index, const char *reason)
{
	struct plan_case *planned = &plan->cases[index];

	planned->skip_reason = xstrdup(reason);
	launch_case_free(planned->launch);
	planned->launch = NULL;
	plan->runnable--;
}

int plan_build(struct plan **out, const struct plan_request *request,
	       const struct device_limits *limits, struct error *err)
{
	struct plan *plan = NULL;
	int rc = plan_choose(&plan, request, err);

	if (!rc)
		rc = plan_resolve(plan, limits, err);
	if (rc)
		plan_free(plan);
	else
		*out = plan;
	return rc;
}

const struct trial *plan_case_trial(const struct plan_case *planned, const struct run *run,
				    size_t guess)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[(guess + i) % run->trial_count];

		if (strcmp(trial->config, planned->config) == 0 &&
		    strcmp(trial->variant, planned->variant) == 0 &&
		    strcmp(trial->kernel, planned->kernel) == 0)
			return trial;
	}
	return NULL;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->count; i++)
		plan_case_release(&plan->cases[i]);
	string_list_release(&plan->pair_remarks);
	free(plan->base_variant);
	free(plan->cases);
	free(plan);
}
