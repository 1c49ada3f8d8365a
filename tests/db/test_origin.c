/*
 * The origin of a user's kernels: cases of one name and of different origins never meet, and a file
 * of an older version gets the paths that its runs have.
 */
#include "context.h"
#include "db/statement.h"
#include "metrics/analysis/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores a run that is `age` seconds older than the others; origin NULL: of built-in kernels. */
static int64_t store_of(struct context *context, int age, const char *origin)
{
	struct run run = fixture_run(NULL);
	int64_t id;

	run.started_ns -= age * INT64_C(1000000000);
	free(run.origin);
	run.origin = origin ? xstrdup(origin) : NULL;
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	id = run.id;
	run_release(&run);
	context_assert_whole(context);
	return id;
}

static void test_a_run_keeps_its_origin(void **state)
{
	struct context *context = *state;
	int64_t id = store_of(context, 0, "host/a:main.cu");
	int64_t built_in = store_of(context, 0, NULL);
	struct run run = {0};

	assert_ok(context, db_run_load(context->db, id, false, &run, &context->err));
	assert_string_equal(run.origin, "host/a:main.cu");
	run_release(&run);
	assert_ok(context, db_run_load(context->db, built_in, false, &run, &context->err));
	assert_null(run.origin);
	run_release(&run);
}

static void test_each_origin_has_its_newest_trials(void **state)
{
	static const char *const origins[] = {NULL, "/a/main.cu", "/b/main.cu"};
	struct context *context = *state;
	int64_t rows, best;

	store_of(context, 10, NULL);
	rows = context_query(context, "SELECT count(*) FROM newest");
	best = context_query(context, "SELECT count(*) FROM best");
	for (size_t i = 0; i < ARRAY_SIZE(origins); i++)
		store_of(context, 0, origins[i]);
	assert_int_equal(context_query(context, "SELECT count(*) FROM newest"), 3 * rows);
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 3 * best);
	assert_int_equal(context_query(context, "SELECT count(*) FROM best WHERE origin IS NULL"),
			 best);
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM best WHERE origin = '/b/main.cu'"),
		best);
	sql_execute(context->path,
		    "PRAGMA foreign_keys = ON; DELETE FROM run WHERE origin GLOB '/a/*'");
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM newest"), 2 * rows);
}

static void test_a_baseline_has_the_same_origin(void **state)
{
	struct context *context = *state;
	int64_t own = store_of(context, 30, "/a/main.cu");
	int64_t head;
	struct run run = {0};
	bool any_good = false;
	int64_t found = 0;

	store_of(context, 20, "/b/main.cu");
	store_of(context, 10, NULL);
	head = store_of(context, 0, "/a/main.cu");
	assert_ok(context, db_baselines_load(context->db, head, &run, &any_good, &context->err));
	assert_true(run.trial_count > 0);
	for (size_t i = 0; i < run.trial_count; i++)
		assert_int_equal(run.trials[i].run_id, own);
	run_release(&run);
	assert_ok(context, db_base_resolve(context->db, "last", head, &found, &context->err));
	assert_int_equal(found, own);
	head = store_of(context, 0, "/c/main.cu");
	assert_ok(context, db_baselines_load(context->db, head, &run, &any_good, &context->err));
	assert_int_equal(run.trial_count, 0);
	run_release(&run);
	assert_int_equal(db_base_resolve(context->db, "last", head, &found, &context->err),
			 PL_EUSAGE);
}

struct seen {
	const char *origin;
	struct known_case item;
	int count;
};

static int see(void *context, const struct known_case *item)
{
	struct seen *seen = context;

	if (strcmp(item->origin, seen->origin) != 0 ||
	    strncmp(item->config, "block=256,", 10) != 0 || strcmp(item->kernel, "reduce") != 0)
		return 0;
	if (!seen->count++)
		seen->item = (struct known_case){
			.device_id = item->device_id,
			.backend = xstrdup(item->backend),
			.kernel = xstrdup(item->kernel),
			.variant = xstrdup(item->variant),
			.config = xstrdup(item->config),
			.origin = seen->origin,
		};
	return 0;
}

