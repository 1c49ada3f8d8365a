/*
 * Schema version 7 stores the settings of a run, and the traits of its backend, in columns. Files
 * of version 6 and older store JSON text: the columns are filled from it, whatever it holds.
 */
#include "context.h"
#include "db/statement.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 40
#define NEWEST db_schema_version

/* Runs of VERSION_6. */
enum { RUN_PARTIAL = 1, RUN_COMPLETE = 2, RUN_EMULATED = 5, RUN_IMPORTED = 6, RUNS = 7 };

static const enum db_mode modes[] = {DB_READ, DB_WRITE};

static struct run loaded_run(struct context *context, struct db *db, int64_t id)
{
	struct run run = {0};

	assert_ok(context, db_run_load(db, id, false, &run, &context->err));
	return run;
}

static void assert_complete_run(struct context *context, struct db *db)
{
	struct run run = loaded_run(context, db, RUN_COMPLETE);
	const struct measure_settings *settings = &run.settings;

	assert_true(run.traits.timed);
	assert_false(run.traits.emulated);
	assert_string_equal(run.traits.vendor, "NVIDIA");
	assert_int_equal(run.traits.warp_size, 32);
	assert_true(run.has_settings);
	assert_int_equal(run.settings_known, SETTINGS_ALL);
	assert_int_equal(settings->device, 1);
	assert_true(settings->seed == UINT64_C(0xfedcba9876543210));
	assert_int_equal(settings->cache, CACHE_HOT);
	assert_int_equal(settings->min_samples, 20);
	assert_int_equal(settings->max_time_ns, 500000000);
	assert_true(settings->precision == 0.0025);
	assert_int_equal(settings->rounds, 3);
	assert_int_equal(settings->placements, 1); /* that perflab moved nothing */
	assert_int_equal(settings->timeout_ns, INT64_C(60000000000));
	assert_int_equal(settings->metrics.count, 2);
	assert_string_equal(settings->metrics.items[0], "dram_read_bytes");
	assert_string_equal(settings->metrics.items[1], "sm__inst_executed.sum");
	assert_null(settings->chip);
	assert_false(settings->all_blocks);
	assert_int_equal(settings->jobs, 0);
	assert_null(settings->counter_dump);
	run_release(&run);
}

static void assert_emulated_run(struct context *context, struct db *db)
{
	struct run run = loaded_run(context, db, RUN_EMULATED);

	assert_false(run.traits.timed);
	assert_true(run.traits.emulated);
	assert_string_equal(run.traits.vendor, "");
	assert_int_equal(run.traits.warp_size, 32);
	assert_true(run.has_settings);
	assert_true(run.settings.seed == UINT64_MAX);
	assert_int_equal(run.rounds, 0);
	assert_string_equal(run.settings.chip, "GA100");
	assert_int_equal(run.settings.jobs, 1);
	assert_int_equal(run.settings.metrics.count, 6);
	run_release(&run);
}

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
		run = loaded_run(context, db, RUN_PARTIAL);
		assert_false(run.has_settings);
		assert_int_equal(run.settings_known, SETTING_CACHE);
		assert_int_equal(run.settings.cache, CACHE_COLD);
		assert_true(run.traits.timed);
		run_release(&run);
		run = loaded_run(context, db, RUN_IMPORTED);
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
				struct run run = loaded_run(context, db, id);

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
	loaded = loaded_run(context, context->db, run.id);
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
		loaded = loaded_run(context, context->db, run.id);
		if (loaded.has_settings)
			fail_msg("%s: settings", damages[i]);
		run_release(&loaded);
		run_release(&run);
		free(sql);
	}
}

/* ---- migration ---- */

static void make_version_5(const char *path)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *file;

	assert_int_equal(read_file(&bytes, &length, VERSION_5_FILE, 1 << 20, NULL), 0);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	free(bytes);
}

static void test_every_version_gets_the_schema_of_a_new_file(void **state)
{
	static const char *const dumps[] = {VERSION_1, VERSION_2, VERSION_3, NULL, VERSION_6};
	struct context *context = *state;
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct db *db = NULL;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		unlink(context->path);
		if (dumps[i])
			context_restore(context->path, dumps[i]);
		else
			make_version_5(context->path);
		assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
		db_close(db);
		assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
		context_assert_whole(context);
		context_assert_schema_of(context, fresh);
		assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE emulated"
							" <> (backend = 'ptx')"),
				 0);
	}
	free(fresh);
}

static void assert_is_as(const struct context *context, const char *old)
{
	char *differences = attached_text(
		context, old,
		"SELECT count(*) FROM (SELECT type, name, sql FROM main.sqlite_schema EXCEPT"
		" SELECT type, name, sql FROM old.sqlite_schema)");
	char *rows = attached_text(context, old,
				   "SELECT count(*) FROM (SELECT * FROM old.run EXCEPT"
				   " SELECT * FROM main.run)");

	assert_string_equal(differences, "0");
	assert_string_equal(rows, "0");
	free(differences);
	free(rows);
}

