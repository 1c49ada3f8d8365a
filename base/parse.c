/*
 * Checked parsing. Every parser checks the whole string against its own grammar,
 * because strtol() and strtod() accept too much: blanks, '+', "0x", "inf", the
 * decimal comma of a locale. Messages name the text last, so a long text is cut
 * instead of the explanation.
 */
#include "base/parse_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
