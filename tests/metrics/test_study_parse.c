/* Study files: accepted contents, and the errors for others. */
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

static void a_file_is_read(void **state)
{
	struct study study;
	char *selector;

	(void)state;
	must_parse(&study, "# a remark\n\n"
			   "title: Two\n\twords: here\nclaim:C\nsource: S  \r\nmade on: V100\n"
			   "look at: L\non emulator: n=2^10\n"
			   "case a: reduce/naive/block=64,128,n=2^20\n"
			   "best b: reduce/shuffle/n=2^20\n"
			   "part: faster\nclaimed: 7.4\nunit: times\n"
			   "measured: time(a) / time(b)\nexpect: between 5.9 and 8.9\n"
			   "part: counted\nmeasured: instructions(a)\n"
			   "emulated: ptx_warp_instructions(a)\nexpect: at most 1e9\n");
	assert_string_equal(study.name, "name");
	assert_string_equal(study.title, "Two words: here");
	assert_string_equal(study.claim, "C");
	assert_string_equal(study.source, "S");
	assert_int_equal(study.case_count, 2);
	assert_false(study.cases[0].best);
	assert_true(study.cases[1].best);
	assert_int_equal(study.cases[1].line, 11);
	assert_int_equal(study.part_count, 2);
	assert_string_equal(study.parts[0].claimed, "7.4");
	assert_true(study.parts[0].expect.low == 5.9 && study.parts[0].expect.high == 8.9);
	assert_true(study_answerable(&study, true));
	assert_true(study_needs_case(&study, 1, false));
	assert_false(study_needs_case(&study, 1, true));

	/* an axis of "on emulator" takes the place of the same in the case, its list included */
	selector = study_selector(&study, 0, false);
	assert_string_equal(selector, "reduce/naive/block=64,128,n=2^20");
	free(selector);
	selector = study_selector(&study, 0, true);
	assert_string_equal(selector, "reduce/naive/block=64,128,n=2^10");
	free(selector);
	study_release(&study);
}

static void metrics_are_asked_for_once(void **state)
{
	struct string_list names = {0};
	struct study study;

	(void)state;
	must_parse(&study, PART("instructions(a) / instructions(b) * time(a) + branch_targets(b)",
				"at least 1"));
	study_metrics(&names, &study, false);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "instructions");
	study_metrics(&names, &study, true);
	assert_int_equal(names.count, 2);
	string_list_release(&names);
	study_release(&study);
}

static void slips_are_named_with_their_line(void **state)
{
	(void)state;
	must_refuse(HEAD CASES "part: P\nmesured: 1\nexpect: at least 1\n",
		    "folder/name.study:9: no key is called \"mesured\"; did you mean measured?");
	must_refuse("title: T\ntitle: T\n", ":2: \"title\" appears twice");
	must_refuse("title T\n", ":1: expected \"key: value\"");
	must_refuse("  title: T\n", ":1: a line that begins with a blank");
	must_refuse("title: T\nclaim:\n", "there is no value after \"claim:\"");
	must_refuse(HEAD "case a: x/y\ncase a: x/z\n", ":7: there is already a case \"a\"");
	must_refuse(HEAD "case A: x/y\n", "a case needs a name");
	must_refuse(HEAD "case: x/y\n", "a case needs a name");
	must_refuse("unit: ms\n", "belongs to a part");
	must_refuse("expect: at least 1\n", "belongs to a part");
	must_refuse("measured: 1\n", "belongs to a part");
	must_refuse(HEAD "part: P\ncase a: x/y\n", "before the first part");
	must_refuse(HEAD "part: P\nmade on: x\n", "before the first part");
	must_refuse(HEAD, "ends without a part");
	must_refuse("title: T\n", "ends without \"claim\"");
	must_refuse(HEAD "part: P\nexpect: at least 1\n", "has no expression");
	must_refuse(HEAD CASES "part: P\nmeasured: time(a)/time(b)\n", "what to \"expect\"");
	must_refuse(PART("time(a)", "at least 1"), ":7: case \"b\" is not used");
	must_refuse(PART("time(a)/time(b)", "at least 1\nexpect: at least 2"), "appears twice");
	must_refuse(PART("time(a)/time(b)", "at least 1\nmeasured: 1"), "has this expression");
	must_refuse("", "ends without \"title\"");
}

