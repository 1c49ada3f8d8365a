/*
 * The history of cases over the runs of a device: of a single case, and of all cases of a run for
 * the report page. Both must agree.
 */
#include "context.h"
#include "metrics/analysis/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES 6
#define ROUNDS 5
#define SAMPLES 3
#define DAY_NS INT64_C(86400000000000)

/* Returns a reproducible time that differs a little from its neighbours. */
static double noise(int run, int at, int round, int sample)
{
	unsigned mixed = (unsigned)(run * 7919 + at * 104729 + round * 1299709 + sample * 15485863);

	mixed = (mixed ^ (mixed >> 13)) * 2654435761u;
	return 1 + 2e-4 * ((mixed >> 16) % 1000 / 1000.0 - 0.5);
}

/* Returns the factor of a case in a run; run 0 is the oldest of `runs`. */
static double level(int at, int run, int runs)
{
	switch (at) {
	case 1:
		return run >= runs / 2 ? 1.05 : 1;
	case 2:
		return run == runs - 1 ? 0.9 : 1; /* the newest alone */
	case 3:
		return run >= 3 && run < runs / 2 ? 1.1 : 1;
	case 4:
		return run == 2 ? 3 : 1; /* an outlier */
	default:
		return 1;
	}
}

static void store_round(struct context *context, int64_t trial, int run, int runs, int at,
			int number)
{
	double times[SAMPLES];
	struct round_result round = {
		.round = number, .state = device_state_unknown, .time_ns = times, .count = SAMPLES};

	for (int k = 0; k < SAMPLES; k++)
		times[k] = 5e6 * level(at, run, runs) * noise(run, at, number, k);
	/* one outlier per run, so that a mean of samples would be wrong */
	times[0] *= 1.5;
	assert_ok(context, db_round_add(context->db, trial, &round, &context->err));
}

/* Run `number` of `runs`, a day apart; its cases in another order than the last one's. */
static int64_t store(struct context *context, int number, int runs)
{
	struct run run = fixture_run("nightly");
	int64_t id;

	for (size_t i = 0; i < run.trial_count; i++)
		trial_release(&run.trials[i]);
	run.trials = xrealloc(run.trials, CASES * sizeof(*run.trials));
	run.trial_count = CASES;
	run.started_ns += number * DAY_NS;
	for (int i = 0; i < CASES; i++) {
		int at = number % 2 ? CASES - 1 - i : i;

		run.trials[i] = (struct trial){
			.position = i,
			.kernel = xstrdup("reduce"),
			.variant = xstrdup(at % 2 ? "shuffle" : "shared"),
			.config = xasprintf("block=%d", 32 << at),
			.facts = launch_facts_unknown,
		};
		snprintf(run.trials[i].launch_hash, sizeof(run.trials[i].launch_hash), "%016x", at);
	}
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (int i = 0; i < CASES; i++) {
		int at = number % 2 ? CASES - 1 - i : i;
		bool failed = at == 5 && number == 4;
		struct launch_facts facts = launch_facts_unknown;

		/* of case 1 unchanged, of case 2 not known */
		if (at != 2)
			snprintf(facts.code_hash, sizeof(facts.code_hash), "%016x",
				 at == 1 ? 1 : number);
		assert_ok(context,
			  db_trial_facts(context->db, run.trials[i].id, &facts, &context->err));
		for (int k = 0; k < ROUNDS && !failed; k++)
			store_round(context, run.trials[i].id, number, runs, at, k);
		assert_ok(context,
			  db_trial_finish(context->db, run.trials[i].id,
					  failed ? TRIAL_FAILED : TRIAL_OK,
					  failed ? "by a test" : NULL, NULL, &context->err));
	}
	assert_ok(context, db_run_finish(context->db, run.id, RUN_FINISHED, &context->err));
	id = run.id;
	run_release(&run);
	return id;
}

/* The history of one case, as the verb has it. */
struct wanted {
	struct context *context;
	const struct trial *trial;
	struct history history;
};

static int load_wanted(void *data, const struct known_case *item)
{
	struct wanted *wanted = data;

	if (strcmp(item->variant, wanted->trial->variant) != 0 ||
	    strcmp(item->config, wanted->trial->config) != 0)
		return 0;
	assert_ok(wanted->context, db_history_load(wanted->context->db, item, &wanted->history,
						   &wanted->context->err));
	history_find_changes(&wanted->history);
	return 1;
}

/* Every case of the grid has the change points of its own history; returns how many there are. */
static size_t assert_agree(struct context *context, const struct run *run,
			   const struct history_grid *grid)
{
	size_t count = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		struct wanted wanted = {.context = context, .trial = &run->trials[i]};
		size_t begin = grid->change_begin[i];

		assert_ok(context,
			  db_cases_visit(context->db, load_wanted, &wanted, &context->err));
		assert_int_equal(grid->change_begin[i + 1] - begin, wanted.history.change_count);
		for (size_t k = 0; k < wanted.history.change_count; k++) {
			const struct history_change *mine = &grid->changes[begin + k];
			const struct history_change *its = &wanted.history.changes[k];

			assert_int_equal(grid->runs[mine->last].id,
					 wanted.history.runs[its->last].id);
			assert_int_equal(grid->runs[mine->first].id,
					 wanted.history.runs[its->first].id);
			assert_true(mine->change.effect.change == its->change.effect.change);
			assert_true(mine->change.effect.low == its->change.effect.low);
			assert_true(mine->change.effect.high == its->change.effect.high);
			assert_true(mine->change.before_ns == its->change.before_ns);
			assert_int_equal(mine->change.provisional, its->change.provisional);
			assert_int_equal(mine->same_code, its->same_code);
			count++;
		}
		history_release(&wanted.history);
	}
	return count;
}

