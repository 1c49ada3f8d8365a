/* Numbers and prose as a reader wants them; see the header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"
#include "reports/table/readable.h"

/* Three significant digits, without an exponent below a million. */
static void format_three(struct text *out, double value)
{
	double size = fabs(value);

	if (size >= 1e6 || (size < 0.01 && size > 0))
		text_addf(out, "%.3g", value);
	else
		text_addf(out, "%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, value);
}

void format_number(struct text *out, double value, const char *unit)
{
	if (strcmp(unit, "byte/s") == 0 || strcmp(unit, "flop/s") == 0)
		format_three(out, value / 1e9);
	else if (strcmp(unit, "percent") == 0)
		text_addf(out, "%.1f", value);
	else if (value == floor(value) && fabs(value) < 1e15)
		text_addf(out, "%.0f", value);
	else
		format_three(out, value);
}

void format_value(struct text *out, double value, const char *unit)
{
	static const struct {
		const char *unit, *suffix;
	} suffixes[] = {{"byte/s", " GB/s"}, {"flop/s", " GFLOP/s"}, {"percent", " %"}};
	char shown[32];

	if (strcmp(unit, "byte") == 0 || strcmp(unit, "ns") == 0) {
		if (unit[0] == 'b')
			format_bytes(shown, value);
		else
			format_duration(shown, value);
		text_add(out, shown);
		return;
	}
	format_number(out, value, unit);
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strcmp(suffixes[i].unit, unit) == 0)
			text_add(out, suffixes[i].suffix);
	}
}

void wrap_text(struct text *out, size_t indent, const char *head, const char *text, size_t width)
{
	size_t begin = indent + utf8_length(head), column = begin;
	bool first = true;

	if (width == 0)
		width = PROSE_WIDTH;
	text_addf(out, "%*s%s", (int)indent, "", head);
	while (*text) {
		size_t bytes = strcspn(text, " \n");
		char *word = xstrndup(text, bytes);
		size_t length = utf8_length(word);

		if (!first && (column + 1 + length > width || text[-1] == '\n')) {
			text_addf(out, "\n%*s", (int)begin, "");
			column = begin;
		} else if (!first) {
			text_add_char(out, ' ');
			column++;
		}
		text_add(out, word);
		free(word);
		column += length;
		first = false;
		text += bytes;
		text += *text != '\0';
	}
	text_add_char(out, '\n');
}

void write_prose(FILE *out, const char *words, enum report_format format,
		 const struct report_options *options)
{
	struct text shown = TEXT_INIT, wrapped = TEXT_INIT;

	if (format == REPORT_MARKDOWN) {
		escape_markdown(&shown, words);
		fprintf(out, "%s\n", shown.data);
	} else {
		text_add_escaped(&shown, words);
		wrap_text(&wrapped, 0, "", shown.data, options ? (size_t)options->width : 0);
		fwrite(wrapped.data, 1, wrapped.length, out);
	}
	text_release(&shown);
	text_release(&wrapped);
}
