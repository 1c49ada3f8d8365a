/* A run as Markdown, to paste into a pull request. */
#include "reports/roofline/roofline.h"
#include "reports/run/run.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"
#include "reports/table/table.h"

/* Releases the lines. */
static void write_items(FILE *out, struct key_value_list *lines)
{
	struct text shown = TEXT_INIT;

	for (size_t i = 0; i < lines->count; i++) {
		escape_markdown(&shown, lines->items[i].value);
		fprintf(out, "- %s: %s\n", lines->items[i].key, shown.data);
		text_clear(&shown);
	}
	text_release(&shown);
	key_value_list_release(lines);
}

static void write_markdown_section(FILE *out, const struct section *section)
{
	struct text title = TEXT_INIT;

	escape_markdown(&title, section->title);
	fprintf(out, "\n#### %s\n\n", title.data);
	table_write_markdown(out, section->table);
	if (section->note)
		fprintf(out, "\n%s\n", section->note);
	text_release(&title);
}

int run_write_markdown(FILE *out, const struct run *run, const struct report_options *options,
		       struct error *err)
{
	struct key_value_list lines = {0};
	struct section_list sections = {0};
	struct text title = TEXT_INIT, uid = TEXT_INIT;
	int rc = run_sections(&sections, run, options, err);

	if (!rc) {
		if (options->gpus) {
			run_heading_title(&title, &uid, run, options);
			fprintf(out, "### perflab: %s\n\n", title.data);
		} else {
			fprintf(out, "### perflab run %lld\n\n", (long long)run->id);
		}
		run_heading(&lines, run, options);
		write_items(out, &lines);
	}
	for (size_t i = 0; !rc && i <= sections.count; i++) {
		if (i == sections.roofline && !options->no_roofline && !run->traits.emulated)
			roofline_markdown(out, run, roofline_extent_of(run, options), options);
		if (i < sections.count)
			write_markdown_section(out, &sections.items[i]);
	}
	section_list_release(&sections);
	text_release(&title);
	text_release(&uid);
	if (!rc) {
		fputs("\n#### Method\n\n", out);
		run_heading_method(&lines, run);
		write_items(out, &lines);
	}
	return rc;
}