/* The reference that is checked last makes it fail, so all that came before it is taken back. */
static void test_a_migration_that_fails_changes_nothing(void **state)
{
	static const char damage[] = "PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE id = 5";
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	struct db *db = NULL;

	context_restore(old, VERSION_6);
	context_restore(context->path, VERSION_6);
	sql_execute(old, damage);
	sql_execute(context->path, damage);
	assert_int_equal(db_open(&db, context->path, DB_WRITE, &context->err), PL_ECORRUPT);
	assert_int_equal(context_query(context, "PRAGMA user_version"), 6);
	assert_is_as(context, old);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_complete_run(context, db);
	db_close(db);
	free(old);
}

/* A view that names what is not there, and one that names what the migration drops. */
static void test_views_of_a_user_go_on(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	sql_execute(context->path,
		    "CREATE VIEW broken AS SELECT missing FROM nowhere;"
		    "CREATE VIEW caches AS SELECT id, json_extract(settings, '$.cache') AS cache"
		    " FROM run");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
						" WHERE name = 'broken'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM caches WHERE cache = 'hot'"),
			 1);
	assert_int_equal(context_query(context, "SELECT cases FROM mine WHERE kernel = 'reduce'"),
			 9);
}

/* Stands for a function that only the program of a user has. */
static void give_null(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count, (void)values;
	sqlite3_result_null(context);
}

static void test_indexes_and_triggers_of_a_user_go_on(void **state)
{
	struct context *context = *state;
	sqlite3 *user;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	assert_int_equal(sqlite3_open(context->path, &user), SQLITE_OK);
	sqlite3_create_function(user, "of_user", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				give_null, NULL, NULL);
	assert_int_equal(
		sqlite3_exec(user,
			     "CREATE UNIQUE INDEX my_uid ON run (uid, label);"
			     "CREATE INDEX my_function ON run (of_user(label));"
			     "CREATE TRIGGER my_trigger AFTER UPDATE OF note ON run BEGIN"
			     " INSERT OR REPLACE INTO environment VALUES (NEW.id, 'noted', 'yes');"
			     " END",
			     NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(user);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema WHERE name IN"
						" ('my_uid', 'my_trigger', 'run_by_label')"),
			 3);
	/* an index that cannot be made again is no reason to fail */
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
						" WHERE name = 'my_function'"),
			 0);
	sql_execute(context->path, "UPDATE run SET note = 'x' WHERE id = 2");
	assert_int_equal(context_query(context, "SELECT count(*) FROM environment"
						" WHERE key = 'noted' AND run_id = 2"),
			 1);
}

/* A user who dropped a view does not need it to migrate. */
static void test_a_missing_view_is_made(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	sql_execute(context->path, "DROP VIEW emulated; DROP VIEW trials");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) > 0 FROM trials"), 1);
}

/* What SQLite says about the view that stands in for a table does not get in the way. */
static void test_a_query_does_not_write_into_an_old_file(void **state)
{
	static const char *const refused[] = {
		"DELETE FROM run",
		"UPDATE run SET note = 'x'",
		"INSERT INTO run (id) VALUES (99)",
		"CREATE INDEX x ON run (id)",
		"ALTER TABLE run ADD COLUMN x",
		"ALTER TABLE run RENAME TO x",
		"CREATE TRIGGER x AFTER INSERT ON run BEGIN SELECT 1; END"};
	const struct db_query_visitor visitor = {.row = NULL};
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		context->err = (struct error){0};
		assert_int_equal(db_query(db, refused[i], &visitor, &context->err), PL_EUSAGE);
		assert_non_null(
			strstr(context->err.text, "perflab query only reads and refuses writing"));
	}
	db_close(db);
}

static void test_kill_9_leaves_a_whole_version(void **state)
{
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	char *wal = xasprintf("%s-wal", context->path), *shm = xasprintf("%s-shm", context->path);

	context_restore(old, VERSION_6);
	srand(7);
	for (int i = 0; i < KILLS; i++) {
		struct db *db = NULL;
		int64_t kill_at_ns;
		pid_t child;

		unlink(context->path);
		unlink(wal);
		unlink(shm);
		context_restore(context->path, VERSION_6);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(db_open(&db, context->path, DB_WRITE, NULL) != 0);
		kill_at_ns = monotonic_ns() + rand() % 6000000;
		while (monotonic_ns() < kill_at_ns)
			;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		/* each version is one transaction, so a kill may leave any of them */
		if (context_query(context, "PRAGMA user_version") == 6)
			assert_is_as(context, old);
		else
			assert_in_range(context_query(context, "PRAGMA user_version"), 7, NEWEST);
		assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
		assert_complete_run(context, db);
		assert_emulated_run(context, db);
		db_close(db);
		context_assert_whole(context);
	}
	free(old);
	free(wal);
	free(shm);
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
		settings_test(test_every_version_gets_the_schema_of_a_new_file),
		settings_test(test_a_migration_that_fails_changes_nothing),
		settings_test(test_views_of_a_user_go_on),
		settings_test(test_indexes_and_triggers_of_a_user_go_on),
		settings_test(test_a_missing_view_is_made),
		settings_test(test_a_query_does_not_write_into_an_old_file),
		settings_test(test_kill_9_leaves_a_whole_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
