/* Makes untrusted text safe for each output format; see the header. */
#include "reports/table/escape.h"

#include <string.h>

/* Returns the length of the valid UTF-8 character at `text` and sets its code point. Returns 0 if
 * no valid character begins there. */
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
		/* the terminating NUL fails this test, so nothing beyond the string is read */
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (bytes[i] & 0x3f);
	}
	if (*point < smallest[length] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return length;
}

/* C0, DEL, C1, and the invisible characters that reorder or hide text on a terminal. */
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
