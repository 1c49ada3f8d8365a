/*
 * Checked parsing. Every parser checks the whole string against its own grammar, because strtol()
 * and strtod() accept too much: blanks, "+", "0x", "inf", the decimal comma of a locale. Messages
 * name the text last, so a long text is cut instead of the explanation.
 */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parse_unit {
	const char *suffix;
	uint64_t factor;
};

/* Returns 0 if there is no such unit. */
static uint64_t parse_unit_factor(const struct parse_unit *units, size_t count, const char *suffix)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(units[i].suffix, suffix) == 0)
			return units[i].factor;
	}
	return 0;
}

static const char *parse_skip_digits(const char *text)
{
	return text + strspn(text, "0123456789");
}

/* Reads at least one decimal digit, and at most UINT64_MAX. Returns the end of the digits, or NULL.
 */
static const char *parse_take_digits(uint64_t *out, const char *text)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

/* Less than 2^53 ns, so a double represents every whole nanosecond exactly. */
#define DURATION_LIMIT_NS (100.0 * 24 * 3600 * 1e9)

#define WORD_LIMIT 32 /* a longer text is no typing error */
#define DURATION_FORMS "250us, 10ms, 1.5s, 2min or 1h (a bare number is seconds)"

static const struct parse_unit duration_units[] = {
	{"", 1000 * 1000 * 1000},
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000 * 1000},
	{"s", 1000 * 1000 * 1000},
	{"min", UINT64_C(60) * 1000 * 1000 * 1000},
	{"h", UINT64_C(3600) * 1000 * 1000 * 1000},
};

/* Other ways to write a unit of time, in lower case. */
static const struct {
	const char *word, *unit;
} duration_words[] = {
	{"s", "s"},        {"sec", "s"},     {"secs", "s"},   {"second", "s"},   {"seconds", "s"},
	{"m", "min"},      {"min", "min"},   {"mins", "min"}, {"minute", "min"}, {"minutes", "min"},
	{"h", "h"},        {"hr", "h"},      {"hour", "h"},   {"hours", "h"},    {"ms", "ms"},
	{"msec", "ms"},    {"millis", "ms"}, {"us", "us"},    {"usec", "us"},    {"\u00b5s", "us"},
	{"\u03bcs", "us"}, {"ns", "ns"},     {"nsec", "ns"},
};

/*
 * Reads an unsigned decimal: digits, an optional fraction, an optional exponent.
 * Returns its end, or NULL if there is none or a double cannot represent it.
 */
static const char *parse_take_decimal(double *out, const char *text)
{
	const char *end = parse_skip_digits(text);
	const char *exponent;
	char *taken;
	double value;

	if (end == text)
		return NULL;
	if (*end == '.') {
		if (!isdigit((unsigned char)end[1]))
			return NULL;
		end = parse_skip_digits(end + 1);
	}
	if (*end == 'e' || *end == 'E') {
		exponent = end + 1;
		if (*exponent == '-' || *exponent == '+')
			exponent++;
		if (!isdigit((unsigned char)*exponent))
			return NULL;
		end = parse_skip_digits(exponent);
	}
	errno = 0;
	value = strtod(text, &taken);
	if (taken != end || !isfinite(value) || (errno == ERANGE && value == 0))
		return NULL;
	*out = value;
	return end;
}

int parse_i64(int64_t *out, const char *text, struct error *err)
{
	bool negative = *text == '-';
	uint64_t limit = (uint64_t)INT64_MAX + negative;
	uint64_t magnitude;
	const char *end = parse_take_digits(&magnitude, text + negative);

	if (!end || *end || magnitude > limit)
		return error_set(err, PL_EUSAGE,
				 "expected a whole number from %" PRId64 " to %" PRId64
				 ", got '%s'",
				 INT64_MIN, INT64_MAX, text);
	/* negates as unsigned because 2^63 does not fit in int64_t */
	*out = (int64_t)(negative ? 0 - magnitude : magnitude);
	return PL_OK;
}

int parse_u64(uint64_t *out, const char *text, struct error *err)
{
	uint64_t value;
	const char *end = parse_take_digits(&value, text);

	if (!end || *end)
		return error_set(err, PL_EUSAGE,
				 "expected a whole number from 0 to %" PRIu64 ", got '%s'",
				 UINT64_MAX, text);
	*out = value;
	return PL_OK;
}

