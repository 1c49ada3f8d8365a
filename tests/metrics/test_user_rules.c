/* Metrics and rules of a user's file: what they compute, what they say, and what is refused. */
#include "metrics/analysis/user_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "tests/metrics/roofline_support.h"
#include "tests/metrics/verdict_support.h"

static int parse(struct user_rules *out, const char *text, struct error *err)
{
	return user_rules_parse(out, "team.rules", text, strlen(text), err);
}

static void must_parse(struct user_rules *out, const char *text)
{
	struct error err = {0};

	if (parse(out, text, &err))
		fail_msg("%s", err.text);
}

static void must_refuse(const char *text, const char *words)
{
	struct user_rules rules = {0};
	struct error err = {0};

	if (parse(&rules, text, &err) != PL_EPARSE)
		fail_msg("\"%s\" is accepted", text);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_null(rules.metrics);
}

/* A trial of a run, with a DRAM at 10 % of its roof and the L2 at 45 %. */
static void make_run(struct run *run, struct trial *trial)
{
	waiting_trial(trial);
	set_counter(trial, "l2_from_l1_bytes", 360e6);
	trial->counted = true;
	trial->stall_samples[STALL_MEMORY] = 500;
	trial->stall_samples[STALL_READY] = 500;
	*run = (struct run){.trials = trial, .trial_count = 1, .device = round_device};
}

static void judge_run(struct verdict *out, const struct run *run)
{
	struct ceiling_list roofs;
	struct roofline_point point;
	struct verdict_context context;

	round_roofs(&roofs);
	context = verdict_context_of(run, &roofs);
	roofline_point_of(&point, run->trials, false, &roofs);
	verdict_of(out, run->trials, &point, &context);
	ceiling_list_release(&roofs);
}

#define METRIC(formula) "metric: own\nunit: byte\nmeaning: m\nformula: " formula "\n"

