/* Two devices compared, as JSON. */
#include "reports/table/json.h"
#include "reports/cards/cards.h"

static json_t *roofs_json(const struct ceiling_list *ceilings)
{
	json_t *object = json_object();

	for (int i = 0; i < MEMORY_LEVEL_COUNT + PRECISION_COUNT; i++) {
		bool is_level = i < MEMORY_LEVEL_COUNT;
		int of = is_level ? i : i - MEMORY_LEVEL_COUNT;
		const struct ceiling *roof = card_roof(ceilings, is_level, of);

		if (roof)
			json_object_set_new(object,
					    is_level ? memory_level_name((enum memory_level)of)
						     : precision_name((enum precision)of),
					    report_json_number(roof->per_s));
	}
	return object;
}

static json_t *side_json(const struct card_row *row, int card)
{
	const struct trial_roofline *roofline = &row->rooflines[card];
	const struct verdict *verdict = &roofline->verdict;
	json_t *object = json_object();

	json_object_set_new(object, "median_ns",
			    report_json_number(row->trials[card]->summary.median_ns));
	json_object_set_new(object, "limiter", report_json_text(bound_name(verdict->bound)));
	json_object_set_new(object, "roof_pct", report_json_number(verdict->roof_pct));
	json_object_set_new(object, "from_model", json_boolean(verdict->from_model));
	json_object_set_new(object, "verdict", report_json_text(verdict->summary));
	return object;
}

json_t *cards_json(const struct cards_report *report, const struct card_rows *rows)
{
	json_t *root = json_object(), *cards = json_array(), *cases = json_array();

	for (int card = 0; card < CARDS; card++) {
		const struct run *run = report->runs[card];
		json_t *object = json_object();

		json_object_set_new(object, "run", json_integer(run->id));
		json_object_set_new(object, "uid", report_json_text(run->uid));
		json_object_set_new(object, "device", report_json_text(run->device.name));
		json_object_set_new(object, "roofs", roofs_json(report->ceilings[card]));
		json_array_append_new(cards, object);
	}
	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row = &rows->items[i];
		json_t *object = json_object();
		char *name = trial_case_name(row->trials[0]);

		json_object_set_new(object, "case", report_json_text(name));
		json_object_set_new(object, "time_ratio", report_json_number(row->pair->ratio));
		json_object_set_new(object, "ratio_low", report_json_number(row->pair->low));
		json_object_set_new(object, "ratio_high", report_json_number(row->pair->high));
		json_object_set_new(object, "a", side_json(row, 0));
		json_object_set_new(object, "b", side_json(row, 1));
		json_array_append_new(cases, object);
		free(name);
	}
	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "compares", json_string("cards"));
	json_object_set_new(root, "cards", cards);
	json_object_set_new(root, "cases", cases);
	json_object_set_new(root, "only_a", json_integer((json_int_t)report->pairs->only_here));
	json_object_set_new(root, "only_b", json_integer((json_int_t)report->pairs->only_there));
	json_object_set_new(root, "other_work",
			    json_integer((json_int_t)report->pairs->other_work));
	return root;
}
