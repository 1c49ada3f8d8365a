/*
 * Rooflines and verdicts as JSON. Counts of an emulator have member names of their own ("ptx_…"),
 * never those of measured numbers.
 */
#include <math.h>

#include "reports/derived/derived.h"
#include "reports/roofline/roofline.h"
#include "reports/table/json.h"

static json_t *level_json(const struct roofline_level *level, bool emulated)
{
	json_t *object = json_object();

	json_object_set_new(object, "bytes", report_json_number(level->bytes));
	json_object_set_new(object, "intensity", report_json_number(level->intensity));
	if (emulated)
		return object;
	json_object_set_new(object, "bytes_per_s", report_json_number(level->bytes_per_s));
	json_object_set_new(object, "roof_pct", report_json_number(level->roof_pct));
	return object;
}

/* null: the operations were counted. No member has the name of a measured number. */
static json_t *model_json(const struct roofline_model *model)
{
	json_t *object, *intensity;

	if (!model->used)
		return json_null();
	object = json_object();
	intensity = json_object();
	json_object_set_new(object, "model_precision",
			    model->has_precision
				    ? report_json_text(precision_name(model->precision))
				    : json_null());
	json_object_set_new(object, "model_operations", report_json_number(model->flop));
	json_object_set_new(object, "model_operations_per_s",
			    report_json_number(model->flop_per_s));
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		json_object_set_new(intensity, memory_level_name((enum memory_level)i),
				    report_json_number(model->intensity[i]));
	json_object_set_new(object, "model_intensity", intensity);
	json_object_set_new(object, "dram_bytes",
			    report_json_text(model->needed_bytes_used ? "work model" : "counted"));
	json_object_set_new(object, "model_compute_roof_pct",
			    report_json_number(model->compute_roof_pct));
	json_object_set_new(object, "model_attainable_flop_per_s",
			    report_json_number(model->attainable_flop_per_s));
	return object;
}

json_t *roofline_point_json(const struct roofline_point *point, const struct trial *trial)
{
	json_t *object = json_object(), *levels = json_object();

	json_object_set_new(object, "emulated", json_boolean(point->emulated));
	json_object_set_new(object, "precision",
			    isnan(point->flop)
				    ? json_null()
				    : report_json_text(precision_name(point->precision)));
	json_object_set_new(object, point->emulated ? "ptx_flop" : "flop",
			    report_json_number(point->flop));
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		const char *name = point->emulated ? emulated_level_name((enum memory_level)i)
						   : memory_level_name((enum memory_level)i);

		if (name)
			json_object_set_new(levels, name,
					    level_json(&point->level[i], point->emulated));
	}
	json_object_set_new(object, "levels", levels);
	json_object_set_new(object, "needed_bytes", report_json_number(point->needed_bytes));
	json_object_set_new(object, "needed_flop", report_json_number(point->needed_flop));
	json_object_set_new(object, "needed_intensity",
			    report_json_number(point->needed_intensity));
	if (point->emulated)
		return object;
	json_object_set_new(object, "flop_per_s", report_json_number(point->flop_per_s));
	json_object_set_new(object, "waste", report_json_number(point->waste));
	json_object_set_new(object, "compute_roof_pct",
			    report_json_number(point->compute_roof_pct));
	json_object_set_new(object, "attainable_flop_per_s",
			    report_json_number(point->attainable_flop_per_s));
	json_object_set_new(object, "modelled", json_boolean(point->model.used));
	json_object_set_new(object, "model", model_json(&point->model));
	json_object_set_new(object, "not_in_plot",
			    report_json_text(roofline_no_place(point, trial)));
	return object;
}

static json_t *notes_json(const struct verdict_note *notes, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "rule", report_json_text(notes[i].rule));
		json_object_set_new(object, "text", report_json_text(notes[i].text));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *verdict_json(const struct verdict *verdict)
{
	json_t *object = json_object();

	json_object_set_new(object, "bound", report_json_text(bound_name(verdict->bound)));
	json_object_set_new(object, "roof_pct", report_json_number(verdict->roof_pct));
	json_object_set_new(object, "summary", report_json_text(verdict->summary));
	json_object_set_new(object, "from_model", json_boolean(verdict->from_model));
	json_object_set_new(object, "notes", notes_json(verdict->notes, verdict->note_count));
	json_object_set_new(object, "advice", notes_json(verdict->advice, verdict->advice_count));
	json_object_set_new(object, "above_roof", report_json_text(verdict->above_roof));
	return object;
}

json_t *ceilings_json(const struct ceiling_list *ceilings)
{
	json_t *array = json_array();

	for (size_t i = 0; ceilings && i < ceilings->count; i++) {
		const struct ceiling *ceiling = &ceilings->items[i];
		bool is_rate = ceiling->kind == CEILING_RATE;
		json_t *object = json_object();

		json_object_set_new(object, "name", report_json_text(ceiling->name));
		json_object_set_new(object, "kind",
				    report_json_text(is_rate ? "rate" : "bandwidth"));
		json_object_set_new(
			object, "of",
			report_json_text(is_rate ? precision_name(ceiling->of.precision)
						 : memory_level_name(ceiling->of.level)));
		json_object_set_new(object, "unit",
				    report_json_text(is_rate ? "flop/s" : "byte/s"));
#define X(field) json_object_set_new(object, #field, report_json_number(ceiling->field));
		X(per_s)
		X(low_per_s)
		X(high_per_s)
		X(sm_clock_hz)
		X(peak_per_s)
#undef X
		json_object_set_new(object, "config", report_json_text(ceiling->config));
		json_object_set_new(object, "run_id", json_integer(ceiling->run_id));
		json_array_append_new(array, object);
	}
	return array;
}
