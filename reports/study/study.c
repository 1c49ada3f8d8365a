/*
 * Answers to studies. Text shows for each study what was claimed beside what was measured. Markdown
 * has one table and a paragraph per study below it. JSON has everything.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/study.h"
#include "reports/reports.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/stream.h"
#include "reports/table/table.h"

#define WIDTH 96 /* unless a terminal gives its own */
#define INDENT 11

/* ---- cells ---- */

/* Four digits: enough to show a difference of 0.25 %. */
#define IN_FULL_MOST 5 /* studies as text; of more only the answers are shown */

static const char *value_cell(struct text *out, const struct study_part *part,
			      const struct study_part_answer *answer)
{
	text_clear(out);
	if (isnan(answer->value))
		return NULL;
	text_addf(out, "%.4g", answer->value);
	if (part->unit)
		text_addf(out, " %s", part->unit);
	return out->data;
}

static const char *interval_cell(struct text *out, const struct study_part_answer *answer)
{
	text_clear(out);
	if (isnan(answer->value))
		return NULL;
	if (isnan(answer->low))
		text_add(out, answer->asked_for ? "as requested"
			      : answer->exact   ? "exact"
						: "counted once");
	else
		text_addf(out, "%.4g to %.4g", answer->low, answer->high);
	return out->data;
}

static const char *claimed_cell(struct text *out, const struct study_part *part)
{
	text_clear(out);
	if (!part->claimed)
		return "";
	text_add(out, part->claimed);
	if (part->unit)
		text_addf(out, " %s", part->unit);
	return out->data;
}

static const char *answer_cell(struct text *out, const struct study_part *part,
			       const struct study_part_answer *answer)
{
	text_clear(out);
	text_addf(out, "%s%s", part->aside ? "not decisive: " : "",
		  study_verdict_name(answer->verdict));
	if (answer->why)
		text_addf(out, ": %s", answer->why);
	return out->data;
}

#define CELLS 4

static void add_part_row(struct table *table, const struct study_report *of, size_t part_index,
			 bool with_study)
{
	const struct study_part *part = &of->study->parts[part_index];
	const struct study_part_answer *answer = &of->answer->parts[part_index];
	struct text cells[CELLS] = {TEXT_INIT, TEXT_INIT, TEXT_INIT, TEXT_INIT};
	struct text name = TEXT_INIT;
	const char *row[8];
	size_t count = 0;

	if (with_study) {
		text_addf(&name, "%s: %s", of->study->name,
			  study_verdict_name(of->answer->verdict));
		row[count++] = part_index ? "" : name.data;
		row[count++] = part_index ? "" : of->study->made_on;
	}
	row[count++] = part->title;
	row[count++] = claimed_cell(&cells[0], part);
	row[count++] = value_cell(&cells[1], part, answer);
	row[count++] = interval_cell(&cells[2], answer);
	row[count++] = part->expect.text;
	row[count++] = answer_cell(&cells[3], part, answer);
	table_row(table, row);
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
	text_release(&name);
}

#define COLUMNS_OF_A_PART                                                         \
	{.name = "part", .head = "CLAIM"}, {.name = "claimed"}, {.name = "here"}, \
		{.name = "interval", .head = "95 % INTERVAL", .drop = 2},         \
		{.name = "holds", .head = "HOLDS IF", .drop = 1},                 \
	{                                                                         \
		.name = "answer"                                                  \
	}

/* ---- text ---- */

/* Prints "  claim    words …", wrapped below the first word. */
static void print_study_text(FILE *out, const char *label, const char *words, int width)
{
	struct text safe = TEXT_INIT;
	const char *at;
	size_t column = INDENT;

	escape_show(&safe, words);
	fprintf(out, "  %-*s", INDENT - 2, label);
	for (at = safe.data; *at;) {
		size_t length = strcspn(at, " ");
		char *word = xstrndup(at, length);
		size_t wide = utf8_length(word);

		if (column > INDENT && column + 1 + wide > (size_t)width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			fputc(' ', out);
			column++;
		}
		fputs(word, out);
		free(word);
		column += wide;
		at += length + strspn(at + length, " ");
	}
	fputc('\n', out);
	text_release(&safe);
}

