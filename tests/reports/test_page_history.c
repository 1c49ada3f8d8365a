/* The data of the page about earlier runs: medians and change points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "metrics/analysis/history.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/page_support.h"

#define RUNS 10
#define RUN_ROUNDS 3

/* The first case is slower in the newest run, the second since run 3. */
static void make_histories(struct history_grid *grid, const struct run *run)
{
	size_t cells = run->trial_count * RUNS;

	*grid = (struct history_grid){
		.runs = xcalloc(RUNS, sizeof(*grid->runs)),
		.shown = xcalloc(RUNS, sizeof(*grid->shown)),
		.run_count = RUNS,
		.case_count = run->trial_count,
		.median_ns = xcalloc(cells, sizeof(*grid->median_ns)),
		.session_low_ns = xcalloc(cells, sizeof(*grid->session_low_ns)),
		.session_high_ns = xcalloc(cells, sizeof(*grid->session_high_ns)),
		.unverified = xcalloc(cells, sizeof(*grid->unverified)),
		.rounds = xcalloc(cells, sizeof(*grid->rounds)),
		.round_ns = xcalloc(2 * RUNS * RUN_ROUNDS, sizeof(*grid->round_ns)),
	};
	for (size_t i = 0; i < RUNS; i++) {
		grid->runs[i].id = (int64_t)(100 + i);
		grid->shown[i] = i >= RUNS - 3;
	}
	for (size_t i = 0; i < cells; i++)
		grid->median_ns[i] = grid->session_low_ns[i] = grid->session_high_ns[i] = NAN;
	for (size_t i = 0; i < 2 * RUNS; i++) {
		bool slower = i < RUNS ? i == RUNS - 1 : i - RUNS >= 3;

		grid->median_ns[i] = slower ? 5e6 : 4e6;
		if (i != RUNS - 2) { /* too few samples for an interval */
			grid->session_low_ns[i] = grid->median_ns[i] - 2000;
			grid->session_high_ns[i] = grid->median_ns[i] + 3000;
		}
		grid->rounds[i] = (struct history_rounds){i * RUN_ROUNDS, RUN_ROUNDS};
		for (size_t k = 0; k < RUN_ROUNDS; k++)
			grid->round_ns[i * RUN_ROUNDS + k] =
				grid->median_ns[i] * (1 + 1e-4 * (double)k);
	}
	grid->unverified[RUNS - 1] = true; /* and one that is not shown */
	grid->unverified[0] = true;
	history_grid_find_changes(grid);
	for (size_t i = 0; i < grid->change_begin[1]; i++)
		grid->changes[i].same_code = true; /* the code of the first case never changes */
}

static void a_change_is_told_where_its_runs_are_shown(void **state)
{
	struct history_grid grid;
	struct run run;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	make_histories(&grid, &run);
	root = page_of(&run, &(struct report_options){.histories = &grid});
	assert_int_equal(json_array_size(at(root, "history.runs")), 3);
	assert_int_equal(json_integer_value(at(root, "history.runs.#0.id")), 107);
	assert_int_equal(json_integer_value(at(root, "history.all_runs")), RUNS);
	assert_int_equal(json_array_size(at(root, "history.medians.#0")), 3);
	assert_true(json_is_null(at(root, "history.medians.#2")));
	assert_int_equal(json_array_size(at(root, "history.intervals.#0")), 6);
	assert_int_equal(json_integer_value(at(root, "history.intervals.#0.#0")), 2000);
	assert_int_equal(json_integer_value(at(root, "history.intervals.#0.#1")), 3000);
	assert_true(json_is_null(at(root, "history.intervals.#0.#2")));
	assert_int_equal(json_array_size(at(root, "history.unverified.#0")), 1);
	assert_int_equal(json_integer_value(at(root, "history.unverified.#0.#0")), 2);
	assert_true(json_is_null(at(root, "history.unverified.#1")));
	/* between the last two runs; the level before began before the first shown run */
	assert_int_equal(json_array_size(at(root, "history.changes.#0")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#0")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#1")), 2);
	assert_true(fabs(json_number_value(at(root, "history.changes.#0.#0.#2")) - 1.25) < 1e-6);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#7")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#8")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#9")), 1);
	assert_true(json_is_null(at(root, "history.changes.#1")));
	assert_true(json_is_null(at(root, "history.modes.#0")));
	assert_int_equal(json_integer_value(at(root, "history.changes_unseen")), 1);
	json_decref(root);
	/* with all runs shown, each level begins where the previous one ends */
	for (size_t i = 0; i < RUNS; i++)
		grid.shown[i] = true;
	root = page_of(&run, &(struct report_options){.histories = &grid});
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#0")), 2);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#1")), 3);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#8")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#9")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes_unseen")), 0);
	json_decref(root);
	/* a level that comes and goes is a mode of the case */
	for (size_t i = 0; i < RUNS * RUN_ROUNDS; i++)
		grid.round_ns[i] = i / RUN_ROUNDS % 3 == 1 ? 4.2e6 : 4e6;
	history_grid_find_changes(&grid);
	root = page_of(&run, &(struct report_options){.histories = &grid});
	assert_true(json_is_null(at(root, "history.changes.#0")));
	assert_int_equal(json_integer_value(at(root, "history.modes.#0.#0")), 4000000);
	assert_int_equal(json_integer_value(at(root, "history.modes.#0.#1")), 4200000);
	assert_int_equal(json_integer_value(at(root, "history.modes.#0.#2")), 3);
	assert_int_equal(json_integer_value(at(root, "history.modes.#0.#3")), RUNS);
	json_decref(root);
	history_grid_release(&grid);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_told_where_its_runs_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
