/* Answers to studies: the cells and phrases that the formats share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/study/study.h"

/* ---- cells ---- */

/* Four digits: enough to show a difference of 0.25 %. */
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
		text_add(out, answer->basis == STUDY_BY_CALCULATION ? "calculated"
			      : answer->exact                       ? "exact"
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

/* The answer. An emulated one says, too, what it is based on: no time, and perhaps nothing that was
 * counted. */
static const char *answer_cell(struct text *out, const struct study_part *part,
			       const struct study_part_answer *answer, bool emulated)
{
	text_clear(out);
	text_addf(out, "%s%s", part->aside ? "not decisive: " : "",
		  study_verdict_name(answer->verdict));
	if (answer->why)
		text_addf(out, ": %s", answer->why);
	else if (emulated && !study_verdict_needs_another(answer->verdict))
		text_addf(out, ", by %s", study_basis_name(answer->basis));
	return out->data;
}

#define CELLS 4

void study_part_row(struct table *table, const struct study_report *of, size_t part_index,
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
	row[count++] = answer_cell(&cells[3], part, answer, of->emulated);
	table_row(table, row);
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
	text_release(&name);
}

/* ---- phrases ---- */

void study_what_to_type(struct text *out, enum study_verdict verdict, const char *study)
{
	if (verdict == STUDY_NEEDS_EMULATOR)
		text_addf(out, "perflab study %s --backend ptx", study);
	else
		text_addf(out, "on a machine with a GPU: perflab study %s", study);
}

void study_summary(struct text *out, const struct study_report *reports, size_t count)
{
	size_t of[STUDY_NEEDS_EMULATOR + 1] = {0};
	int64_t run = 0;

	for (size_t i = 0; i < count; i++) {
		of[reports[i].answer->verdict]++;
		run = reports[i].run_id ? reports[i].run_id : run;
	}
	text_addf(out, "%zu of %zu hold, %zu %s not, %zu inconclusive", of[STUDY_HOLDS], count,
		  of[STUDY_FAILS], of[STUDY_FAILS] == 1 ? "does" : "do", of[STUDY_OPEN]);
	for (int verdict = STUDY_OPEN + 1; verdict <= STUDY_NEEDS_EMULATOR; verdict++) {
		const char *needs =
			study_verdict_name((enum study_verdict)verdict) + strlen("needs");

		if (of[verdict])
			text_addf(out, ", %zu %s%s", of[verdict],
				  of[verdict] == 1 ? "needs" : "need", needs);
	}
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
