/* Plans counters and passes with the Profiler Host API. Needs no GPU. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/cupti/cupti_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int host_add(const struct cupti_library *cupti, CUpti_Profiler_Host_Object *host,
		    const char **names, size_t count, struct error *err)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);

	params.pHostObject = host;
	params.ppMetricNames = names;
	params.numMetrics = count;
	return CUPTI_CALL(cupti, cuptiProfilerHostConfigAddMetrics, &params, err);
}

/* Creates the config image of the added counters. Fails if they cannot be scheduled. */
static int host_config(const struct cupti_library *cupti, CUpti_Profiler_Host_Object *host,
		       uint8_t **config, size_t *config_bytes, struct error *err)
{
	CUpti_Profiler_Host_GetConfigImageSize_Params size =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
	CUpti_Profiler_Host_GetConfigImage_Params image =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
	uint8_t *bytes;
	int rc;

	size.pHostObject = host;
	rc = CUPTI_CALL(cupti, cuptiProfilerHostGetConfigImageSize, &size, err);
	if (rc)
		return rc;
	bytes = xcalloc(1, size.configImageSize);
	image.pHostObject = host;
	image.configImageSize = size.configImageSize;
	image.pConfigImage = bytes;
	rc = CUPTI_CALL(cupti, cuptiProfilerHostGetConfigImage, &image, err);
	if (rc) {
		free(bytes);
		return rc;
	}
	*config = bytes;
	*config_bytes = size.configImageSize;
	return 0;
}

/*
 * Finds out why a counter cannot be collected. Uses a new host object, because one
 * that has refused a name refuses every later name too. *reason is malloc'd; NULL
 * if the counter can be collected.
 */
static int counter_reason(const struct cupti_plan *plan, const uint8_t *availability,
			  const char *counter, char **reason, struct error *err)
{
	CUpti_Profiler_Host_GetMetricProperties_Params properties =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params);
	CUpti_Profiler_Host_Object *host = NULL;
	struct error refusal = {0};
	uint8_t *config = NULL;
	size_t config_bytes;
	int rc;

	rc = cupti_host_create(plan->cupti, &host, plan->chip, availability, err);
	if (rc)
		return rc;
	*reason = NULL;
	properties.pHostObject = host;
	properties.pMetricName = counter;
	if (plan->cupti->cuptiProfilerHostGetMetricProperties(&properties) != CUPTI_SUCCESS)
		*reason = xasprintf("chip %s has no metric of this name", plan->chip);
	else if (!host_add(plan->cupti, host, &counter, 1, &refusal) &&
		 host_config(plan->cupti, host, &config, &config_bytes, &refusal))
		*reason = xasprintf("it cannot be scheduled on this %s: %s", plan->chip,
				    refusal.text);
	else if (refusal.code && !strchr(counter, '.'))
		*reason = xstrdup("the name needs a roll-up such as .sum, .avg or .pct");
	else if (refusal.code)
		*reason = xasprintf("it cannot be collected on this %s: %s", plan->chip,
				    refusal.text);
	free(config);
	cupti_host_free(plan->cupti, host);
	return rc;
}

/* The unit of a counter as CUPTI names it; "": none. The host object owns the string. */
static const char *cupti_unit(const struct cupti_plan *plan, const char *counter)
{
	CUpti_Profiler_Host_GetMetricProperties_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params);

	params.pHostObject = plan->host;
	params.pMetricName = counter;
	if (plan->cupti->cuptiProfilerHostGetMetricProperties(&params) != CUPTI_SUCCESS ||
	    !params.pDimUnit)
		return "";
	return params.pDimUnit;
}

/* Creates one item per wanted counter and resolves its alias. Does not check yet whether the
 * counter can be collected. */
