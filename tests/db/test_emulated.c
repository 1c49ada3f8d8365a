/* What a backend without times stores: statuses, lines and counters. */
#include "context.h"
#include "metrics/catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

static const struct line_count expected[] = {
	{.line = 12, .instructions = 3, .lanes = 96},
	{.file = "a.cu", .line = 3, .instructions = 8, .lanes = 200, .branches = 4, .divergent = 1},
	{.file = "a.cu",
	 .line = 14,
	 .instructions = INT64_C(1) << 40,
	 .lanes = INT64_C(1) << 45,
	 .requests = 7,
	 .sectors = 28,
	 .shared_requests = 5,
	 .wavefronts = 160,
	 .conflicts = 155},
	{.file = "it's \xff.cuh", .line = 1, .instructions = 1, .lanes = 1},
};

static void fill(struct line_count_list *lines)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct line_count *line =
			line_count_list_add(lines, expected[i].file, expected[i].line);
		char *file = line->file;

		*line = expected[i];
		line->file = file;
	}
}

static struct run emulated_run(void)
{
	struct run run = fixture_run("emulated");

	fixture_emulate(&run);
	return run;
}

static void assert_lines(const struct line_count_list *lines)
{
	assert_int_equal(lines->count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct line_count *line = &lines->items[i];

		if (expected[i].file)
			assert_string_equal(line->file, expected[i].file);
		else
			assert_null(line->file);
#define SAME(field) assert_true(line->field == expected[i].field)
		SAME(line);
		SAME(instructions);
		SAME(lanes);
		SAME(branches);
		SAME(divergent);
		SAME(requests);
		SAME(sectors);
		SAME(shared_requests);
		SAME(wavefronts);
		SAME(conflicts);
#undef SAME
	}
}

static void test_lines_come_back_with_their_trial(void **state)
{
	struct context *context = *state;
	struct line_count_list lines = {0};
	struct run run = emulated_run(), loaded = {0};

	fill(&lines);
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	assert_ok(context, db_lines_set(context->db, run.trials[1].id, &lines, &context->err));
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	assert_int_equal(loaded.trials[0].lines.count, 0);
	assert_lines(&loaded.trials[1].lines);
	run_release(&loaded);
	assert_int_equal(context_query(context, "SELECT line FROM line WHERE file = ''"), 12);

	/* storing again duplicates nothing */
	assert_ok(context, db_lines_set(context->db, run.trials[1].id, &lines, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM line"), ARRAY_SIZE(expected));
	line_count_list_release(&lines);
	assert_ok(context, db_lines_set(context->db, run.trials[1].id, &lines, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM line"), 0);
	run_release(&run);
}

static void test_lines_that_cannot_be_stored_change_nothing(void **state)
{
	struct context *context = *state;
	struct line_count_list lines = {0}, twice = {0};
	struct run run = emulated_run();

	fill(&lines);
	line_count_list_add(&twice, "a.cu", 3);
	line_count_list_add(&twice, "a.cu", 3);
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	assert_ok(context, db_lines_set(context->db, run.trials[1].id, &lines, &context->err));
	assert_int_equal(db_lines_set(context->db, 4711, &lines, &context->err), PL_ENOENT);
	assert_one_line(&context->err, context->path, "no such run or trial");
	assert_int_equal(db_lines_set(context->db, run.trials[1].id, &twice, &context->err),
			 PL_EEXIST);
	assert_int_equal(context_query(context, "SELECT count(*) FROM line"), ARRAY_SIZE(expected));
	line_count_list_release(&lines);
	line_count_list_release(&twice);
	run_release(&run);
}

/* An emulated case is verified but has no time, so it is never the fastest of a problem. */
static void test_what_has_no_time_is_not_best(void **state)
{
	struct context *context = *state;
	const struct emulated_value values[] = {{.name = "ptx_branches", .value = 8},
						{.name = "ptx_divergent_branches", .value = 2}};
	struct counter_list counters = {0};
	struct run run = emulated_run(), timed = fixture_run(NULL);

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	metric_emulated_counters(&counters, values, ARRAY_SIZE(values), 5, 65536);
	assert_ok(context,
		  db_counters_set(context->db, run.trials[0].id, &counters, &context->err));
	counter_list_release(&counters);
	assert_ok(context, db_trial_finish(context->db, run.trials[0].id, TRIAL_OK, NULL, NULL,
					   &context->err));
	assert_ok(context, db_trial_finish(context->db, run.trials[1].id, TRIAL_SAMPLED,
					   "5 of 65536 blocks", NULL, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 0);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trials WHERE"
						" median_ns IS NULL AND branch_efficiency_pct"
						" IS NULL"),
			 FIXTURE_TRIALS);
	assert_int_equal(context_query(context, "SELECT count(*) FROM emulated WHERE block = 256"
						" AND ptx_branch_efficiency_pct = 75"
						" AND ptx_blocks_total = 65536 AND"
						" ptx_atomic_contention IS NULL"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM counters WHERE metric ="
						" 'ptx_branches' AND source = 'emulated PTX,"
						" sampled: 5 of 65536 blocks' AND value = 8"),
			 1);

	/* emulated cases stay separate from cases timed on a device */
	assert_ok(context, fixture_store(context->db, &timed, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM best WHERE backend ="
						" 'cuda'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM emulated"), FIXTURE_TRIALS);
	run_release(&run);
	run_release(&timed);
}

static int take_tally(void *data, const struct run *run, const struct trial_tally *tally)
{
	(void)run;
	*(struct trial_tally *)data = *tally;
	return 0;
}

/* The program and the SQL view agree on failures. */
static void test_every_status_is_tallied(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		enum trial_status status = (enum trial_status)i;
		struct trial_tally tally = {0};

		assert_ok(context, db_trial_finish(context->db, run.trials[FIXTURE_PENDING].id,
						   status, "why", NULL, &context->err));
		assert_ok(context,
			  db_runs_visit(context->db, 0, take_tally, &tally, &context->err));
		assert_int_equal(tally.trials, FIXTURE_TRIALS);
		assert_int_equal(tally.ok, status == TRIAL_OK);
		assert_int_equal(tally.sampled, status == TRIAL_SAMPLED);
		assert_int_equal(tally.unverified, status == TRIAL_UNVERIFIED);
		/* the fixture has one that is skipped */
		assert_int_equal(tally.skipped, 1 + (status == TRIAL_SKIPPED));
		assert_int_equal(tally.failed, trial_status_is_failure(status));
	}
	run_release(&run);
}

#define emulated_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		emulated_test(test_lines_come_back_with_their_trial),
		emulated_test(test_lines_that_cannot_be_stored_change_nothing),
		emulated_test(test_what_has_no_time_is_not_best),
		emulated_test(test_every_status_is_tallied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
