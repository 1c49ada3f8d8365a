/* The answers of studies to given measurements. */
#include "metrics/analysis/compare.h"
#include "metrics/analysis/study.h"
#include "tests/metrics/study_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEDIANS(...)                                             \
	((struct process_medians){(const double[]){__VA_ARGS__}, \
				  sizeof((double[]){__VA_ARGS__}) / 8})

/* The answer to one part over a and b; another has use for the cases. The caller releases it. */
static struct study_answer judge(const char *expression, const char *limits,
				 const struct study_evidence *evidence)
{
	struct study_answer answer;
	struct study study;
	char text[512];

	snprintf(text, sizeof(text),
		 PART("%s", "%s") "part: Q\nmeasured: verified(a) + verified(b)\nexpect: equal 2\n",
		 expression, limits);
	must_parse(&study, text);
	study_judge(&answer, &study, evidence, &noise_of_h200, false);
	study_release(&study);
	answer.verdict = answer.parts[0].verdict;
	free(answer.why);
	answer.why = answer.parts[0].why ? xstrdup(answer.parts[0].why) : NULL;
	return answer;
}

static void assert_near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.12g is not %.12g", value, expected);
}

struct pair {
	struct trial trials[2];
	struct study_evidence evidence[2];
};

static void pair_init(struct pair *pair, struct process_medians a, struct process_medians b)
{
	*pair = (struct pair){0};
	for (int i = 0; i < 2; i++) {
		counter_list_set(&pair->trials[i].counters, "instructions", "instruction", "s",
				 i ? 300 : 600);
		counter_list_set_missing(&pair->trials[i].counters, "branch_targets", "1", "s",
					 "the driver refuses");
		pair->trials[i].facts = launch_facts_unknown;
		pair->trials[i].status = TRIAL_OK;
		pair->evidence[i].trial = &pair->trials[i];
	}
	pair->evidence[0].medians = a;
	pair->evidence[1].medians = b;
}

static void pair_release(struct pair *pair)
{
	for (int i = 0; i < 2; i++)
		counter_list_release(&pair->trials[i].counters);
}

/* Long times: what is known of the noise is then the same of both. */
static void a_ratio_has_the_interval_of_an_effect(void **state)
{
	struct process_medians a = MEDIANS(7.1e9, 7.0e9, 7.2e9), b = MEDIANS(1.0e9, 1.02e9);
	struct effect effect =
		effect_of(b, a, &(struct effect_context){.noise = noise_of_h200, .share = 1});
	struct study_answer answer;
	struct pair pair;

	(void)state;
	pair_init(&pair, a, b);
	answer = judge("time(a) / time(b)", "at least 1", pair.evidence);
	assert_near(answer.parts[0].value, 1 + effect.change, 1e-12);
	assert_near(answer.parts[0].low, 1 + effect.low, 1e-9);
	assert_near(answer.parts[0].high, 1 + effect.high, 1e-9);
	assert_true(answer.parts[0].low < answer.parts[0].value);
	assert_int_equal(answer.verdict, STUDY_HOLDS);
	study_answer_release(&answer);

	/* of a sum it is one of differences: symmetric, and the same relative error */
	answer = judge("100 * (time(a) / time(b) - 1)", "at least 1", pair.evidence);
	assert_near(answer.parts[0].value, 100 * effect.change, 1e-12);
	assert_near(answer.parts[0].high - answer.parts[0].value,
		    100 * (1 + effect.change) * (log1p(effect.high) - log1p(effect.change)), 1e-9);
	study_answer_release(&answer);

	/* what is in both cancels: the interval of 1 is no wider than rounding */
	answer = judge("time(a) / time(a)", "equal 1 within 1%", pair.evidence);
	assert_near(answer.parts[0].high, 1, 1e-12);
	study_answer_release(&answer);
	pair_release(&pair);
}

/* One process does not show how far two differ, so the claim stays open. */
static void one_round_has_no_interval(void **state)
{
	struct study_answer answer;
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6, 2e6), MEDIANS(1e6));
	answer = judge("time(a) / time(b)", "at least 1.5", pair.evidence);
	assert_int_equal(answer.verdict, STUDY_OPEN);
	assert_near(answer.parts[0].value, 2, 1e-12);
	assert_true(isnan(answer.parts[0].low) && isnan(answer.parts[0].high));
	assert_non_null(strstr(answer.why, "one round has no interval"));
	study_answer_release(&answer);
	pair_release(&pair);
}

