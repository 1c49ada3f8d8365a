/* The facts of a launch with the limits of an H200: occupancy and its limiter. */
#include "bench.h"

#include <math.h>
#include <string.h>

static struct launch_facts facts_of(struct bench *bench, int64_t block, int64_t shared_bytes)
{
	struct launch_case *work = bench_case("fault", "none", block, 1 << 20);
	struct launch_facts facts = launch_facts_unknown;
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};

	work->launches[0].shared_bytes = shared_bytes;
	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_facts(&operation, &facts, &err))
		fail_msg("%s", err.text);
	assert_string_equal(skip.data, "");
	operation_release(&operation);
	launch_case_free(work);
	return facts;
}

static void test_occupancy_and_its_limiter(void **context)
{
	static const struct {
		int64_t block, shared_bytes;
		int registers, resident_blocks;
		double occupancy_pct;
		const char *limiter;
	} launches[] = {
		{256, 0, 32, 8, 100, "none"},
		{1024, 0, 64, 1, 50, "registers"},
		{256, 0, 128, 2, 25, "registers"},
		{128, 100 << 10, 32, 2, 12.5, "shared memory"},
		{32, 0, 16, 32, 50, "blocks"},
		{768, 0, 16, 2, 75, "warps"},
		/* A partial warp takes the resources of a full one. */
		{33, 0, 16, 32, 100, "none"},
	};
	struct bench *bench = *context;

	for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
		struct launch_facts facts;

		bench->stub.registers = launches[i].registers;
		bench->stub.resident_blocks = launches[i].resident_blocks;
		facts = facts_of(bench, launches[i].block, launches[i].shared_bytes);
		assert_true(fabs(facts.theoretical_occupancy_pct - launches[i].occupancy_pct) <
			    1e-9);
		assert_string_equal(facts.occupancy_limiter, launches[i].limiter);
	}
}

static void test_what_the_code_takes(void **context)
{
	struct bench *bench = *context;
	struct launch_facts facts;

	bench->stub.registers = 40;
	bench->stub.shared_static = 1024;
	bench->stub.local_bytes = 24;
	facts = facts_of(bench, 128, 2048);
	assert_int_equal(facts.registers_per_thread, 40);
	assert_int_equal(facts.shared_static_bytes, 1024);
	assert_int_equal(facts.shared_dynamic_bytes, 2048);
	assert_int_equal(facts.local_bytes_per_thread, 24);
	assert_int_equal(strlen(facts.code_hash), HASH_TEXT_BYTES - 1);
	assert_string_equal(facts.code_kind, "ptx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_occupancy_and_its_limiter, bench_set_up,
						bench_tear_down),
		cmocka_unit_test_setup_teardown(test_what_the_code_takes, bench_set_up,
						bench_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