static void print_study(FILE *out, const struct study_report *of,
			const struct report_options *options)
{
	static const struct table_column columns[] = {COLUMNS_OF_A_PART};
	const struct study *study = of->study;
	int width = options->width > 40 ? options->width : WIDTH;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct text line = TEXT_INIT, safe = TEXT_INIT;

	text_addf(&line, "%s: %s", study->name, study_verdict_name(of->answer->verdict));
	if (of->answer->why)
		text_addf(&line, " (%s)", of->answer->why);
	escape_show(&safe, line.data);
	fprintf(out, "%s\n", safe.data);
	print_study_text(out, "title", study->title, width);
	print_study_text(out, "claim", study->claim, width);
	text_clear(&line);
	text_addf(&line, "%s; on: %s", study->source, study->made_on);
	print_study_text(out, "source", line.data, width);
	print_study_text(out, "look at", study->look_at, width);
	fputc('\n', out);
	for (size_t i = 0; i < study->part_count; i++)
		add_part_row(table, of, i, false);
	table_write_text(out, table, options);
	table_free(table);
	text_release(&line);
	text_release(&safe);
}

/* "3 of 6 hold, 1 does not, 2 inconclusive; measured on NVIDIA H200, driver 580, run 4" */
static void summary_line(struct text *out, const struct study_report *reports, size_t count)
{
	size_t of[STUDY_OPEN + 1] = {0};
	int64_t run = 0;

	for (size_t i = 0; i < count; i++) {
		of[reports[i].answer->verdict]++;
		run = reports[i].run_id ? reports[i].run_id : run;
	}
	text_addf(out, "%zu of %zu hold, %zu %s not, %zu inconclusive", of[STUDY_HOLDS], count,
		  of[STUDY_FAILS], of[STUDY_FAILS] == 1 ? "does" : "do", of[STUDY_OPEN]);
	for (size_t i = 0; i < count; i++) {
		const struct study_report *report = &reports[i];

		if (!report->run_id || report->run_id != run)
			continue;
		text_addf(out, "; %s on %s", report->emulated ? "emulated" : "measured",
			  report->device);
		if (report->driver[0])
			text_addf(out, ", driver %s", report->driver);
		text_addf(out, ", run %lld", (long long)report->run_id);
		break;
	}
}

/* The studies that hold, by name; the table has the others. */
static void print_those_that_hold(FILE *out, const struct study_report *reports, size_t count,
				  const struct report_options *options)
{
	struct text names = TEXT_INIT;

	for (size_t i = 0; i < count; i++)
		if (reports[i].answer->verdict == STUDY_HOLDS)
			text_addf(&names, "%s%s", names.length ? ", " : "", reports[i].study->name);
	if (names.length) {
		print_study_text(out, "hold", names.data,
				 options->width > 40 ? options->width : WIDTH);
		fputc('\n', out);
	}
	text_release(&names);
}