static void metrics_are_derived(void **state)
{
	static const struct {
		const char *text;
		double value; /* NAN: missing */
		const char *reason;
	} rows[] = {
		{METRIC("2 * (dram_bytes - 4e6) / 1e6"), 72, NULL},
		{METRIC("min(3, max(1, 2)) - -1"), 3, NULL},
		{METRIC("median_time_ns"), 1e5, NULL},
		{METRIC("dram_bytes / flop_f64"), NAN,
		 "its formula has no value, such as a division by zero"},
		{METRIC("f32_fma"), NAN, "needs f32_fma, which was not collected"},
		{METRIC("shared_bytes"), NAN, "needs shared_bytes: not on this chip"},
		{METRIC("local_bytes_per_thread"), NAN,
		 "needs local_bytes_per_thread, which is not known"},
		/* a metric stands on those above it */
		{"metric: first\nunit: 1\nmeaning: m\nformula: dram_bytes\n" METRIC("first / 2"),
		 20e6, NULL},
		{METRIC("sm__cycles_active.sum * 2"), NAN,
		 "needs sm__cycles_active.sum, which was not collected"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct counter_value *found;
		struct user_rules rules;
		struct trial trial;
		struct run run;

		must_parse(&rules, rows[i].text);
		make_run(&run, &trial);
		trial.facts.local_bytes_per_thread = -1;
		counter_list_set_missing(&trial.counters, "shared_bytes", "byte", "",
					 "not on this chip");
		user_rules_derive(&rules, &run);
		found = counter_list_find(&trial.counters, "own");
		assert_non_null(found);
		assert_string_equal(found->unit, "byte");
		assert_non_null(strstr(found->source, "team.rules"));
		assert_int_equal(found->has_value, isfinite(rows[i].value));
		if (found->has_value)
			assert_true(found->value == rows[i].value);
		else
			assert_string_equal(found->reason, rows[i].reason);
		user_rules_release(&rules);
		trial_release(&trial);
	}
}

/* A modelled or emulated number never gets a metric of a device. */
static void an_emulated_run_has_none(void **state)
{
	struct user_rules rules;
	struct trial trial;
	struct run run;

	(void)state;
	must_parse(&rules, METRIC("dram_bytes"));
	make_run(&run, &trial);
	run.traits.emulated = true;
	user_rules_derive(&rules, &run);
	assert_null(counter_list_find(&trial.counters, "own"));
	user_rules_release(&rules);
	trial_release(&trial);
}

#define RULE(when) "rule: mine\nwhen: " when "\nsays: {roof_l2_pct} % and {f32_fma}\n"
#define ADVICE "advice: do it\nremedy: it\n"

static void rules_add_notes_and_advice(void **state)
{
	static const struct {
		const char *text, *note, *advice;
	} rows[] = {
		{RULE("roof_l2_pct > 44 and roof_l2_pct <= 45"), "45 % and ?", NULL},
		{RULE("roof_l2_pct > 46"), NULL, NULL},
		{RULE("f32_fma > 0"), NULL, NULL},
		{RULE("f32_fma > 0 or stall_memory_pct == 50"), "45 % and ?", NULL},
		{RULE("f32_fma > 0 and stall_memory_pct == 50"), NULL, NULL},
		{RULE("1") ADVICE, "45 % and ?", "do it"},
		/* 100 us - 0.4 (100 us - 3.5 us), while the L2 needs 45 us */
		{RULE("1") ADVICE "saves: 0.4\n", "45 % and ?",
		 "do it: at most 1.6 times as fast (saves 0.4)"},
		{RULE("1") ADVICE "saves: 7\n", "45 % and ?",
		 "do it: at most 2.2 times as fast (saves 7)"},
		{RULE("1") ADVICE "saves: 0.04\n", "45 % and ?", NULL},
		{RULE("1") ADVICE "limiters: dram, latency\n", "45 % and ?", "do it"},
		{RULE("1") ADVICE "limiters: dram\n", "45 % and ?", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct user_rules rules;
		struct verdict verdict;
		struct trial trial;
		struct run run;

		must_parse(&rules, rows[i].text);
		make_run(&run, &trial);
		run.rules = &rules;
		judge_run(&verdict, &run);
		assert_int_equal(verdict.bound, BOUND_LATENCY);
		if (rows[i].note)
			assert_string_equal(note_of(&verdict, "mine"), rows[i].note);
		else
			assert_null(note_of(&verdict, "mine"));
		if (rows[i].advice)
			assert_string_equal(advice_of(&verdict, "mine"), rows[i].advice);
		else
			assert_null(advice_of(&verdict, "mine"));
		verdict_release(&verdict);
		user_rules_release(&rules);
		trial_release(&trial);
	}
}

static void what_is_needed(void **state)
{
	struct user_rules rules;
	struct string_list names = {0};

	(void)state;
	must_parse(&rules, METRIC("dram_bytes / sm__cycles_active.sum")
				   RULE("own > 1 and l1_bytes > 1 and dram_bytes > 1"));
	user_rules_needs(&names, &rules);
	assert_int_equal(names.count, 4);
	assert_string_equal(names.items[0], "dram_bytes");
	assert_string_equal(names.items[1], "sm__cycles_active.sum");
	assert_string_equal(names.items[2], "l1_bytes");
	assert_string_equal(names.items[3], "f32_fma"); /* what the rule says */
	string_list_release(&names);
	user_rules_release(&rules);
}

static void refusals(void **state)
{
	static const char *const rows[][2] = {
		{"", "team.rules:1: the file has no metric and no rule"},
		{"metric: own\n", "metric \"own\" ends without \"formula\""},
		{METRIC("dram_byte"), "4: \"dram_byte\", character 1: no metric of a device is "
				      "called \"dram_byte\"; did you mean dram_bytes"},
		{METRIC("ptx_branches"), "no metric of a device"},
		{METRIC("roof_l2_pct"), "no metric of a device"},
		{METRIC("own"), "no metric of a device"},
		{METRIC("1") METRIC("2"), "5: there is already a metric \"own\""},
		{"metric: dram_bytes\n", "there is already a metric \"dram_bytes\""},
		{"metric: waves\n", "there is already a metric \"waves\""},
		{"metric: and\n", "there is already a metric \"and\""},
		{"metric: sm__x\n", "a name has up to 40 lower-case letters"},
		{"rule: Mine\n", "a name has up to 40 lower-case letters"},
		{"rule: latency\n", "there is already a rule \"latency\""},
		{"rule: mine\nsays: a\n", "rule \"mine\" ends without \"when\""},
		{"rule: mine\nwhen: 1\n", "rule \"mine\" ends without \"says\""},
		{RULE("1") "advice: do it\n", "ends without \"remedy\""},
		{RULE("1") "saves: 1\n", "ends without \"advice\""},
		{RULE("1") ADVICE "limiters: drum\n", "no limiter is called \"drum\""},
		{RULE("1 <"), "character 4: a number, a name or"},
		{RULE("1 and"), "character 6: a number, a name or"},
		{RULE("(1"), "\")\" is missing"},
		{RULE("1 = 1"), "an operator or the end expected"},
		{RULE("stall_memori_pct > 1"), "did you mean stall_memory_pct"},
		{"rule: mine\nwhen: 1\nsays: {dram_byte}\n", "did you mean dram_bytes"},
		{"rule: mine\nwhen: 1\nsays: {dram_bytes\n", "\"{\" without \"}\""},
		{"when: 1\n", "\"when\" belongs to a rule"},
		{"limiters: l2\n", "\"limiters\" belongs to a rule"},
		{RULE("1") "unit: 1\n", "\"unit\" belongs to a metric"},
		{RULE("1") "when: 1\n", "\"when\" appears twice"},
		{RULE("1") "wen: 1\n", "no key is called \"wen\"; did you mean when"},
		{"rule:\n", "there is no value after \"rule:\""},
		{" rule: mine\n", "begins with a blank"},
		{"nothing\n", "expected \"key: value\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		must_refuse(rows[i][0], rows[i][1]);
}

/* The file that docs/rules.md shows. */
static void the_example(void **state)
{
	struct user_rules rules;
	struct error err = {0};

	(void)state;
	if (user_rules_load(&rules, "docs/examples/stencils.rules", &err))
		fail_msg("%s", err.text);
	assert_int_equal(rules.metric_count, 3);
	assert_int_equal(rules.rule_count, 1);
	user_rules_release(&rules);
	assert_int_equal(user_rules_load(&rules, "docs/no.rules", &err), PL_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_derived),
		cmocka_unit_test(an_emulated_run_has_none),
		cmocka_unit_test(rules_add_notes_and_advice),
		cmocka_unit_test(what_is_needed),
		cmocka_unit_test(refusals),
		cmocka_unit_test(the_example),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
