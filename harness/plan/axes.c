/* Parses the axis grammar: values, doubling ranges, and ranges with a step. */
#include "harness/plan/plan.h"
#include "metrics/metrics.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece between commas, with its position in the whole text for messages. */
struct axis_piece {
	const char *whole;
	const char *text; /* owned by axis_parse() */
	size_t position;  /* in characters, from 1 */
};

/* Prefixes the message with "'64..'", or "'64..' (character 4 of '32,64..')" if the piece is only a
 * part of the text. */
static int axis_error(const struct axis_piece *piece, struct error *err, const char *format, ...)
	PRINTF_LIKE(3, 4);

static int axis_error(const struct axis_piece *piece, struct error *err, const char *format, ...)
{
	struct text what = TEXT_INIT;
	char cause[512];
	va_list arguments;
	int rc;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	if (strcmp(piece->whole, piece->text))
		text_addf(&what, " (character %zu of '%.80s')", piece->position, piece->whole);
	rc = error_set(err, PL_EUSAGE, "'%.80s'%s %s", piece->text, what.data, cause);
	text_release(&what);
	return rc;
}

static int axis_value(int64_t *out, const struct axis_piece *piece, const char *text,
		      struct error *err)
{
	struct error cause = {0};
	const char *number = text + strspn(text, " \t");
	int rc = parse_size(out, text, &cause);

	if (rc && *number == '-' && isdigit((unsigned char)number[1]))
		return axis_error(piece, err,
				  "is not a valid axis value: values are at least 0. To pass a "
				  "negative number, write 0 - NAME where the annotation uses the "
				  "axis");
	return rc ? axis_error(piece, err, "is not a valid axis value: %s", cause.text) : 0;
}

/* A bound or step of a range. A range that doubles from 0, or has a step of 0, would never end. */
static int axis_size(int64_t *out, const struct axis_piece *piece, const char *text,
		     struct error *err)
{
	int rc = axis_value(out, piece, text, err);

	if (!rc && *out < 1)
		rc = axis_error(piece, err, "contains a 0: a range starts at 1 (write 0,1..64)");
	return rc;
}

static int axis_add(struct axis_values *values, size_t *capacity, int64_t value,
		    const struct axis_piece *piece, struct error *err)
{
	if (values->count == AXIS_MAX_VALUES)
		return axis_error(piece, err,
				  "has more than %d values: use a larger step or a shorter range",
				  AXIS_MAX_VALUES);
	values->items = xgrow(values->items, capacity, values->count + 1, sizeof(*values->items));
	values->items[values->count++] = value;
	return 0;
}

/* Parses the text after ':', "+32" or "*4". A range without a step doubles. */
static int axis_step(int64_t *step, bool *multiplies, const struct axis_piece *piece,
		     const char *text, struct error *err)
{
	int rc;

	*step = 2;
	*multiplies = true;
	if (!text)
		return 0;
	if (*text != '+' && *text != '*')
		return axis_error(piece, err,
				  "has no step after ':': write :+32 to add or :*4 to multiply");
	*multiplies = *text == '*';
	rc = axis_size(step, piece, text + 1, err);
	if (!rc && *multiplies && *step == 1)
		rc = axis_error(piece, err, "never ends: use a factor of at least 2");
	return rc;
}

static int axis_range(struct axis_values *values, size_t *capacity, const struct axis_piece *piece,
		      const char *first_text, const char *last_text, const char *step_text,
		      struct error *err)
{
	int64_t first, last, step;
	bool multiplies;
	int rc;

	if (!*first_text)
		return axis_error(piece, err,
				  "has no first value: write FIRST..LAST, such as 64..1024");
	if (!*last_text)
		return axis_error(piece, err,
				  "has no last value: write FIRST..LAST, such as 64..1024");
	rc = axis_size(&first, piece, first_text, err);
	if (!rc)
		rc = axis_size(&last, piece, last_text, err);
	if (!rc)
		rc = axis_step(&step, &multiplies, piece, step_text, err);
	if (rc)
		return rc;
	if (first > last)
		return axis_error(piece, err, "is descending: write %s..%s", last_text, first_text);
	for (int64_t value = first; !rc && value <= last;) {
		rc = axis_add(values, capacity, value, piece, err);
		/* A value that overflows 64 bits is also beyond the last value. */
		if (multiplies ? __builtin_mul_overflow(value, step, &value)
			       : __builtin_add_overflow(value, step, &value))
			break;
	}
	return rc;
}

static int axis_piece_parse(struct axis_values *values, size_t *capacity,
			    const struct axis_piece *piece, struct error *err)
{
	char *text = xstrdup(piece->text);
	char *dots = strstr(text, "..");
	char *colon = strchr(text, ':');
	int64_t value;
	int rc;

	/* the "000" of 1,000,000, which would be the value 0 */
	if (*text == '0' && strlen(text) == 3 && strspn(text, "0123456789") == 3 &&
	    piece->position > 1) {
		rc = error_set(err, PL_EUSAGE,
			       "'%.80s' is a list of several values, of which '%s' is one: write a "
			       "large number as 1000000, 1e6 or 1M",
			       piece->whole, text);
	} else if (!*text) {
		rc = error_set(err, PL_EUSAGE,
			       "'%.80s' has an empty value at character %zu: remove the extra "
			       "comma",
			       piece->whole, piece->position);
	} else if (dots && (!colon || dots < colon)) {
		*dots = '\0';
		if (colon)
			*colon = '\0';
		rc = axis_range(values, capacity, piece, text, dots + 2, colon ? colon + 1 : NULL,
				err);
	} else if (colon) {
		rc = axis_error(piece, err,
				"has a step without a range: write FIRST..LAST:+STEP, such as "
				"64..1024:+32");
	} else {
		rc = axis_value(&value, piece, text, err);
		if (!rc)
			rc = axis_add(values, capacity, value, piece, err);
	}
	free(text);
	return rc;
}

