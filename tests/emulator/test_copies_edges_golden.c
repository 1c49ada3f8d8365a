/*
 * Runs every case of the third list of copies.h in the emulator, with each set of lanes, and
 * compares with what a GPU gave for the same PTX and data: tests/golden/ptx/copies_edges.txt, which
 * tests/gpu/copies.sh --edges writes.
 */
#include "support_recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emulator/lanes/handlers.h"

#define GOLDEN "tests/golden/ptx/copies_edges.txt"

struct fixture {
	struct copy_list copies;
	struct golden golden;
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->copies = copy_edges_list_create();
	*state = fixture;
	return golden_read(&fixture->golden, GOLDEN) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	copy_list_release(&fixture->copies);
	golden_release(&fixture->golden);
	free(fixture);
	return 0;
}

static void test_names_differ(void **state)
{
	const struct fixture *fixture = *state;

	recorded_names_differ(&fixture->copies);
}

static void test_cases_are_well_formed(void **state)
{
	const struct fixture *fixture = *state;

	recorded_are_well_formed(&fixture->copies, &fixture->golden);
}

static void test_portable_lanes_copy_as_a_gpu(void **state)
{
	const struct fixture *fixture = *state;

	recorded_compare(&fixture->copies, &fixture->golden, GOLDEN, LANES_PORTABLE);
}

static void test_avx2_lanes_copy_as_a_gpu(void **state)
{
	const struct fixture *fixture = *state;

	if (!handlers_avx2_or_null())
		skip();
	recorded_compare(&fixture->copies, &fixture->golden, GOLDEN, LANES_AVX2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_cases_are_well_formed),
		cmocka_unit_test(test_portable_lanes_copy_as_a_gpu),
		cmocka_unit_test(test_avx2_lanes_copy_as_a_gpu),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
