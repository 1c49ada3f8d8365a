/* JSON for the page; see the header. */
#include "reports/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"

#define EXACT_INTEGERS 9007199254740992.0 /* 2^53 */

void page_json_init(struct page_json *json, FILE *out)
{
	*json = (struct page_json){.out = out};
}

void page_json_release(struct page_json *json)
{
	string_list_release(&json->words);
	name_index_release(&json->index);
	*json = (struct page_json){0};
}

/* ---- structure ---- */

static void begin_value(struct page_json *json)
{
	if (json->comma)
		putc_unlocked(',', json->out);
	json->comma = true;
}

void page_open(struct page_json *json, char bracket)
{
	begin_value(json);
	putc_unlocked(bracket, json->out);
	json->comma = false;
}

void page_close(struct page_json *json, char bracket)
{
	putc_unlocked(bracket, json->out);
	json->comma = true;
}

void page_key(struct page_json *json, const char *name)
{
	page_text(json, name);
	putc_unlocked(':', json->out);
	json->comma = false;
}

void page_open_member(struct page_json *json, const char *name, char bracket)
{
	page_key(json, name);
	page_open(json, bracket);
}

/* ---- values ---- */

static void put_token(struct page_json *json, const char *token)
{
	begin_value(json);
	fputs(token, json->out);
}

void page_null(struct page_json *json)
{
	put_token(json, "null");
}

void page_bool(struct page_json *json, bool value)
{
	put_token(json, value ? "true" : "false");
}

void page_integer(struct page_json *json, int64_t value)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	/* printf is too slow for millions of samples */
	*at = '\0';
	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--at = '-';
	put_token(json, at);
}

static bool put_whole_number(struct page_json *json, double value)
{
	if (fabs(value) > EXACT_INTEGERS || value != floor(value))
		return false;
	page_integer(json, (int64_t)value);
	return true;
}

void page_number(struct page_json *json, double value)
{
	char shown[32];

	if (!isfinite(value)) {
		page_null(json);
		return;
	}
	if (put_whole_number(json, value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(shown, sizeof(shown), "%.*g", digits, value);
		if (strtod(shown, NULL) == value)
			break;
	}
	put_token(json, shown);
}

void page_short(struct page_json *json, double value)
{
	char shown[32];

	if (!isfinite(value)) {
		page_null(json);
		return;
	}
	if (put_whole_number(json, value))
		return;
	snprintf(shown, sizeof(shown), "%.9g", value);
	put_token(json, shown);
}

/* ---- text ---- */

/* U+2028 and U+2029 end a line when JSON is read as JavaScript. */
static bool is_separator(const char *at)
{
	return at[0] == '\xe2' && at[1] == '\x80' && (at[2] == '\xa8' || at[2] == '\xa9');
}

/* Shows hidden characters, except the separators, which hide and reorder nothing on a page. */
static void escape_page(struct text *out, const char *text)
{
	struct text part = TEXT_INIT;

	for (; *text; text++) {
		if (!is_separator(text)) {
			text_add_char(&part, *text);
			continue;
		}
		escape_utf8_shown(out, part.data);
		text_clear(&part);
		text_add_bytes(out, text, 3);
		text += 2;
	}
	escape_utf8_shown(out, part.data);
	text_release(&part);
}

void page_text(struct page_json *json, const char *text)
{
	struct text clean = TEXT_INIT;

	if (!text) {
		page_null(json);
		return;
	}
	escape_page(&clean, text);
	begin_value(json);
	putc_unlocked('"', json->out);
	for (const char *c = clean.data; *c; c++) {
		if (is_separator(c)) {
			fputs(c[2] == '\xa8' ? "\\u2028" : "\\u2029", json->out);
			c += 2;
		} else if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr("<>&", *c)) {
			fprintf(json->out, "\\u%04x", (unsigned)*c);
		} else {
			if (*c == '"' || *c == '\\')
				putc_unlocked('\\', json->out);
			putc_unlocked(*c, json->out);
		}
	}
	putc_unlocked('"', json->out);
	text_release(&clean);
}

void page_member_integer(struct page_json *json, const char *name, int64_t value)
{
	page_key(json, name);
	page_integer(json, value);
}

void page_member_text(struct page_json *json, const char *name, const char *text)
{
	page_key(json, name);
	page_text(json, text && *text ? text : NULL);
}

/* ---- words ---- */

void page_word(struct page_json *json, const char *text)
{
	size_t at;

	if (!text) {
		page_null(json);
		return;
	}
	at = name_index_find(&json->index, text);
	if (at == NO_NAME) {
		at = json->words.count;
		string_list_add(&json->words, text);
		name_index_add(&json->index, json->words.items[at], at);
	}
	page_integer(json, (int64_t)at);
}

void page_words(struct page_json *json)
{
	page_open(json, '[');
	for (size_t i = 0; i < json->words.count; i++)
		page_text(json, json->words.items[i]);
	page_close(json, ']');
}