static void limits_decide(void **state)
{
	static const struct {
		const char *limits;
		enum study_verdict verdict;
	} rows[] = {
		{"at least 1.9", STUDY_HOLDS},      {"at least 2", STUDY_OPEN},
		{"at least 2.1", STUDY_FAILS},      {"at most 2", STUDY_OPEN},
		{"at most 1.9", STUDY_FAILS},       {"between 1.9 and 2.1", STUDY_HOLDS},
		{"between 1.5 and 2", STUDY_OPEN},  {"between 3 and 4", STUDY_FAILS},
		{"equal 2 within 5%", STUDY_HOLDS}, {"equal 2", STUDY_OPEN},
	};
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6, 2e6, 2e6), MEDIANS(1e6, 1e6, 1e6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer =
			judge("time(a) / time(b)", rows[i].limits, pair.evidence);

		if (answer.verdict != rows[i].verdict)
			fail_msg("%s: %s", rows[i].limits, study_verdict_name(answer.verdict));
		assert_true((answer.why != NULL) == (answer.verdict == STUDY_OPEN));
		if (answer.verdict == STUDY_OPEN)
			assert_non_null(strstr(answer.why, "crosses 2"));
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

static void counts_and_arithmetic_are_exact(void **state)
{
	static const struct {
		const char *expression;
		double value;
	} rows[] = {{"instructions(a) / instructions(b)", 2},
		    {"1 + 2 * 3 - 4 / 8", 6.5},
		    {"-(1 + 2) * 3", -9},
		    {"2 - 3 - 4", -5},
		    {"8 / 4 / 2", 1},
		    {"min(3, 1, 2) + max(1, 5)", 6},
		    {"-log10(1e-7)", 7},
		    {"1.5e+2", 150}};
	static const char *const vary[] = {"dram_bytes(a)", "time(a) + time(b)"};
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6), MEDIANS(1e6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer =
			judge(rows[i].expression, "at least -100", pair.evidence);

		assert_near(answer.parts[0].value, rows[i].value, 1e-12);
		assert_true(isnan(answer.parts[0].low));
		assert_true(answer.parts[0].exact);
		assert_int_equal(answer.verdict, STUDY_HOLDS);
		study_answer_release(&answer);
	}
	/* what the memory does is not the same twice, nor is any time */
	for (size_t i = 0; i < ARRAY_SIZE(vary); i++) {
		struct study_answer answer = judge(vary[i], "at least -100", pair.evidence);

		assert_false(answer.parts[0].exact);
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

/* The memory of a case is known if its launches are known. */
static void memory_of_a_case_can_be_asked(void **state)
{
	static const struct {
		const char *expression;
		double value;
	} rows[] = {{"buffer_bytes(a)", 4096},
		    {"scratch_bytes(a)", 1024},
		    {"scratch_bytes(b)", 0}}; /* a case without scratch memory */
	static const char *const names[] = {"buffer_bytes(b)", "scratch_bytes(b)"};
	struct study_answer answer;
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6), MEDIANS(1e6));
	pair.evidence[0].buffer_bytes = 4096;
	pair.evidence[0].scratch_bytes = 1024;
	pair.evidence[1].buffer_bytes = 8;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		answer = judge(rows[i].expression, "at least 0", pair.evidence);
		assert_true(answer.parts[0].value == rows[i].value);
		assert_true(answer.parts[0].exact);
		study_answer_release(&answer);
	}
	pair.evidence[1].buffer_bytes = 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		answer = judge(names[i], "at least 0", pair.evidence);
		assert_int_equal(answer.verdict, STUDY_OPEN);
		assert_non_null(strstr(answer.why, "the memory of case b: not known"));
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

