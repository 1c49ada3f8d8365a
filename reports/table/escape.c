/* Makes untrusted text safe for each output format; see the header. */
#include "reports/table/escape.h"

#include <stdlib.h>
#include <string.h>

/* Whether a spreadsheet takes the text for a formula: also with a control before it, and with the
 * wide characters of East Asian keyboards. A number and a lone sign are none. */
static bool is_formula(const char *text)
{
	static const char *const begins[] = {"=",  "+",      "-",      "@",      "\t",    "\r",
					     "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
	char *end;

	strtod(text, &end);
	if (!text[0] || !text[1] || !*end)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(text, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

void escape_csv(struct text *out, const char *text)
{
	struct text valid = TEXT_INIT;
	bool quoted;

	if (!text)
		return;
	/* a single byte that is not UTF-8 makes readers reject the whole file */
	if (is_formula(text))
		text_add_char(&valid, '\'');
	escape_utf8_shown(&valid, text);
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

	text_add_escaped(&shown, text);
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

	text_add_escaped(&shown, text);
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

	text_add_escaped(&shown, text);
	text_add_char(out, '\'');
	for (const char *c = shown.data; *c; c++) {
		text_add_char(out, *c);
		if (*c == '\'')
			text_add_char(out, '\'');
	}
	text_add_char(out, '\'');
	text_release(&shown);
}

static void add_utf8(struct text *out, const char *text, bool shown)
{
	while (*text) {
		char character[8] = {0};
		uint32_t point;
		size_t length = utf8_next(text, &point);

		if (length == 0) {
			text_add(out, "\xef\xbf\xbd");
			text++;
			continue;
		}
		memcpy(character, text, length);
		if (shown && utf8_is_hidden(point))
			text_add_escaped(out, character);
		else
			text_add_bytes(out, character, length);
		text += length;
	}
}

void escape_utf8(struct text *out, const char *text)
{
	add_utf8(out, text, false);
}

void escape_utf8_shown(struct text *out, const char *text)
{
	add_utf8(out, text, true);
}

void escape_json(struct text *out, const char *json, size_t length)
{
	for (size_t i = 0, size; i < length; i += size) {
		uint32_t point;

		size = utf8_next(json + i, &point);
		size = size ? size : 1;
		if (size == 1 || !utf8_is_hidden(point))
			text_add_bytes(out, json + i, size);
		else if (point < 0x10000)
			text_addf(out, "\\u%04x", point);
		else
			text_addf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
				  0xdc00 + ((point - 0x10000) & 0x3ff));
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
