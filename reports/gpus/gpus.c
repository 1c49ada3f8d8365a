/* A sweep on several GPUs: its tables, and the member `gpus` of its JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/gpus/gpus.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* NAN: the run has not ended. */
static double gpus_seconds(const struct run *run)
{
	return run->finished_ns > run->started_ns
		       ? (double)(run->finished_ns - run->started_ns) / 1e9
		       : NAN;
}

/* What went otherwise than planned with the run of a GPU; "": nothing. */
static void gpus_remark(struct text *out, const struct gpu_group *group, size_t run)
{
	const struct run *own = &group->runs[run];
	const char *failed = gpu_group_failure(group, run);

	if (failed)
		text_addf(out, "failed: %s", failed);
	else if (own->state != RUN_FINISHED)
		text_add(out, run_state_name(own->state));
	else if (gpu_group_took_over(group, run))
		text_add(out, "took over cases");
}

/* ---- rows ---- */

#define DIGITS 2
#define SENTINEL_DIGITS 1 /* as the facts of a run have them */

static void add_change_cell(struct text *out, double change, int digits)
{
	if (isfinite(change))
		text_addf(out, "%+.*f %%", digits, 100 * change);
}

static void add_interval_cell(struct text *out, double low, double high, int digits)
{
	if (isfinite(low) && isfinite(high))
		text_addf(out, "%+.*f to %+.*f %%", digits, 100 * low, digits, 100 * high);
}

/* ---- the GPUs ---- */

struct table *gpus_table(const struct gpu_group *group)
{
	static const struct table_column columns[] = {
		{.name = "gpu", .numeric = true},   {.name = "device", .drop = 2},
		{.name = "uuid", .drop = 3},        {.name = "run", .numeric = true},
		{.name = "cases", .numeric = true}, {.name = "seconds", .numeric = true},
		{.name = "processors", .drop = 1},  {.name = "remark"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct gpu_absence absent;
	size_t at = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct run *run = &group->runs[i];
		const char *processors = key_value_get(&run->environment, GPUS_PROCESSORS_KEY);
		const double seconds = gpus_seconds(run);
		struct row row = {0};
		struct text *cell;
		bool bad;

		row_addf(&row, "%d", run->settings.device);
		row_add(&row, run->device.name);
		row_add(&row, run->device.uuid);
		row_addf(&row, "%lld", (long long)run->id);
		row_addf(&row, "%zu", run->trial_count);
		cell = row_cell(&row);
		if (isfinite(seconds))
			text_addf(cell, "%.1f", seconds);
		cell = row_cell(&row);
		if (processors) /* of "not pinned: …" the facts have the reason */
			text_add_bytes(cell, processors, strcspn(processors, ":"));
		cell = row_cell(&row);
		gpus_remark(cell, group, i);
		bad = cell->length && !gpu_group_took_over(group, i);
		row_end(&row, table, bad ? ROW_BAD : ROW_PLAIN);
	}
	while (gpu_absence_next(&absent, &group->all, &at)) {
		struct row row = {0};

		row_addf(&row, "%lld", (long long)absent.number);
		row_add(&row, NULL);
		text_add_bytes(row_cell(&row), absent.uuid, absent.uuid_length);
		for (int i = 0; i < 4; i++)
			row_add(&row, NULL);
		row_addf(&row, "no run: %s", absent.reason);
		row_end(&row, table, ROW_BAD);
	}
	return table;
}

/* ---- interference ---- */

static const char *interference_of(const struct run *run)
{
	const char *verdict = key_value_get(&run->environment, GPUS_INTERFERENCE_KEY);
	const bool running = run->state == RUN_RUNNING;

	/* it is judged at the end of the sweep; a run that is resumed later is on its own */
	return verdict   ? verdict
	       : running ? "not measured yet"
			 : "not measured: the run was interrupted";
}

struct table *gpus_interference_table(const struct gpu_group *group)
{
	static const struct table_column columns[] = {{.name = "gpu", .numeric = true},
						      {.name = "interference"},
						      {.name = "change", .numeric = true},
						      {.name = "95 % CI", .numeric = true},
						      {.name = "case"}};
	struct table *table = group->spread ? NULL : table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < group->count && table; i++) {
		const struct run *run = &group->runs[i];
		const bool found = key_value_get(&run->environment, GPUS_INTERFERENCE_FOUND_KEY);
		struct gpu_sentinel_fact fact;
		size_t k = 1;

