/* Findings in a few words: which of the accesses of a case is named. */
#include "metrics/analysis/verdict.h"
#include "metrics/catalogue/catalogue.h"
#include "tests/metrics/verdict_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the emulator counted of loads or stores. */
struct accesses {
	double requests, sectors, bytes;
};

/* The loss and the words of the rule sectors. NAN and "": it does not hold. */
static double sectors_of(char *words, size_t size, struct accesses loads, struct accesses stores)
{
	const struct emulated_value values[] = {
		{.name = "ptx_global_load_requests", .value = loads.requests},
		{.name = "ptx_global_load_sectors", .value = loads.sectors},
		{.name = "ptx_global_load_bytes", .value = loads.bytes},
		{.name = "ptx_global_store_requests", .value = stores.requests},
		{.name = "ptx_global_store_sectors", .value = stores.sectors},
		{.name = "ptx_global_store_bytes", .value = stores.bytes},
	};
	const struct verdict_context context = {0};
	struct trial_findings findings = {0};
	struct roofline_point point;
	struct trial trial;
	double lost = NAN;

	timed_trial(&trial, NAN);
	metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
	roofline_point_of(&point, &trial, true, NULL);
	trial_findings_of(&findings, &trial, &point, &context);
	words[0] = '\0';
	for (size_t i = 0; i < findings.count; i++) {
		if (strcmp(findings.items[i].rule, "sectors") != 0)
			continue;
		lost = findings.items[i].lost;
		snprintf(words, size, "%s", findings.items[i].text);
	}
	trial_findings_release(&findings);
	trial_release(&trial);
	return lost;
}

static void the_accesses_that_lose_most_are_named(void **state)
{
	static const struct accesses fine = {10, 40, 1280}, wide = {10, 160, 5120},
				     scattered = {10, 160, 1280}, far = {10, 320, 1280},
				     one_lane = {10, 10, 40}, many = {1000, 4000, 128000};
	const struct {
		struct accesses loads, stores;
		const char *words;
		double lost;
	} cases[] = {
		{scattered, fine, "16.0 sectors per load", 120.0 / 200},
		{fine, scattered, "16.0 sectors per store", 120.0 / 200},
		{scattered, far, "32.0 sectors per store", 400.0 / 480},
		{far, scattered, "32.0 sectors per load", 400.0 / 480},
		{scattered, scattered, "16.0 sectors per load", 0.75},
		/* one lane that stores its result needs a whole sector, and no rule holds for it */
		{scattered, one_lane, "16.0 sectors per load", 120.0 / 170},
		{one_lane, scattered, "16.0 sectors per store", 120.0 / 170},
		{wide, one_lane, "", NAN},
		{scattered, {0, 0, 0}, "16.0 sectors per load", 0.75},
		/* few stores beside many loads */
		{many, scattered, "", NAN},
	};
	char words[80];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double lost = sectors_of(words, sizeof(words), cases[i].loads, cases[i].stores);

		assert_string_equal(words, cases[i].words);
		assert_true(isnan(cases[i].lost) ? isnan(lost) : fabs(lost - cases[i].lost) < 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_accesses_that_lose_most_are_named),
	};

	return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
