/*
 * Files of released, older schema versions are read unchanged, and migrated without loss when they
 * are opened for writing. VERSION_1, VERSION_2 and VERSION_3 are dumps of such files.
 */
#include "context.h"
#include "db/statement.h"
#include "metrics/analysis/ceilings.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 40
#define NEWEST db_schema_version

static void make_version_1(const char *path)
{
	context_restore(path, VERSION_1);
}

/* What both versions load of the fixture. */
static void assert_run_is_there(struct db *db)
{
	struct run run = {0};
	struct error err = {0};
	const struct counter_value *counter;
	const struct trial *trial;

	if (db_run_load(db, 2, true, &run, &err))
		fail_msg("%s", err.text);
	assert_int_equal(run.trial_count, 13);
	trial = &run.trials[FIXTURE_OK];
	assert_int_equal(trial->status, TRIAL_OK);
	assert_int_equal(trial->summary.count, 20);
	assert_true(trial->summary.median_ns == 1504.5);
	assert_int_equal(trial->facts.registers_per_thread, 32);
	assert_int_equal(trial->rounds_done, 2);
	assert_int_equal(trial->axis_count, 2);
	assert_int_equal(trial->counters.count, 4);
	counter = counter_list_find(&trial->counters, "dram_write_bytes");
	assert_true(counter->value == 4096.5);
	assert_string_equal(counter->source, "dram__bytes_write.sum");
	assert_string_equal(counter->unit, "byte");
	counter = counter_list_find(&trial->counters, "branch_efficiency_pct");
	assert_false(counter->has_value);
	assert_string_equal(counter->reason, "the kernel has no branches");
	/* the same metric of another source: the chips name it otherwise */
	counter = counter_list_find(&run.trials[FIXTURE_PENDING].counters, "dram_read_bytes");
	assert_string_equal(counter->source, "dram__bytes_op_read.sum");
	assert_string_equal(counter->reason, "it's another chip");
	assert_int_equal(trial->lines.count, 0);
	/* of a file that has none of its own, they are those of its samples */
	assert_int_equal(db_rounds_load(db, &run, &err), 0);
	assert_int_equal(trial->round_count, 2);
	for (int i = 0; i < 2; i++)
		assert_true(trial->rounds[i].median_ns == 1000 * (i + 1) + 4.5);
	run_release(&run);
}

static void test_an_old_file_is_read_as_it_is(void **state)
{
	struct context *context = *state;
	char *before = NULL, *after = NULL;
	size_t before_length = 0, after_length = 0;
	struct db *db = NULL;

	make_version_1(context->path);
	assert_int_equal(read_file(&before, &before_length, context->path, 1 << 20, NULL), 0);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_run_is_there(db);
	db_close(db);
	assert_int_equal(read_file(&after, &after_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, after_length);
	free(before);
	free(after);
}

/* Every row of every table is equal, in the columns that the old file has. */
static void assert_rows_kept(const struct context *context, const char *old, const char *table,
			     const char *old_table)
{
	char *sql = xasprintf("SELECT group_concat(name, ', ') FROM pragma_table_info('%s', 'old')"
			      " WHERE name <> 'settings'",
			      old_table);
	char *columns = attached_text(context, old, sql);
	char *kept = xasprintf("SELECT (SELECT count(*) FROM main.%s) ="
			       " (SELECT count(*) FROM old.%s)"
			       " AND NOT EXISTS (SELECT %s FROM main.%s EXCEPT"
			       " SELECT %s FROM old.%s) AND NOT EXISTS"
			       " (SELECT %s FROM old.%s EXCEPT SELECT %s FROM main.%s)",
			       table, old_table, columns, table, columns, old_table, columns,
			       old_table, columns, table);
	char *answer = attached_text(context, old, kept);

	if (strcmp(answer, "1") != 0)
		fail_msg("not the same: %s", kept);
	free(answer);
	free(kept);
	free(columns);
	free(sql);
}

static void test_nothing_is_lost(void **state)
{
	static const char *const same[] = {"device", "run",   "environment", "trial",
					   "axis",   "round", "sample"};
	static const enum db_mode modes[] = {DB_WRITE, DB_CREATE};
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);

	make_version_1(old);
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		struct db *db = NULL;

		unlink(context->path);
		make_version_1(context->path);
		assert_ok(context, db_open(&db, context->path, modes[m], &context->err));
		assert_run_is_there(db);
		db_close(db);
		assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
		context_assert_whole(context);
		/* a view of the user's goes on */
		assert_int_equal(
			context_query(context, "SELECT cases FROM mine WHERE kernel = 'reduce'"),
			6);

		for (size_t i = 0; i < ARRAY_SIZE(same); i++)
			assert_rows_kept(context, old, same[i], same[i]);
		assert_rows_kept(context, old, "counters", "counter");
		/* what a version adds is not known of old rows, or computed from others */
		assert_int_equal(context_query(context, "SELECT count(*) FROM trial WHERE"
							" launch_hash IS NOT NULL"),
				 0);
		assert_int_equal(context_query(context, "SELECT count(*) FROM round WHERE median_ns"
							" IS NOT 1000.0 * (round + 1) + 4.5"),
				 0);
		assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE"
							" json_extract(settings, '$.cache')"
							" IS NOT 'cold' OR cache IS NOT 'cold'"),
				 0);
	}
	free(old);
}