		do {
			const bool known = gpu_sentinel_fact_of(&fact, run, k);
			struct row row = {0};

			row_addf(&row, "%d", run->settings.device);
			row_add(&row, interference_of(run));
			add_change_cell(row_cell(&row), fact.change, SENTINEL_DIGITS);
			add_interval_cell(row_cell(&row), fact.low, fact.high, SENTINEL_DIGITS);
			if (known && fact.name)
				text_add_bytes(row_cell(&row), fact.name, fact.name_length);
			else
				row_add(&row, known ? fact.text : NULL);
			row_end(&row, table, found ? ROW_BAD : ROW_PLAIN);
		} while (gpu_sentinel_fact_of(&fact, run, ++k));
	}
	return table;
}

/* ---- differences ---- */

struct table *gpus_differences_table(const struct gpu_group *group)
{
	static const struct table_column columns[] = {
		{.name = "gpu", .numeric = true},
		{.name = "cases", .numeric = true},
		{.name = "mean", .numeric = true},
		{.name = "95 % CI", .numeric = true},
		{.name = "slower", .numeric = true},
		{.name = "faster", .numeric = true},
		{.name = "inconclusive", .numeric = true, .drop = 1},
		{.name = "largest change"}};
	struct table *table =
		group->difference_count ? table_new(columns, ARRAY_SIZE(columns)) : NULL;

	for (size_t i = 0; i < group->difference_count; i++) {
		const struct gpu_difference *item = &group->differences[i];
		struct row row = {0};
		struct text *largest;

		row_addf(&row, "%d", item->run->settings.device);
		row_addf(&row, "%zu", item->mean.cases);
		add_change_cell(row_cell(&row), item->mean.change, DIGITS);
		add_interval_cell(row_cell(&row), item->mean.low, item->mean.high, DIGITS);
		row_addf(&row, "%zu", item->regress.tally[CHANGE_REGRESSED]);
		row_addf(&row, "%zu", item->regress.tally[CHANGE_IMPROVED]);
		row_addf(&row, "%zu", item->regress.tally[CHANGE_INCONCLUSIVE]);
		largest = row_cell(&row);
		if (item->largest) {
			add_change_cell(largest, item->largest->effect.change, DIGITS);
			text_addf(largest, "  %s", item->largest->name);
		}
		row_end(&row, table, ROW_PLAIN);
	}
	return table;
}

struct changed_case {
	const struct regress_case *item;
	int gpu;
};

static int compare_changes(const void *left, const void *right)
{
	const struct changed_case *a = left, *b = right;
	const double x = fabs(log1p(a->item->effect.change));
	const double y = fabs(log1p(b->item->effect.change));
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	order = strcmp(a->item->name, b->item->name);
	return order ? order : a->gpu < b->gpu ? -1 : 1;
}

static size_t list_changes(struct changed_case **out, const struct gpu_group *group,
			   const struct run *shown)
{
	size_t count = 0, capacity = 0;

	*out = NULL;
	for (size_t i = 0; i < group->difference_count; i++) {
		const struct gpu_difference *difference = &group->differences[i];

		for (size_t k = 0; k < difference->regress.count; k++) {
			const struct regress_case *item = &difference->regress.cases[k];

			if (!item->timed || !isfinite(item->effect.change) ||
			    (item->time != CHANGE_REGRESSED && item->time != CHANGE_IMPROVED) ||
			    !run_trial(shown, item->head->id))
				continue;
			*out = xgrow(*out, &capacity, count + 1, sizeof(**out));
			(*out)[count++] =
				(struct changed_case){item, difference->run->settings.device};
		}
	}
	if (count > 1)
		qsort(*out, count, sizeof(**out), compare_changes);
	return count;
}

struct table *gpus_changes_table(const struct gpu_group *group, const struct run *shown)
{
	static const struct table_column columns[] = {{.name = "gpu", .numeric = true},
						      {.name = "time", .numeric = true},
						      {.name = "base", .numeric = true},
						      {.name = "change", .numeric = true},
						      {.name = "95 % CI", .numeric = true},
						      {.name = "verdict"},
						      {.name = "case"}};
	struct changed_case *changes;
	const size_t count = list_changes(&changes, group, shown);
	struct table *table = count ? table_new(columns, ARRAY_SIZE(columns)) : NULL;

	for (size_t i = 0; i < count; i++) {
		const struct regress_case *item = changes[i].item;
		const bool slower = item->time == CHANGE_REGRESSED;
		struct row row = {0};

		row_addf(&row, "%d", changes[i].gpu);
		format_value(row_cell(&row), item->head->summary.median_ns, "ns");
		format_value(row_cell(&row), item->base->summary.median_ns, "ns");
		add_change_cell(row_cell(&row), item->effect.change, DIGITS);
		add_interval_cell(row_cell(&row), item->effect.low, item->effect.high, DIGITS);
		row_add(&row, slower ? "slower" : "faster");
		row_add(&row, item->name);
		row_end(&row, table, slower ? ROW_BAD : ROW_BEST);
	}
	free(changes);
	return table;
}

