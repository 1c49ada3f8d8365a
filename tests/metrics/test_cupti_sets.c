/*
 * Every built-in set on every chip that this CUPTI knows: it must plan within
 * the recorded passes, and every counter must exist unless the catalogue says
 * that the chip has none.
 */
#include "metrics/catalogue/catalogue.h"
#include "metrics/cupti/cupti_session.h"
#include "tests/metrics/cupti_or_skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counters that the catalogue records as absent on the chip, by name, in the set. */
static size_t recorded_missing(enum metric_set set, const char *chip)
{
	const struct metric *metrics;
	size_t count, missing = 0;

	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		if (metrics[i].sets & 1u << set && metrics[i].aliases[0].chip_prefix &&
		    !metric_counter_on(&metrics[i], chip))
			missing++;
	}
	return missing;
}

/* Returns the passes, or 0 if planning for the chip is impossible; counts the errors. */
static size_t check_set(enum metric_set set, const char *chip, int *wrong)
{
	struct string_list names = {0}, wanted = {0};
	unsigned recorded = metric_set_recorded_passes(set, chip);
	struct cupti_plan *plan = NULL;
	struct error err = {0};
	size_t passes = 0;
	int rc;

	string_list_add(&names, metric_set_name(set));
	assert_int_equal(metric_request(&wanted, &names, NULL), 0);
	rc = cupti_plan_create(&plan, chip, &wanted, NULL, &err);
	if (rc == PL_EUNSUPPORTED && recorded == 0)
		goto out; /* CUPTI lists chips that it cannot profile: GV11B */
	if (rc) {
		print_error("%s on %s: %s\n", metric_set_name(set), chip, err.text);
		++*wrong;
		goto out;
	}
	passes = cupti_plan_pass_count(plan);
	if (passes == 0 || passes > recorded) {
		print_error("%s on %s needs %zu passes, %u are recorded\n", metric_set_name(set),
			    chip, passes, recorded);
		++*wrong;
	}
	if (cupti_plan_missing(plan)->count != recorded_missing(set, chip)) {
		for (size_t i = 0; i < cupti_plan_missing(plan)->count; i++)
			print_error("%s on %s: %s\n", metric_set_name(set), chip,
				    cupti_plan_missing(plan)->items[i]);
		++*wrong;
	}
out:
	cupti_plan_free(plan);
	string_list_release(&wanted);
	string_list_release(&names);
	return passes;
}

static void every_set_on_every_chip(void **state)
{
	struct string_list chips = {0};
	int wrong = 0;

	(void)state;
	assert_int_equal(cupti_chips(&chips, NULL), 0);
	assert_true(chips.count >= 30);
	for (size_t c = 0; c < chips.count; c++) {
		struct text row = TEXT_INIT;
		int before = wrong;

		text_addf(&row, "CHIP(\"%s\"", chips.items[c]);
		for (int set = 0; set < METRIC_SET_CLOCKS; set++)
			text_addf(&row, ", %zu",
				  check_set((enum metric_set)set, chips.items[c], &wrong));
		if (wrong > before)
			print_error("metrics/catalogue/passes.def would say %s)\n", row.data);
		text_release(&row);
	}
	assert_int_equal(wrong, 0);
	string_list_release(&chips);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_set_on_every_chip)};

	cupti_or_skip();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