/* The migrated file has the schema of a new one, and takes what only that takes. */
static void test_a_migrated_file_is_as_a_new_one(void **state)
{
	struct context *context = *state;
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct counter_list counters = {0};
	struct db *db = NULL;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	make_version_1(context->path);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context,
		  db_trial_finish(db, 8, TRIAL_SAMPLED, "5 of 6 blocks", NULL, &context->err));
	assert_ok(context, db_trial_finish(db, 9, TRIAL_FAULT, "a race", NULL, &context->err));
	counter_list_set(&counters, "dram_read_bytes", "byte", "dram__bytes_read.sum", 1);
	assert_ok(context, db_counters_set(db, 9, &counters, &context->err));
	counter_list_release(&counters);
	db_close(db);
	/* the metric was there already */
	assert_int_equal(context_query(context, "SELECT count(*) FROM metric WHERE name ="
						" 'dram_read_bytes'"),
			 2);

	context_assert_schema_of(context, fresh);
	/* Foreign keys are on again: with a run goes all that is its. */
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	assert_int_equal(context_query(context, "SELECT (SELECT count(*) FROM trial) +"
						" (SELECT count(*) FROM counter) +"
						" (SELECT count(*) FROM sample) +"
						" (SELECT count(*) FROM axis)"),
			 0);
	free(fresh);
}

static void test_a_damaged_old_file_stays_as_it_is(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	make_version_1(context->path);
	sql_execute(context->path, "PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE id = 5");
	assert_int_equal(db_open(&db, context->path, DB_CREATE, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "damaged");
	assert_int_equal(context_query(context, "PRAGMA user_version"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM counter WHERE metric ="
						" 'dram_write_bytes'"),
			 1);
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), 0);
	db_close(db);
}

/* How many rows the tables and the view `counters` have, by name, in a text. */
static char *row_counts(const char *path)
{
	static const char *const names[] = {"device", "run",    "environment", "trial",  "axis",
					    "round",  "sample", "counters",    "metric", "line",
					    "trials", "best",   "emulated"};
	struct text counts = TEXT_INIT;
	sqlite3 *handle;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *sql = xasprintf("SELECT count(*) FROM %s", names[i]);
		sqlite3_stmt *statement;

		assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
		text_addf(&counts, "%s %d\n", names[i], sqlite3_column_int(statement, 0));
		sqlite3_finalize(statement);
		free(sql);
	}
	sqlite3_close(handle);
	return text_detach(&counts);
}

