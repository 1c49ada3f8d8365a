/* Floating-point numbers from axes. See the header. */
#include "kernels/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression.h"

/* A point belongs to a word, so that 2.e3 has no name in it. */
static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.')
		length++;
	return length;
}

static bool word_is_call(const char *word, size_t length)
{
	return word[length + strspn(word + length, " \t")] == '(';
}

static bool is_real_word(const char *word, size_t length)
{
	if (isdigit((unsigned char)*word) || *word == '.')
		return memchr(word, '.', length) || memchr(word, 'e', length) ||
		       memchr(word, 'E', length);
	return word_is_call(word, length) && check_expression_has_function(word, length) &&
	       !expression_function_find(word, length);
}

bool expression_is_real(const char *text)
{
	for (size_t length; *text; text += length ? length : 1) {
		length = word_length(text);
		if (length && is_real_word(text, length))
			return true;
	}
	return false;
}

static const struct expression_variable *
variable_of_word(const struct expression_variable *variables, size_t count, const char *name,
		 size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(variables[i].name) == length && !memcmp(variables[i].name, name, length))
			return &variables[i];
	return NULL;
}

char *expression_with_values(const char *text, const struct expression_variable *variables,
			     size_t count)
{
	struct text out = TEXT_INIT;

	for (size_t length; *text; text += length ? length : 1) {
		const struct expression_variable *variable = NULL;

		length = word_length(text);
		if (length && !word_is_call(text, length))
			variable = variable_of_word(variables, count, text, length);
		if (variable)
			text_addf(&out, variable->value < 0 ? "(%" PRId64 ")" : "%" PRId64,
				  variable->value);
		else
			text_add_bytes(&out, text, length ? length : 1);
	}
	return text_detach(&out);
}

/* There is no buffer and but one element to name: only what follows the place says something. */
static const char *without_place(const char *message)
{
	const char *last = message;

	for (const char *c = message; (c = strstr(c, ": ")); c++)
		last = c + 2;
	return last;
}

int real_expression_evaluate(double *out, const char *text,
			     const struct expression_variable *variables, size_t count,
			     struct error *err)
{
	const struct check_names none = {0};
	const struct case_buffer one = {.type = ELEMENT_F64, .length = 1};
	char *numbers = expression_with_values(text, variables, count);
	struct check_expression *expression = NULL;
	struct error cause = {0};
	int rc = check_expression_parse(&expression, numbers, &none, err);

	if (!rc && check_expression_fill(expression, &one, 0, out, &cause))
		rc = error_set(err, PL_EUSAGE, "%s", without_place(cause.text));
	check_expression_free(expression);
	free(numbers);
	return rc;
}