static void what_is_missing_is_said(void **state)
{
	static const struct {
		const char *expression, *words;
	} rows[] = {
		{"branch_targets(a)", "branch_targets of case a: the driver refuses"},
		{"branch_targets_uniform(a)", "of case a: not counted"},
		{"registers_per_thread(b)", "registers of case b: not known"},
		{"flop(b)", "the work of case b: not known"},
		{"log10(0 - 1)", "not a finite number"},
		{"1 / 0", "not a finite number"},
		{"max(1, log10(0 - 1))", "not a finite number"},
		{"min(log10(0 - 1), 1)", "not a finite number"},
		{"max(1, branch_targets(a))", "the driver refuses"},
		{"time(a)/time(b)", "the time of case b: not measured"},
	};
	struct study_answer answer;
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6, 2.1e6), (struct process_medians){NULL, 0});
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		answer = judge(rows[i].expression, "at least 0", pair.evidence);
		assert_int_equal(answer.verdict, STUDY_OPEN);
		if (!answer.why || !strstr(answer.why, rows[i].words))
			fail_msg("%s: %s", rows[i].expression, answer.why);
		assert_true(isnan(answer.parts[0].value));
		study_answer_release(&answer);
	}
	pair.trials[0].status = TRIAL_SKIPPED;
	pair.evidence[0].reason = "skipped, too small";
	for (int there = 1; there >= 0; there--) {
		if (!there)
			pair.evidence[0].trial = NULL;
		answer = judge("instructions(a)", "at least 0", pair.evidence);
		assert_non_null(strstr(answer.why, "case a: skipped, too small"));
		study_answer_release(&answer);
		answer = judge("verified(a)", "at least 0", pair.evidence);
		assert_non_null(strstr(answer.why, "case a: skipped, too small"));
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

/* A wrong result is an answer; a case that could not run is not. */
static void how_a_case_ended_can_be_asked(void **state)
{
	static const struct {
		enum trial_status status;
		double value; /* NAN: not known */
	} rows[] = {{TRIAL_OK, 1},        {TRIAL_MISMATCH, 0},        {TRIAL_FAULT, 0},
		    {TRIAL_TIMEOUT, 0},   {TRIAL_CRASHED, 0},         {TRIAL_DEVICE_ERROR, 0},
		    {TRIAL_SAMPLED, NAN}, {TRIAL_OUT_OF_MEMORY, NAN}, {TRIAL_FAILED, NAN},
		    {TRIAL_SKIPPED, NAN}, {TRIAL_PENDING, NAN},       {TRIAL_UNVERIFIED, NAN}};
	struct pair pair;

	(void)state;
	assert_int_equal(ARRAY_SIZE(rows), TRIAL_STATUS_COUNT);
	pair_init(&pair, MEDIANS(2e6), MEDIANS(1e6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer;

		pair.trials[0].status = rows[i].status;
		pair.evidence[0].reason = rows[i].status == TRIAL_OK ? NULL : "how it ended";
		answer = judge("verified(a)", "equal 1", pair.evidence);
		assert_int_equal(answer.verdict, isnan(rows[i].value) ? STUDY_OPEN
						 : rows[i].value > 0  ? STUDY_HOLDS
								      : STUDY_FAILS);
		if (isnan(rows[i].value))
			assert_non_null(strstr(answer.why, "how it ended"));
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

/* One failed part decides the answer; an open part leaves the study open otherwise. */
static void a_study_is_the_sum_of_its_parts(void **state)
{
	static const struct {
		const char *limits[2];
		enum study_verdict verdict;
	} rows[] = {{{"at least 1", "at least 1"}, STUDY_HOLDS},
		    {{"at least 1", "at least 3"}, STUDY_FAILS},
		    {{"at least 2", "at least 1"}, STUDY_OPEN},
		    {{"at least 2", "at least 3"}, STUDY_FAILS}};
	struct pair pair;
	char text[1024];

	(void)state;
	pair_init(&pair, MEDIANS(2e6, 2e6), MEDIANS(1e6, 1e6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer;
		struct study study;

		snprintf(text, sizeof(text),
			 HEAD CASES "part: P\nmeasured: time(a)/time(b)\nexpect: %s\n"
				    "part: Q\nmeasured: time(a)/time(b)\nexpect: %s\n",
			 rows[i].limits[0], rows[i].limits[1]);
		must_parse(&study, text);
		study_judge(&answer, &study, pair.evidence, &noise_of_h200, false);
		assert_int_equal(answer.verdict, rows[i].verdict);
		study_answer_release(&answer);
		/* the emulator can answer none of them */
		study_judge(&answer, &study, pair.evidence, &noise_of_h200, true);
		assert_int_equal(answer.verdict, STUDY_NEEDS_TIMES);
		assert_null(answer.why);
		study_answer_release(&answer);
		study_release(&study);
	}
	pair_release(&pair);
}

/* What stands beside the claim has an answer, and no say. */
static void a_part_beside_the_claim_decides_nothing(void **state)
{
	struct study_answer answer;
	struct study study;
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6, 2e6), MEDIANS(1e6, 1e6));
	must_parse(&study, HEAD CASES "part: P\nmeasured: time(a)/time(b)\nexpect: at least 1\n"
				      "part: Q\nmeasured: time(a)/time(b)\nexpect: at least 3\n"
				      "decides: no\n"
				      "part: R\nemulated: ptx_warp_instructions(a)\n"
				      "expect: at least 1\ndecides: no\n");
	study_judge(&answer, &study, pair.evidence, &noise_of_h200, false);
	assert_int_equal(answer.verdict, STUDY_HOLDS);
	assert_null(answer.why);
	assert_int_equal(answer.parts[1].verdict, STUDY_FAILS);
	assert_int_equal(answer.parts[2].verdict, STUDY_NEEDS_EMULATOR);
	study_answer_release(&answer);
	study_release(&study);
	pair_release(&pair);
	must_refuse(HEAD CASES "part: P\nmeasured: time(a)/time(b)\nexpect: at least 1\n"
			       "decides: no\n",
		    "the study ends without a part that decides");
	must_refuse(HEAD CASES "part: P\nmeasured: time(a)/time(b)\ndecides: yes\n",
		    ":10: \"decides\" must be \"no\"");
	must_refuse(HEAD CASES "decides: no\n", ":8: \"decides\" belongs to a part");
}

/* A value of the work model, the plan or the occupancy calculator is never shown as measured. */
static void a_value_says_what_it_is_based_on(void **state)
{
	static const struct {
		const char *expression;
		enum study_basis basis;
	} rows[] = {{"flop(a) / flop(b)", STUDY_BY_CALCULATION},
		    {"launches(a)", STUDY_BY_CALCULATION},
		    {"theoretical_occupancy_pct(a)", STUDY_BY_CALCULATION},
		    {"model_flop_f32(a)", STUDY_BY_CALCULATION},
		    {"buffer_bytes(a) / bytes(a)", STUDY_BY_CALCULATION},
		    {"1", STUDY_BY_CALCULATION},
		    {"registers_per_thread(a)", STUDY_BY_COMPILER},
		    {"verified(a) / flop(a)", STUDY_BY_RESULTS},
		    {"relative_error(a)", STUDY_BY_RESULTS},
		    {"instructions(a) / flop(a)", STUDY_BY_COUNTERS},
		    {"time(a) / instructions(a)", STUDY_BY_TIMES}};
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6), MEDIANS(1e6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer =
			judge(rows[i].expression, "at least -100", pair.evidence);

		assert_int_equal(answer.parts[0].basis, rows[i].basis);
		study_answer_release(&answer);
	}
	pair_release(&pair);
}

/* What another backend has to answer is not called undecided: it says what is needed. */
static void a_part_says_what_it_needs(void **state)
{
	static const struct {
		const char *first, *second;
		enum study_verdict verdict;
		size_t decided;
	} rows[] = {
		{"emulated: verified(a)", "measured: time(a)", STUDY_NEEDS_TIMES, 1},
		{"emulated: verified(a)", "measured: dram_bytes(a)", STUDY_NEEDS_COUNTERS, 1},
		{"emulated: verified(a)", "measured: verified(a)", STUDY_NEEDS_GPU, 1},
		{"measured: dram_bytes(a)", "measured: time(a)", STUDY_NEEDS_TIMES, 0},
		{"emulated: 2", "measured: time(a)", STUDY_FAILS, 1},
		{"emulated: ptx_branches(a)", "measured: time(a)", STUDY_OPEN, 0},
		{"emulated: verified(a)", "emulated: launches(a) / 3", STUDY_HOLDS, 2},
	};
	struct pair pair;

	(void)state;
	pair_init(&pair, MEDIANS(2e6), MEDIANS(1e6));
	pair.evidence[0].launches = 3;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct study_answer answer;
		struct study study;
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD "case a: reduce/naive/block=64,n=2^20\npart: P\n%s\n"
			      "expect: equal 1\npart: Q\n%s\nexpect: equal 1\n",
			 rows[i].first, rows[i].second);
		must_parse(&study, text);
		study_judge(&answer, &study, pair.evidence, &noise_of_h200, true);
		if (answer.verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, study_verdict_name(answer.verdict));
		assert_int_equal(answer.deciding, 2);
		assert_int_equal(answer.decided, rows[i].decided);
		assert_true((answer.why != NULL) == (answer.verdict == STUDY_OPEN));
		study_answer_release(&answer);
		study_release(&study);
	}
	pair_release(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_has_the_interval_of_an_effect),
		cmocka_unit_test(one_round_has_no_interval),
		cmocka_unit_test(limits_decide),
		cmocka_unit_test(counts_and_arithmetic_are_exact),
		cmocka_unit_test(memory_of_a_case_can_be_asked),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(how_a_case_ended_can_be_asked),
		cmocka_unit_test(a_study_is_the_sum_of_its_parts),
		cmocka_unit_test(a_part_beside_the_claim_decides_nothing),
		cmocka_unit_test(a_value_says_what_it_is_based_on),
		cmocka_unit_test(a_part_says_what_it_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
