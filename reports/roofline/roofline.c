/* The roofline of a run as text, Markdown and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/roofline/picture.h"
#include "reports/roofline/roofline.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

#define INDENT 3
#define NOT_DRAWN '-'

static bool is_counted(const struct picture *picture)
{
	for (size_t i = 0; i < picture->point_count; i++) {
		const struct roofline_point *point = &picture->points[i].roofline.point;

		if (isfinite(point->flop) || isfinite(point->level[LEVEL_DRAM].bytes))
			return true;
	}
	return false;
}

/* NULL: nothing is missing. */
static const char *what_is_missing(const struct picture *picture)
{
	bool counted = is_counted(picture);

	if (picture->roof_count == 0)
		return counted ? "no ceilings are stored for this device: `perflab ceilings` "
				 "measures them"
			       : "no ceilings are stored for this device, and nothing was counted: "
				 "run `perflab ceilings` and `perflab sweep --metrics core`";
	return counted ? NULL : "nothing was counted: run `perflab sweep --metrics core`";
}

/* ---- the list for the terminal ---- */

static void add_intensity(struct text *out, double value)
{
	if (isfinite(value))
		format_number(out, value, "flop/byte");
	else
		text_add_char(out, '-');
}

/* "by the work model: 79.8 TFLOP/s (bf16), 136 flop/B of DRAM" */
static void add_model(struct text *out, const struct roofline_model *model)
{
	text_add(out, "by the work model: ");
	if (isfinite(model->flop_per_s))
		rate_text(out, model->flop_per_s, CEILING_RATE);
	else
		text_addf(out, "%.3g operations", model->flop);
	if (model->has_precision)
		text_addf(out, " (%s)", precision_name(model->precision));
	if (model->intensity[LEVEL_DRAM] > 0) {
		text_add(out, ", ");
		add_intensity(out, model->intensity[LEVEL_DRAM]);
		text_addf(out, " flop/B of %s",
			  model->needed_bytes_used ? "the bytes that it needs" : "DRAM");
	}
}

/* "0.25 flop/B of DRAM, 0.24 of L2, 0.12 of L1; work model 0.25; DRAM moves 1.00 times the
 * compulsory bytes" */
static void add_intensities(struct text *out, const struct roofline_point *point)
{
	static const struct {
		enum memory_level level;
		const char *name;
	} levels[] = {{LEVEL_DRAM, "DRAM"}, {LEVEL_L2, "L2"}, {LEVEL_L1, "L1"}};
	const char *separator = "";

	if (point->model.used) {
		add_model(out, &point->model);
		separator = "; ";
	}
	for (size_t i = 0; i < ARRAY_SIZE(levels) && !point->model.used; i++) {
		double intensity = point->level[levels[i].level].intensity;

		if (!(intensity > 0))
			continue;
		text_add(out, separator);
		add_intensity(out, intensity);
		text_addf(out, "%s of %s", *separator ? "" : " flop/B", levels[i].name);
		separator = ", ";
	}
	if (*separator && !point->model.used && point->needed_intensity > 0) {
		text_add(out, "; work model ");
		add_intensity(out, point->needed_intensity);
	}
	if (isfinite(point->waste))
		text_add(out, *separator ? "; " : "");
	if (point->waste >= 1)
		text_addf(out, "DRAM moves %.2f times the compulsory bytes", point->waste);
	else if (isfinite(point->waste))
		text_addf(out, "DRAM moves %.0f %% of the compulsory bytes, a cache keeps the rest",
			  100 * point->waste);
}

/* "A  reduce/shuffle block=256,n=1024", cut at the width. */
static void add_point_name(struct text *out, const struct picture_point *point, char letter,
			   const struct report_options *options, size_t width)
{
	const char *colour = bound_colour(point->roofline.verdict.bound);
	struct text shown = TEXT_INIT;

	if (!options->colour || !colour)
		colour = "";
	text_add_escaped(&shown, point->name);
	text_addf(out, "%s%c%s  ", colour, letter, *colour ? "\033[0m" : "");
	if (utf8_length(shown.data) > width - INDENT)
		text_addf(out, "%.*s…\n", (int)utf8_prefix(shown.data, width - INDENT - 1),
			  shown.data);
	else
		text_addf(out, "%s\n", shown.data);
	text_release(&shown);
}

static void add_verdict(struct text *out, const struct picture_point *point, char letter,
			const struct report_options *options, size_t width)
{
	const struct verdict *verdict = &point->roofline.verdict;
	struct text shown = TEXT_INIT;

	add_point_name(out, point, letter, options, width);
	text_add_escaped(&shown, verdict->summary);
	wrap_text(out, INDENT, "", shown.data, width);
	text_clear(&shown);
	add_intensities(&shown, &point->roofline.point);
	if (shown.length)
		wrap_text(out, INDENT, "", shown.data, width);
	if (letter == NOT_DRAWN && point->why_not) {
		text_clear(&shown);
		text_addf(&shown, "not in the plot: %s", point->why_not);
		wrap_text(out, INDENT, "- ", shown.data, width);
	}
	for (size_t i = 0; i < verdict->note_count; i++) {
		text_clear(&shown);
		text_add_escaped(&shown, verdict->notes[i].text);
		wrap_text(out, INDENT, "- ", shown.data, width);
	}
	for (size_t i = 0; i < verdict->advice_count; i++) {
		text_clear(&shown);
		text_add_escaped(&shown, verdict->advice[i].text);
		wrap_text(out, INDENT, "try: ", shown.data, width);
	}
	text_release(&shown);
}

