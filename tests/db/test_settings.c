/* The settings of a run: each has a column, and the column `settings` has them as JSON. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The run without its samples; the caller releases it. */
static struct run settings_run(struct context *context, struct db *db, int64_t id)
{
	struct run run = {0};

	assert_ok(context, db_run_load(db, id, false, &run, &context->err));
	return run;
}

/* Such a run is of a database that was converted. It is not enough for --resume. */
static void test_settings_of_which_few_are_known(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL), loaded;

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	sql_execute(context->path,
		    "UPDATE run SET cache = 'hot', device_ordinal = NULL, min_samples = NULL,"
		    " max_time_ns = NULL, precision = NULL, timeout_ns = NULL, metrics = NULL,"
		    " emulated_chip = NULL, all_blocks = NULL, jobs = NULL, counter_dump = NULL,"
		    " base_variant = NULL, placements = NULL");
	loaded = settings_run(context, context->db, run.id);
	assert_false(loaded.has_settings);
	assert_int_equal(loaded.settings_known, SETTING_CACHE);
	assert_int_equal(loaded.settings.cache, CACHE_HOT);
	assert_string_equal(loaded.settings_json, "{\"cache\":\"hot\"}");
	run_release(&loaded);
	sql_execute(context->path, "UPDATE run SET cache = NULL");
	loaded = settings_run(context, context->db, run.id);
	assert_int_equal(loaded.settings_known, 0);
	assert_null(loaded.settings_json);
	run_release(&loaded);
	run_release(&run);
}
/* Quotes, backslashes and line ends in a path come back, in the column and in the JSON. */
static void test_json_of_odd_settings(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL), loaded;

	free(run.settings.counter_dump);
	run.settings.counter_dump = xstrdup("a \"b\"\\c\n\td");
	run.settings.precision = 0.1 / 3;
	string_list_release(&run.settings.metrics);
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	loaded = settings_run(context, context->db, run.id);
	assert_string_equal(loaded.settings.counter_dump, run.settings.counter_dump);
	assert_true(loaded.settings.precision == run.settings.precision);
	assert_int_equal(loaded.settings.metrics.count, 0);
	assert_int_equal(context_query(context,
				       "SELECT json_extract(settings, '$.counter_dump') ="
				       " counter_dump AND json_extract(settings, '$.precision') ="
				       " precision AND json_extract(settings, '$.metrics') = '[]'"
				       " FROM run"),
			 1);
	run_release(&loaded);
	run_release(&run);
}

/* --resume does not continue with settings that are damaged, nor with a default in place of one. */
static void test_settings_out_of_range_are_none(void **state)
{
	static const char *const damages[] = {
		"min_samples = 0",  "max_time_ns = NULL", "precision = 1.5",
		"precision = NULL", "timeout_ns = -3",    "rounds = 0",
		"cache = NULL",     "metrics = NULL",     "device_ordinal = NULL",
	};
	struct context *context = *state;

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		char *sql = xasprintf("UPDATE run SET %s WHERE id = %zu", damages[i], i + 1);
		struct run run = fixture_run(NULL), loaded;

		assert_ok(context, db_run_begin(context->db, &run, &context->err));
		sql_execute(context->path, sql);
		loaded = settings_run(context, context->db, run.id);
		if (loaded.has_settings)
			fail_msg("%s: settings", damages[i]);
		run_release(&loaded);
		run_release(&run);
		free(sql);
	}
}

#define stored_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		stored_test(test_settings_of_which_few_are_known),
		stored_test(test_json_of_odd_settings),
		stored_test(test_settings_out_of_range_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