static void plan_items(struct cupti_plan *plan, const struct string_list *wanted)
{
	plan->items = xcalloc(wanted->count + 1, sizeof(plan->items[0]));
	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);
		struct cupti_plan_item *item = &plan->items[plan->item_count];
		const char *counter = wanted->items[i];

		string_list_add(&plan->wanted, wanted->items[i]);
		if (metric && (metric->derive || metric->from_launch || metric->from_samples))
			continue;
		if (metric)
			counter = metric_counter_on(metric, plan->chip);
		item->metric = xstrdup(wanted->items[i]);
		item->counter = xstrdup(counter ? counter : "");
		item->unit = xstrdup(metric ? metric->unit : cupti_unit(plan, counter));
		if (!counter)
			item->reason = xasprintf("chip %s has no such counter", plan->chip);
		plan->item_count++;
	}
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/*
 * Fills `counters` with the counters of the items without a reason, sorted by name.
 * CUPTI schedules greedily in the given order. Sorting puts the counters of one
 * unit together: the set `memory` then needs 2 passes on GH100 instead of 3. It
 * also makes the plan independent of the order of the request.
 */
static void plan_counters(struct cupti_plan *plan)
{
	string_list_release(&plan->counters);
	for (size_t i = 0; i < plan->item_count; i++) {
		if (!plan->items[i].reason &&
		    !string_list_has(&plan->counters, plan->items[i].counter))
			string_list_add(&plan->counters, plan->items[i].counter);
	}
	if (plan->counters.count > 0)
		qsort(plan->counters.items, plan->counters.count, sizeof(plan->counters.items[0]),
		      compare_names);
	for (size_t i = 0; i < plan->item_count; i++) {
		struct cupti_plan_item *item = &plan->items[i];

		item->slot = 0;
		while (!item->reason &&
		       strcmp(plan->counters.items[item->slot], item->counter) != 0)
			item->slot++;
	}
}

/* Schedules all counters together, as they will be collected. */
static int plan_schedule(struct cupti_plan *plan, struct error *err)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params params =
		CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
	int rc;

	rc = host_add(plan->cupti, plan->host, (const char **)plan->counters.items,
		      plan->counters.count, err);
	if (!rc)
		rc = host_config(plan->cupti, plan->host, &plan->config, &plan->config_bytes, err);
	if (rc)
		return rc;
	params.configImageSize = plan->config_bytes;
	params.pConfigImage = plan->config;
	rc = CUPTI_CALL(plan->cupti, cuptiProfilerHostGetNumOfPasses, &params, err);
	if (!rc)
		plan->pass_count = params.numOfPasses;
	return rc;
}

/* Called after CUPTI refused some counter. Tries each counter alone, which is slow, and schedules
 * those that CUPTI accepts. */
static int plan_without_refused(struct cupti_plan *plan, const uint8_t *availability,
				struct error *err)
{
	int rc;

	for (size_t i = 0; i < plan->item_count; i++) {
		struct cupti_plan_item *item = &plan->items[i];

		if (item->reason)
			continue;
		rc = counter_reason(plan, availability, item->counter, &item->reason, err);
		if (rc)
			return rc;
	}
	plan_counters(plan);
	free(plan->config);
	plan->config = NULL;
	cupti_host_free(plan->cupti, plan->host);
	plan->host = NULL;
	rc = cupti_host_create(plan->cupti, &plan->host, plan->chip, availability, err);
	if (rc || plan->counters.count == 0)
		return rc;
	rc = plan_schedule(plan, err);
	return error_context(err, rc, "scheduling %zu counters on chip %s", plan->counters.count,
			     plan->chip);
}

/* Plans all counters together, in one step. */
static int plan_one_step(struct cupti_plan **out, const char *chip,
			 const struct string_list *wanted, const uint8_t *availability,
			 struct error *err)
{
	const struct cupti_library *cupti;
	struct cupti_plan *plan;
	struct error refusal = {0};
	int rc;

