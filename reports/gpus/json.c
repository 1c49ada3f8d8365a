/* A sweep on several GPUs as JSON: the member `gpus` of its report. */
#include <math.h>

#include "reports/gpus/gpus.h"
#include "reports/table/json.h"

static json_t *sentinels_json(const struct run *run)
{
	json_t *array = json_array();
	struct gpu_sentinel_fact fact;

	for (size_t i = 1; gpu_sentinel_fact_of(&fact, run, i); i++) {
		json_t *object = json_object();
		struct text name = TEXT_INIT;

		if (fact.name)
			text_add_bytes(&name, fact.name, fact.name_length);
		json_object_set_new(object, "case",
				    report_json_text(name.length ? name.data : fact.text));
		json_object_set_new(object, "change", report_json_number(fact.change));
		json_object_set_new(object, "low", report_json_number(fact.low));
		json_object_set_new(object, "high", report_json_number(fact.high));
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

	json_object_set_new(object, "gpu", json_integer(run->settings.device));
	json_object_set_new(object, "device", report_json_text(run->device.name));
	json_object_set_new(object, "uuid", report_json_known_text(run->device.uuid));
	json_object_set_new(object, "run", json_integer(run->id));
	json_object_set_new(object, "uid", report_json_text(run->uid));
	json_object_set_new(object, "state", report_json_text(run->state));
	json_object_set_new(object, "cases", json_integer((json_int_t)run->trial_count));
	json_object_set_new(object, "seconds", report_json_number(gpus_seconds(run)));
	json_object_set_new(object, "processors",
			    report_json_text(key_value_get(facts, GPUS_PROCESSORS_KEY)));
	json_object_set_new(object, "failed", report_json_text(gpu_group_failure(group, i)));
	json_object_set_new(object, "took_over", json_boolean(gpu_group_took_over(group, i)));
	json_object_set_new(object, "interference",
			    report_json_text(key_value_get(facts, GPUS_INTERFERENCE_KEY)));
	json_object_set_new(object, "sentinels", sentinels_json(run));
	return object;
}

static void set_change(json_t *object, double change, double low, double high)
{
	json_object_set_new(object, "change", report_json_number(change));
	json_object_set_new(object, "low", report_json_number(low));
	json_object_set_new(object, "high", report_json_number(high));
}

static json_t *difference_json(const struct gpu_difference *difference)
{
	const struct regress *regress = &difference->regress;
	json_t *object = json_object(), *mean = json_object(), *cases = json_array();

	json_object_set_new(object, "gpu", json_integer(difference->run->settings.device));
	set_change(mean, difference->mean.change, difference->mean.low, difference->mean.high);
	json_object_set_new(mean, "cases", json_integer((json_int_t)difference->mean.cases));
	json_object_set_new(object, "mean", mean);
	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		json_t *one;

		if (!item->timed)
			continue;
		one = json_object();
		json_object_set_new(one, "case", report_json_text(item->name));
		json_object_set_new(one, "verdict", json_string(change_name(item->time)));
		set_change(one, item->effect.change, item->effect.low, item->effect.high);
		json_object_set_new(one, "adjusted_p", report_json_number(item->adjusted_p));
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
		json_object_set_new(object, "gpu", json_integer(absent.number));
		json_object_set_new(object, "uuid", report_json_known_text(uuid.data));
		json_object_set_new(object, "reason", report_json_text(absent.reason));
		json_array_append_new(array, object);
		text_release(&uuid);
	}
	return array;
}

json_t *gpus_json(const struct gpu_group *group)
{
	json_t *object = json_object(), *runs = json_array(), *differences = json_array();
	const struct key_value_list *facts = &group->runs[0].environment;

	json_object_set_new(object, "group",
			    report_json_text(key_value_get(facts, GPUS_GROUP_KEY)));
	json_object_set_new(object, "mode", json_string(group->spread ? GPUS_SPREAD : "split"));
	json_object_set_new(object, "gpus", json_integer(group->gpus));
	json_object_set_new(object, "one_model", json_boolean(group->one_model));
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