/* The full verdicts come first, because they are what the reader wants. */
static void add_list(struct text *out, const struct picture *picture, enum roofline_extent extent,
		     const struct report_options *options, size_t width)
{
	bool plotted = extent >= ROOFLINE_PLOT && picture_has_roofs(picture);

	for (int brief = 0; brief <= 1; brief++) {
		size_t drawn = 0;

		for (size_t i = 0; i < picture->point_count; i++) {
			const struct picture_point *point = &picture->points[i];
			char letter = plotted && point->drawn ? picture_letter(drawn) : NOT_DRAWN;

			drawn += point->drawn;
			if (brief != !(extent == ROOFLINE_ALL || point->of_kernel))
				continue;
			if (!brief)
				add_verdict(out, point, letter, options, width);
			else if (extent >= ROOFLINE_PLOT)
				add_point_name(out, point, letter, options, width);
		}
	}
}

void roofline_text(FILE *out, const struct run *run, enum roofline_extent extent,
		   const struct report_options *options)
{
	struct text text = TEXT_INIT;
	size_t width = options->width > 0 ? (size_t)options->width : PROSE_WIDTH;
	struct picture picture;
	const char *missing;

	if (width < 2 * INDENT + 20)
		width = 2 * INDENT + 20;
	picture_init(&picture, run, options->ceilings);
	missing = what_is_missing(&picture);
	if (picture.point_count && (missing || extent > ROOFLINE_MISSING)) {
		text_addf(&text, "\n%s%s%s\n", options->colour ? "\033[1m" : "",
			  extent == ROOFLINE_VERDICTS ? "Verdicts" : "Roofline",
			  options->colour ? "\033[0m" : "");
		if (extent >= ROOFLINE_PLOT && picture_has_roofs(&picture) && picture.drawn_count)
			picture_plot(&text, &picture, options);
		if (missing)
			wrap_text(&text, INDENT, "", missing, width);
		if (extent > ROOFLINE_MISSING && (picture.roof_count || is_counted(&picture)))
			add_list(&text, &picture, extent, options, width);
	}
	fwrite(text.data, 1, text.length, out);
	text_release(&text);
	picture_release(&picture);
}

/* ---- the table for Markdown ---- */

static void join_notes(struct text *out, const struct verdict_note *notes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_addf(out, "%s%s", i ? "; " : "", notes[i].text);
}

static void add_level(struct text *out, const struct roofline_point *point, enum memory_level level)
{
	if (!point->model.used && point->level[level].intensity > 0)
		add_intensity(out, point->level[level].intensity);
}

