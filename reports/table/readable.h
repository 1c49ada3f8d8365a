/* Numbers, and prose below and between tables, as a reader wants them. */
#ifndef REPORTS_TABLE_READABLE_H
#define REPORTS_TABLE_READABLE_H

#include "reports/reports.h"

/* Appends a number whose unit stands elsewhere: rates in units of 1e9 per second, percentages with
 * one decimal. */
void format_number(struct text *out, double value, const char *unit);
/* Appends a number with its unit: bytes in binary units, times in the largest unit that fits. */
void format_value(struct text *out, double value, const char *unit);

#define PROSE_WIDTH 100 /* if the stream is not a terminal */

/* Appends `indent` blanks, `head` and the words of `text`, wrapped at `width` characters. Further
 * lines start below the first word. `width` 0: PROSE_WIDTH. The text must be escaped. */
void wrap_text(struct text *out, size_t indent, const char *head, const char *text, size_t width);
/* Writes a line of Markdown, or a paragraph of text as wide as the options say. Escapes the words.
 * `options` may be NULL. */
void write_prose(FILE *out, const char *words, enum report_format format,
		 const struct report_options *options);

#endif
