/* A run as Markdown, to paste into a pull request. */
#include "reports/roofline/roofline.h"
#include "reports/run/run.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"
#include "reports/table/table.h"

int run_write_markdown(FILE *out, const struct run *run, const struct report_options *options,
		       struct error *err)
{
	struct key_value_list lines = {0};
	struct section sections[SECTION_COUNT];
	struct text shown = TEXT_INIT;

	run_heading(&lines, run);
	fprintf(out, "### perflab run %lld\n\n", (long long)run->id);
	for (size_t i = 0; i < lines.count; i++) {
		escape_markdown(&shown, lines.items[i].value);
		fprintf(out, "- %s: %s\n", lines.items[i].key, shown.data);
		text_clear(&shown);
	}
	text_release(&shown);
	key_value_list_release(&lines);
	run_sections(sections, run, options);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!sections[i].table)
			continue;
		fprintf(out, "\n#### %s\n\n", sections[i].title);
		table_write_markdown(out, sections[i].table);
		if (sections[i].note)
			fprintf(out, "\n%s\n", sections[i].note);
		table_free(sections[i].table);
		if (i == ROOFLINE_SECTION && run_shows_roofline(run, options))
			roofline_markdown(out, run, options);
	}
	(void)err;
	return 0;
}
