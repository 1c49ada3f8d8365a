/* Other inputs: the first half of an input is the same, and what is random of the rest differs. */
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
		int least, most; /* of the second half, the elements that differ */
	} rows[] = {
		{{.type = ELEMENT_F32, .fill = FILL_UNIFORM, .fill_low = -1, .fill_high = 1},
		 490,
		 500},
		{{.type = ELEMENT_F32, .fill = FILL_NORMAL, .fill_high = 1}, 490, 500},
		{{.type = ELEMENT_F32, .fill = FILL_INTEGERS, .fill_high = 1}, 200, 300},
		{{.type = ELEMENT_I32, .fill = FILL_INDEX}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_CONSTANT, .fill_low = 5}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_PERMUTATION}, 0, 0},
		{{.type = ELEMENT_I32, .fill = FILL_EXPRESSION, .fill_expression = "8 * i"}, 0, 0},
		{{.type = ELEMENT_I32,
		  .fill = FILL_EXPRESSION,
		  .fill_expression = "8 * i + random(0, 7)"},
		 400,
		 480},
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
		assert_memory_equal(first, other, sizeof(first) / 2);
		for (int i = COUNT / 2; i < COUNT; i++)
			differ += first[i] != other[i];
		if (differ < rows[r].least || differ > rows[r].most)
			fail_msg("row %zu: %d elements differ", r, differ);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_inputs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
