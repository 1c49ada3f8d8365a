/* What the lines of a profile cost, and the words for it. */
#include "metrics/analysis/line_costs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile_support.h"

/* Two lines, and an instruction without a line. Line 0 has two instructions. */
static struct profile *two_lines(void)
{
	struct profile *profile = profile_new();
	const int64_t near = profile_frame_add(profile, "a.cu", 7, NULL, -1);
	const int64_t far = profile_frame_add(profile, "a.cu", 9, NULL, -1);
	struct profile_instruction *at;

	profile_frame_add(profile, "a.cu", 11, NULL, -1); /* a caller: it has no instruction */
	at = sampled_instruction(profile, near, "long_scoreboard", 40, 20);
	at->executed = 10;
	at->lanes = 320;
	at->requests = 10;
	at->sectors = 160;
	at->ideal_sectors = 40;
	at->varies = 0;
	at = sampled_instruction(profile, far, "wait", 50, 25);
	at->executed = 3;
	at = sampled_instruction(profile, near, "barrier", 5, 1);
	at->executed = 10;
	at->lanes = 160;
	at->varies = 1;
	profile_stall_add(profile, 2, "long_scoreboard")->samples = 3;
	profile->stalls[2].not_issued = 2;
	at->samples = 8;
	profile->samples += 3;
	sampled_instruction(profile, -1, "wait", 2, 1);
	assert_int_equal(profile_check(profile, NULL), 0);
	profile->frames[near].low = 0.25;
	profile->frames[near].high = 0.75;
	return profile;
}

static void a_line_is_the_sum_of_its_instructions(void **state)
{
	struct profile *profile = two_lines();
	struct line_cost_list lines;
	const struct line_cost *line;

	(void)state;
	line_costs_of(profile, &lines);
	assert_int_equal(lines.count, 3);
	line = &lines.items[0];
	assert_int_equal(line->frame, 0);
	assert_int_equal(line->function, 0);
	assert_int_equal(line->instruction_count, 2);
	assert_int_equal(line->instructions[0], 0);
	assert_int_equal(line->instructions[1], 2);
	assert_int_equal(line->sums.executed, 20);
	assert_int_equal(line->sums.lanes, 480);
	assert_int_equal(line->sums.samples, 48);
	assert_int_equal(line->sums.pc, 0);
	assert_int_equal(line->not_issued, 2);
	assert_true(line->share == 0.48);
	assert_true(line->low == 0.25 && line->high == 0.75);
	/* the most samples first, of both instructions */
	assert_int_equal(line->stall_count, 2);
	assert_string_equal(line->stalls[0].reason, "long_scoreboard");
	assert_int_equal(line->stalls[0].samples, 43);
	assert_string_equal(line->stalls[1].reason, "barrier");
	assert_int_equal(line->stalls[1].not_issued, 2);
	/* instructions without a position are the last */
	line = &lines.items[2];
	assert_int_equal(line->frame, -1);
	assert_true(line->share == 0.02);
	assert_true(isnan(line->low) && isnan(line->high));
	line_cost_list_release(&lines);
	assert_int_equal(lines.count, 0);
	profile_free(profile);
}

/* One that is known for one instruction of several is of that one alone. */
static void unknown_counts_do_not_become_0(void **state)
{
	struct profile *profile = two_lines();
	struct line_cost_list lines;

	(void)state;
	line_costs_of(profile, &lines);
	assert_int_equal(lines.items[0].sums.sectors, 160);
	assert_int_equal(lines.items[0].sums.wavefronts, -1);
	assert_int_equal(lines.items[0].sums.local_sectors, -1);
	assert_int_equal(lines.items[1].sums.lanes, -1);
	assert_int_equal(lines.items[1].sums.requests, -1);
	line_cost_list_release(&lines);
	profile_free(profile);
}

static int64_t line_varies(int64_t first, int64_t second)
{
	struct profile *profile = profile_new();
	const int64_t frame = profile_frame_add(profile, "a.cu", 7, NULL, -1);
	struct line_cost_list lines;
	int64_t varies;

	sampled_instruction(profile, frame, "wait", 1, 1)->varies = first;
	sampled_instruction(profile, frame, "wait", 1, 1)->varies = second;
	line_costs_of(profile, &lines);
	varies = lines.items[0].sums.varies;
	line_cost_list_release(&lines);
	profile_free(profile);
	return varies;
}

static void a_line_varies_if_one_instruction_does(void **state)
{
	(void)state;
	assert_int_equal(line_varies(0, 0), 0);
	assert_int_equal(line_varies(0, 1), 1);
	assert_int_equal(line_varies(1, 0), 1);
	assert_int_equal(line_varies(1, -1), 1);
	assert_int_equal(line_varies(-1, 1), 1);
	assert_int_equal(line_varies(0, -1), -1);
	assert_int_equal(line_varies(-1, 0), -1);
	assert_int_equal(line_varies(-1, -1), -1);
}

static void counts_that_are_too_large_stay_the_largest(void **state)
{
	struct profile *profile = two_lines();
	struct line_cost_list lines;

	(void)state;
	profile->instructions[0].executed = INT64_MAX;
	line_costs_of(profile, &lines);
	assert_true(lines.items[0].sums.executed == INT64_MAX);
	assert_true(lines.items[0].laned == INT64_MAX);
	line_cost_list_release(&lines);
	profile_free(profile);
}

