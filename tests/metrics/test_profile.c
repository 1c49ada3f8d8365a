/* The lists of a profile, and what profile_check() refuses. */
#include "profile_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Two functions, three frames, three instructions, three stalls. */
static struct profile *small_profile(void)
{
	struct profile *profile = profile_new();
	struct profile_stall *stall;

	profile_function_add(profile, "kernel", "");
	profile_function_add(profile, "helper", "");
	profile_frame_add(profile, "a.cu", 7, NULL, -1);
	profile_frame_add(profile, "b.cuh", 3, "inlined", 0);
	profile_frame_add(profile, "b.cuh", 4, "inlined", 0);
	profile_instruction_add(profile, 0, 0)->frame = 1;
	profile_instruction_add(profile, 0, 16)->frame = 2;
	profile_instruction_add(profile, 1, 0);
	stall = profile_stall_add(profile, 0, "barrier");
	stall->samples = 5;
	stall->not_issued = 5;
	profile_stall_add(profile, 0, "wait")->samples = 2;
	profile_stall_add(profile, 2, "wait")->samples = 1;
	profile->instructions[0].samples = 7;
	profile->instructions[0].first_samples = 3;
	profile->instructions[2].samples = 1;
	profile->instructions[2].first_samples = 1;
	profile->samples = 8;
	return profile;
}

static void a_new_profile_knows_nothing(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile->samples, -1);
	assert_int_equal(profile->launches, -1);
	assert_int_equal(profile->period_cycles, -1);
	assert_int_equal(profile->dropped, -1);
	assert_int_equal(profile->buffer_full, -1);
	assert_int_equal(profile_check(profile, NULL), 0);
	profile_free(profile);
	profile_free(NULL);
}

static void equal_functions_are_one(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile_function_add(profile, "kernel", "abc"), 0);
	assert_int_equal(profile_function_add(profile, "kernel", ""), 1);
	assert_int_equal(profile_function_add(profile, "kernel", "abc"), 0);
	assert_int_equal(profile_function_add(profile, "other", "abc"), 2);
	assert_int_equal(profile->function_count, 3);
	profile_free(profile);
}

static void equal_frames_are_one(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile_frame_add(profile, "a.cu", 7, NULL, -1), 0);
	assert_int_equal(profile_frame_add(profile, "a.cu", 8, NULL, -1), 1);
	assert_int_equal(profile_frame_add(profile, "a.cu", 7, "f", -1), 2);
	assert_int_equal(profile_frame_add(profile, "a.cu", 7, "f", 0), 3);
	assert_int_equal(profile_frame_add(profile, "b.cu", 7, NULL, -1), 4);
	assert_int_equal(profile_frame_add(profile, "a.cu", 7, NULL, -1), 0);
	assert_int_equal(profile_frame_add(profile, "a.cu", 7, "f", 0), 3);
	assert_int_equal(profile->frame_count, 5);
	assert_int_equal(profile->frames[0].samples, -1);
	assert_true(isnan(profile->frames[0].share));
	assert_true(isnan(profile->frames[0].low) && isnan(profile->frames[0].high));
	profile_free(profile);
}

static void a_new_instruction_knows_its_place_only(void **state)
{
	struct profile *profile = profile_new();
	const struct profile_instruction *added = profile_instruction_add(profile, 0, 32);

	(void)state;
	assert_int_equal(added->function, 0);
	assert_int_equal(added->pc, 32);
	assert_int_equal(added->frame, -1);
#define IS_UNKNOWN(kind, name, unit, meaning) assert_int_equal(added->name, -1);
	INSTRUCTION_FIELDS(IS_UNKNOWN)
#undef IS_UNKNOWN
	profile_free(profile);
}

/* ---- what is refused ---- */

static void no_function(struct profile *profile)
{
	profile->instructions[2].function = 2;
}

static void function_below_0(struct profile *profile)
{
	profile->instructions[0].function = -1;
}

static void pc_below_0(struct profile *profile)
{
	profile->instructions[0].pc = -16;
}

static void no_frame(struct profile *profile)
{
	profile->instructions[0].frame = 3;
}

static void frame_below_none(struct profile *profile)
{
	profile->instructions[0].frame = -2;
}

static void pc_twice(struct profile *profile)
{
	profile->instructions[1].pc = 0;
}

static void functions_descend(struct profile *profile)
{
	profile->instructions[0].function = 1;
	profile->instructions[1].function = 1;
	profile->instructions[2].function = 0;
}

static void called_from_itself(struct profile *profile)
{
	profile->frames[1].caller = 1;
}

static void called_from_a_later_one(struct profile *profile)
{
	profile->frames[1].caller = 2;
}

static void caller_below_none(struct profile *profile)
{
	profile->frames[1].caller = -2;
}

static void stall_of_none(struct profile *profile)
{
	profile->stalls[2].instruction = 3;
}