/* ---- JSON ---- */

static json_t *sentinels_json(const struct run *run)
{
	json_t *array = json_array();
	struct gpu_sentinel_fact fact;

	for (size_t i = 1; gpu_sentinel_fact_of(&fact, run, i); i++) {
		json_t *object = json_object();
		struct text name = TEXT_INIT;

		if (fact.name)
			text_add_bytes(&name, fact.name, fact.name_length);
		json_set_text(object, "case", name.length ? name.data : fact.text);
		json_set_number(object, "change", fact.change);
		json_set_number(object, "low", fact.low);
		json_set_number(object, "high", fact.high);
		json_array_append_new(array, object);
		text_release(&name);
	}
	return array;
}

static json_t *gpu_run_json(const struct gpu_group *group, size_t i)
{
	const struct run *run = &group->runs[i];
	const struct key_value_list *facts = &run->environment;
	json_t *object = json_object();

	json_set_integer(object, "gpu", run->settings.device);
	json_set_text(object, "device", run->device.name);
	json_object_set_new(object, "uuid", report_json_known_text(run->device.uuid));
	json_set_integer(object, "run", run->id);
	json_set_text(object, "uid", run->uid);
	json_set_text(object, "state", run_state_name(run->state));
	json_set_integer(object, "cases", (int64_t)run->trial_count);
	json_set_number(object, "seconds", gpus_seconds(run));
	json_set_text(object, "processors", key_value_get(facts, GPUS_PROCESSORS_KEY));
	json_set_text(object, "failed", gpu_group_failure(group, i));
	json_set_bool(object, "took_over", gpu_group_took_over(group, i));
	json_set_text(object, "interference", key_value_get(facts, GPUS_INTERFERENCE_KEY));
	json_object_set_new(object, "sentinels", sentinels_json(run));
	return object;
}

static void set_change(json_t *object, double change, double low, double high)
{
	json_set_number(object, "change", change);
	json_set_number(object, "low", low);
	json_set_number(object, "high", high);
}

static json_t *difference_json(const struct gpu_difference *difference)
{
	const struct regress *regress = &difference->regress;
	json_t *object = json_object(), *mean = json_object(), *cases = json_array();

	json_set_integer(object, "gpu", difference->run->settings.device);
	set_change(mean, difference->mean.change, difference->mean.low, difference->mean.high);
	json_set_integer(mean, "cases", (int64_t)difference->mean.cases);
	json_object_set_new(object, "mean", mean);
	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		json_t *one;

		if (!item->timed)
			continue;
		one = json_object();
		json_set_text(one, "case", item->name);
		json_object_set_new(one, "verdict", json_string(change_name(item->time)));
		set_change(one, item->effect.change, item->effect.low, item->effect.high);
		json_set_number(one, "adjusted_p", item->adjusted_p);
		json_array_append_new(cases, one);
	}
	json_object_set_new(object, "cases", cases);
	return object;
}

static json_t *absent_json(const struct gpu_group *group)
{
	json_t *array = json_array();
	struct gpu_absence absent;
	size_t at = 0;

	while (gpu_absence_next(&absent, &group->all, &at)) {
		json_t *object = json_object();
		struct text uuid = TEXT_INIT;

		text_add_bytes(&uuid, absent.uuid, absent.uuid_length);
		json_set_integer(object, "gpu", absent.number);
		json_object_set_new(object, "uuid", report_json_known_text(uuid.data));
		json_set_text(object, "reason", absent.reason);
		json_array_append_new(array, object);
		text_release(&uuid);
	}
	return array;
}

json_t *gpus_json(const struct gpu_group *group)
{
	json_t *object = json_object(), *runs = json_array(), *differences = json_array();
	const struct key_value_list *facts = &group->runs[0].environment;

	json_set_text(object, "group", key_value_get(facts, GPUS_GROUP_KEY));
	json_object_set_new(object, "mode", json_string(group->spread ? GPUS_SPREAD : "split"));
	json_set_integer(object, "gpus", group->gpus);
	json_set_bool(object, "one_model", group->one_model);
	for (size_t i = 0; i < group->count; i++)
		json_array_append_new(runs, gpu_run_json(group, i));
	json_object_set_new(object, "runs", runs);
	json_object_set_new(object, "absent", absent_json(group));
	for (size_t i = 0; i < group->difference_count; i++)
		json_array_append_new(differences, difference_json(&group->differences[i]));
	/* null: nothing is compared */
	json_object_set_new(object, "base",
			    group->difference_count
				    ? json_integer(group->runs[group->base].settings.device)
				    : json_null());
	json_object_set_new(object, "differences", differences);
	return object;
}
