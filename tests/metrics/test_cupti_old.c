/* A CUPTI without the functions for single instructions: counters are read as before. */
#include "metrics/cupti/cupti_profile.h"
#include "metrics/cupti/cupti_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_told(const struct error *err, const char *words)
{
	if (!strstr(err->text, words))
		fail_msg("'%s' does not say '%s'", err->text, words);
}

static void an_old_library_profiles_nothing(void **state)
{
	struct cupti_instruction_counts *counts = NULL;
	struct cupti_sampler *sampler = NULL;
	struct error err = {0};
	uint64_t id = 0;

	(void)state;
	setenv("PERFLAB_CUPTI", FAKE_CUPTI_OLD, 1);
	if (cupti_load(NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(cupti_sampler_open(&sampler, NULL, 9, &err), PL_EUNSUPPORTED);
	assert_told(&err, "this CUPTI (13.0) cannot sample program counters");
	assert_null(sampler);
	assert_int_equal(cupti_counts_open(&counts, NULL, 0, "GH100", &err), PL_EUNSUPPORTED);
	assert_told(&err, "this CUPTI (13.0) cannot count by instruction");
	assert_null(counts);
	assert_int_equal(cupti_cubin_id(&id, "x", 1, &err), PL_EUNSUPPORTED);
	assert_told(&err, "gives cubins no number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_old_library_profiles_nothing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