/* The answers in one table: all of them, or those that do not hold. */
static void print_overview(FILE *out, const struct study_report *reports, size_t count, bool all,
			   const struct report_options *options)
{
	static const struct table_column columns[] = {
		{.name = "study"}, {.name = "answer"}, {.name = "title"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < count; i++)
		if (all || reports[i].answer->verdict != STUDY_HOLDS)
			table_row(table, (const char *const[]){
						 reports[i].study->name,
						 study_verdict_name(reports[i].answer->verdict),
						 reports[i].study->title});
	table->cut_last = !all; /* one line a study; `perflab study NAME` has the whole title */
	table_write_text(out, table, options);
	table_free(table);
	fputc('\n', out);
}

static void studies_text(FILE *out, const struct study_report *reports, size_t count,
			 const struct report_options *options)
{
	struct text line = TEXT_INIT, safe = TEXT_INIT;

	const bool in_full = count <= IN_FULL_MOST;

	for (size_t i = 0; i < count && in_full; i++) {
		print_study(out, &reports[i], options);
		fputc('\n', out);
	}
	if (!in_full)
		print_those_that_hold(out, reports, count, options);
	if (count > 1)
		print_overview(out, reports, count, in_full, options);
	summary_line(&line, reports, count);
	escape_show(&safe, line.data);
	fprintf(out, "%s\n", safe.data);
	if (!in_full)
		fputs("perflab study NAME shows the claims of one; --format md shows all in full\n",
		      out);
	text_release(&line);
	text_release(&safe);
}

/* ---- Markdown ---- */

static void write_paragraph(FILE *out, const char *before, const char *words)
{
	struct text safe = TEXT_INIT;

	escape_markdown(&safe, words);
	fprintf(out, "%s%s\n", before, safe.data);
	text_release(&safe);
}

static void studies_markdown(FILE *out, const struct study_report *reports, size_t count)
{
	static const struct table_column columns[] = {
		{.name = "study"}, {.name = "made on"}, COLUMNS_OF_A_PART};
	struct table_column lower[ARRAY_SIZE(columns)];
	struct table *table;
	struct text line = TEXT_INIT;

	memcpy(lower, columns, sizeof(columns));
	for (size_t i = 0; i < ARRAY_SIZE(lower); i++)
		lower[i].head = NULL;
	lower[2].name = "claim";
	lower[3].name = "claimed";
	lower[5].name = "95 % interval";
	lower[6].name = "holds if";
	table = table_new(lower, ARRAY_SIZE(lower));
	summary_line(&line, reports, count);
	write_paragraph(out, "", line.data);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < reports[i].study->part_count; j++)
			add_part_row(table, &reports[i], j, true);
	table_write_markdown(out, table);
	for (size_t i = 0; i < count; i++) {
		const struct study *study = reports[i].study;

		text_clear(&line);
		text_addf(&line, "%s: %s", study->name,
			  study_verdict_name(reports[i].answer->verdict));
		write_paragraph(out, "\n#### ", line.data);
		write_paragraph(out, "\n- claim: ", study->claim);
		text_clear(&line);
		text_addf(&line, "%s; on: %s", study->source, study->made_on);
		write_paragraph(out, "- source: ", line.data);
		write_paragraph(out, "- look at: ", study->look_at);
	}
	table_free(table);
	text_release(&line);
}

/* ---- JSON ---- */

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
			    has_value ? json_boolean(!answer->asked_for) : json_null());
	json_object_set_new(object, "decides", json_boolean(!part->aside));
	json_object_set_new(object, "holds_if", report_json_text(part->expect.text));
	json_object_set_new(object, "answer",
			    report_json_text(study_verdict_name(answer->verdict)));
	json_object_set_new(object, "why", report_json_text(answer->why));
	return object;
}

static json_t *study_json(const struct study_report *of)
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

static int studies_json(FILE *out, const struct study_report *reports, size_t count,
			struct error *err)
{
	json_t *root = json_object(), *list = json_array();

	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "studies", list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, study_json(&reports[i]));
	return report_json_write(out, root, err);
}

int report_studies(FILE *out, const struct study_report *reports, size_t count,
		   enum report_format format, const struct report_options *options,
		   struct error *err)
{
	switch (format) {
	case REPORT_TEXT:
		studies_text(out, reports, count, options);
		break;
	case REPORT_MARKDOWN:
		studies_markdown(out, reports, count);
		break;
	case REPORT_JSON:
		return studies_json(out, reports, count, err);
	default:
		return error_set(err, PL_EUSAGE, "an answer to a study cannot be written as %s",
				 report_format_name(format));
	}
	return stream_check(out, err);
}
