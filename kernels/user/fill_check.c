#include "kernels/user/fill_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/check_expression.h"
#include "kernels/expression_text.h"
#include "kernels/fill.h"
#include "kernels/real_expression.h"
#include "kernels/user/annotation_lets.h"

static int check_fill_expression(const struct annotation_names *names,
				 const struct annotated_buffer *buffer, struct error *err)
{
	const char *known[ANNOTATION_MAX_NAMES];
	const struct check_names fill = {
		.axes = known, .axis_count = names->count, .of_fill = true};
	struct check_expression *expression = NULL;
	struct text origin = TEXT_INIT;
	struct error cause = {0};
	int rc;

	for (size_t i = 0; i < names->count; i++)
		known[i] = names->variables[i].name;
	rc = check_expression_parse(&expression, buffer->buffer.fill_expression, &fill, &cause);
	check_expression_free(expression);
	if (rc) {
		lets_add_origin(&origin, buffer->place, buffer->buffer.fill_expression,
				expression_refused_character(&cause));
		annotation_error(err, buffer->place, "%s%s", cause.text, origin.data);
	}
	text_release(&origin);
	return rc;
}

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

	if (buffer->buffer.fill == FILL_EXPRESSION)
		return check_fill_expression(names, buffer, err);
	rc = check_form(names, buffer, err);
	if (rc)
		return rc;
	/* Without axes, only what holds in every case has a value. */
	rc = fill_resolve(&resolved, &buffer->buffer, NULL, 0, &cause);
	free(resolved.fill_file);
	return rc == PL_EUSAGE ? annotation_error(err, buffer->place, "%s", cause.text) : 0;
}
