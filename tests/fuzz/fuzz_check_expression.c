/*
 * Fuzz target: any text as a check expression, and as one of a fill. Parsing must end with a tree,
 * or with PL_EPARSE and a message. A tree must give values, or PL_EUSAGE and a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression.h"

enum { ELEMENTS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A reduction over a range has three commas. The range can be so long that nothing could wait for
 * it, so such an expression is only parsed. */
static bool may_be_long(const char *text)
{
	int commas = 0;

	for (; *text; text++)
		commas += *text == ',';
	return commas >= 3;
}

static void compute_fuzzed(const struct check_expression *expression)
{
	static float x[ELEMENTS] = {1, -2, 0.5f};
	static int32_t p[ELEMENTS] = {7, 6, 5, 4, 3, 2, 1, 0};
	static uint64_t u[ELEMENTS] = {UINT64_MAX, 1};
	static struct case_buffer buffers[] = {
		{.name = "x", .type = ELEMENT_F32, .length = ELEMENTS, .role = BUFFER_IN},
		{.name = "p", .type = ELEMENT_I32, .length = ELEMENTS, .role = BUFFER_IN},
		{.name = "u", .type = ELEMENT_U64, .length = ELEMENTS, .role = BUFFER_IN},
		{.name = "y", .type = ELEMENT_F16, .length = ELEMENTS, .role = BUFFER_OUT},
	};
	const struct launch_case work = {.axes = {{"n", ELEMENTS}},
					 .axis_count = 1,
					 .buffers = buffers,
					 .buffer_count = ARRAY_SIZE(buffers)};
	const struct host_buffers inputs = {{x, p, u}};
	struct error err = {0};
	uint16_t out[ELEMENTS];
	int rc = check_expression_compute(expression, &work, &inputs, 3, out, &err);

	if (rc && (rc != PL_EUSAGE || err.code != rc || !err.text[0]))
		abort();
}

static void parse_fuzzed(struct check_expression **out, const char *text,
			 const struct check_names *names)
{
	struct error err = {0};
	int rc = check_expression_parse(out, text, names, &err);

	if (rc && (rc != PL_EPARSE || err.code != rc || !err.text[0] || *out))
		abort();
}

/* Axes of a fill are numbers before a worker computes it. */
static void fill_fuzzed(const char *text)
{
	static const enum element_type types[] = {ELEMENT_I16, ELEMENT_U64, ELEMENT_F16};
	const struct check_names names = {.of_fill = true};
	struct check_expression *expression = NULL;

	parse_fuzzed(&expression, text, &names);
	for (size_t t = 0; expression && !may_be_long(text) && t < ARRAY_SIZE(types); t++) {
		const struct case_buffer buffer = {
			.name = "x", .type = types[t], .length = ELEMENTS, .role = BUFFER_IN};
		struct error err = {0};
		uint64_t out[ELEMENTS];
		int rc = check_expression_fill(expression, &buffer, 1, out, &err);

		if (rc && (rc != PL_EUSAGE || err.code != rc || !err.text[0]))
			abort();
	}
	check_expression_free(expression);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct check_buffer_name buffers[] = {{"x", ELEMENT_F32, BUFFER_IN},
							   {"p", ELEMENT_I32, BUFFER_IN},
							   {"u", ELEMENT_U64, BUFFER_INOUT},
							   {"y", ELEMENT_F32, BUFFER_OUT}};
	static const char *const axes[] = {"n"};
	const struct check_names names = {buffers, ARRAY_SIZE(buffers), axes, ARRAY_SIZE(axes),
					  false};
	struct check_expression *expression = NULL;
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	parse_fuzzed(&expression, text, &names);
	if (expression && !may_be_long(text))
		compute_fuzzed(expression);
	check_expression_free(expression);
	fill_fuzzed(text);
	free(text);
	return 0;
}
