#include "metrics/analysis/regress.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static void parse(struct thresholds *out, const char *text)
{
	struct error err = {0};

	if (thresholds_parse(out, "file", text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static double limit_of(const struct thresholds *thresholds, const char *case_name, const char *name)
{
	const struct threshold *found = thresholds_find(thresholds, case_name, name);

	assert_non_null(found);
	assert_false(found->ignore);
	return found->limit;
}

static void later_lines_stand_in_the_place_of_earlier_ones(void **state)
{
	struct thresholds thresholds;

	(void)state;
	parse(&thresholds, "# limits\n"
			   "*          time=1% ptx_branches=+2%\r\n"
			   "\n"
			   "reduce/*   time=0.05 # noisy\n"
			   "  *block=64*\ttime=3%   ignore=ptx_branches");
	assert_true(limit_of(&thresholds, "stream/copy/block=32", "time") == 0.01);
	assert_true(limit_of(&thresholds, "reduce/naive/block=32", "time") == 0.05);
	assert_true(limit_of(&thresholds, "reduce/naive/block=64,n=2", "time") == 0.03);
	assert_true(limit_of(&thresholds, "stream/copy/block=32", "ptx_branches") == 0.02);
	assert_true(thresholds_find(&thresholds, "reduce/naive/block=64", "ptx_branches")->ignore);
	assert_null(thresholds_find(&thresholds, "reduce/naive/block=64", "instructions"));
	assert_false(thresholds_ignore(&thresholds, "reduce/naive/block=64"));
	thresholds_release(&thresholds);
}

static void a_case_is_ignored_until_a_limit_takes_it_back(void **state)
{
	struct thresholds thresholds;

	(void)state;
	parse(&thresholds,
	      "* ignore\nreduce/* time=1%\nreduce/naive* ignore\nstream ignore=time\n");
	assert_true(thresholds_ignore(&thresholds, "fault/none/block=32"));
	assert_false(thresholds_ignore(&thresholds, "reduce/shuffle/block=32"));
	assert_true(thresholds_ignore(&thresholds, "reduce/naive/block=32"));
	/* to ignore less is no reason to look at the rest */
	assert_true(thresholds_ignore(&thresholds, "stream/copy/block=32"));
	thresholds_release(&thresholds);
}

static void which_way_is_worse_is_the_catalogues_or_the_signs(void **state)
{
	struct thresholds thresholds;

	(void)state;
	parse(&thresholds,
	      "* ptx_divergent_branches=0% ptx_branch_efficiency_pct=1% instructions=-2% "
	      "sm__warps_active.avg=+3%\n");
	assert_int_equal(thresholds_find(&thresholds, "a", "ptx_divergent_branches")->worse,
			 WORSE_MORE);
	assert_int_equal(thresholds_find(&thresholds, "a", "ptx_branch_efficiency_pct")->worse,
			 WORSE_LESS);
	assert_int_equal(thresholds_find(&thresholds, "a", "instructions")->worse, WORSE_LESS);
	assert_int_equal(thresholds_find(&thresholds, "a", "sm__warps_active.avg")->worse,
			 WORSE_MORE);
	thresholds_release(&thresholds);
}

static void nothing_said_is_nothing(void **state)
{
	struct thresholds thresholds;

	(void)state;
	parse(&thresholds, "");
	assert_int_equal(thresholds.count, 0);
	parse(&thresholds, "\n#time=1%\n \t\n");
	assert_int_equal(thresholds.count, 0);
	assert_false(thresholds_ignore(&thresholds, "a"));
	thresholds_release(&thresholds);
}

static void bad_lines_are_named(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"* time=1%\nreduce", "file:2: a pattern without a limit: \"reduce\""},
		{"* time", "file:1: neither NAME=LIMIT nor ignore: \"time\""},
		{"* time=", "file:1: not a limit such as 2% or 0.02: \"time=\""},
		{"* time=fast", "file:1: not a limit"},
		{"* time=1%%", "file:1: not a limit"},
		{"* time=-1%", "file:1: not a limit"},
		{"* time=+1%", "file:1: not a limit"},
		{"* time=nan", "file:1: not a limit"},
		{"* time=1e300", "file:1: not a limit"},
		{"* time=1e300%", "file:1: not a limit"},
		{"* time=2", "file:1: not a limit such as 2% or 0.02: \"time=2\""},
		{"* time=1", "file:1: not a limit"},
		{"* tmie=1%", "file:1: neither time nor a metric"},
		{"* ignore=tmie", "file:1: neither time nor a metric"},
		{"* ignore=", "file:1: neither time nor a metric"},
		{"* instructions=1%", "write +2% or -2%"},
		{"* sm__cycles.sum=1%", "write +2% or -2%"},
		{"* =1%", "file:1: neither time nor a metric"},
		{"* \033[31m=1%", "\"?[31m\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct thresholds thresholds = {0};
		struct error err = {0};

		assert_int_equal(thresholds_parse(&thresholds, "file", rows[i].text,
						  strlen(rows[i].text), &err),
				 PL_EPARSE);
		assert_null(thresholds.rules);
		if (!strstr(err.text, rows[i].message))
			fail_msg("\"%s\" says: %s", rows[i].text, err.text);
	}
}

static void bytes_of_no_text_are_refused(void **state)
{
	struct thresholds thresholds = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(thresholds_parse(&thresholds, "file", "* time=1%\n\0\n", 12, &err),
			 PL_EPARSE);
	assert_non_null(strstr(err.text, "file:2: a NUL byte"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_lines_stand_in_the_place_of_earlier_ones),
		cmocka_unit_test(a_case_is_ignored_until_a_limit_takes_it_back),
		cmocka_unit_test(which_way_is_worse_is_the_catalogues_or_the_signs),
		cmocka_unit_test(nothing_said_is_nothing),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(bytes_of_no_text_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
