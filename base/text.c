/*
 * Growing text, and lists of strings. An empty text has capacity 0 and points
 * to text_empty, which nothing writes to.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void string_list_add_bytes(struct string_list *list, const char *item, size_t length)
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
