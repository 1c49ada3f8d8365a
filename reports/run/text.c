/* A run as text for the terminal, and as Markdown to paste into a pull request. */
#include <stdlib.h>
#include <string.h>

#include "reports/roofline/roofline.h"
#include "reports/run/run.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

static void write_title(FILE *out, const char *title, const struct report_options *options)
{
	struct text shown = TEXT_INIT, line = TEXT_INIT;

	text_add_escaped(&shown, title);
	wrap_text(&line, 0, "", shown.data, (size_t)options->width);
	line.data[--line.length] = '\0'; /* the end of the line comes after the colour */
	fprintf(out, "\n%s%s%s\n", options->colour ? "\033[1m" : "", line.data,
		options->colour ? "\033[0m" : "");
	text_release(&shown);
	text_release(&line);
}

/* Releases the lines. */
static void write_heading_lines(FILE *out, struct key_value_list *lines,
				const struct report_options *options)
{
	struct text shown = TEXT_INIT, text = TEXT_INIT;

	for (size_t i = 0; i < lines->count; i++) {
		char *head = xasprintf("%-9s ", lines->items[i].key);

		text_add_escaped(&shown, lines->items[i].value);
		wrap_text(&text, 2, head, shown.data,
			  options->width > 0 ? (size_t)options->width : SIZE_MAX);
		text_clear(&shown);
		free(head);
	}
	fwrite(text.data, 1, text.length, out);
	text_release(&shown);
	text_release(&text);
	key_value_list_release(lines);
}

static void write_section(FILE *out, const struct section *section,
			  const struct report_options *options)
{
	struct text note = TEXT_INIT;

	write_title(out, section->title, options);
	table_write_text(out, section->table, options);
	if (section->note) {
		wrap_text(&note, 0, "", section->note, (size_t)options->width);
		fwrite(note.data, 1, note.length, out);
	}
	text_release(&note);
}

static int write_run_text(FILE *out, const struct run *run, const struct report_options *options,
			  struct error *err)
{
	struct key_value_list lines = {0};
	struct section_list sections = {0};
	struct text next = TEXT_INIT, title = TEXT_INIT, uid = TEXT_INIT, shown_uid = TEXT_INIT;
	int rc = run_sections(&sections, run, options, err);

	if (rc) {
		section_list_release(&sections);
		return rc;
	}
	run_heading_title(&title, &uid, run, options);
	text_add_escaped(&shown_uid, uid.data);
	fprintf(out, "%s%s%s  %s\n", options->colour ? "\033[1m" : "", title.data,
		options->colour ? "\033[0m" : "", shown_uid.data);
	text_release(&title);
	text_release(&uid);
	text_release(&shown_uid);
	run_heading(&lines, run, options);
	write_heading_lines(out, &lines, options);
	for (size_t i = 0; i <= sections.count; i++) {
		if (i == sections.roofline && !options->no_roofline && !run->traits.emulated)
			roofline_text(out, run, roofline_extent_of(run, options), options);
		if (i < sections.count)
			write_section(out, &sections.items[i], options);
	}
	section_list_release(&sections);
	write_title(out, "Method", options);
	run_heading_method(&lines, run);
	write_heading_lines(out, &lines, options);
	run_next_commands(&next, run, options);
	if (next.length) {
		write_title(out, "Next", options);
		fwrite(next.data, 1, next.length, out);
	}
	text_release(&next);
	return 0;
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
	int rc;

	if (!stream)
		return write_run_text(out, run, options, err);
	rc = write_run_text(stream, run, options, err);
	if (fclose(stream) == 0 && !rc)
		write_ascii(out, text);
	free(text);
	return rc;
}

/* ---- Markdown ---- */

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