static size_t changes_of(struct context *context, int64_t id, size_t shown,
			 struct history_grid *grid)
{
	struct run run = {0};
	size_t count;

	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	assert_ok(context, db_history_grid_load(context->db, &run, shown, grid, &context->err));
	assert_int_equal(grid->case_count, CASES);
	history_grid_find_changes(grid);
	assert_ok(context, db_history_grid_codes(context->db, grid, &context->err));
	count = assert_agree(context, &run, grid);
	run_release(&run);
	return count;
}

/* The rounds show that only the newest run is at another level; a median of all would not. */
static void test_a_page_knows_the_rounds(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	int64_t last = 0;

	for (int i = 0; i < 10; i++)
		last = store(context, i, 10);
	assert_int_equal(changes_of(context, last, 50, &grid), 2); /* of cases 1 and 2 */
	for (size_t i = 0; i < grid.case_count * grid.run_count; i++)
		if (!isnan(grid.median_ns[i]))
			grid.rounds[i].count = 0;
	history_grid_find_changes(&grid);
	assert_int_equal(grid.change_begin[grid.case_count], 1);
	history_grid_release(&grid);
}

/* The requested run is always shown, however few runs are shown. */
static void test_a_page_looks_at_all_runs(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	int64_t ids[30];
	size_t found, same = 0;

	for (int i = 0; i < 30; i++)
		ids[i] = store(context, i, 30);
	found = changes_of(context, ids[29], 4, &grid);
	assert_int_equal(found, 4); /* of case 1, 2, and two of 3 */
	for (size_t i = 0; i < found; i++)
		same += grid.changes[i].same_code;
	assert_int_equal(same, 1); /* that of case 1 */
	assert_int_equal(grid.run_count, 30);
	for (size_t i = 0; i < 30; i++)
		assert_int_equal(grid.shown[i], i >= 26);
	history_grid_release(&grid);
	assert_int_equal(changes_of(context, ids[7], 4, &grid), found);
	for (size_t i = 0; i < 30; i++)
		assert_int_equal(grid.shown[i], i >= 27 || i == 7);
	history_grid_release(&grid);
}

/* Most runs of the file, stored between those of the page, have another --cache. */
static void test_other_runs_change_nothing(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	int64_t last = 0;
	size_t found;

	for (int i = 0; i < 12; i++) {
		for (int k = 1; i == 6 && k <= 30; k++)
			store(context, -k, 12);
		last = store(context, i, 12);
	}
	sql_execute(context->path, "UPDATE run SET cache = 'hot' WHERE id BETWEEN 7 AND 36");
	found = changes_of(context, last, 50, &grid);
	assert_int_equal(grid.run_count, 12);
	history_grid_release(&grid);
	sql_execute(context->path, "DELETE FROM run WHERE cache = 'hot'");
	assert_int_equal(changes_of(context, last, 50, &grid), found);
	assert_true(found > 1);
	history_grid_release(&grid);
}

/* Half of the runs have the cost of the events in their times. Case 1 changes where they end. */
static void test_times_of_two_clocks_are_not_mixed(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	int64_t last = 0;
	char *sql;
	size_t in_page = 0;

	for (int i = 0; i < 20; i++)
		last = store(context, i, 20);
	assert_int_equal(changes_of(context, last, 50, &grid), 4);
	history_grid_release(&grid);
	sql = xasprintf("UPDATE round SET event_ns = 2000 WHERE trial_id IN"
			" (SELECT id FROM trial WHERE run_id > %lld)",
			(long long)last - 10);
	sql_execute(context->path, sql);
	free(sql);
	assert_int_equal(changes_of(context, last, 50, &grid), 1); /* of case 2: its newest run */
	for (size_t i = 0; i < grid.case_count * grid.run_count; i++)
		in_page += !isnan(grid.median_ns[i]);
	assert_int_equal(in_page, CASES * 10);
	history_grid_release(&grid);
	/* one run whose cost could not be measured does not decide */
	sql_execute(context->path, "UPDATE round SET event_ns = NULL WHERE trial_id IN"
				   " (SELECT id FROM trial WHERE run_id ="
				   "  (SELECT max(id) FROM run))");
	changes_of(context, last, 50, &grid);
	for (size_t i = in_page = 0; i < grid.case_count * grid.run_count; i++)
		in_page += !isnan(grid.median_ns[i]);
	assert_int_equal(in_page, CASES * 9);
	history_grid_release(&grid);
}

static void test_a_run_alone_has_no_history(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	struct run run = {0};

	assert_ok(context,
		  db_run_load(context->db, store(context, 0, 1), true, &run, &context->err));
	assert_ok(context, db_history_grid_load(context->db, &run, 50, &grid, &context->err));
	assert_int_equal(grid.case_count, 0);
	run_release(&run);
}

#define history_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		history_test(test_a_page_knows_the_rounds),
		history_test(test_a_page_looks_at_all_runs),
		history_test(test_other_runs_change_nothing),
		history_test(test_times_of_two_clocks_are_not_mixed),
		history_test(test_a_run_alone_has_no_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
