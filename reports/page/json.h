/*
 * JSON for the page, written while it is produced: a run of ten thousand cases has tens of millions
 * of characters, and none is held in memory.
 *
 * Numbers that are not finite become null. Text is valid UTF-8 with <, >, & and the separators
 * U+2028 and U+2029 as \uXXXX, so no text can end the element that contains it. Frequent texts are
 * written once: page_word() writes an index into the list that page_words() writes at the end.
 *
 * Call stream_check() at the end to find write errors.
 */
#ifndef REPORTS_PAGE_JSON_H
#define REPORTS_PAGE_JSON_H

#include <stdio.h>

#include "base/base.h"

struct page_json {
	FILE *out;
	bool comma; /* the next value needs a comma before it */
	struct string_list words;
	size_t *slots; /* hash table: index into words + 1, or 0 */
	size_t slot_count;
};

void page_json_init(struct page_json *json, FILE *out);
void page_json_release(struct page_json *json);

void page_open(struct page_json *json, char bracket);  /* '{' or '[' */
void page_close(struct page_json *json, char bracket); /* '}' or ']' */
void page_key(struct page_json *json, const char *name);
void page_null(struct page_json *json);
void page_bool(struct page_json *json, bool value);
void page_integer(struct page_json *json, int64_t value);
void page_text(struct page_json *json, const char *text); /* NULL: null */
/* The fewest digits that give the same double again. */
void page_number(struct page_json *json, double value);
/* Nine significant digits, whole numbers exactly: for counters and values computed from them. */
void page_short(struct page_json *json, double value);
/* The index of the text in the list of words. NULL: null. */
void page_word(struct page_json *json, const char *text);
/* The list of words. */
void page_words(struct page_json *json);

/* A member with a text; NULL and "" give null. */
void page_member_text(struct page_json *json, const char *name, const char *text);

#endif