static void bad_expressions_are_named_with_their_place(void **state)
{
	static const struct {
		const char *expression, *words;
	} rows[] = {
		{"time(a) /", "character 10: a number, a name or \"(\" expected"},
		{"time(c)", "character 6: no case of the study has this name"},
		{"time()", "character 6: the name of a case is missing"},
		{"time(a", "character 7: \")\" is missing"},
		{"time a", "character 1: \"(\" expected after a name"},
		{"time(a) time(b)", "character 9: an operator or the end expected"},
		{"instrutcions(a)", "did you mean instructions?"},
		{"ptx_branches(a)", "no metric is called \"ptx_branches\""},
		{"dram_bytes_per_s(a)", "a rate: divide by time()"},
		{"flop_per_s(a)", "a rate"},
		{"1.2.3", "not a number"},
		{"1 $ 2", "an operator or the end expected"},
		{"max()", "a number, a name"},
		{"max(1", "\")\" is missing after the arguments"},
		{"log10(1, 2)", "\")\" is missing after the arguments"},
		{"((((((((((((((((((((((((((((((((((1", "nested too deep"},
		{"-----------------------------------1", "nested too deep"},
		{"1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+1))))))))))))))))",
		 "nested too deep"},
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text),
			 HEAD CASES "part: P\nmeasured: %s\nexpect: at least 1\n",
			 rows[i].expression);
		must_refuse(text, rows[i].words);
		must_refuse(text, "folder/name.study:9: ");
	}
	must_refuse(HEAD CASES "part: P\nemulated: time(a)\nexpect: at least 1\n",
		    "the emulator measures no time");
	must_refuse(HEAD CASES "part: P\nemulated: instructions(a)\nexpect: at least 1\n",
		    "no metric of the emulator is called");
	must_refuse(HEAD "best a: reduce/naive\npart: P\nemulated: ptx_branches(a)\n",
		    "it has no fastest case");
	snprintf(text, sizeof(text), HEAD CASES "part: P\nmeasured: 1");
	for (size_t end = strlen(text); end < sizeof(text) - 2; end += 2)
		memcpy(text + end, "+1", sizeof("+1"));
	must_refuse(text, "too long");
}

static void limits_are_read_or_refused(void **state)
{
	static const struct {
		const char *text;
		double low, high;
	} good[] = {{"at least 2", 2, INFINITY},      {"at most -2", -INFINITY, -2},
		    {"between 1 and 2.5", 1, 2.5},    {"equal 100", 100, 100},
		    {"equal 100 within 5%", 95, 105}, {"equal -100 within 5%", -105, -95}};
	static const char *const bad[] = {"2",
					  "at 2",
					  "at least",
					  "at least x",
					  "between 2 and 1",
					  "between 1 2",
					  "equal 1 within",
					  "equal 1 within 5",
					  "at  least 2",
					  "equal 1 within -5%",
					  "at worst 2"};
	char text[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct study study;

		snprintf(text, sizeof(text), PART("time(a)/time(b)", "%s"), good[i].text);
		must_parse(&study, text);
		assert_true(study.parts[0].expect.low == good[i].low);
		assert_true(study.parts[0].expect.high == good[i].high);
		study_release(&study);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), PART("time(a)/time(b)", "%s"), bad[i]);
		must_refuse(text, "is not a limit");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(metrics_are_asked_for_once),
		cmocka_unit_test(slips_are_named_with_their_line),
		cmocka_unit_test(bad_expressions_are_named_with_their_place),
		cmocka_unit_test(limits_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
