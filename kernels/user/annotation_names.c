/* Names and form of expressions. */
#include "kernels/user/annotation_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression.h"
#include "kernels/expression.h"
#include "kernels/fill.h"
#include "kernels/user/annotation_lets.h"

void names_add(struct annotation_names *names, const char *name)
{
	/* Different values, so that few differences of names are 0. */
	int64_t value = 1009 + 2 * (int64_t)names->count;

	if (names->count < ANNOTATION_MAX_NAMES)
		names->variables[names->count++] = (struct expression_variable){name, value};
}

void names_begin(struct annotation_names *names, const struct kernel_buffer *buffers, size_t count)
{
	*names = (struct annotation_names){.buffers = buffers, .buffer_count = count};
#define X(field, meaning) names_add(names, #field);
	DEVICE_LIMIT_LIST(X)
#undef X
}

const struct kernel_buffer *names_buffer(const struct annotation_names *names, const char *name)
{
	for (size_t i = 0; i < names->buffer_count; i++)
		if (!strcmp(names->buffers[i].name, name))
			return &names->buffers[i];
	return NULL;
}

bool names_has(const struct annotation_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->variables[i].name, name))
			return true;
	return false;
}

bool names_near(struct text *out, const struct annotation_names *names,
		struct annotation_place place, const char *name)
{
	const char *near[ANNOTATION_MAX_NAMES + KERNEL_MAX_BUFFERS + LETS_PER_LINE];
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		near[count++] = names->variables[i].name;
	for (size_t i = 0; i < names->buffer_count && i < KERNEL_MAX_BUFFERS; i++)
		near[count++] = names->buffers[i].name;
	lets_add_names(near, &count, place);
	return nearest_names(out, name, near, count);
}

/* Why a name of an expression has no value. */
static void add_unknown_name(struct text *out, const struct annotation_names *names,
			     struct annotation_place place, const char *name)
{
	struct text near = TEXT_INIT;

	if (names_buffer(names, name))
		text_addf(out,
			  "\"%.60s\" is a buffer, and only axes and device limits have a value",
			  name);
	else if (!strcmp(name, "i"))
		text_add(out,
			 "\"i\" is the index of a repeated launch; add \"repeat COUNT\" to the "
			 "launch");
	else if (names_near(&near, names, place, name))
		text_addf(out, "no axis or device limit is named \"%.60s\"; did you mean %s?", name,
			  near.data);
	else
		text_addf(out,
			  "no axis or device limit is named \"%.60s\"; declare it with \"axis "
			  "%.60s = VALUES\"",
			  name, name);
	text_release(&near);
}

static int unknown_name(const struct annotation_names *names, struct annotation_place place,
			const char *what, const char *name, const char *expression,
			size_t character, struct error *err)
{
	struct text cause = TEXT_INIT;
	int rc;

	add_unknown_name(&cause, names, place, name);
	lets_add_origin(&cause, place, expression, character);
	rc = annotation_error(err, place, "%s: %s", what, cause.data);
	text_release(&cause);
	return rc;
}

/* The next name that is no function and no part of a number; NULL: there is none. *after is where
 * to go on. */
static const char *next_name(const char *expression, const char **after)
{
	for (const char *c = expression; *c;) {
		const char *begin = c;

		while (isalnum((unsigned char)*c) || *c == '_' || *c == '.')
			c++;
		*after = c;
		if (c == begin)
			c++;
		else if (*begin != '.' && !isdigit((unsigned char)*begin) &&
			 c[strspn(c, " \t")] != '(')
			return begin;
	}
	return NULL;
}

/* Finds names that are not known. */
static int check_names_of(const struct annotation_names *names, struct annotation_place place,
			  const char *what, const char *expression, bool repeated,
			  struct error *err)
{
	const char *after = expression;
	const char *begin;

	while ((begin = next_name(after, &after))) {
		size_t length = (size_t)(after - begin);
		char name[64];

		length = length < sizeof(name) ? length : sizeof(name) - 1;
		memcpy(name, begin, length);
		name[length] = '\0';
		if (!names_has(names, name) && !(repeated && !strcmp(name, "i")))
			return unknown_name(names, place, what, name, expression,
					    (size_t)(begin - expression) + 1, err);
	}
	return 0;
}

static bool brackets_match(const char *expression)
{
	int depth = 0;

	for (const char *c = expression; *c && depth >= 0; c++) {
		depth += *c == '(';
		depth -= *c == ')';
	}
	return depth == 0;
}

/* "0 && (…)" is parsed as a whole but computes nothing, so that only its form can be wrong. */
static bool is_well_formed(const char *expression, const struct expression_variable *variables,
			   size_t count)
{
	struct text unneeded = TEXT_INIT;
	int64_t value;
	int rc;

	text_addf(&unneeded, "0 && (%s)", expression);
	rc = expression_evaluate(&value, unneeded.data, variables, count, NULL);
	text_release(&unneeded);
	return rc == 0;
}

