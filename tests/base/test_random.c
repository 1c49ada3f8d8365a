#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The inputs of cases and the order of rounds depend on these numbers, so stored runs do. */
static void the_numbers_are_those_of_splitmix64(void **state)
{
	static const uint64_t numbers[] = {UINT64_C(0xe220a8397b1dcdaf),
					   UINT64_C(0x6e789e6aa1b965f4),
					   UINT64_C(0x06c45d188009454f)};
	uint64_t sequence = 0;

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		assert_int_equal(random_next(&sequence), numbers[i]);
		assert_int_equal(random_at(0, i), numbers[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_splitmix64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