static void the_largest_share_comes_first(void **state)
{
	struct profile *profile = two_lines();
	struct line_cost_list lines;

	(void)state;
	line_costs_of(profile, &lines);
	qsort(lines.items, lines.count, sizeof(*lines.items), line_cost_compare);
	assert_int_equal(lines.items[0].frame, 1);
	assert_int_equal(lines.items[1].frame, 0);
	assert_int_equal(lines.items[2].frame, -1);
	/* without samples, what was executed more often */
	for (size_t i = 0; i < lines.count; i++)
		lines.items[i].sums.samples = -1;
	lines.items[2].sums.executed = 3;
	qsort(lines.items, lines.count, sizeof(*lines.items), line_cost_compare);
	assert_int_equal(lines.items[0].frame, 0);
	assert_int_equal(lines.items[1].frame, -1);
	assert_int_equal(lines.items[2].frame, 1);
	line_cost_list_release(&lines);
	profile_free(profile);
}

static void an_unsampled_profile_has_no_shares(void **state)
{
	struct profile *profile = profile_new();
	const int64_t frame = profile_frame_add(profile, "a.cu", 7, NULL, -1);
	struct line_cost_list lines;

	(void)state;
	profile_function_add(profile, "kernel", "");
	profile_instruction_add(profile, 0, 0)->frame = frame;
	profile->instructions[0].executed = 4;
	line_costs_of(profile, &lines);
	assert_int_equal(lines.count, 1);
	assert_true(isnan(lines.items[0].share));
	assert_int_equal(lines.items[0].not_issued, -1);
	assert_int_equal(lines.items[0].sums.samples, -1);
	assert_int_equal(lines.items[0].stall_count, 0);
	line_cost_list_release(&lines);
	profile_free(profile);
}

static void waste_is_what_the_ideal_saves(void **state)
{
	struct line_cost line = {.sums = {.sectors = 160, .ideal_sectors = 40}};

	(void)state;
	assert_true(line_wasted_sectors(&line) == 0.75);
	/* fewer than ideal: lanes read the same element */
	line.sums.ideal_sectors = 200;
	assert_true(line_wasted_sectors(&line) == 0);
	line.sums.ideal_sectors = -1;
	assert_true(isnan(line_wasted_sectors(&line)));
	line.sums.sectors = 0;
	line.sums.ideal_sectors = 0;
	assert_true(isnan(line_wasted_sectors(&line)));
	line.sums.wavefronts = 8;
	line.sums.ideal_wavefronts = 6;
	assert_true(line_wasted_wavefronts(&line) == 0.25);
	line.sums.wavefronts = -1;
	assert_true(isnan(line_wasted_wavefronts(&line)));
}

static void an_exit_that_no_lane_takes_wastes_no_lanes(void **state)
{
	struct profile *profile = two_lines();
	const int64_t frame = profile->instructions[0].frame;
	struct profile_instruction *at = sampled_instruction(profile, frame, "wait", 0, 0);
	struct line_cost_list lines;

	(void)state;
	at->executed = 1000;
	at->lanes = 0;
	line_costs_of(profile, &lines);
	/* 320 and 160 lanes of 20 warps */
	assert_true(line_lanes_pct(&lines.items[0]) == 75);
	assert_true(isnan(line_lanes_pct(&lines.items[1])));
	line_cost_list_release(&lines);
	profile_free(profile);
}

/* Those of CUPTI 13.0 on an H200: cuptiPCSamplingGetStallReasons. */
static void every_reason_has_words(void **state)
{
	static const char *const reasons[] = {
		"barrier",
		"branch_resolving",
		"dispatch_stall",
		"drain",
		"gmma",
		"imc_miss",
		"lg_throttle",
		"long_scoreboard",
		"math_pipe_throttle",
		"membar",
		"mio_throttle",
		"misc",
		"no_instructions",
		"not_selected",
		"selected",
		"short_scoreboard",
		"sleeping",
		"tex_throttle",
		"wait",
		"warpgroup_arrive",
	};

	(void)state;
	assert_int_equal(ARRAY_SIZE(reasons), 20);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		assert_ptr_not_equal(stall_reason_words(reasons[i]), reasons[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(stall_reason_words(reasons[i]),
						stall_reason_words(reasons[j]));
	}
	assert_string_equal(stall_reason_words("long_scoreboard"),
			    "waits for global or local memory");
	assert_string_equal(stall_reason_words("of_tomorrow"), "of_tomorrow");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_the_sum_of_its_instructions),
		cmocka_unit_test(unknown_counts_do_not_become_0),
		cmocka_unit_test(a_line_varies_if_one_instruction_does),
		cmocka_unit_test(counts_that_are_too_large_stay_the_largest),
		cmocka_unit_test(the_largest_share_comes_first),
		cmocka_unit_test(an_unsampled_profile_has_no_shares),
		cmocka_unit_test(waste_is_what_the_ideal_saves),
		cmocka_unit_test(an_exit_that_no_lane_takes_wastes_no_lanes),
		cmocka_unit_test(every_reason_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
