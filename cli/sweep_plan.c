/*
 * What a sweep runs: from the words of the command line, or from the trials
 * of a run that goes on. A resumed run is planned from exact case names, so
 * that nothing about how it was asked for has to be kept.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

void sweep_plan_override(struct sweep_plan *plan, const char *name, const char *values)
{
	string_list_add(&plan->names, name);
	string_list_add(&plan->values, values);
}

int sweep_plan_set(struct sweep_plan *plan, const char *assignment, struct error *err)
{
	const char *equals = strchr(assignment, '=');
	char *name;

	if (!equals || equals == assignment || !equals[1])
		return error_set(err, PL_EUSAGE,
				 "--set '%.80s': expected NAME=VALUES, such as block=64..1024",
				 assignment);
	name = xstrndup(assignment, (size_t)(equals - assignment));
	sweep_plan_override(plan, name, equals + 1);
	free(name);
	return 0;
}

/* A resumed run goes on where it was measured, or its numbers would not belong together. */
static int check_same_device(const struct run *run, const struct device_info *device,
			     struct error *err)
{
	const struct device_info *stored = &run->device;
	bool same;

	if (stored->uuid[0] && device->uuid[0])
		same = strcmp(stored->uuid, device->uuid) == 0;
	else
		same = strcmp(stored->name, device->name) == 0;
	if (same)
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "run %lld was measured on %s (%s), and this device is %s (%s); choose "
			 "the device with --device, or start a new run",
			 (long long)run->id, stored->name,
			 stored->uuid[0] ? stored->uuid : "no uuid", device->name,
			 device->uuid[0] ? device->uuid : "no uuid");
}

/* And by the build that began it: all its cases stand under one commit. */
static int check_same_build(const struct run *run, struct error *err)
{
	const char *built = host_build_revision();

	if (!built || !run->source_revision || strcmp(built, run->source_revision) == 0)
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "run %lld was begun by a perflab built from %s, and this one is built "
			 "from %s, whose kernels may be others; go on with a build of the former, "
			 "or start a new run",
			 (long long)run->id, run->source_revision, built);
}

static const struct trial *find_trial(const struct run *run, const struct plan_case *planned,
				      size_t guess)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		/* both are in canonical order, so the guess is nearly always right */
		const struct trial *trial = &run->trials[(guess + i) % run->trial_count];

		if (strcmp(trial->config, planned->config) == 0 &&
		    strcmp(trial->variant, planned->variant) == 0 &&
		    strcmp(trial->kernel, planned->kernel) == 0)
			return trial;
	}
	return NULL;
}

/* Tells the plan what is stored already. */
static int mark_progress(struct sweep_plan *plan, struct plan *made, struct error *err)
{
	const struct run *run = plan->resumed;

	free(plan->trial_ids);
	plan->trial_ids = xcalloc(made->count ? made->count : 1, sizeof(*plan->trial_ids));
	if (made->count != run->trial_count)
		return error_set(err, PL_EUNSUPPORTED,
				 "run %lld has %zu cases and this perflab plans %zu of them; go on "
				 "with the version that began it, %s",
				 (long long)run->id, run->trial_count, made->count,
				 run->version ? run->version : "unknown");
	for (size_t i = 0; i < made->count; i++) {
		struct plan_case *planned = &made->cases[i];
		const struct trial *trial = find_trial(run, planned, i);

		if (!trial)
			return error_set(err, PL_EUNSUPPORTED,
					 "run %lld has no case %s/%s/%s any more",
					 (long long)run->id, planned->kernel, planned->variant,
					 planned->config);
		plan->trial_ids[i] = trial->id;
		planned->rounds_done = trial->rounds_done;
		planned->counted = trial->counted;
		planned->finished = trial->status != TRIAL_PENDING;
	}
	return 0;
}

static int build_resumed(struct sweep_plan *plan, const struct device_limits *limits,
			 struct plan **out, struct error *err)
{
	const struct run *run = plan->resumed;
	struct string_list cases = {0};
	struct plan_request request = {0};
	struct plan *made = NULL;
	int rc;

	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);

		string_list_add(&cases, name);
		free(name);
	}
	request.selectors = (const char *const *)cases.items;
	request.selector_count = cases.count;
	rc = plan_build(&made, &request, limits, err);
	if (!rc)
		rc = mark_progress(plan, made, err);
	string_list_release(&cases);
	if (rc) {
		plan_free(made);
		return error_context(err, rc, "planning run %lld anew", (long long)run->id);
	}
	*out = made;
	return 0;
}

static int build_fresh(const struct sweep_plan *plan, const struct device_limits *limits,
		       struct plan **out, struct error *err)
{
	struct axis_override *overrides =
		xcalloc(plan->names.count ? plan->names.count : 1, sizeof(*overrides));
	struct plan_request request = {
		.selectors = (const char *const *)plan->selectors.items,
		.selector_count = plan->selectors.count,
		.overrides = overrides,
		.override_count = plan->names.count,
	};
	int rc;

	for (size_t i = 0; i < plan->names.count; i++) {
		overrides[i].name = plan->names.items[i];
		overrides[i].values = plan->values.items[i];
	}
	rc = plan_build(out, &request, limits, err);
	free(overrides);
	return rc;
}

int sweep_plan_build(void *context, const struct device_info *device, struct plan **out,
		     struct error *err)
{
	struct sweep_plan *plan = context;
	struct device_limits limits = device_limits_minimum;
	struct plan *made = NULL;
	int rc = 0;

	if (device)
		device_limits_of(&limits, device);
	if (plan->resumed)
		rc = check_same_build(plan->resumed, err);
	if (!rc && plan->resumed && device)
		rc = check_same_device(plan->resumed, device, err);
	if (!rc && plan->resumed)
		rc = build_resumed(plan, &limits, &made, err);
	else if (!rc)
		rc = build_fresh(plan, &limits, &made, err);
	if (!rc)
		rc = sweep_shard_take(&plan->shard, made, err);
	if (rc) {
		plan_free(made);
		return rc;
	}
	plan_free(plan->plan);
	plan->plan = made;
	*out = made;
	return 0;
}

void sweep_plan_release(struct sweep_plan *plan)
{
	string_list_release(&plan->selectors);
	string_list_release(&plan->names);
	string_list_release(&plan->values);
	free(plan->trial_ids);
	free(plan->shard.sweep);
	plan_free(plan->plan);
}

int sweep_plan_print(const struct invocation *call, const struct plan *plan,
		     enum report_format format, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "case"}, {.name = "plan"}, {.name = "reason"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		char *name =
			xasprintf("%s/%s/%s", planned->kernel, planned->variant, planned->config);
		const char *state = planned->skip_reason ? "skip"
				    : planned->finished  ? "done"
							 : "run";

		table_row(table, (const char *const[]){name, state,
						       planned->skip_reason || format != REPORT_TEXT
							       ? planned->skip_reason
							       : ""});
		free(name);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}
