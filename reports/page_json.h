/*
 * JSON for the page of a report, written as it is made: a run of ten thousand
 * cases has tens of millions of characters, and none is held. Numbers that are
 * not finite are null; text is valid UTF-8 with <, >, & and the separators
 * U+2028 and U+2029 as \uXXXX, so that no text can end the element that holds
 * it. Text that occurs often is written once: page_word() writes its place in
 * a list that page_words() writes at the end.
 *
 * What the stream refuses is found by stream_check() at the end.
 */
#ifndef REPORTS_PAGE_JSON_H
#define REPORTS_PAGE_JSON_H

#include "reports/report_parts.h"

struct page_json {
	FILE *out;
	bool comma; /* a value stands before the next one */
	struct string_list words;
	size_t *slots; /* by hash: place in words + 1, or 0 */
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
/* As few digits as give the same double again. */
void page_number(struct page_json *json, double value);
/* Nine digits that count, whole numbers exactly: for counters and what is computed of them. */
void page_short(struct page_json *json, double value);
/* The place of the text among the words. NULL: null. */
void page_word(struct page_json *json, const char *text);
/* The list that the places are of. */
void page_words(struct page_json *json);

#endif