/* Version 3 adds views, and changes no row. */
static void test_version_2_gets_its_views(void **state)
{
	struct context *context = *state;
	struct ceiling_list ceilings = {0};
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct db *db = NULL;
	struct run run = {0};
	char *before, *after;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	context_restore(context->path, VERSION_2);
	before = row_counts(context->path);
	assert_non_null(strstr(before, "line 1\n"));
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_ok(context, db_ceilings_load(db, 2, &ceilings, &context->err));
	assert_int_equal(ceilings.count, 0);
	db_close(db);
	assert_int_equal(context_query(context, "PRAGMA user_version"), 2);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context, db_run_load(db, 3, true, &run, &context->err));
	assert_string_equal(run.backend, "ptx");
	assert_int_equal(run.trials[FIXTURE_OK].lines.count, 1);
	run_release(&run);
	db_close(db);
	assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
	context_assert_whole(context);
	context_assert_schema_of(context, fresh);
	free(fresh);
	after = row_counts(context->path);
	assert_string_equal(before, after);
	assert_int_equal(context_query(context, "SELECT count(*) FROM roofline"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM ceilings"), 0);
	free(before);
	free(after);
}

/* Before version 4 a run that knew less of its device made a second row of it. */
static void test_two_rows_of_one_device_become_one(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_2);
	sql_execute(context->path,
		    "INSERT INTO device SELECT 4, name, uuid, NULL, cc_major, cc_minor, sm_count,"
		    " max_threads_per_sm, max_threads_per_block, max_blocks_per_sm,"
		    " registers_per_sm, shared_bytes_per_sm, shared_bytes_per_block, l2_bytes,"
		    " memory_bytes, 1, NULL, memory_bus_bits FROM device;"
		    "INSERT INTO device SELECT 5, name, 'GPU-ffff', 'GB100', cc_major, cc_minor,"
		    " 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 FROM device WHERE id = 4;"
		    "INSERT INTO device (id, name) VALUES (6, 'emulated'), (7, 'emulated');"
		    "UPDATE run SET device_id = 4 WHERE id = 2");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 4);
	assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE device_id = 1"), 3);
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM device WHERE id = 1 AND chip = 'GH100'"
				       " AND sm_clock_max_hz = 1"
				       " AND memory_clock_max_hz = 3201000000"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device WHERE id = 5"
						" AND chip = 'GB100' AND memory_bus_bits = 12"),
			 1);
}

/* So that roofs and trials of one device meet. */
static void test_version_3_gets_its_roofs(void **state)
{
	static const char below_roofs[] = "SELECT count(*) FROM roofline WHERE kernel = 'reduce'"
					  " AND dram_roof_bytes_per_s > 0";
	struct context *context = *state;
	struct ceiling_list ceilings = {0};
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct db *db = NULL;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	context_restore(context->path, VERSION_3);
	assert_int_equal(context_query(context, below_roofs), 0);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 2);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context, db_ceilings_load(db, 1, &ceilings, &context->err));
	assert_int_equal(ceilings.count, 6);
	ceiling_list_release(&ceilings);
	db_close(db);
	context_assert_whole(context);
	context_assert_schema_of(context, fresh);
	assert_int_equal(context_query(context, below_roofs), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM failures"), 3);
	assert_int_equal(context_query(context, "SELECT count(DISTINCT config) FROM history"), 5);
	assert_int_equal(context_query(context, "SELECT count(*) FROM regressions"), 0);
	free(fresh);
}

/* The median of an odd and of an even number of samples, and of none: read, and then stored. What
 * is no time, as an untrusted file may have it, counts for nothing. */
static void test_rounds_get_their_medians(void **state)
{
	struct context *context = *state;
	static const enum db_mode modes[] = {DB_READ, DB_WRITE, DB_READ};

	make_version_1(context->path);
	sql_execute(context->path,
		    "DELETE FROM sample WHERE trial_id = 1 AND round = 0;"
		    "DELETE FROM sample WHERE trial_id = 1 AND round = 1 AND sequence < 7;"
		    "INSERT INTO sample (trial_id, round, sequence, time_ns)"
		    " VALUES (1, 1, 99, 9e999)");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct trial trials[] = {{.id = 1}, {.id = 5}};
		struct run run = {.trials = trials, .trial_count = ARRAY_SIZE(trials)};
		struct db *db = NULL;

		assert_ok(context, db_open(&db, context->path, modes[i], &context->err));
		assert_ok(context, db_rounds_load(db, &run, &context->err));
		db_close(db);
		assert_int_equal(trials[0].round_count, 2);
		assert_true(isnan(trials[0].rounds[0].median_ns));
		assert_true(trials[0].rounds[1].median_ns == 2008);
		assert_true(trials[1].rounds[1].median_ns == 2004.5);
		for (size_t k = 0; k < ARRAY_SIZE(trials); k++)
			free(trials[k].rounds);
	}
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM round WHERE (trial_id, round,"
				       " median_ns) IN (VALUES (1, 1, 2008), (5, 0, 1004.5))"
				       " OR (trial_id, round) = (1, 0) AND median_ns IS NULL"),
			 3);
}