static struct table *verdict_table(const struct picture *picture, enum roofline_extent extent)
{
	static const struct table_column columns[] = {
		{.name = "kernel"},
		{.name = "variant"},
		{.name = "config"},
		{.name = "bound"},
		{.name = "roof_pct", .numeric = true, .head = "roof %"},
		{.name = "dram", .numeric = true, .head = "flop/B DRAM"},
		{.name = "l2", .numeric = true, .head = "L2"},
		{.name = "l1", .numeric = true, .head = "L1"},
		{.name = "needed", .numeric = true, .head = "model"},
		{.name = "waste", .numeric = true, .head = "DRAM bytes / needed"},
		{.name = "verdict"},
		{.name = "why"},
		{.name = "try"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < picture->point_count; i++) {
		const struct picture_point *point = &picture->points[i];
		const struct roofline_point *place = &point->roofline.point;
		const struct verdict *verdict = &point->roofline.verdict;
		struct row row = {0};
		struct text *cell;

		if (extent != ROOFLINE_ALL && !point->of_kernel)
			continue;
		row_add(&row, point->trial->kernel);
		row_add(&row, point->trial->variant);
		row_add(&row, point->trial->config);
		row_add(&row, verdict_limiter_name(verdict));
		cell = row_cell(&row);
		if (isfinite(verdict->roof_pct))
			format_number(cell, verdict->roof_pct, "percent");
		add_level(row_cell(&row), place, LEVEL_DRAM);
		add_level(row_cell(&row), place, LEVEL_L2);
		add_level(row_cell(&row), place, LEVEL_L1);
		cell = row_cell(&row);
		if (place->needed_intensity > 0)
			add_intensity(cell, place->needed_intensity);
		cell = row_cell(&row);
		if (isfinite(place->waste))
			text_addf(cell, "%.2f", place->waste);
		row_add(&row, verdict->summary);
		join_notes(row_cell(&row), verdict->notes, verdict->note_count);
		join_notes(row_cell(&row), verdict->advice, verdict->advice_count);
		row_end(&row, table, ROW_PLAIN);
	}
	return table;
}

void roofline_markdown(FILE *out, const struct run *run, enum roofline_extent extent,
		       const struct report_options *options)
{
	struct picture picture;
	struct text roofs = TEXT_INIT;
	const char *missing;

	picture_init(&picture, run, options->ceilings);
	missing = what_is_missing(&picture);
	if (picture.point_count) {
		fprintf(out, "\n#### Roofline\n");
		if (picture.roof_count || is_counted(&picture)) {
			struct table *table = verdict_table(&picture, extent);

			fputc('\n', out);
			table_write_markdown(out, table);
			table_free(table);
		}
		for (size_t i = 0; i < picture.roof_count; i++) {
			text_add(&roofs, i ? ", " : "");
			escape_markdown(&roofs, picture.roofs[i].label);
		}
		if (roofs.length)
			fprintf(out, "\nRoofs, measured: %s.\n", roofs.data);
		if (missing)
			fprintf(out, "\n%s\n", missing);
	}
	text_release(&roofs);
	picture_release(&picture);
}

/* ---- JSON ---- */

static json_t *level_json(const struct roofline_level *level, bool emulated)
{
	json_t *object = json_object();

	json_set_number(object, "bytes", level->bytes);
	json_set_number(object, "intensity", level->intensity);
	if (emulated)
		return object;
	json_set_number(object, "bytes_per_s", level->bytes_per_s);
	json_set_number(object, "roof_pct", level->roof_pct);
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
	json_set_number(object, "model_operations", model->flop);
	json_set_number(object, "model_operations_per_s", model->flop_per_s);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		json_object_set_new(intensity, memory_level_name((enum memory_level)i),
				    report_json_number(model->intensity[i]));
	json_object_set_new(object, "model_intensity", intensity);
	json_set_text(object, "dram_bytes", model->needed_bytes_used ? "work model" : "counted");
	json_set_number(object, "model_compute_roof_pct", model->compute_roof_pct);
	json_set_number(object, "model_attainable_flop_per_s", model->attainable_flop_per_s);
	return object;
}

json_t *roofline_point_json(const struct roofline_point *point, const struct trial *trial)
{
	json_t *object = json_object(), *levels = json_object();

	json_set_bool(object, "emulated", point->emulated);
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
	json_set_number(object, "needed_bytes", point->needed_bytes);
	json_set_number(object, "needed_flop", point->needed_flop);
	json_set_number(object, "needed_intensity", point->needed_intensity);
	if (point->emulated)
		return object;
	json_set_number(object, "flop_per_s", point->flop_per_s);
	json_set_number(object, "waste", point->waste);
	json_set_number(object, "compute_roof_pct", point->compute_roof_pct);
	json_set_number(object, "attainable_flop_per_s", point->attainable_flop_per_s);
	json_set_bool(object, "modelled", point->model.used);
	json_object_set_new(object, "model", model_json(&point->model));
	json_set_text(object, "not_in_plot", roofline_no_place(point, trial));
	return object;
}

static json_t *notes_json(const struct verdict_note *notes, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *object = json_object();

		json_set_text(object, "rule", notes[i].rule);
		json_set_text(object, "text", notes[i].text);
		if (isfinite(notes[i].at_most))
			json_set_number(object, "at_most", notes[i].at_most);
		json_array_append_new(array, object);
	}
	return array;
}

json_t *verdict_json(const struct verdict *verdict)
{
	json_t *object = json_object();

	json_set_text(object, "bound", bound_name(verdict->bound));
	json_set_number(object, "roof_pct", verdict->roof_pct);
	json_set_text(object, "summary", verdict->summary);
	json_set_bool(object, "from_model", verdict->from_model);
	json_object_set_new(object, "notes", notes_json(verdict->notes, verdict->note_count));
	json_object_set_new(object, "advice", notes_json(verdict->advice, verdict->advice_count));
	json_set_text(object, "above_roof", verdict->above_roof);
	return object;
}

json_t *ceilings_json(const struct ceiling_list *ceilings)
{
	json_t *array = json_array();

	for (size_t i = 0; ceilings && i < ceilings->count; i++) {
		const struct ceiling *ceiling = &ceilings->items[i];
		bool is_rate = ceiling->kind == CEILING_RATE;
		json_t *object = json_object();

		json_set_text(object, "name", ceiling->name);
		json_set_text(object, "kind", is_rate ? "rate" : "bandwidth");
		json_set_text(object, "of",
			      is_rate ? precision_name(ceiling->of.precision)
				      : memory_level_name(ceiling->of.level));
		json_set_text(object, "unit", is_rate ? "flop/s" : "byte/s");
#define X(field) json_set_number(object, #field, ceiling->field);
		X(per_s)
		X(low_per_s)
		X(high_per_s)
		X(sm_clock_hz)
		X(peak_per_s)
#undef X
		json_set_text(object, "config", ceiling->config);
		json_set_integer(object, "run_id", ceiling->run_id);
		json_array_append_new(array, object);
	}
	return array;
}