	rc = cupti_library_get(&cupti, err);
	if (rc)
		return rc;
	plan = xcalloc(1, sizeof(*plan));
	plan->cupti = cupti;
	snprintf(plan->chip, sizeof(plan->chip), "%s", chip);
	rc = cupti_host_create(cupti, &plan->host, chip, availability, err);
	if (rc)
		goto out;
	plan_items(plan, wanted);
	plan_counters(plan);
	if (plan->counters.count > 0 && plan_schedule(plan, &refusal)) {
		rc = plan_without_refused(plan, availability, err);
		if (rc)
			goto out;
	}
	for (size_t i = 0; i < plan->item_count; i++) {
		const struct cupti_plan_item *item = &plan->items[i];
		char *line;

		if (!item->reason)
			continue;
		line = xasprintf("%s: %s", *item->counter ? item->counter : item->metric,
				 item->reason);
		if (!string_list_has(&plan->missing, line))
			string_list_add(&plan->missing, line);
		free(line);
	}
	*out = plan;
	plan = NULL;
out:
	cupti_plan_free(plan);
	return rc;
}

int cupti_plan_create(struct cupti_plan **out, const char *chip, const struct string_list *wanted,
		      const uint8_t *availability, struct error *err)
{
	struct string_list now = {0}, later = {0};
	struct cupti_plan *plan = NULL;
	int rc;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);
		/* A condition that is not wanted here is of an earlier step. */
		bool waits = metric && metric->only_if && string_list_has(wanted, metric->only_if);

		string_list_add(waits ? &later : &now, wanted->items[i]);
	}
	rc = plan_one_step(&plan, chip, &now, availability, err);
	if (!rc && later.count)
		rc = cupti_plan_create(&plan->next, chip, &later, availability, err);
	for (size_t i = 0; !rc && plan->next && i < plan->next->missing.count; i++)
		string_list_add(&plan->missing, plan->next->missing.items[i]);
	if (rc)
		cupti_plan_free(plan);
	else
		*out = plan;
	string_list_release(&now);
	string_list_release(&later);
	return rc;
}

void cupti_plan_free(struct cupti_plan *plan)
{
	if (!plan)
		return;
	cupti_plan_free(plan->next);
	for (size_t i = 0; i < plan->item_count; i++) {
		free(plan->items[i].metric);
		free(plan->items[i].counter);
		free(plan->items[i].unit);
		free(plan->items[i].reason);
	}
	free(plan->items);
	string_list_release(&plan->wanted);
	string_list_release(&plan->counters);
	string_list_release(&plan->missing);
	free(plan->config);
	cupti_host_free(plan->cupti, plan->host);
	free(plan);
}

size_t cupti_plan_pass_count(const struct cupti_plan *plan)
{
	return plan->pass_count;
}

size_t cupti_plan_counter_count(const struct cupti_plan *plan)
{
	return plan->counters.count;
}

const struct cupti_plan *cupti_plan_next(const struct cupti_plan *plan)
{
	return plan->next;
}

/* Whether a condition of the metric, or the condition of that one, was counted and is 0. */
static bool is_known_to_be_zero(const char *name, const struct counter_list *counted)
{
	const struct metric *metric = metric_find(name);

	while (metric && metric->only_if) {
		const struct counter_value *condition = counter_list_find(counted, metric->only_if);

		if (condition && condition->has_value && condition->value <= 0)
			return true;
		metric = metric_find(metric->only_if);
	}
	return false;
}

bool cupti_plan_applies(const struct cupti_plan *plan, const struct counter_list *counted)
{
	for (size_t i = 0; i < plan->item_count; i++) {
		if (!plan->items[i].reason && !is_known_to_be_zero(plan->items[i].metric, counted))
			return true;
	}
	return false;
}

void cupti_plan_add_zeroes(const struct cupti_plan *plan, struct counter_list *out)
{
	for (size_t i = 0; i < plan->item_count; i++) {
		const struct cupti_plan_item *item = &plan->items[i];
		char *source;

		if (item->reason || !is_known_to_be_zero(item->metric, out)) {
			counter_list_set_missing(out, item->metric, item->unit, item->counter,
						 item->reason ? item->reason
							      : "the counter was not collected");
			continue;
		}
		source = xasprintf("derived: 0 if %s is 0", metric_find(item->metric)->only_if);
		counter_list_set(out, item->metric, item->unit, source, 0);
		free(source);
	}
	metric_derive(out, &plan->wanted);
}

const struct string_list *cupti_plan_missing(const struct cupti_plan *plan)
{
	return &plan->missing;
}
