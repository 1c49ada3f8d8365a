/*
 * Memory and growing text. Small allocations abort when memory runs out: an error path would need
 * memory too, and the core dump shows where it happened. An empty text has capacity 0 and points to
 * text_empty, which nothing writes to.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Uses write() because stdio may allocate memory. */
static _Noreturn void alloc_abort(void)
{
	static const char message[] = "perflab: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		abort();
	abort();
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		alloc_abort();
	return memory;
}

void *xrealloc(void *pointer, size_t size)
{
	void *memory = realloc(pointer, size ? size : 1);

	if (!memory)
		alloc_abort();
	return memory;
}

void *xgrow(void *pointer, size_t *capacity, size_t needed, size_t element_size)
{
	size_t grown = *capacity < 8 ? 8 : *capacity;
	size_t size;

	if (needed <= *capacity)
		return pointer;
	while (grown < needed) {
		if (__builtin_add_overflow(grown, grown / 2, &grown))
			alloc_abort();
	}
	if (__builtin_mul_overflow(grown, element_size, &size))
		alloc_abort();
	pointer = xrealloc(pointer, size);
	*capacity = grown;
	return pointer;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t length)
{
	size_t used = strnlen(text, length);
	char *copy = xmalloc(used + 1);

	memcpy(copy, text, used);
	copy[used] = '\0';
	return copy;
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		alloc_abort();
	return text;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

char text_empty[1];

/* Makes room for `more` bytes and the terminator. */
static void text_reserve(struct text *text, size_t more)
{
	char *owned = text->capacity ? text->data : NULL;
	size_t needed;

	if (__builtin_add_overflow(text->length + 1, more, &needed))
		needed = SIZE_MAX; /* no machine has that much: xgrow() aborts */
	text->data = xgrow(owned, &text->capacity, needed, 1);
}

void text_release(struct text *text)
{
	if (text->capacity)
		free(text->data);
	*text = (struct text)TEXT_INIT;
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->capacity)
		text->data[0] = '\0';
}

void text_add(struct text *text, const char *bytes)
{
	text_add_bytes(text, bytes, strlen(bytes));
}

void text_add_bytes(struct text *text, const void *bytes, size_t length)
{
	if (length == 0)
		return;
	text_reserve(text, length);
	memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_add_char(struct text *text, char c)
{
	text_add_bytes(text, &c, 1);
}

void text_addf(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length <= 0)
		return;
	text_reserve(text, (size_t)length);
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	va_end(args);
	text->length += (size_t)length;
}

char *text_detach(struct text *text)
{
	char *detached = text->capacity ? text->data : xstrdup("");

	*text = (struct text)TEXT_INIT;
	return detached;
}

void string_list_add_bytes(struct string_list *list, const char *item, size_t length)
{
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = xstrndup(item, length);
}

bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length > tail && !strcmp(text + length - tail, suffix);
}

bool has_whole_word(const char *text, const char *name)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_";
	const size_t length = strlen(name);

	while (*(text += strcspn(text, of_names))) {
		const size_t word = strspn(text, of_names);

		if (word == length && !memcmp(text, name, length))
			return true;
		text += word;
	}
	return false;
}

void string_list_add(struct string_list *list, const char *item)
{
	string_list_add_bytes(list, item, strlen(item));
}

void string_list_addf(struct string_list *list, const char *format, ...)
{
	va_list args;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	va_start(args, format);
	list->items[list->count++] = xvasprintf(format, args);
	va_end(args);
}

bool string_list_has(const struct string_list *list, const char *item)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i], item) == 0)
			return true;
	}
	return false;
}

void string_list_release(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct string_list){0};
}

void string_list_split(struct string_list *list, const char *text, char separator)
{
	const char *piece = text;
	const char *end;

	/* strchr() would find the terminator if asked for '\0' */
	while (separator && (end = strchr(piece, separator))) {
		string_list_add_bytes(list, piece, (size_t)(end - piece));
		piece = end + 1;
	}
	string_list_add(list, piece);
}

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

void text_add_escaped(struct text *out, const char *text)
{
	while (*text) {
		uint32_t point = 0;
		size_t length = utf8_next(text, &point);
		const bool control = point < 0x20 || (point >= 0x7f && point <= 0x9f);

		if (length && !control && !utf8_is_hidden(point)) {
			text_add_bytes(out, text, length);
			text += length;
			continue;
		}
		for (const char *end = text + (length ? length : 1); text < end; text++)
			if (*text == '\n' || *text == '\t')
				text_add(out, *text == '\n' ? "\\n" : "\\t");
			else
				text_addf(out, "\\x%02x", (unsigned char)*text);
	}
}

char **text_split_lines(char *text, size_t *count)
{
	size_t capacity = 0;
	char **lines = NULL;

	*count = 0;
	for (char *line = text, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] == '\n');
		lines = xgrow(lines, &capacity, *count + 1, sizeof(char *));
		lines[(*count)++] = line;
		while (length > 0 && strchr(" \t\r", line[length - 1]))
			length--;
		line[length] = '\0';
		for (char *c = line; *c; c++)
			*c = *c == '\t' ? ' ' : *c;
	}
	return lines;
}
