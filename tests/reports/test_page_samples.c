/* The data of the page about samples, and about a second run to compare with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/reports/constructed_run.h"
#include "tests/reports/page_support.h"

#define FAILS_AT 2

struct taken {
	size_t count; /* per trial */
	bool fails;
};

/* Two rounds: 1000.5, 1032.5 … and 2000, 1968 … */
static int take(void *context, int64_t trial_id, struct sample **out, size_t *count,
		struct error *err)
{
	const struct taken *taken = context;

	if (taken->fails && trial_id >= FAILS_AT)
		return error_set(err, PL_ECORRUPT, "the file is damaged <here>");
	*out = xcalloc(taken->count, sizeof(**out));
	*count = taken->count;
	for (size_t i = 0; i < taken->count; i++) {
		bool second = i >= taken->count / 2;
		size_t place = second ? i - taken->count / 2 : i;

		(*out)[i] = (struct sample){.round = second,
					    .sequence = (int)place,
					    .time_ns = second ? 2000 - 32.0 * (double)place
							      : 1000.5 + 32.0 * (double)place};
	}
	return 0;
}

static void samples_lose_nothing(void **state)
{
	struct taken taken = {.count = 20};
	struct run run;
	json_t *root, *rounds;

	(void)state;
	constructed_run_init(&run);
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	rounds = at(root, "samples.trials.#0");
	assert_int_equal(json_array_size(rounds), 2);
	/* the round, then times in 1/32 ns, each as a difference */
	assert_int_equal(json_integer_value(at(rounds, "#0.#0")), 0);
	assert_int_equal(json_integer_value(at(rounds, "#0.#1")), 32016);
	assert_int_equal(json_integer_value(at(rounds, "#0.#2")), 1024);
	assert_int_equal(json_array_size(at(rounds, "#0")), 11);
	assert_int_equal(json_integer_value(at(rounds, "#1.#0")), 1);
	assert_int_equal(json_integer_value(at(rounds, "#1.#1")), 64000);
	assert_int_equal(json_integer_value(at(rounds, "#1.#2")), -1024);
	/* a trial that was not timed has none */
	assert_true(json_is_null(at(root, "samples.trials.#2")));
	assert_true(json_is_null(at(root, "samples.reason")));
	json_decref(root);
	run_release(&run);
}

static void very_many_samples_are_thinned(void **state)
{
	struct taken taken = {.count = 700000};
	struct run run;
	json_t *root;
	size_t kept = 0;
	int64_t most;

	(void)state;
	constructed_run_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		if (run.trials[i].summary.count > 0)
			run.trials[i].summary.count = (int64_t)taken.count;
	}
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	most = json_integer_value(at(root, "samples.most"));
	for (size_t i = 0; i < run.trial_count; i++) {
		json_t *rounds = json_array_get(at(root, "samples.trials"), i);
		size_t of_trial = 0;

		for (size_t j = 0; j < json_array_size(rounds); j++)
			of_trial += json_array_size(json_array_get(rounds, j)) - 1;
		assert_true(of_trial <= (size_t)most);
		kept += of_trial;
	}
	assert_true(kept > 500000 && kept <= 1000000);
	json_decref(root);
	run_release(&run);
}

static void samples_that_cannot_be_read_have_a_reason(void **state)
{
	struct taken taken = {.count = 20, .fails = true};
	struct run run;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	assert_int_equal(json_array_size(at(root, "samples.trials.#0")), 2);
	assert_string_equal(json_string_value(at(root, "samples.reason")),
			    "the file is damaged <here>");
	json_decref(root);
	root = page_of(&run, &(struct report_options){0});
	assert_non_null(json_string_value(at(root, "samples.reason")));
	json_decref(root);
	run_release(&run);
}

/* The times of the second run are 10 % longer, and its cases are in another order. */
static int take_of_two(void *context, int64_t trial_id, struct sample **out, size_t *count,
		       struct error *err)
{
	int rc = take(context, trial_id % 1000, out, count, err);

	for (size_t i = 0; !rc && trial_id >= 1000 && i < *count; i++)
		(*out)[i].time_ns *= 1.1;
	return rc;
}

static void a_run_stands_beside_another(void **state)
{
	struct taken taken = {.count = 20};
	struct run run, other;
	struct trial swapped;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	constructed_run_init(&other);
	other.id = 11;
	for (size_t i = 0; i < other.trial_count; i++)
		other.trials[i].id += 1000;
	swapped = other.trials[0];
	other.trials[0] = other.trials[1];
	other.trials[1] = swapped;
	root = page_of(&run, &(struct report_options){.compare = &other,
						      .samples = take_of_two,
						      .samples_context = &taken});
	assert_int_equal(json_integer_value(at(root, "compare_run.id")), 11);
	assert_true(json_number_value(at(root, "compare_trials.median_ns.#1")) == 31210.0);
	/* found by name; faster by the factor, which lies inside the interval */
	assert_int_equal(json_integer_value(at(root, "comparison.#0.#0")), 1);
	assert_true(fabs(json_number_value(at(root, "comparison.#0.#2")) - 1 / 1.1) < 1e-6);
	assert_true(json_number_value(at(root, "comparison.#0.#3")) < 1 / 1.1);
	assert_true(json_number_value(at(root, "comparison.#0.#4")) > 1 / 1.1);
	assert_string_equal(
		json_string_value(json_array_get(
			json_array_get(at(root, "changes"),
				       (size_t)json_integer_value(at(root, "comparison.#0.#1"))),
			0)),
		change_name(CHANGE_INCONCLUSIVE));
	/* not timed: nothing to compare */
	assert_true(json_is_null(at(root, "comparison.#2")));
	json_decref(root);
	/* compared by counters too */
	counter_list_set(&run.trials[0].counters, "branch_targets_divergent", "1", "a test", 9);
	counter_list_set(&other.trials[1].counters, "branch_targets_divergent", "1", "a test", 8);
	root = page_of(&run, &(struct report_options){.compare = &other,
						      .samples = take_of_two,
						      .samples_context = &taken});
	assert_int_equal(json_integer_value(at(root, "comparison.#0.#1")), CHANGE_REGRESSED);
	json_decref(root);
	/* without samples the stored medians are compared, as one process each: no interval */
	root = page_of(&run, &(struct report_options){.compare = &other});
	assert_true(json_number_value(at(root, "comparison.#0.#2")) == 1);
	assert_true(json_is_null(at(root, "comparison.#0.#3")));
	assert_true(json_is_null(at(root, "comparison.#0.#4")));
	json_decref(root);
	run_release(&run);
	run_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_lose_nothing),
		cmocka_unit_test(very_many_samples_are_thinned),
		cmocka_unit_test(samples_that_cannot_be_read_have_a_reason),
		cmocka_unit_test(a_run_stands_beside_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