static int compare_values(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left;
	int64_t b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* Parses the whole text, without suggestions. */
static int axis_parse_text(struct axis_values *out, const char *text, struct error *err)
{
	struct axis_values values = {0};
	struct string_list pieces = {0};
	size_t capacity = 0;
	size_t position = 1;
	int rc = 0;

	if (!*text)
		return error_set(err, PL_EUSAGE,
				 "the axis has no values: write values such as 64..1024 or 64,96");
	string_list_split(&pieces, text, ',');
	for (size_t i = 0; i < pieces.count && !rc; i++) {
		char *piece_text = pieces.items[i];
		const size_t whole = strlen(piece_text), blanks = strspn(piece_text, " \t");
		const struct axis_piece piece = {text, piece_text + blanks, position + blanks};

		for (size_t end = whole; end > blanks && strchr(" \t", piece_text[end - 1]); end--)
			piece_text[end - 1] = '\0';
		rc = axis_piece_parse(&values, &capacity, &piece, err);
		position += whole + 1;
	}
	string_list_release(&pieces);
	if (rc) {
		axis_values_release(&values);
		return rc;
	}
	*out = (struct axis_values){.items = values.items};
	qsort(values.items, values.count, sizeof(*values.items), compare_values);
	for (size_t i = 0; i < values.count; i++)
		if (!i || out->items[out->count - 1] != values.items[i])
			out->items[out->count++] = values.items[i];
	return 0;
}

/* ---- suggestions ---- */

#define SUGGESTED_LENGTH 64 /* a longer text is no typing error */

/* The number of characters of a value at the beginning: one dot is part of it, two end it. */
static size_t value_length(const char *text)
{
	size_t length = 0;

	while (text[length] && strchr("0123456789.ekMGTi^", text[length]) &&
	       strncmp(text + length, "..", 2) != 0)
		length++;
	return length;
}

/* Writes a range with other signs, "64-1024", "64:1024:32" or "64...1024:32", as FIRST..LAST:+STEP.
 * Returns false if the text is something else. */
static bool range_rewrite(struct text *out, const char *piece)
{
	const bool right_until_step = strncmp(piece + value_length(piece), "..", 2) == 0 &&
				      piece[value_length(piece) + 2] != '.';

	for (size_t signs = 0;; signs++) {
		const size_t length = value_length(piece);
		const size_t sign = strspn(piece + length, ":-~.");
		const char *after = piece + length + sign;
		const bool has_step = *after == '+' || *after == '*';

		text_addf(out, "%.*s", (int)length, piece);
		if (!*after && !sign)
			return length > 0;
		/* "64..128:32" may mean :+32 or :*32 */
		if (!sign || signs > 1 ||
		    (signs && !has_step && right_until_step && piece[length] == ':'))
			return false;
		text_addf(out, "%s%.1s", signs ? ":" : "..", has_step ? after : signs ? "+" : "");
		piece = after + has_step;
	}
}

/* What the text may mean: brackets go, blanks and semicolons between values become commas. */
static bool axis_rewrite(struct text *out, const char *text)
{
	struct string_list pieces = {0};
	struct text plain = TEXT_INIT;
	bool all = true;

	for (const char *c = text; *c; c++) {
		const bool blank = strchr(" ;\t", *c) != NULL;
		const char last = plain.length ? plain.data[plain.length - 1] : ',';

		if (blank && last != ',' && c[1] && !strchr(" ;\t,", c[1]))
			text_add_char(&plain, ',');
		else if (!blank && !strchr("[](){}", *c))
			text_add_char(&plain, *c);
	}
	string_list_split(&pieces, plain.data, ',');
	for (size_t i = 0; i < pieces.count && all; i++) {
		text_add(out, i ? "," : "");
		all = range_rewrite(out, pieces.items[i]);
	}
	string_list_release(&pieces);
	text_release(&plain);
	return all;
}

int axis_parse(struct axis_values *out, const char *text, struct error *err)
{
	struct text meant = TEXT_INIT;
	struct axis_values values = {0};
	int rc = axis_parse_text(out, text, err);

	/* another error if another way to write the text fits the grammar */
	if (rc && strlen(text) <= SUGGESTED_LENGTH && axis_rewrite(&meant, text) &&
	    strcmp(meant.data, text) != 0 && axis_parse_text(&values, meant.data, NULL) == 0)
		rc = error_set(err, PL_EUSAGE, "'%s' is not a valid axis value: did you mean %s?",
			       text, meant.data);
	axis_values_release(&values);
	text_release(&meant);
	return rc;
}

void axis_values_release(struct axis_values *values)
{
	free(values->items);
	*values = (struct axis_values){0};
}