/* Nothing is taken for marked or compared in a file that is older than marks. */
static void test_an_old_file_has_no_marks(void **state)
{
	struct context *context = *state;
	struct trial_comparison_list list = {0};
	struct db *db = NULL;
	struct run run = {0};
	bool any_good = true;
	int64_t id;

	context_restore(context->path, VERSION_2);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_ok(context, db_run_load(db, 2, true, &run, &context->err));
	assert_null(run.mark);
	assert_ok(context, db_rounds_load(db, &run, &context->err));
	assert_int_equal(run.trials[FIXTURE_OK].round_count, 2);
	run_release(&run);
	assert_ok(context, db_baselines_load(db, 2, &run, &any_good, &context->err));
	assert_int_equal(run.trial_count, 1);
	assert_false(any_good);
	run_release(&run);
	assert_ok(context, db_comparisons_load(db, 2, &list, &context->err));
	assert_int_equal(list.count, 0);
	assert_int_equal(db_run_resolve(db, "last-good", &id, &context->err), PL_EUSAGE);
	assert_int_equal(db_run_mark(db, 2, &(struct run_words){.mark = "good"}, &context->err),
			 PL_EIO);
	db_close(db);
	assert_int_equal(context_query(context, "PRAGMA user_version"), 2);
}

static pid_t start_migration(const struct context *context)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct db *db = NULL;
		int rc = db_open(&db, context->path, DB_CREATE, NULL);

		db_close(db);
		_exit(rc ? 1 : 0);
	}
	return child;
}

static void test_of_several_that_migrate_one_does(void **state)
{
	struct context *context = *state;
	pid_t children[4];
	struct db *db = NULL;

	make_version_1(context->path);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		children[i] = start_migration(context);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		int status = 0;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	context_assert_whole(context);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_run_is_there(db);
	db_close(db);
}

static void test_kill_9_while_migrating_leaves_a_whole_file(void **state)
{
	struct context *context = *state;

	srand(3);
	for (int i = 0; i < KILLS; i++) {
		char *wal = xasprintf("%s-wal", context->path);
		char *shm = xasprintf("%s-shm", context->path);
		struct db *db = NULL;
		int64_t version, kill_at_ns;
		pid_t child;

		unlink(context->path);
		unlink(wal);
		unlink(shm);
		make_version_1(context->path);
		child = start_migration(context);
		kill_at_ns = monotonic_ns() + rand() % 8000000;
		while (monotonic_ns() < kill_at_ns)
			;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		version = context_query(context, "PRAGMA user_version");
		assert_in_range(version, 1, NEWEST);
		assert_int_equal(context_query(context, "SELECT integrity_check = 'ok'"
							" FROM pragma_integrity_check"),
				 1);
		assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
		assert_run_is_there(db);
		db_close(db);
		assert_ok(context, db_open(&db, context->path, DB_CREATE, &context->err));
		assert_run_is_there(db);
		db_close(db);
		context_assert_whole(context);
		free(wal);
		free(shm);
	}
}

/* The next status is a row, also in a file that was made before it was thought of. */
static void test_a_new_status_is_a_row(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	make_version_1(context->path);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM trial_status WHERE name"
				   " IN ('fault', 'sampled')");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context, db_trial_finish(db, 8, TRIAL_FAULT, "a race", NULL, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial_status"),
			 TRIAL_STATUS_COUNT);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial_status WHERE name ="
						" 'fault' AND meaning LIKE '%emulator%'"),
			 1);
}

#define migrate_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		migrate_test(test_an_old_file_is_read_as_it_is),
		migrate_test(test_nothing_is_lost),
		migrate_test(test_version_2_gets_its_views),
		migrate_test(test_two_rows_of_one_device_become_one),
		migrate_test(test_version_3_gets_its_roofs),
		migrate_test(test_rounds_get_their_medians),
		migrate_test(test_an_old_file_has_no_marks),
		migrate_test(test_a_migrated_file_is_as_a_new_one),
		migrate_test(test_a_damaged_old_file_stays_as_it_is),
		migrate_test(test_of_several_that_migrate_one_does),
		migrate_test(test_kill_9_while_migrating_leaves_a_whole_file),
		migrate_test(test_a_new_status_is_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