static void stall_below_0(struct profile *profile)
{
	profile->stalls[0].instruction = -1;
}

static void stall_with_fewer_than_0(struct profile *profile)
{
	profile->stalls[1].samples = -1;
}

static void more_not_issued_than_samples(struct profile *profile)
{
	profile->stalls[0].not_issued = 6;
}

static void not_issued_below_0(struct profile *profile)
{
	profile->stalls[0].not_issued = -1;
}

static void reason_twice(struct profile *profile)
{
	strcpy(profile->stalls[1].reason, "barrier");
}

static void reasons_descend(struct profile *profile)
{
	strcpy(profile->stalls[1].reason, "a");
}

static void stalls_descend(struct profile *profile)
{
	profile->stalls[0].instruction = 1;
	profile->stalls[1].instruction = 1;
	profile->stalls[2].instruction = 0;
}

static void other_sum(struct profile *profile)
{
	profile->instructions[0].samples = 8;
}

static void sum_without_samples(struct profile *profile)
{
	profile->instructions[0].samples = -1;
}

static void sum_beyond_64_bits(struct profile *profile)
{
	profile->stalls[0].samples = INT64_MAX;
}

static void all_beyond_64_bits(struct profile *profile)
{
	profile->stalls[2].samples = INT64_MAX;
	profile->instructions[2].samples = INT64_MAX;
}

static void first_half_beyond_all(struct profile *profile)
{
	profile->instructions[0].first_samples = 8;
}

static void other_total(struct profile *profile)
{
	profile->samples = 1;
}

static void buffer_full_twice(struct profile *profile)
{
	profile->buffer_full = 2;
}

static void varies_more_than_yes(struct profile *profile)
{
	profile->instructions[1].varies = 2;
}

static void samples_of_an_unsampled_case(struct profile *profile)
{
	profile->samples = -1;
}

static const struct {
	void (*breaks)(struct profile *profile);
	const char *words;
} broken[] = {
	{no_function, "instruction 2 names a function or a position that there is not"},
	{function_below_0, "instruction 0 names a function"},
	{pc_below_0, "instruction 0 names a function"},
	{no_frame, "instruction 0 names a function"},
	{frame_below_none, "instruction 0 names a function"},
	{pc_twice, "instruction 1 does not follow the one before it"},
	{functions_descend, "instruction 2 does not follow"},
	{called_from_itself, "position 1 is called from one that does not precede it"},
	{called_from_a_later_one, "position 1 is called"},
	{caller_below_none, "position 1 is called"},
	{stall_of_none, "stall 2 has samples that cannot be"},
	{stall_below_0, "stall 0 has samples"},
	{stall_with_fewer_than_0, "stall 1 has samples"},
	{more_not_issued_than_samples, "stall 0 has samples"},
	{not_issued_below_0, "stall 0 has samples"},
	{reason_twice, "stall 1 does not follow the one before it"},
	{reasons_descend, "stall 1 does not follow"},
	{stalls_descend, "stall 2 does not follow"},
	{other_sum, "instruction 0 has other samples than its stalls"},
	{sum_without_samples, "instruction 0 has other samples"},
	{sum_beyond_64_bits, "instruction 0 has too many samples"},
	{all_beyond_64_bits, "instruction 2 has too many samples"},
	{first_half_beyond_all, "instruction 0 has other samples"},
	{other_total, "the profile has other samples than its instructions"},
	{buffer_full_twice, "the buffer was full 2 times"},
	{varies_more_than_yes, "instruction 1 varies in a way that cannot be"},
	{samples_of_an_unsampled_case, "the profile has other samples"},
};

static void each_invariant_is_checked(void **state)
{
	struct profile *profile = small_profile();
	struct error err = {0};

	(void)state;
	assert_int_equal(profile_check(profile, &err), 0);
	profile_free(profile);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		profile = small_profile();
		broken[i].breaks(profile);
		err = (struct error){0};
		if (profile_check(profile, &err) != PL_ECORRUPT ||
		    !strstr(err.text, broken[i].words))
			fail_msg("%zu: '%s', not '%s'", i, err.text, broken[i].words);
		profile_free(profile);
	}
}

/* An instruction that was counted but not sampled has no stalls. */
static void counts_need_no_samples(void **state)
{
	struct profile *profile = small_profile();

	(void)state;
	profile->instructions[1].executed = 9;
	assert_int_equal(profile_check(profile, NULL), 0);
	profile->instructions[1].samples = 0;
	assert_int_equal(profile_check(profile, NULL), 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_profile_knows_nothing),
		cmocka_unit_test(equal_functions_are_one),
		cmocka_unit_test(equal_frames_are_one),
		cmocka_unit_test(a_new_instruction_knows_its_place_only),
		cmocka_unit_test(each_invariant_is_checked),
		cmocka_unit_test(counts_need_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
