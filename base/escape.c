/* Untrusted text for a terminal. */
#include "base/base.h"

size_t utf8_next(const char *text, uint32_t *point)
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

/* The characters that Unicode lets a reader ignore (Default_Ignorable_Code_Point), without the two
 * that choose between text and emoji; separators of lines; and annotations. */
bool utf8_is_hidden(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0xad, 0xad},       {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},
		{0x17b4, 0x17b5},   {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
		{0x2060, 0x206f},   {0x3164, 0x3164}, {0xfe00, 0xfe0d},   {0xfeff, 0xfeff},
		{0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
		{0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f);
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

void text_add_escaped(struct text *out, const char *text)
{
	while (*text) {
		uint32_t point = 0;
		size_t length = utf8_next(text, &point);
		const bool shown = length && !is_control(point) && !utf8_is_hidden(point);

		length = length ? length : 1;
		if (shown)
			text_add_bytes(out, text, length);
		for (size_t i = 0; i < length && !shown; i++)
			show_byte(out, (unsigned char)text[i]);
		text += length;
	}
}
