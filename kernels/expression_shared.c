/* What both languages of expressions share: how messages show them, and functions of integers. */
#include <stdlib.h>
#include <string.h>

#include "kernels/expression.h"

/* A text of up to this length is shown whole. */
#define WHOLE_BYTES 300
/* Bytes shown before and after the error in a longer text. */
#define BEFORE_BYTES 100
#define AFTER_BYTES 100
#define POINTED_BYTES 20
#define CHARACTER_WORDS "\", character "

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Adds [begin, end) of the text in quotes, without parts of UTF-8 characters. */
static void add_quoted_part(struct text *out, const char *text, size_t length, size_t begin,
			    size_t end)
{
	while (begin && begin < length && is_inside_character(text[begin]))
		begin--;
	while (end < length && is_inside_character(text[end]))
		end++;
	text_add(out, begin ? "\"…" : "\"");
	text_add_bytes(out, text + begin, end - begin);
	if (end < length)
		text_add(out, "…");
}

void expression_add_place(struct text *out, const char *text, size_t character)
{
	size_t length = strlen(text), at = character ? character - 1 : 0;
	bool whole = length <= WHOLE_BYTES;
	size_t begin = whole || at < BEFORE_BYTES ? 0 : at - BEFORE_BYTES;
	size_t end = whole || at + AFTER_BYTES > length ? length : at + AFTER_BYTES;

	add_quoted_part(out, text, length, begin, end);
	text_addf(out, CHARACTER_WORDS "%zu", character);
	if (!whole && at < length) {
		while (at && is_inside_character(text[at]))
			at--;
		text_add(out, ", at \"");
		end = at + POINTED_BYTES < length ? at + POINTED_BYTES : length;
		while (end < length && is_inside_character(text[end]))
			end++;
		text_add_bytes(out, text + at, end - at);
		text_add_char(out, '"');
	}
}

int expression_refuse(struct error *err, const char *kind, const char *text, const char *at,
		      const char *cause)
{
	struct text place = TEXT_INIT;

	if (err) {
		expression_add_place(&place, text, (size_t)(at - text) + 1);
		error_set(err, PL_EPARSE, "%s %s: %s", kind, place.data, cause);
		text_release(&place);
	}
	return PL_EPARSE;
}

size_t expression_refused_character(const struct error *err)
{
	const char *found = NULL;

	/* The text may have these words, too, but the cause does not. */
	for (const char *c = err->text; (c = strstr(c, CHARACTER_WORDS)); c++)
		found = c;
	return found ? strtoul(found + strlen(CHARACTER_WORDS), NULL, 10) : 0;
}

/* ---- functions of integers; each returns NULL, or the cause of its failure ---- */

static int64_t floor_log2(int64_t value)
{
	return 63 - __builtin_clzll((unsigned long long)value);
}

static int64_t floor_sqrt(int64_t value)
{
	uint64_t root = 0;

	/* Bit by bit, and exact. sqrt() is not: it rounds its argument to a double. */
	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= (uint64_t)value)
			root += bit;
	return (int64_t)root;
}

static const char *function_min(int64_t *out, const int64_t *a)
{
	*out = a[0] < a[1] ? a[0] : a[1];
	return NULL;
}

static const char *function_max(int64_t *out, const int64_t *a)
{
	*out = a[0] > a[1] ? a[0] : a[1];
	return NULL;
}

static const char *function_ceil_div(int64_t *out, const int64_t *a)
{
	if (a[0] < 0 || a[1] < 1)
		return "ceil_div needs a dividend of at least 0 and a divisor of at least 1";
	*out = a[0] / a[1] + (a[0] % a[1] != 0);
	return NULL;
}

static const char *function_is_pow2(int64_t *out, const int64_t *a)
{
	*out = a[0] > 0 && (a[0] & (a[0] - 1)) == 0;
	return NULL;
}

static const char *function_log2(int64_t *out, const int64_t *a)
{
	if (a[0] < 1)
		return "log2 needs at least 1";
	*out = floor_log2(a[0]);
	return NULL;
}

static const char *function_pow2(int64_t *out, const int64_t *a)
{
	if (a[0] < 0 || a[0] > 62)
		return "pow2 takes 0 to 62";
	*out = INT64_C(1) << a[0];
	return NULL;
}

static const char *function_isqrt(int64_t *out, const int64_t *a)
{
	if (a[0] < 0)
		return "isqrt needs at least 0";
	*out = floor_sqrt(a[0]);
	return NULL;
}

static const char *function_xor(int64_t *out, const int64_t *a)
{
	*out = a[0] ^ a[1];
	return NULL;
}

static const struct expression_function functions[] = {
	{"min", 2, function_min},           {"max", 2, function_max},
	{"ceil_div", 2, function_ceil_div}, {"is_pow2", 1, function_is_pow2},
	{"log2", 1, function_log2},         {"pow2", 1, function_pow2},
	{"isqrt", 1, function_isqrt},       {"xor", 2, function_xor},
};

const struct expression_function *expression_function_find(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
			return &functions[i];
	return NULL;
}