int parse_double(double *out, const char *text, struct error *err)
{
	bool negative = *text == '-';
	double value;
	const char *end = parse_take_decimal(&value, text + negative);

	if (!end || *end)
		return error_set(err, PL_EUSAGE,
				 "expected a finite decimal number such as 0.5 or 1e-3, got '%s'",
				 text);
	*out = negative ? -value : value;
	return PL_OK;
}

/* Adds "; did you mean 5min?" if the text is a number with another word for a unit. */
static void duration_suggest(struct text *out, const char *text)
{
	double value;
	const char *end = parse_take_decimal(&value, text);
	const char *word = end ? end + strspn(end, " ") : "";

	for (size_t i = 0; i < ARRAY_SIZE(duration_words) && !out->length; i++)
		if (strcasecmp(word, duration_words[i].word) == 0 && end - text < WORD_LIMIT)
			text_addf(out, "; did you mean %.*s%s?", (int)(end - text), text,
				  duration_words[i].unit);
}

int parse_duration_ns(int64_t *out, const char *text, struct error *err)
{
	double value, nanoseconds = 0;
	const char *end = parse_take_decimal(&value, text);
	struct text meant = TEXT_INIT;
	uint64_t factor = 0;

	if (end)
		factor = parse_unit_factor(duration_units, ARRAY_SIZE(duration_units), end);
	if (factor)
		nanoseconds = round(value * (double)factor);
	if (factor && nanoseconds <= DURATION_LIMIT_NS && !(value > 0 && nanoseconds < 1)) {
		*out = (int64_t)nanoseconds;
		return PL_OK;
	}
	if (!factor)
		duration_suggest(&meant, text);
	error_set(err, PL_EUSAGE,
		  "expected a duration of at most 100 days such as " DURATION_FORMS ", got '%s'%s",
		  text, meant.data);
	text_release(&meant);
	return PL_EUSAGE;
}

int parse_ratio(double *out, const char *text, struct error *err)
{
	double value = 0;
	const char *end = parse_take_decimal(&value, text);
	const bool may_be_percent =
		end && !*end && value >= 1 && value < 100 && end - text < WORD_LIMIT;

	if (end && *end == '%') {
		value /= 100;
		end++;
	}
	if (!end || *end || !(value > 0 && value < 1))
		return error_set(
			err, PL_EUSAGE,
			"expected a ratio greater than 0 and less than 1 such as 0.5%% or 0.005, "
			"got '%s'%s%.32s%s",
			text, may_be_percent ? "; did you mean " : "", may_be_percent ? text : "",
			may_be_percent ? "%?" : "");
	*out = value;
	return PL_OK;
}

/* -1: it is no hex digit. */
static int hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

int parse_hex_bytes(unsigned char **out, size_t *count, const char *text, struct error *err)
{
	size_t length = strlen(text);
	unsigned char *bytes = xcalloc(length / 2 + 1, 1);

	bool valid = length && length % 2 == 0;

	for (size_t i = 0; i < length && valid; i++) {
		int value = hex_value(text[i]);

		valid = value >= 0;
		bytes[i / 2] = (unsigned char)(bytes[i / 2] << 4 | (value & 15));
	}
	if (!valid) {
		free(bytes);
		return error_set(err, PL_EUSAGE, "expected two hex digits per byte, got '%.40s'",
				 text);
	}
	*out = bytes;
	*count = length / 2;
	return 0;
}

#define SIZE_LIMIT (UINT64_C(1) << 62)
#define SIZE_FORMS "4096, 1e6, 16k, 1M, 2G (by 1000), 16Ki, 16Mi, 2Gi, 1Ti (by 1024) or 2^24"
/* No number of at most SIZE_LIMIT has more digits, so a longer fraction or exponent is no size. */
#define EXPONENT_LIMIT 40

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
	char joined[WORD_LIMIT + EXPONENT_LIMIT + 1];
	int whole = (int)(end - text), fraction = 0;

	if (*end == '.') {
		fraction = (int)(parse_skip_digits(end + 1) - (end + 1));
		if (!fraction || fraction > EXPONENT_LIMIT || whole > WORD_LIMIT)
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

	if (strlen(text) > WORD_LIMIT)
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
