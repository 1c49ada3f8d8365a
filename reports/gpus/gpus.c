/* A sweep on several GPUs: its tables, and the member `gpus` of its JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/gpus/gpus.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

#define CELLS_OF_ROW 8

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
	else if (own->state && strcmp(own->state, "finished") != 0)
		text_add(out, own->state);
	else if (gpu_group_took_over(group, run))
		text_add(out, "took over cases");
}

/* ---- rows ---- */

/* Empty texts are missing values. Releases the cells. */
static void add_row_of_cells(struct table *table, struct text *cells, size_t count,
			     enum row_style style)
{
	const char *row[CELLS_OF_ROW];

	for (size_t i = 0; i < count; i++)
		row[i] = cells[i].length ? cells[i].data : NULL;
	table_row_styled(table, row, style);
	for (size_t i = 0; i < count; i++)
		text_release(&cells[i]);
}

static void cells_init(struct text *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cells[i] = (struct text)TEXT_INIT;
}

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
		struct text cells[ARRAY_SIZE(columns)];
		bool bad;

		cells_init(cells, ARRAY_SIZE(columns));
		text_addf(&cells[0], "%d", run->settings.device);
		text_add(&cells[1], run->device.name);
		text_add(&cells[2], run->device.uuid);
		text_addf(&cells[3], "%lld", (long long)run->id);
		text_addf(&cells[4], "%zu", run->trial_count);
		if (isfinite(seconds))
			text_addf(&cells[5], "%.1f", seconds);
		if (processors) /* of "not pinned: …" the facts have the reason */
			text_add_bytes(&cells[6], processors, strcspn(processors, ":"));
		gpus_remark(&cells[7], group, i);
		bad = cells[7].length && !gpu_group_took_over(group, i);
		add_row_of_cells(table, cells, ARRAY_SIZE(columns), bad ? ROW_BAD : ROW_PLAIN);
	}
	while (gpu_absence_next(&absent, &group->all, &at)) {
		struct text cells[ARRAY_SIZE(columns)];

		cells_init(cells, ARRAY_SIZE(columns));
		text_addf(&cells[0], "%lld", (long long)absent.number);
		text_add_bytes(&cells[2], absent.uuid, absent.uuid_length);
		text_addf(&cells[7], "no run: %s", absent.reason);
		add_row_of_cells(table, cells, ARRAY_SIZE(columns), ROW_BAD);
	}
	return table;
}

/* ---- interference ---- */

static const char *interference_of(const struct run *run)
{
	const char *verdict = key_value_get(&run->environment, GPUS_INTERFERENCE_KEY);
	const bool running = run->state && strcmp(run->state, "running") == 0;

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
			struct text cells[ARRAY_SIZE(columns)];
			const bool known = gpu_sentinel_fact_of(&fact, run, k);

			cells_init(cells, ARRAY_SIZE(columns));
			text_addf(&cells[0], "%d", run->settings.device);
			text_add(&cells[1], interference_of(run));
			add_change_cell(&cells[2], fact.change, SENTINEL_DIGITS);
			add_interval_cell(&cells[3], fact.low, fact.high, SENTINEL_DIGITS);
			if (known && fact.name)
				text_add_bytes(&cells[4], fact.name, fact.name_length);
			else if (known)
				text_add(&cells[4], fact.text);
			add_row_of_cells(table, cells, ARRAY_SIZE(columns),
					 found ? ROW_BAD : ROW_PLAIN);
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
		struct text cells[ARRAY_SIZE(columns)];

		cells_init(cells, ARRAY_SIZE(columns));
		text_addf(&cells[0], "%d", item->run->settings.device);
		text_addf(&cells[1], "%zu", item->mean.cases);
		add_change_cell(&cells[2], item->mean.change, DIGITS);
		add_interval_cell(&cells[3], item->mean.low, item->mean.high, DIGITS);
		text_addf(&cells[4], "%zu", item->regress.tally[CHANGE_REGRESSED]);
		text_addf(&cells[5], "%zu", item->regress.tally[CHANGE_IMPROVED]);
		text_addf(&cells[6], "%zu", item->regress.tally[CHANGE_INCONCLUSIVE]);
		if (item->largest) {
			add_change_cell(&cells[7], item->largest->effect.change, DIGITS);
			text_addf(&cells[7], "  %s", item->largest->name);
		}
		add_row_of_cells(table, cells, ARRAY_SIZE(columns), ROW_PLAIN);
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
		struct text cells[ARRAY_SIZE(columns)];
		char time[32];

		cells_init(cells, ARRAY_SIZE(columns));
		text_addf(&cells[0], "%d", changes[i].gpu);
		format_duration(time, item->head->summary.median_ns);
		text_add(&cells[1], time);
		format_duration(time, item->base->summary.median_ns);
		text_add(&cells[2], time);
		add_change_cell(&cells[3], item->effect.change, DIGITS);
		add_interval_cell(&cells[4], item->effect.low, item->effect.high, DIGITS);
		text_add(&cells[5], slower ? "slower" : "faster");
		text_add(&cells[6], item->name);
		add_row_of_cells(table, cells, ARRAY_SIZE(columns), slower ? ROW_BAD : ROW_BEST);
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
	json_set_text(object, "state", run->state);
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
