/*
 * The case that is being resolved: skipping it, refusing a value, evaluating
 * expressions of the descriptor.
 */
#include "kernels/resolution.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int resolution_skip(struct resolution *r, const char *format, ...)
{
	char reason[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	text_clear(r->skip);
	text_add(r->skip, reason);
	r->skipped = true;
	return 0;
}

static bool expression_mentions(const char *expression, const char *name)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t length = strlen(name);

	for (const char *at = expression + strcspn(expression, of_names); *at;
	     at += strcspn(at, of_names)) {
		size_t word = strspn(at, of_names);

		if (word == length && !memcmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

const char *resolution_zero_axis(const struct resolution *r, const char *expression)
{
	const struct launch_case *work = r->work;

	for (size_t i = 0; i < work->axis_count; i++)
		if (!work->axes[i].value && expression_mentions(expression, work->axes[i].name))
			return work->axes[i].name;
	return NULL;
}

int resolution_refuse(struct resolution *r, const char *expression, const char *format, ...)
{
	const char *zero = resolution_zero_axis(r, expression);
	char cause[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	if (!zero)
		return error_set(r->err, PL_EUSAGE, "%s", cause);
	resolution_skip(r, "%s=0: %s", zero, cause);
	return PL_EUSAGE;
}

int resolution_evaluate(struct resolution *r, int64_t *out, const char *expression,
			const char *what)
{
	struct error cause = {0};
	int rc = expression_evaluate(out, expression, r->variables, r->variable_count, &cause);

	return rc ? resolution_refuse(r, expression, "%s: %s", what, cause.text) : 0;
}

int resolution_evaluate_or(struct resolution *r, int64_t *out, const char *expression,
			   int64_t absent, const char *what)
{
	if (expression)
		return resolution_evaluate(r, out, expression, what);
	*out = absent;
	return 0;
}

int resolution_copy_name(struct resolution *r, char *out, size_t size, const char *name)
{
	size_t length = strlen(name);

	if (length >= size)
		return error_set(r->err, PL_EUSAGE, "the name \"%s\" is over %zu characters", name,
				 size - 1);
	memcpy(out, name, length + 1);
	return 0;
}

void resolution_add_variable(struct resolution *r, const char *name, int64_t value)
{
	r->variables[r->variable_count++] = (struct expression_variable){name, value};
}
