/* One run compared with another as JSON: every case with everything that was compared. */
#include "reports/table/json.h"
#include "reports/regress/regress.h"

#include <string.h>

static json_t *compared_run_json(const struct run *run)
{
	json_t *object = json_object();
	const struct sequential_test test = sequential_test_of_run(run);
	char when[21], seed[24];

	format_utc(when, run->started_ns);
	json_object_set_new(object, "id", json_integer(run->id));
	json_object_set_new(object, "uid", report_json_text(run->uid));
	json_object_set_new(object, "label", report_json_text(run->label));
	json_object_set_new(object, "started_at", json_string(when));
	json_object_set_new(object, "state", report_json_text(run->state));
	json_object_set_new(object, "source_revision", report_json_text(run->source_revision));
	json_object_set_new(object, "origin", report_json_text(run->origin));
	json_object_set_new(object, "backend", report_json_text(run->backend));
	json_object_set_new(object, "device", report_json_text(run->device.name));
	json_object_set_new(object, "driver", report_json_text(run->device.driver));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	json_object_set_new(object, "seed", json_string(seed));
	/* null: all are used */
	json_object_set_new(object, "rounds_used",
			    test.used ? json_integer(test.used) : json_null());
	json_object_set_new(object, "control_moved",
			    test.used ? json_real(test.moved) : json_null());
	return object;
}