int names_refuse(struct annotation_place place, const char *what, const char *expression,
		 const struct error *cause, struct error *err)
{
	struct text origin = TEXT_INIT;
	int rc;

	lets_add_origin(&origin, place, expression, expression_refused_character(cause));
	rc = annotation_error(err, place, "%s%s%s%s", what ? what : "", what ? ": " : "",
			      cause->text, origin.data);
	text_release(&origin);
	return rc;
}

int names_check(const struct annotation_names *names, struct annotation_place place,
		const char *what, const char *expression, bool repeated, struct error *err)
{
	struct expression_variable variables[ANNOTATION_MAX_NAMES + 1];
	struct error cause = {0};
	size_t count = names->count;
	int64_t value;
	int rc;

	if (!expression)
		return 0;
	rc = check_names_of(names, place, what, expression, repeated, err);
	if (rc)
		return rc;
	memcpy(variables, names->variables, count * sizeof(*variables));
	if (repeated)
		variables[count++] = (struct expression_variable){"i", 1};
	if (brackets_match(expression) && is_well_formed(expression, variables, count))
		return 0;
	if (!expression_evaluate(&value, expression, variables, count, &cause))
		return 0;
	return names_refuse(place, what, expression, &cause, err);
}

int names_check_value(const struct annotation_names *names, struct annotation_place place,
		      const char *what, const char *expression, bool repeated, int64_t low,
		      int64_t high, struct error *err)
{
	struct error cause = {0};
	const char *after;
	int64_t value;
	int rc = names_check(names, place, what, expression, repeated, err);

	if (rc || !expression || next_name(expression, &after))
		return rc;
	if (expression_evaluate(&value, expression, NULL, 0, &cause))
		return annotation_error(err, place, "%s: %s", what, cause.text);
	if (value < low)
		return annotation_error(err, place,
					"%s is %" PRId64 "; it must be at least %" PRId64, what,
					value, low);
	if (value > high)
		return annotation_error(err, place,
					"%s is %" PRId64 "; it must be at most %" PRId64, what,
					value, high);
	return 0;
}

/* Parses an expression over the elements of buffers, of which there are none here. */
static int parse_over_axes(const struct annotation_names *names, const char *expression,
			   bool of_fill, struct error *cause)
{
	const char *known[ANNOTATION_MAX_NAMES];
	const struct check_names axes = {
		.axes = known, .axis_count = names->count, .of_fill = of_fill};
	struct check_expression *parsed = NULL;
	int rc;

	for (size_t i = 0; i < names->count; i++)
		known[i] = names->variables[i].name;
	rc = check_expression_parse(&parsed, expression, &axes, cause);
	check_expression_free(parsed);
	return rc;
}

int names_check_real(const struct annotation_names *names, struct annotation_place place,
		     const char *what, const char *expression, bool repeated, struct error *err)
{
	struct error cause = {0};
	int rc = check_names_of(names, place, what, expression, repeated, err);

	if (!rc && parse_over_axes(names, expression, false, &cause))
		rc = names_refuse(place, what, expression, &cause, err);
	return rc;
}

/* ---- fills ---- */

static int check_form(const struct annotation_names *names, const struct annotated_buffer *buffer,
		      struct error *err)
{
	char what[64];
	int rc = names_check(names, buffer->place, "bits(…) of the buffer",
			     buffer->buffer.fill_bits, false, err);

	snprintf(what, sizeof(what), "%s(…) of the buffer", buffer_fill_name(buffer->buffer.fill));
	for (int i = 0; i < 2 && !rc; i++) {
		const char *number = buffer->buffer.fill_numbers[i];

		rc = (number && expression_is_real(number) ? names_check_real : names_check)(
			names, buffer->place, what, number, false, err);
	}
	return rc;
}

int check_annotated_fill(const struct annotation_names *names,
			 const struct annotated_buffer *buffer, struct error *err)
{
	struct case_buffer resolved = {.type = buffer->buffer.type};
	struct error cause = {0};
	int rc;

	if (buffer->buffer.fill == FILL_EXPRESSION) {
		rc = parse_over_axes(names, buffer->buffer.fill_expression, true, &cause);
		if (rc)
			names_refuse(buffer->place, NULL, buffer->buffer.fill_expression, &cause,
				     err);
		return rc;
	}
	rc = check_form(names, buffer, err);
	if (rc)
		return rc;
	/* Without axes, only what holds in every case has a value. */
	rc = fill_resolve(&resolved, &buffer->buffer, NULL, 0, &cause);
	free(resolved.fill_file);
	return rc == PL_EUSAGE ? annotation_error(err, buffer->place, "%s", cause.text) : 0;
}
