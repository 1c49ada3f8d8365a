#include "reports/run/line_parts.h"

#include <math.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/readable.h"

/* ---- cells ---- */

void line_add_percent(struct text *out, double ratio)
{
	if (isfinite(ratio))
		text_addf(out, ratio < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * ratio);
}

void line_add_count(struct text *out, int64_t value)
{
	if (value >= 0)
		text_addf(out, "%lld", (long long)value);
}

void line_add_quotient(struct text *out, int64_t of, int64_t by)
{
	if (of >= 0 && by > 0)
		format_number(out, (double)of / (double)by, "");
}

/* The reasons that together are most of the samples, at most two. */
void line_add_reasons(struct text *out, const struct line_cost *line)
{
	double told = 0;

	for (size_t i = 0; i < line->stall_count && i < 2 && told < 0.7; i++) {
		const double part = (double)line->stalls[i].samples / (double)line->sums.samples;

		text_addf(out, "%s%s %.0f %%", i ? ", " : "",
			  stall_reason_words(line->stalls[i].reason), 100 * part);
		told += part;
	}
}

void line_add_position(struct text *out, const char *file, int64_t line)
{
	const char *slash = strrchr(file, '/');

	text_addf(out, "%s:%lld", slash && slash[1] ? slash + 1 : file, (long long)line);
}

const char *line_source(const struct report_texts *texts, const struct profile_frame *frame)
{
	return texts ? texts->line(texts->context, frame->file, frame->line) : NULL;
}

/* ---- text and Markdown ---- */

void lines_add_foreign(struct text *out, const char *text, bool markdown)
{
	if (markdown)
		escape_markdown(out, text);
	else
		text_add_escaped(out, text);
}

void lines_write_heading(FILE *out, const struct run *run, bool markdown)
{
	if (markdown)
		fprintf(out, "### perflab run %lld, by source line\n", (long long)run->id);
	else
		fprintf(out, "Run %lld  %.12s, by source line\n", (long long)run->id, run->uid);
}

void lines_write_title(FILE *out, const char *title, bool markdown,
		       const struct report_options *options)
{
	const bool bold = options->colour && !markdown;

	fprintf(out, "\n%s%s%s\n",
		markdown ? "#### "
		: bold   ? "\033[1m"
			 : "",
		title, bold ? "\033[0m" : "");
}

void lines_write_table(FILE *out, struct table *table, bool markdown,
		       const struct report_options *options)
{
	if (table->row_count)
		table_drop_empty(table);
	if (table->row_count && markdown)
		table_write_markdown(out, table);
	else if (table->row_count)
		table_write_text(out, table, options);
	table_free(table);
}

void lines_write_words(FILE *out, const char *words, bool markdown,
		       const struct report_options *options)
{
	struct text wrapped = TEXT_INIT;

	/* a line that follows a table without a blank line would be a row of it */
	if (markdown)
		fputc('\n', out);
	wrap_text(&wrapped, 0, "", words, markdown ? SIZE_MAX : (size_t)options->width);
	fwrite(wrapped.data, 1, wrapped.length, out);
	text_release(&wrapped);
}

void lines_write_legend(FILE *out, const char *words, bool markdown,
			const struct report_options *options)
{
	if (!markdown)
		fputc('\n', out);
	lines_write_words(out, words, markdown, options);
}
