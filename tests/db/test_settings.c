/*
 * Schema version 7 stores the settings of a run, and the traits of its backend, in columns. Files
 * of version 6 and older store JSON text: the columns are filled from it, whatever it holds.
 */
#include "db/statement.h"
#include "settings_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEWEST db_schema_version

static const enum db_mode modes[] = {DB_READ, DB_WRITE};

/* Before and after the migration a run is the same. */
static void test_settings_become_columns(void **state)
{
	struct context *context = *state;

	context_restore(context->path, VERSION_6);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct db *db = NULL;
		struct run run;

		assert_ok(context, db_open(&db, context->path, modes[i], &context->err));
		assert_complete_run(context, db);
		assert_emulated_run(context, db);
		/* what names only some members is not enough for --resume */
		run = settings_run(context, db, RUN_PARTIAL);
		assert_false(run.has_settings);
		assert_int_equal(run.settings_known, SETTING_CACHE);
		assert_int_equal(run.settings.cache, CACHE_COLD);
		assert_true(run.traits.timed);
		run_release(&run);
		run = settings_run(context, db, RUN_IMPORTED);
		assert_string_equal(run.backend, "nvbench");
		assert_true(run.traits.timed);
		assert_false(run.traits.emulated);
		assert_string_equal(run.traits.vendor, "");
		assert_int_equal(run.traits.warp_size, 0);
		assert_false(run.has_settings);
		assert_int_equal(run.settings_known, 0);
		assert_null(run.settings_json);
		run_release(&run);
		db_close(db);
		assert_int_equal(context_query(context, "PRAGMA user_version"),
				 modes[i] == DB_READ ? 6 : NEWEST);
	}
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE cache = 'cold'"
						" AND min_samples IS NULL AND metrics IS NULL"),
			 3);
}

/* The column `settings` is computed, and reads as it did. */
static void test_settings_keep_their_text(void **state)
{
	static const char different[] =
		"SELECT count(*) FROM main.run JOIN old.run AS before USING (id)"
		" WHERE run.settings IS NOT before.settings";
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	char *differ;
	struct db *db = NULL;

	context_restore(old, VERSION_6);
	context_restore(context->path, VERSION_6);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	differ = attached_text(context, old, different);
	assert_string_equal(differ, "0");
	assert_int_equal(context_query(context, "SELECT count(*) FROM run"
						" WHERE json_valid(settings)"),
			 5);
	free(differ);
	free(old);
}

/* What text gives which column, as SQL; NULL stays NULL. */
static const struct {
	const char *settings, *column, *value;
} texts[] = {

	{"", "cache", NULL},
	{"hot", "cache", NULL},
	{"{\"cache\":\"hot\"", "cache", NULL},
	{"[1]", "cache", NULL},
	{"\"cache\"", "cache", NULL},
	{"{\"cache\":\"warm\"}", "cache", NULL},
	{"{\"cache\":true}", "cache", NULL},
	{"{\"cache\":\"hot\"}", "cache", "hot"},
	{"{\"min_samples\":7}", "min_samples", "7"},
	{"{\"min_samples\":-7}", "min_samples", "-7"},
	{"{\"min_samples\":\"7\"}", "min_samples", NULL},
	{"{\"min_samples\":7.5}", "min_samples", NULL},
	{"{\"min_samples\":[7]}", "min_samples", NULL},
	{"{\"min_samples\":null}", "min_samples", NULL},
	{"{\"min_samples\":99999999999999999999}", "min_samples", NULL},
	{"{\"precision\":0.01}", "precision", "0.01"},
	{"{\"precision\":1}", "precision", "1.0"},
	{"{\"precision\":1e999}", "precision", NULL},
	{"{\"precision\":\"0.01\"}", "precision", NULL},
	{"{\"metrics\":[]}", "metrics", ""},
	{"{\"metrics\":[\"b\",\"a\"]}", "metrics", "b,a"},
	{"{\"metrics\":[\"a\",1]}", "metrics", NULL},
	{"{\"metrics\":{\"a\":\"b\"}}", "metrics", NULL},
	{"{\"metrics\":\"a\"}", "metrics", NULL},
	{"{\"all_blocks\":true}", "all_blocks", "1"},
	{"{\"all_blocks\":false}", "all_blocks", "0"},
	{"{\"all_blocks\":1}", "all_blocks", NULL},
	{"{\"counter_dump\":\"a \\\"b\\\" \\\\ \\n\"}", "counter_dump", "a \"b\" \\ \n"},
	{"{\"counter_dump\":3}", "counter_dump", NULL},
	{"{\"chip\":\"GH100\"}", "emulated_chip", "GH100"},
	{"{\"device\":3,\"jobs\":2}", "device_ordinal", "3"},
	{"{\"device\":3,\"jobs\":2}", "jobs", "2"},
};

static void test_any_text_is_taken(void **state)
{
	struct context *context = *state;

	context_restore(context->path, VERSION_6);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *copy = xasprintf("%s/copy.db", context->folder);
		struct context migrated = {.folder = context->folder, .path = copy};
		char *vacuum = xasprintf("VACUUM INTO '%s'", copy);
		char *update = xasprintf("UPDATE run SET settings = '%s'", texts[i].settings);
		char *column = xasprintf("SELECT %s FROM main.run WHERE id = 1 AND %s IS NOT NULL",
					 texts[i].column, texts[i].column);
		char *value;

		unlink(copy);
		sql_execute(context->path, vacuum);
		sql_execute(copy, update);
		for (size_t mode = 0; mode < ARRAY_SIZE(modes); mode++) {
			struct db *db = NULL;

			assert_ok(context, db_open(&db, copy, modes[mode], &context->err));
			for (int64_t id = 1; id <= RUNS; id++) {
				struct run run = settings_run(context, db, id);

				assert_false(run.has_settings);
				run_release(&run);
			}
			db_close(db);
		}
		value = attached_text(&migrated, context->path, column);
		if ((value && texts[i].value) ? strcmp(value, texts[i].value) != 0
					      : value || texts[i].value)
			fail_msg("%s: %s is %s", texts[i].settings, texts[i].column, value);
		/* and what is kept reads as JSON again */
		assert_int_equal(context_query(&migrated, "SELECT count(*) FROM run WHERE settings"
							  " IS NOT NULL AND NOT"
							  " json_valid(settings)"),
				 0);
		free(value);
		free(column);
		free(update);
		free(vacuum);
		free(copy);
	}
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

#define settings_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)
#define stored_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		settings_test(test_settings_become_columns),
		settings_test(test_settings_keep_their_text),
		settings_test(test_any_text_is_taken),
		stored_test(test_json_of_odd_settings),
		stored_test(test_settings_out_of_range_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
