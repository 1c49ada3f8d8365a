/* Answers to studies as Markdown: one table, and a paragraph per study below it. */
#include <stdlib.h>
#include <string.h>

#include "reports/study/study.h"
#include "reports/table/escape.h"

static void write_paragraph(FILE *out, const char *before, const char *words)
{
	struct text safe = TEXT_INIT;

	escape_markdown(&safe, words);
	fprintf(out, "%s%s\n", before, safe.data);
	text_release(&safe);
}

void study_markdown(FILE *out, const struct study_report *reports, size_t count)
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
