/* A run as text for the terminal. */
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/roofline.h"
#include "reports/run/run.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"
#include "reports/table/table.h"

static void write_run_text(FILE *out, const struct run *run, const struct report_options *options)
{
	struct key_value_list lines = {0};
	struct section sections[SECTION_COUNT];
	const char *bold = options->colour ? "\033[1m" : "";
	const char *plain = options->colour ? "\033[0m" : "";
	struct text shown = TEXT_INIT;

	run_heading(&lines, run);
	fprintf(out, "%sRun %lld%s  %.12s\n", bold, (long long)run->id, plain, run->uid);
	for (size_t i = 0; i < lines.count; i++) {
		escape_show(&shown, lines.items[i].value);
		fprintf(out, "  %-9s %s\n", lines.items[i].key, shown.data);
		text_clear(&shown);
	}
	text_release(&shown);
	key_value_list_release(&lines);
	run_sections(sections, run, options);
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!sections[i].table)
			continue;
		fprintf(out, "\n%s%s%s\n", bold, sections[i].title, plain);
		table_write_text(out, sections[i].table, options);
		if (sections[i].note)
			fprintf(out, "%s\n", sections[i].note);
		table_free(sections[i].table);
		if (i == ROOFLINE_SECTION && run_shows_roofline(run, options))
			roofline_text(out, run, options);
	}
}

/* A terminal without UTF-8 may take the bytes of UTF-8 for commands. Each character becomes one
 * ASCII character, so columns stay aligned. */
static void write_ascii(FILE *out, const char *text)
{
	for (const char *c = text; *c; c += utf8_prefix(c, 1)) {
		if ((unsigned char)*c < 0x80)
			fputc(*c, out);
		else
			fputc(strncmp(c, "±", strlen("±")) && strncmp(c, "…", strlen("…")) ? '?'
											   : '~',
			      out);
	}
}

int run_write_text(FILE *out, const struct run *run, const struct report_options *options,
		   struct error *err)
{
	char *text = NULL;
	size_t length;
	FILE *stream = options->ascii ? open_memstream(&text, &length) : NULL;

	if (stream) {
		write_run_text(stream, run, options);
		if (fclose(stream) == 0)
			write_ascii(out, text);
		free(text);
	} else {
		write_run_text(out, run, options);
	}
	(void)err;
	return 0;
}
