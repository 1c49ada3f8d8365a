/*
 * Fuzz target: any text as an expression. Evaluation must end with a value, or with PL_EPARSE and a
 * message; on failure the out-parameter must be unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	free(text);
	return 0;
}