static void test_a_history_has_one_origin(void **state)
{
	static const struct {
		const char *origin;
		size_t runs;
	} wanted[] = {{"", 1}, {"/a/main.cu", 2}, {"/b/main.cu", 1}};
	struct context *context = *state;
	struct key_value_list origins = {0};
	struct history_grid grid = {0};
	struct run run = {0};
	int64_t newest;

	store_of(context, 40, "/a/main.cu");
	store_of(context, 30, "/b/main.cu");
	store_of(context, 20, NULL);
	newest = store_of(context, 10, "/a/main.cu");
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct seen seen = {.origin = wanted[i].origin};
		struct history history = {0};

		assert_ok(context, db_cases_visit(context->db, see, &seen, &context->err));
		assert_int_equal(seen.count, 1);
		assert_ok(context,
			  db_history_load(context->db, &seen.item, &history, &context->err));
		assert_int_equal(history.count, wanted[i].runs);
		assert_string_equal(history.origin ? history.origin : "", wanted[i].origin);
		history_release(&history);
		free((char *)seen.item.backend);
		free((char *)seen.item.kernel);
		free((char *)seen.item.variant);
		free((char *)seen.item.config);
	}
	assert_ok(context, db_run_load(context->db, newest, true, &run, &context->err));
	assert_ok(context, db_history_grid_load(context->db, &run, 50, &grid, &context->err));
	assert_int_equal(grid.run_count, 2);
	history_grid_release(&grid);
	run_release(&run);
	assert_ok(context,
		  db_environment_set(context->db, newest, "host", "newest", &context->err));
	assert_ok(context, db_origins_load(context->db, "reduce", "host", &origins, &context->err));
	assert_int_equal(origins.count, 2);
	assert_string_equal(origins.items[0].key, "/a/main.cu");
	assert_string_equal(origins.items[0].value, "newest");
	key_value_list_release(&origins);
	assert_ok(context, db_origins_load(context->db, "none", "host", &origins, &context->err));
	assert_int_equal(origins.count, 0);
}

/* A machine does not change with the file that is measured on it, nor while a worker waits. */
static void test_what_is_no_change_of_the_environment(void **state)
{
	struct context *context = *state;
	int64_t first = store_of(context, 10, "/a/main.cu");
	int64_t second = store_of(context, 0, "/a/main.cu");

	assert_ok(context,
		  db_environment_set(context->db, first, "source.1.hash", "1", &context->err));
	assert_ok(context,
		  db_environment_set(context->db, second, "source.1.hash", "2", &context->err));
	assert_ok(context,
		  db_environment_set(context->db, second, "files.folder", "/a", &context->err));
	assert_ok(context,
		  db_environment_set(context->db, second, "worker.waited", "5 s", &context->err));
	assert_ok(context, db_environment_set(context->db, second, "decide.first_rounds", "3",
					      &context->err));
	assert_ok(context,
		  db_environment_set(context->db, second, "gpus.group", "a", &context->err));
	assert_ok(context, db_environment_set(context->db, second, "gpus.interference.1", "+1 %",
					      &context->err));
	assert_ok(context, db_environment_set(context->db, second, "gpus.absent.1", "GPU-1: gone",
					      &context->err));
	assert_ok(context, db_environment_set(context->db, second, "gpus.lost.a/b/block=64",
					      "it is gone", &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM environment_changes"), 0);
	assert_ok(context,
		  db_environment_set(context->db, second, "power_limit", "1", &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM environment_changes"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM history WHERE origin ="
						" '/a/main.cu'"),
			 context_query(context, "SELECT count(*) FROM history"));
}

/* A user's kernel named `ceilings` is no roof. */
static void test_ceilings_are_built_in(void **state)
{
	struct context *context = *state;
	int64_t id = store_of(context, 0, "/a/ceilings.cu");
	struct ceiling_list ceilings = {0};

	sql_execute(context->path, "UPDATE run SET label = 'ceilings';"
				   "UPDATE trial SET kernel = 'ceilings', variant = 'dram_read'");
	assert_ok(context, db_ceilings_load(context->db, id, &ceilings, &context->err));
	assert_int_equal(ceilings.count, 0);
	assert_int_equal(context_query(context, "SELECT count(*) FROM ceilings"), 0);
	ceiling_list_release(&ceilings);
}

#define origin_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		origin_test(test_a_run_keeps_its_origin),
		origin_test(test_each_origin_has_its_newest_trials),
		origin_test(test_a_baseline_has_the_same_origin),
		origin_test(test_a_history_has_one_origin),
		origin_test(test_what_is_no_change_of_the_environment),
		origin_test(test_ceilings_are_built_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
