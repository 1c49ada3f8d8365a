/*
 * Text of strangers (names, labels, reasons) made safe for a terminal, CSV,
 * Markdown and JSON. A name may hold any byte but NUL.
 */
#include "reports/report_parts.h"

#include <string.h>

/* Length of the valid UTF-8 character at `text`, and its code point; 0: none
 * begins here. */
static size_t utf8_next(const char *text, uint32_t *point)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length;

	if (bytes[0] < 0x80) {
		*point = bytes[0];
		return 1;
	}
	if ((bytes[0] & 0xe0) == 0xc0)
		length = 2;
	else if ((bytes[0] & 0xf0) == 0xe0)
		length = 3;
	else if ((bytes[0] & 0xf8) == 0xf0)
		length = 4;
	else
		return 0;
	*point = bytes[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		/* a terminator fails here, so no byte beyond the string is read */
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (bytes[i] & 0x3f);
	}
	if (*point < smallest[length] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return length;
}

/* C0, DEL and C1, and the marks that reorder or hide what a terminal shows. */
static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

static void show_byte(struct text *out, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	if (byte == '\n')
		text_add(out, "\\n");
	else if (byte == '\t')
		text_add(out, "\\t");
	else
		text_add_bytes(out, (const char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]},
			       4);
}

void escape_show(struct text *out, const char *text)
{
	while (*text) {
		uint32_t point = 0;
		size_t length = utf8_next(text, &point);

		if (length == 0 || point < 0x80 || is_control(point)) {
			size_t bytes = length ? length : 1;

			for (size_t i = 0; i < bytes; i++) {
				if (length == 1 && !is_control(point))
					text_add_char(out, text[i]);
				else
					show_byte(out, (unsigned char)text[i]);
			}
			text += bytes;
		} else {
			text_add_bytes(out, text, length);
			text += length;
		}
	}
}

void escape_csv(struct text *out, const char *text)
{
	struct text valid = TEXT_INIT;
	bool quoted;

	if (!text)
		return;
	/* one byte that is none of UTF-8, and readers refuse the whole file */
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
		/* entities where a backslash is not enough everywhere: '|' splits cells
		 * first */
		if (*c == '|')
			text_add(out, "&#124;");
		else if (*c == '<')
			text_add(out, "&lt;");
		else if (*c == '>')
			text_add(out, "&gt;");
		else if (*c == '&')
			text_add(out, "&amp;");
		else if (*c == '@')
			text_add(out, "&#64;"); /* would call a person of that name */
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
			text_add(out, "?"), c += 2; /* U+FFFE and U+FFFF are no characters of XML */
		else
			text_add_char(out, *c);
	}
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
