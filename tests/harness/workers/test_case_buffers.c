/* Other inputs: the first element of an input is the same, and what is random of the rest differs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/workers/case_buffers.h"

enum { COUNT = 1000 };

static void test_other_inputs(void **state)
{
	static const struct {
		struct case_buffer buffer;
		int least, most; /* the elements that differ */
	} rows[] = {
		{{.type = ELEMENT_F32, .fill = FILL_UNIFORM, .fill_low = -1, .fill_high = 1},
		 980,
		 999},
		{{.type = ELEMENT_F32, .fill = FILL_NORMAL, .fill_high = 1}, 980, 999},
		{{.type = ELEMENT_F32, .fill = FILL_INTEGERS, .fill_high = 1}, 400, 600},
		{{.type = ELEMENT_I32, .fill = FILL_INDEX}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_CONSTANT, .fill_low = 5}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_PERMUTATION}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_EXPRESSION, .fill_expression = "8 * i"}, 0, 0},
		{{.type = ELEMENT_I32,
		  .fill = FILL_EXPRESSION,
		  .fill_expression = "8 * i + random(0, 7)"},
		 800,
		 960},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct case_buffer buffer = rows[r].buffer;
		int32_t first[COUNT], other[COUNT];
		int differ = 0;

		strcpy(buffer.name, "x");
		buffer.length = COUNT;
		assert_int_equal(kernel_fill(first, &buffer, 1, NULL), 0);
		assert_int_equal(case_fill_mixed(other, &buffer, 1, NULL), 0);
		assert_int_equal(first[0], other[0]);
		for (int i = 1; i < COUNT; i++)
			differ += first[i] != other[i];
		if (differ < rows[r].least || differ > rows[r].most)
			fail_msg("row %zu: %d elements differ", r, differ);
	}
}

/* No part of the results of the first inputs is right for the others. */
static void test_one_element_and_quarters(void **state)
{
	struct case_buffer buffer = {
		.type = ELEMENT_F32, .fill = FILL_UNIFORM, .fill_low = -1, .fill_high = 1};
	float first[COUNT], other[COUNT];

	(void)state;
	strcpy(buffer.name, "x");
	for (buffer.length = 1; buffer.length <= COUNT; buffer.length += COUNT - 1) {
		const size_t length = (size_t)buffer.length;

		assert_int_equal(kernel_fill(first, &buffer, 1, NULL), 0);
		assert_int_equal(case_fill_mixed(other, &buffer, 1, NULL), 0);
		for (size_t part = 0; part < 4; part++)
			assert_memory_not_equal(first + part * length / 4,
						other + part * length / 4,
						sizeof(float) * (length + 3) / 4);
	}
}

static void test_an_empty_input_has_nothing_to_fill(void **state)
{
	const struct case_buffer buffer = {
		.name = "x", .type = ELEMENT_F32, .fill = FILL_UNIFORM, .fill_high = 1};
	float content = 7;

	(void)state;
	assert_int_equal(case_fill_mixed(&content, &buffer, 1, NULL), 0);
	assert_true(content == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_inputs),
		cmocka_unit_test(test_one_element_and_quarters),
		cmocka_unit_test(test_an_empty_input_has_nothing_to_fill)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
