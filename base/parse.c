/*
 * Checked parsing. Every parser checks the whole string against its own grammar,
 * because strtol() and strtod() accept too much: blanks, '+', "0x", "inf", the
 * decimal comma of a locale. Messages name the text last, so a long text is cut
 * instead of the explanation.
 */
#include "base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT (UINT64_C(1) << 62)
/* Less than 2^53 ns, so a double represents every whole nanosecond exactly. */
#define DURATION_LIMIT_NS (100.0 * 24 * 3600 * 1e9)

#define SIZE_FORMS "4096, 16k, 1M, 2G (by 1000), 16Ki, 16Mi, 2Gi, 1Ti (by 1024) or 2^24"
#define DURATION_FORMS "250us, 10ms, 1.5s or 2min (a bare number is seconds)"

struct parse_unit {
	const char *suffix;
	uint64_t factor;
};

static const struct parse_unit size_units[] = {
	{"", 1},
	{"k", 1000},
	{"M", 1000 * 1000},
	{"G", 1000 * 1000 * 1000},
	{"Ki", UINT64_C(1) << 10},
	{"Mi", UINT64_C(1) << 20},
	{"Gi", UINT64_C(1) << 30},
	{"Ti", UINT64_C(1) << 40},
};

static const struct parse_unit duration_units[] = {
	{"", 1000 * 1000 * 1000},
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000 * 1000},
	{"s", 1000 * 1000 * 1000},
	{"min", UINT64_C(60) * 1000 * 1000 * 1000},
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

static bool parse_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *parse_skip_digits(const char *text)
{
	while (parse_is_digit(*text))
		text++;
	return text;
}

/* Reads at least one decimal digit, and at most UINT64_MAX. Returns the end of the digits, or NULL.
 */
static const char *parse_take_digits(uint64_t *out, const char *text)
{
	uint64_t value = 0;

	if (!parse_is_digit(*text))
		return NULL;
	for (; parse_is_digit(*text); text++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return NULL;
	}
	*out = value;
	return text;
}

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
		if (!parse_is_digit(end[1]))
			return NULL;
		end = parse_skip_digits(end + 1);
	}
	if (*end == 'e' || *end == 'E') {
		exponent = end + 1;
		if (*exponent == '-' || *exponent == '+')
			exponent++;
		if (!parse_is_digit(*exponent))
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

static bool parse_size_text(uint64_t *out, const char *text)
{
	uint64_t base, exponent, factor, value;
	const char *end = parse_take_digits(&base, text);

	if (!end)
		return false;
	if (*end == '^') {
		end = parse_take_digits(&exponent, end + 1);
		return end && !*end && parse_power(out, base, exponent);
	}
	factor = parse_unit_factor(size_units, ARRAY_SIZE(size_units), end);
	if (!factor || __builtin_mul_overflow(base, factor, &value) || value > SIZE_LIMIT)
		return false;
	*out = value;
	return true;
}

int parse_size(int64_t *out, const char *text, struct error *err)
{
	uint64_t value;

	if (!parse_size_text(&value, text))
		return error_set(err, PL_EUSAGE,
				 "expected a size of at most 2^62 such as " SIZE_FORMS ", got '%s'",
				 text);
	*out = (int64_t)value;
	return PL_OK;
}

int parse_duration_ns(int64_t *out, const char *text, struct error *err)
{
	double value, nanoseconds = 0;
	const char *end = parse_take_decimal(&value, text);
	uint64_t factor = 0;

	if (end)
		factor = parse_unit_factor(duration_units, ARRAY_SIZE(duration_units), end);
	if (factor)
		nanoseconds = round(value * (double)factor);
	if (!factor || nanoseconds > DURATION_LIMIT_NS || (value > 0 && nanoseconds < 1))
		return error_set(err, PL_EUSAGE,
				 "expected a duration of at most 100 days such as " DURATION_FORMS
				 ", got '%s'",
				 text);
	*out = (int64_t)nanoseconds;
	return PL_OK;
}

int parse_ratio(double *out, const char *text, struct error *err)
{
	double value = 0;
	const char *end = parse_take_decimal(&value, text);

	if (end && *end == '%') {
		value /= 100;
		end++;
	}
	if (!end || *end || !(value > 0 && value < 1))
		return error_set(
			err, PL_EUSAGE,
			"expected a ratio greater than 0 and less than 1 such as 0.5%% or 0.005, "
			"got '%s'",
			text);
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