static json_t *differences_json(const struct regress_differences *differences)
{
	json_t *array = json_array();

	for (size_t i = 0; i < differences->count; i++) {
		const struct regress_difference *item = &differences->items[i];
		json_t *object = json_object();

		json_object_set_new(object, "what", json_string(item->what));
		json_object_set_new(object, "base", report_json_text(item->base));
		json_object_set_new(object, "head", report_json_text(item->head));
		json_object_set_new(object, "refuses", json_boolean(item->refuses));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *regress_summary_json(const struct regress *regress)
{
	json_t *object = json_object();

	for (int i = 0; i < CHANGE_COUNT; i++)
		json_object_set_new(object, change_name((enum change)i),
				    json_integer((json_int_t)regress->tally[i]));
	json_object_set_new(object, "ignored", json_integer((json_int_t)regress->ignored));
	json_object_set_new(object, "compared", json_integer((json_int_t)regress->compared));
	json_object_set_new(object, "unverified", json_integer((json_int_t)regress->unverified));
	json_object_set_new(object, "gating", json_integer((json_int_t)regress->gating));
	return object;
}

static json_t *rounds_json(const struct trial *trial)
{
	json_t *array = json_array();

	for (size_t i = 0; i < trial->round_count; i++)
		json_array_append_new(array, report_json_number(trial->rounds[i].median_ns));
	return array;
}

/* null if the case is decided, or no number of rounds is known to decide it. */
static json_t *rounds_needed_json(int rounds)
{
	return rounds ? json_integer(rounds) : json_null();
}

static json_t *compared_time_json(const struct regress_case *item)
{
	json_t *object = json_object();

	json_object_set_new(object, "verdict", json_string(change_name(item->time)));
	json_object_set_new(object, "base_median_ns",
			    report_json_number(item->base->summary.median_ns));
	json_object_set_new(object, "head_median_ns",
			    report_json_number(item->head->summary.median_ns));
	json_object_set_new(object, "base_rounds_ns", rounds_json(item->base));
	json_object_set_new(object, "head_rounds_ns", rounds_json(item->head));
	json_object_set_new(object, "base_rounds_compared",
			    json_integer((json_int_t)item->base_rounds));
	json_object_set_new(object, "head_rounds_compared",
			    json_integer((json_int_t)item->head_rounds));
	json_object_set_new(object, "rounds_needed", rounds_needed_json(item->needed.each));
	json_object_set_new(object, "head_rounds_needed", rounds_needed_json(item->needed.head));
	json_object_set_new(object, "change", report_json_number(item->effect.change));
	json_object_set_new(object, "low", report_json_number(item->effect.low));
	json_object_set_new(object, "high", report_json_number(item->effect.high));
	json_object_set_new(object, "p", report_json_number(item->effect.p));
	json_object_set_new(object, "adjusted_p", report_json_number(item->adjusted_p));
	json_object_set_new(object, "separated", json_boolean(item->effect.separated));
	json_object_set_new(object, "smallest", report_json_number(item->limits.smallest));
	json_object_set_new(object, "resolution", report_json_number(item->limits.resolution));
	return object;
}

static json_t *changed_counters_json(const struct regress_case *item)
{
	static const char *const verdicts[] = {"better", "changed", "worse"};
	json_t *array = json_array();

	for (size_t i = 0; i < item->counter_count; i++) {
		const struct counter_change *change = &item->counters[i];
		json_t *object = json_object();

		json_object_set_new(object, "metric", report_json_text(change->metric));
		json_object_set_new(object, "unit", report_json_text(change->unit));
		json_object_set_new(object, "base", report_json_number(change->base));
		json_object_set_new(object, "head", report_json_number(change->head));
		json_object_set_new(object, "verdict", json_string(verdicts[change->verdict + 1]));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *status_json(const struct trial *trial)
{
	return trial ? json_string(trial_status_name(trial->status)) : json_null();
}

/* null if one of the two hashes is not known, or an earlier version of perflab made it, which
 * hashed otherwise. */
static json_t *same_json(bool same, const char *base, const char *head)
{
	return *base && strlen(base) == strlen(head) ? json_boolean(same) : json_null();
}

static void add_sameness(json_t *object, const struct regress_case *item)
{
	const struct trial *base = item->base, *head = item->head;

	json_object_set_new(object, "same_code",
			    base && head ? same_json(item->same_code, base->facts.code_hash,
						     head->facts.code_hash)
					 : json_null());
	json_object_set_new(
		object, "same_launch",
		base && head ? same_json(item->same_launch, base->launch_hash, head->launch_hash)
			     : json_null());
}

static json_t *case_json(const struct regress_case *item)
{
	const struct trial *trial = item->head ? item->head : item->base;
	json_t *object = json_object();

	json_object_set_new(object, "kernel", report_json_text(trial->kernel));
	json_object_set_new(object, "variant", report_json_text(trial->variant));
	json_object_set_new(object, "config", report_json_text(trial->config));
	json_object_set_new(object, "verdict",
			    item->ignored ? json_null() : json_string(change_name(item->verdict)));
	json_object_set_new(object, "ignored", json_boolean(item->ignored));
	json_object_set_new(object, "gates", json_boolean(item->gates));
	json_object_set_new(object, "why", report_json_text(item->why));
	json_object_set_new(object, "unverified", json_boolean(item->unverified));
	json_object_set_new(object, "base_status", status_json(item->base));
	json_object_set_new(object, "head_status", status_json(item->head));
	add_sameness(object, item);
	json_object_set_new(object, "time", item->timed ? compared_time_json(item) : json_null());
	json_object_set_new(object, "counters_compared",
			    json_integer((json_int_t)item->counters_compared));
	json_object_set_new(object, "counters", changed_counters_json(item));
	return object;
}

int regress_json(FILE *out, const struct regress_report *report, struct error *err)
{
	json_t *root = json_object(), *cases = json_array();

	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "base", compared_run_json(report->base));
	json_object_set_new(root, "head", compared_run_json(report->head));
	json_object_set_new(root, "differences", differences_json(report->differences));
	json_object_set_new(root, "thresholds", report_json_text(report->thresholds));
	json_object_set_new(root, "summary", regress_summary_json(report->regress));
	json_object_set_new(root, "cases", cases);
	for (size_t i = 0; i < report->regress->count; i++)
		json_array_append_new(cases, case_json(&report->regress->cases[i]));
	return report_json_write(out, root, err);
}
