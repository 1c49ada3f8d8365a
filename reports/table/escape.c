/* Makes untrusted text safe for each output format; see the header. */
#include "reports/table/escape.h"

#include <string.h>

void escape_show(struct text *out, const char *text)
{
	text_add_visible(out, text);
}

void escape_csv(struct text *out, const char *text)
{
	struct text valid = TEXT_INIT;
	bool quoted;

	if (!text)
		return;
	/* a single byte that is not UTF-8 makes readers reject the whole file */
	escape_utf8(&valid, text);
	quoted = strpbrk(valid.data, ",\"\r\n") || valid.data[0] == ' ';
	if (quoted)
		text_add_char(out, '"');
	for (const char *c = valid.data; *c; c++) {
		if (*c == '"')
			text_add_char(out, '"');
		text_add_char(out, *c);
	}
	if (quoted)
		text_add_char(out, '"');
	text_release(&valid);
}

void escape_markdown(struct text *out, const char *text)
{
	struct text shown = TEXT_INIT;

	escape_show(&shown, text);
	for (const char *c = shown.data; *c; c++) {
		/* some readers ignore a backslash here, and '|' splits cells before a
		 * backslash counts: use entities */
		if (*c == '|')
			text_add(out, "&#124;");
		else if (*c == '<')
			text_add(out, "&lt;");
		else if (*c == '>')
			text_add(out, "&gt;");
		else if (*c == '&')
			text_add(out, "&amp;");
		else if (*c == '@')
			text_add(out, "&#64;"); /* "@name" would notify that user */
		else if (strchr("\\`*_[]#~!", *c))
			text_addf(out, "\\%c", *c);
		else
			text_add_char(out, *c);
	}
	text_release(&shown);
}

void escape_xml(struct text *out, const char *text)
{
	struct text shown = TEXT_INIT;

	escape_show(&shown, text);
	for (const char *c = shown.data; *c; c++) {
		if (*c == '&')
			text_add(out, "&amp;");
		else if (*c == '<')
			text_add(out, "&lt;");
		else if (*c == '>')
			text_add(out, "&gt;");
		else if (*c == '"')
			text_add(out, "&quot;");
		else if (strncmp(c, "\xef\xbf\xbe", 3) == 0 || strncmp(c, "\xef\xbf\xbf", 3) == 0)
			text_add(out, "?"), c += 2; /* XML does not allow U+FFFE and U+FFFF */
		else
			text_add_char(out, *c);
	}
	text_release(&shown);
}

void escape_gnuplot(struct text *out, const char *text)
{
	struct text shown = TEXT_INIT;

	escape_show(&shown, text);
	text_add_char(out, '\'');
	for (const char *c = shown.data; *c; c++) {
		text_add_char(out, *c);
		if (*c == '\'')
			text_add_char(out, '\'');
	}
	text_add_char(out, '\'');
	text_release(&shown);
}

void escape_utf8(struct text *out, const char *text)
{
	while (*text) {
		uint32_t point;
		size_t length = utf8_next(text, &point);

		if (length == 0) {
			text_add(out, "\xef\xbf\xbd");
			text++;
		} else {
			text_add_bytes(out, text, length);
			text += length;
		}
	}
}

size_t utf8_length(const char *text)
{
	size_t length = 0;

	for (; *text; text++)
		length += ((unsigned char)*text & 0xc0) != 0x80;
	return length;
}

size_t utf8_prefix(const char *text, size_t characters)
{
	size_t bytes = 0;

	while (text[bytes]) {
		bool begins = ((unsigned char)text[bytes] & 0xc0) != 0x80;

		if (begins && characters-- == 0)
			break;
		bytes++;
	}
	return bytes;
}
