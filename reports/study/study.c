/* Answers to studies in the format asked for: as JSON, which has everything that is known of them,
 * and as Markdown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/study/study.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

/* ---- JSON ---- */

static json_t *part_json(const struct study_report *of, size_t index)
{
	const struct study_part *part = &of->study->parts[index];
	const struct study_part_answer *answer = &of->answer->parts[index];
	const struct postfix *expression = of->emulated ? &part->emulated : &part->measured;
	const bool has_value = !isnan(answer->value);
	json_t *object = json_object();

	json_set_text(object, "part", part->title);
	json_set_text(object, "claimed", part->claimed);
	json_set_text(object, "unit", part->unit);
	json_set_text(object, "expression", expression->text);
	json_set_number(object, "value", answer->value);
	json_set_number(object, "low", answer->low);
	json_set_number(object, "high", answer->high);
	/* no statement about a value that does not exist */
	json_object_set_new(object, "exact", has_value ? json_boolean(answer->exact) : json_null());
	json_object_set_new(object, "measured",
			    has_value ? json_boolean(answer->basis != STUDY_BY_CALCULATION)
				      : json_null());
	json_object_set_new(object, "answered_by",
			    has_value ? report_json_text(study_basis_name(answer->basis))
				      : json_null());
	json_set_bool(object, "decides", !part->aside);
	json_set_text(object, "holds_if", part->expect.text);
	json_set_text(object, "answer", study_verdict_name(answer->verdict));
	json_set_text(object, "why", answer->why);
	return object;
}

static json_t *one_study_json(const struct study_report *of)
{
	json_t *object = json_object(), *parts = json_array(), *cases = json_array();
	const struct study *study = of->study;

	json_set_text(object, "study", study->name);
	json_set_text(object, "title", study->title);
	json_set_text(object, "claim", study->claim);
	json_set_text(object, "source", study->source);
	json_set_text(object, "made_on", study->made_on);
	json_set_text(object, "look_at", study->look_at);
	json_set_text(object, "answer", study_verdict_name(of->answer->verdict));
	json_set_text(object, "why", of->answer->why);
	json_set_bool(object, "emulated", of->emulated);
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

		json_set_text(one, "name", study->cases[i].name);
		json_set_text(one, "case", name);
		json_set_text(one, "reason", of->evidence[i].reason);
		json_array_append_new(cases, one);
		free(name);
	}
	return object;
}

static int study_json(FILE *out, const struct study_report *reports, size_t count,
		      struct error *err)
{
	json_t *root = json_object(), *list = json_array();

	json_set_integer(root, "format", 1);
	json_object_set_new(root, "studies", list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, one_study_json(&reports[i]));
	return report_json_write(out, root, err);
}

/* ---- Markdown ---- */

static void write_paragraph(FILE *out, const char *before, const char *words)
{
	struct text safe = TEXT_INIT;

	escape_markdown(&safe, words);
	fprintf(out, "%s%s\n", before, safe.data);
	text_release(&safe);
}

static void study_markdown(FILE *out, const struct study_report *reports, size_t count)
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
	study_summary(&line, reports, count);
	write_paragraph(out, "", line.data);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < reports[i].study->part_count; j++)
			study_part_row(table, &reports[i], j, true);
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
		if (study_verdict_needs_another(reports[i].answer->verdict)) {
			text_clear(&line);
			study_what_to_type(&line, reports[i].answer->verdict, study->name);
			write_paragraph(out, "- to do: ", line.data);
		}
	}
	table_free(table);
	text_release(&line);
}

/* ---- the format ---- */

int report_studies(FILE *out, const struct study_report *reports, size_t count,
		   enum report_format format, const struct report_options *options,
		   struct error *err)
{
	switch (format) {
	case REPORT_TEXT:
		study_text(out, reports, count, options);
		break;
	case REPORT_MARKDOWN:
		study_markdown(out, reports, count);
		break;
	case REPORT_JSON:
		return study_json(out, reports, count, err);
	default:
		return error_set(err, PL_EUSAGE, "an answer to a study cannot be written as %s",
				 report_format_name(format));
	}
	return stream_check(out, err);
}
