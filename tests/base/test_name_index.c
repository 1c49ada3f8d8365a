#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#define NAMES 5000

static void test_finds_each_name_at_its_position(void **state)
{
	struct name_index index = {0};
	char *names[NAMES];

	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		names[i] = xasprintf("name_%zu", i);
		assert_true(name_index_find(&index, names[i]) == NO_NAME);
		name_index_add(&index, names[i], NAMES - i);
	}
	for (size_t i = 0; i < NAMES; i++) {
		char *same = xasprintf("name_%zu", i); /* at another address */

		assert_int_equal(name_index_find(&index, same), NAMES - i);
		free(same);
	}
	assert_true(name_index_find(&index, "name_5000") == NO_NAME);
	assert_true(name_index_find(&index, "") == NO_NAME);
	name_index_release(&index);
	assert_true(name_index_find(&index, "name_1") == NO_NAME);
	for (size_t i = 0; i < NAMES; i++)
		free(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_each_name_at_its_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
