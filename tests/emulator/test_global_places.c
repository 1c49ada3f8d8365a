/*
 * The race check of global memory in a program with more instructions than PLACE_MOST: records hold
 * only a part of the number of an instruction. No such program is decoded here: the entry gets the
 * numbers from PLACE_MOST + 1 on, as if the function before it were that long.
 */
#include "support_machine.h"

#include "emulator/machine/races/global_rows.h"

struct global_races *__real_global_races_create(const struct launch *launch, int64_t limit_bytes);
struct global_races *__wrap_global_races_create(const struct launch *launch, int64_t limit_bytes);

struct global_races *__wrap_global_races_create(const struct launch *launch, int64_t limit_bytes)
{
	struct global_races *shadow = __real_global_races_create(launch, limit_bytes);

	assert_int_equal(launch->program->function_count, 2);
	assert_true(shadow->first_place[1] > 0);
	shadow->first_place[1] = PLACE_MOST + 1;
	return shadow;
}

/* A finding of a race would look for the earlier instruction in the first function. */
#define FOUR "mov.u32 %r1, %r1;\nmov.u32 %r1, %r1;\nmov.u32 %r1, %r1;\nmov.u32 %r1, %r1;\n"
#define LONG_FUNCTION ".func f()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\n" FOUR FOUR FOUR "ret;\n}\n"
#define KERNEL(store) MACHINE_HEADER LONG_FUNCTION MACHINE_ENTRY(store "ret;\n")

static struct machine_result run(const char *ptx)
{
	return machine_run(&(struct machine_case){
		.ptx = ptx, .block = {32}, .out_words = 64, .check_global = true});
}

static void equal_stores_of_lanes_do_not_race(void **state)
{
	static const char *const texts[] = {
		KERNEL("st.global.u32 [%rd1], 5;\n"),
		KERNEL("mov.u64 %rd5, 5;\nst.global.v2.u64 [%rd1], {%rd5, %rd5};\n"),
		KERNEL("st.global.u8 [%rd1+1], 5;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine_result result = run(texts[i]);

		if (result.findings.count)
			fail_msg("%s", result.findings.items[0].text);
		machine_release(&result);
	}
}

static void other_stores_of_lanes_race(void **state)
{
	static const char text[] = KERNEL("st.global.u32 [%rd1], %r1;\n");
	struct machine_result result = run(text);

	(void)state;
	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(text, "st.global"),
		       "thread (1,0,0) of block (0,0,0) writes byte 0 of 'out'");
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stores_of_lanes_do_not_race),
		cmocka_unit_test(other_stores_of_lanes_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
