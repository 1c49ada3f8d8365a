/*
 * Fuzz target: any text as an expression of integers, and as one of floating-point numbers.
 * Evaluation must end with a value, or with an error and a message; on failure an integer must be
 * unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A reduction over a range takes as long as the range; annotations refuse its index. */
static bool may_reduce(const char *text)
{
	size_t commas = 0;

	for (; *text; text++)
		commas += *text == ',';
	return commas >= 3;
}

static void evaluate_real(const char *text, const struct expression_variable *variables,
			  size_t count)
{
	struct error err = {0};
	double value;
	int rc = real_expression_evaluate(&value, text, variables, count, &err);

	if (rc && ((rc != PL_EPARSE && rc != PL_EUSAGE) || err.code != rc || !err.text[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct expression_variable variables[] = {
		{"n", 1000003}, {"block", 256}, {"i", 0}, {"huge", INT64_MAX}, {"low", INT64_MIN}};
	struct error err = {0};
	int64_t value = 42;
	char *text = malloc(size + 1);
	int rc;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rc = expression_evaluate(&value, text, variables, ARRAY_SIZE(variables), &err);
	if (rc && (rc != PL_EPARSE || err.code != rc || !err.text[0] || value != 42))
		abort();
	(void)expression_is_real(text);
	if (!may_reduce(text))
		evaluate_real(text, variables, ARRAY_SIZE(variables));
	free(text);
	return 0;
}
