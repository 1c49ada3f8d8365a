/* Answers to studies as JSON, which has everything that is known of them. */
#include <math.h>
#include <stdlib.h>

#include "reports/study/study.h"
#include "reports/table/json.h"

static json_t *part_json(const struct study_report *of, size_t index)
{
	const struct study_part *part = &of->study->parts[index];
	const struct study_part_answer *answer = &of->answer->parts[index];
	const struct study_expression *expression =
		of->emulated ? &part->emulated : &part->measured;
	const bool has_value = !isnan(answer->value);
	json_t *object = json_object();

	json_object_set_new(object, "part", report_json_text(part->title));
	json_object_set_new(object, "claimed", report_json_text(part->claimed));
	json_object_set_new(object, "unit", report_json_text(part->unit));
	json_object_set_new(object, "expression", report_json_text(expression->text));
	json_object_set_new(object, "value", report_json_number(answer->value));
	json_object_set_new(object, "low", report_json_number(answer->low));
	json_object_set_new(object, "high", report_json_number(answer->high));
	/* no statement about a value that does not exist */
	json_object_set_new(object, "exact", has_value ? json_boolean(answer->exact) : json_null());
	json_object_set_new(object, "measured",
			    has_value ? json_boolean(answer->basis != STUDY_BY_CALCULATION)
				      : json_null());
	json_object_set_new(object, "answered_by",
			    has_value ? report_json_text(study_basis_name(answer->basis))
				      : json_null());
	json_object_set_new(object, "decides", json_boolean(!part->aside));
	json_object_set_new(object, "holds_if", report_json_text(part->expect.text));
	json_object_set_new(object, "answer",
			    report_json_text(study_verdict_name(answer->verdict)));
	json_object_set_new(object, "why", report_json_text(answer->why));
	return object;
}

static json_t *one_study_json(const struct study_report *of)
{
	json_t *object = json_object(), *parts = json_array(), *cases = json_array();
	const struct study *study = of->study;

	json_object_set_new(object, "study", report_json_text(study->name));
	json_object_set_new(object, "title", report_json_text(study->title));
	json_object_set_new(object, "claim", report_json_text(study->claim));
	json_object_set_new(object, "source", report_json_text(study->source));
	json_object_set_new(object, "made_on", report_json_text(study->made_on));
	json_object_set_new(object, "look_at", report_json_text(study->look_at));
	json_object_set_new(object, "answer",
			    report_json_text(study_verdict_name(of->answer->verdict)));
	json_object_set_new(object, "why", report_json_text(of->answer->why));
	json_object_set_new(object, "emulated", json_boolean(of->emulated));
	json_object_set_new(object, "run_id",
			    of->run_id ? json_integer((json_int_t)of->run_id) : json_null());
	json_object_set_new(object, "device",
			    of->run_id ? report_json_text(of->device) : json_null());
	json_object_set_new(object, "parts", parts);
	json_object_set_new(object, "cases", cases);
	for (size_t i = 0; i < study->part_count; i++)
		json_array_append_new(parts, part_json(of, i));
	for (size_t i = 0; i < study->case_count; i++) {
		json_t *one = json_object();
		char *name = of->evidence[i].trial ? trial_case_name(of->evidence[i].trial) : NULL;

		json_object_set_new(one, "name", report_json_text(study->cases[i].name));
		json_object_set_new(one, "case", report_json_text(name));
		json_object_set_new(one, "reason", report_json_text(of->evidence[i].reason));
		json_array_append_new(cases, one);
		free(name);
	}
	return object;
}

int study_json(FILE *out, const struct study_report *reports, size_t count, struct error *err)
{
	json_t *root = json_object(), *list = json_array();

	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "studies", list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, one_study_json(&reports[i]));
	return report_json_write(out, root, err);
}
