/*
 * Parses sizes, and suggests what a malformed size was meant to be. Sizes are computed in whole
 * numbers, so "1.5M" is exact and "1.5" is refused.
 */
#include "base/parse_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT (UINT64_C(1) << 62)
#define SIZE_FORMS "4096, 1e6, 16k, 1M, 2G (by 1000), 16Ki, 16Mi, 2Gi, 1Ti (by 1024) or 2^24"
/* No number of at most SIZE_LIMIT has more digits, so a longer fraction or exponent is no size. */
#define EXPONENT_LIMIT 40
#define SUGGESTED_LENGTH 32 /* a longer text is no typing error */

static const struct parse_unit size_units[] = {
	{"", 1},
	{"k", 1000},
	{"M", 1000 * 1000},
	{"G", 1000 * 1000 * 1000},
	{"T", UINT64_C(1000) * 1000 * 1000 * 1000},
	{"Ki", UINT64_C(1) << 10},
	{"Mi", UINT64_C(1) << 20},
	{"Gi", UINT64_C(1) << 30},
	{"Ti", UINT64_C(1) << 40},
};

/* ---- the grammar ---- */

/* Returns false if the power exceeds SIZE_LIMIT. */
static bool parse_power(uint64_t *out, uint64_t base, uint64_t exponent)
{
	uint64_t value = 1;

	if (base <= 1 && exponent > 1)
		exponent = 1; /* the same value without a loop of 2^64 steps */
	for (; exponent > 0; exponent--) {
		if (__builtin_mul_overflow(value, base, &value) || value > SIZE_LIMIT)
			return false;
	}
	*out = value;
	return true;
}

/* A decimal number: digits * 10^exponent. */
struct size_decimal {
	uint64_t digits;
	int64_t exponent;
};

/* Reads "1", "1.5", "1e6" or "1.5e6". Returns its end, or NULL. */
static const char *take_size_decimal(struct size_decimal *out, const char *text)
{
	const char *end = parse_skip_digits(text);
	uint64_t exponent = 0;
	char joined[SUGGESTED_LENGTH + EXPONENT_LIMIT + 1];
	int whole = (int)(end - text), fraction = 0;

	if (*end == '.') {
		fraction = (int)(parse_skip_digits(end + 1) - (end + 1));
		if (!fraction || fraction > EXPONENT_LIMIT || whole > SUGGESTED_LENGTH)
			return NULL;
		end += 1 + fraction;
		snprintf(joined, sizeof(joined), "%.*s%.*s", whole, text, fraction,
			 text + whole + 1);
		if (!whole || !parse_take_digits(&out->digits, joined))
			return NULL;
	} else if (!parse_take_digits(&out->digits, text)) {
		return NULL;
	}
	if (*end == 'e' || *end == 'E') {
		end = parse_take_digits(&exponent, end + 1 + (end[1] == '+'));
		if (!end || exponent > EXPONENT_LIMIT)
			return NULL;
	}
	out->exponent = (int64_t)exponent - fraction;
	return end;
}

static bool parse_size_text(uint64_t *out, const char *text)
{
	uint64_t base, exponent, factor, value;
	const char *end = parse_take_digits(&base, text);
	struct size_decimal decimal;

	if (end && *end == '^') {
		end = parse_take_digits(&exponent, end + 1);
		return end && !*end && parse_power(out, base, exponent);
	}
	end = take_size_decimal(&decimal, text);
	factor = end ? parse_unit_factor(size_units, ARRAY_SIZE(size_units), end) : 0;
	if (!factor || __builtin_mul_overflow(decimal.digits, factor, &value))
		return false;
	for (; decimal.exponent > 0 && value; decimal.exponent--)
		if (__builtin_mul_overflow(value, UINT64_C(10), &value))
			return false;
	for (; decimal.exponent < 0; decimal.exponent++) {
		if (value % 10)
			return false; /* not a whole number */
		value /= 10;
	}
	if (value > SIZE_LIMIT)
		return false;
	*out = value;
	return true;
}

/* ---- suggestions ---- */

/* Each rewrites one other way to write a size, or leaves *out empty. */

/* "1MB" is meant to be 1M, "1MiB" 1Mi. */
static void size_without_bytes(struct text *out, const char *text)
{
	size_t length = strlen(text);

	if (length > 1 && (text[length - 1] == 'B' || text[length - 1] == 'b'))
		text_addf(out, "%.*s", (int)(length - 1), text);
}

/* "16K" and "16m" have the right letter in the wrong case. */
static void size_other_case(struct text *out, const char *text)
{
	static const char *const letters = "kKmMgGtT", *const units = "kkMMGGTT";
	const char *end = text + strspn(text, "0123456789.");
	const char *letter = *end ? strchr(letters, *end) : NULL;

	if (letter && !end[1 + strspn(end + 1, "iIbB")])
		text_addf(out, "%.*s%c%s", (int)(end - text), text, units[letter - letters],
			  end[1] == 'i' || end[1] == 'I' ? "i" : "");
}

/* "1_000_000", "1'000'000", "1 000 000" */
static void size_without_separators(struct text *out, const char *text)
{
	for (; *text; text++)
		if (!strchr("_' ", *text))
			text_add_char(out, *text);
}

/* "2**20", "1<<20" */
static void size_power(struct text *out, const char *text)
{
	const char *stars = strstr(text, "**"), *shift = strstr(text, "<<");

	if (stars)
		text_addf(out, "%.*s^%s", (int)(stars - text), text, stars + 2);
	else if (shift && strncmp(text, "1<<", 3) == 0)
		text_addf(out, "2^%s", shift + 2);
}

static void size_from_hex(struct text *out, const char *text)
{
	uint64_t value = 0;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2] ||
	    text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] || strlen(text) > 17)
		return;
	value = strtoull(text + 2, NULL, 16);
	text_addf(out, "%" PRIu64, value);
}

/* Adds "; did you mean 1M?" if some other way to write a size fits. */
static void size_suggest(struct text *out, const char *text)
{
	static void (*const rewrites[])(struct text *, const char *) = {
		size_without_bytes, size_other_case, size_without_separators, size_power,
		size_from_hex};
	uint64_t value;

	if (strlen(text) > SUGGESTED_LENGTH)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rewrites) && !out->length; i++) {
		struct text other = TEXT_INIT;

		rewrites[i](&other, text);
		if (parse_size_text(&value, other.data))
			text_addf(out, "; did you mean %s?", other.data);
		text_release(&other);
	}
}

int parse_size(int64_t *out, const char *text, struct error *err)
{
	struct text meant = TEXT_INIT;
	uint64_t value;

	if (parse_size_text(&value, text)) {
		*out = (int64_t)value;
		return PL_OK;
	}
	size_suggest(&meant, text);
	error_set(err, PL_EUSAGE,
		  "expected a size of at most 2^62 such as " SIZE_FORMS ", got '%s'%s", text,
		  meant.data);
	text_release(&meant);
	return PL_EUSAGE;
}
