/*
 * What is stored comes back, and what is not known comes back as not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

struct context {
	char *folder, *path;
	struct db *db;
	struct error err;
};

static int setup(void **state)
{
	struct context *context = xcalloc(1, sizeof(*context));

	context->folder = fixture_folder();
	context->path = xasprintf("%s/test.db", context->folder);
	*state = context;
	return db_open(&context->db, context->path, DB_CREATE, &context->err);
}

static int teardown(void **state)
{
	struct context *context = *state;

	db_close(context->db);
	fixture_folder_remove(context->folder);
	free(context->path);
	free(context);
	return 0;
}

#define assert_ok(context, call)                             \
	do {                                                 \
		if (call)                                    \
			fail_msg("%s", (context)->err.text); \
	} while (0)

/* One integer by SQL, past perflab: what a person at the sqlite3 shell would see. */
static int64_t query(const struct context *context, const char *sql)
{
	sqlite3 *handle;
	sqlite3_stmt *statement;
	int64_t value;

	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	return value;
}

static void assert_same_device(const struct device_info *a, const struct device_info *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->uuid, b->uuid);
	assert_string_equal(a->chip, b->chip);
	assert_int_equal(a->cc_major, b->cc_major);
	assert_int_equal(a->cc_minor, b->cc_minor);
	assert_int_equal(a->sm_count, b->sm_count);
	assert_int_equal(a->max_threads_per_sm, b->max_threads_per_sm);
	assert_int_equal(a->max_threads_per_block, b->max_threads_per_block);
	assert_int_equal(a->max_blocks_per_sm, b->max_blocks_per_sm);
	assert_int_equal(a->registers_per_sm, b->registers_per_sm);
	assert_int_equal(a->shared_bytes_per_sm, b->shared_bytes_per_sm);
	assert_int_equal(a->shared_bytes_per_block, b->shared_bytes_per_block);
	assert_int_equal(a->l2_bytes, b->l2_bytes);
	assert_int_equal(a->memory_bytes, b->memory_bytes);
	assert_int_equal(a->sm_clock_max_hz, b->sm_clock_max_hz);
	assert_int_equal(a->memory_clock_max_hz, b->memory_clock_max_hz);
	assert_int_equal(a->memory_bus_bits, b->memory_bus_bits);
	assert_string_equal(a->driver, b->driver);
	assert_string_equal(a->cuda_driver, b->cuda_driver);
	assert_string_equal(a->toolkit, b->toolkit);
	assert_string_equal(a->cupti, b->cupti);
}

static void test_a_run_comes_back_whole(void **state)
{
	struct context *context = *state;
	struct run stored = fixture_run("nightly");
	struct run loaded = {0};

	assert_ok(context, fixture_store(context->db, &stored, &context->err));
	assert_int_equal(strlen(stored.uid), 32);
	assert_ok(context, db_run_load(context->db, stored.id, true, &loaded, &context->err));
	assert_int_equal(loaded.id, stored.id);
	assert_string_equal(loaded.uid, stored.uid);
	assert_string_equal(loaded.label, stored.label);
	assert_string_equal(loaded.note, stored.note);
	assert_string_equal(loaded.command, stored.command);
	assert_string_equal(loaded.backend, stored.backend);
	assert_string_equal(loaded.version, stored.version);
	assert_string_equal(loaded.source_revision, stored.source_revision);
	assert_string_equal(loaded.settings, stored.settings);
	assert_string_equal(loaded.state, "finished");
	assert_true(loaded.seed == stored.seed);
	assert_int_equal(loaded.rounds, stored.rounds);
	assert_true(loaded.started_ns == stored.started_ns);
	assert_true(loaded.finished_ns > 0);
	assert_same_device(&loaded.device, &stored.device);
	assert_int_equal(loaded.environment.count, 2);
	assert_string_equal(key_value_get(&loaded.environment, "hostname"), "bench-01");
	assert_int_equal(loaded.trial_count, FIXTURE_TRIALS);
	for (size_t i = 0; i < loaded.trial_count; i++) {
		assert_int_equal(loaded.trials[i].id, stored.trials[i].id);
		assert_int_equal(loaded.trials[i].position, i);
		assert_string_equal(loaded.trials[i].kernel, stored.trials[i].kernel);
		assert_string_equal(loaded.trials[i].variant, stored.trials[i].variant);
		assert_string_equal(loaded.trials[i].config, stored.trials[i].config);
		assert_int_equal(loaded.trials[i].axis_count, 2);
		assert_string_equal(loaded.trials[i].axes[0].name, "block");
		assert_int_equal(loaded.trials[i].axes[0].value, stored.trials[i].axes[0].value);
		assert_string_equal(loaded.trials[i].axes[1].name, "n");
		assert_int_equal(loaded.trials[i].axes[1].value, stored.trials[i].axes[1].value);
	}
	run_release(&loaded);
	run_release(&stored);
}

static void test_a_measured_trial_comes_back_whole(void **state)
{
	struct context *context = *state;
	struct run stored = fixture_run("nightly");
	struct run loaded = {0};
	const struct counter_value *counter;
	const struct trial *trial;
	struct sample *samples = NULL;
	size_t count = 0;

	assert_ok(context, fixture_store(context->db, &stored, &context->err));
	assert_ok(context, db_run_load(context->db, stored.id, true, &loaded, &context->err));
	trial = &loaded.trials[FIXTURE_OK];
	assert_int_equal(trial->status, TRIAL_OK);
	assert_null(trial->reason);
	assert_true(trial->has_work);
	assert_int_equal(trial->flop, (1 << 24) - 1);
	assert_int_equal(trial->bytes_read, 4 << 24);
	assert_int_equal(trial->bytes_written, 4);
	assert_int_equal(trial->facts.registers_per_thread, 32);
	assert_int_equal(trial->facts.shared_static_bytes, 128);
	assert_int_equal(trial->facts.shared_dynamic_bytes, 0);
	assert_int_equal(trial->facts.local_bytes_per_thread, 0);
	assert_true(trial->facts.theoretical_occupancy_pct == 100);
	assert_string_equal(trial->facts.occupancy_limiter, "warps");
	assert_string_equal(trial->facts.code_hash, "0123456789abcdef");
	assert_string_equal(trial->facts.code_kind, "cubin sm_90");
	assert_int_equal(trial->rounds_done, 2);
	assert_true(trial->counted);

	/* 1000 … 1009 and 2000 … 2009: the median lies half-way between the rounds. */
	assert_int_equal(trial->summary.count, 20);
	assert_true(trial->summary.median_ns == 1504.5);
	assert_true(trial->summary.min_ns == 1000);
	assert_true(trial->summary.max_ns == 2009);
	assert_true(trial->summary.low_ns <= trial->summary.median_ns);
	assert_true(trial->summary.high_ns >= trial->summary.median_ns);
	assert_true(trial->summary.mad_ns > 0);

	assert_int_equal(trial->counters.count, 3);
	counter = counter_list_find(&trial->counters, "dram_read_bytes");
	assert_true(counter->has_value && counter->value == 67108864);
	assert_string_equal(counter->unit, "byte");
	assert_string_equal(counter->source, "dram__bytes_read.sum");
	counter = counter_list_find(&trial->counters, "branch_efficiency_pct");
	assert_false(counter->has_value);
	assert_string_equal(counter->reason, "the kernel has no branches");

	assert_ok(context,
		  db_samples_load(context->db, trial->id, &samples, &count, &context->err));
	assert_int_equal(count, 20);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(samples[i].round, i / 10);
		assert_int_equal(samples[i].sequence, i % 10);
		assert_true(samples[i].time_ns == 1000.0 * (double)(i / 10 + 1) + (double)(i % 10));
	}
	free(samples);
	assert_int_equal(loaded.trials[FIXTURE_SKIPPED].status, TRIAL_SKIPPED);
	assert_string_equal(loaded.trials[FIXTURE_SKIPPED].reason, "block is not a power of two");
	assert_int_equal(loaded.trials[FIXTURE_PENDING].status, TRIAL_PENDING);
	assert_null(loaded.trials[FIXTURE_PENDING].reason);
	assert_int_equal(loaded.trials[FIXTURE_BARE].status, TRIAL_TIMEOUT);
	assert_string_equal(loaded.trials[FIXTURE_BARE].reason, "ran longer than 2 s");
	run_release(&loaded);
	run_release(&stored);
}

static void test_what_is_not_known_is_null(void **state)
{
	struct context *context = *state;
	struct run run = {.backend = xstrdup("cuda"), .trials = xcalloc(1, sizeof(*run.trials))};
	struct run loaded = {0};
	const struct launch_facts *facts;
	struct counter_list counters = {0};
	struct counter_value broken = {.metric = xstrdup("x"), .has_value = true, .value = NAN};

	run.trial_count = 1;
	run.trials[0] = (struct trial){
		.kernel = xstrdup("k"), .variant = xstrdup("v"), .config = xstrdup("")};
	snprintf(run.device.name, sizeof(run.device.name), "some device");
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	assert_ok(context, db_trial_facts(context->db, run.trials[0].id, &launch_facts_unknown,
					  &context->err));
	/* Past the invariant of struct counter_value: it is not stored as a number all the same. */
	counters.items = &broken;
	counters.count = 1;
	assert_ok(context,
		  db_counters_set(context->db, run.trials[0].id, &counters, &context->err));
	assert_int_equal(query(context,
			       "SELECT count(*) FROM device WHERE coalesce(uuid, chip,"
			       " cc_major, cc_minor, sm_count, max_threads_per_sm,"
			       " max_threads_per_block, max_blocks_per_sm, registers_per_sm,"
			       " shared_bytes_per_sm, shared_bytes_per_block, l2_bytes,"
			       " memory_bytes, sm_clock_max_hz, memory_clock_max_hz,"
			       " memory_bus_bits) IS NULL"),
			 1);
	assert_int_equal(query(context,
			       "SELECT count(*) FROM run WHERE coalesce(label, note,"
			       " finished_ns, driver, cuda_driver, toolkit, cupti, version,"
			       " source_revision, command, settings) IS NULL"),
			 1);
	assert_int_equal(
		query(context,
		      "SELECT count(*) FROM trial WHERE coalesce(reason, finished_ns, flop,"
		      " bytes_read, bytes_written, registers_per_thread,"
		      " shared_static_bytes, shared_dynamic_bytes, local_bytes_per_thread,"
		      " theoretical_occupancy_pct, occupancy_limiter, code_hash, code_kind,"
		      " median_ns, mad_ns, low_ns, high_ns, min_ns, max_ns) IS NULL"),
		1);
	assert_int_equal(query(context, "SELECT count(*) FROM counter WHERE value IS NULL AND"
					" reason IS NOT NULL"),
			 1);
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	facts = &loaded.trials[0].facts;
	assert_int_equal(facts->registers_per_thread, -1);
	assert_int_equal(facts->shared_dynamic_bytes, -1);
	assert_true(isnan(facts->theoretical_occupancy_pct));
	assert_string_equal(facts->code_hash, "");
	assert_false(loaded.trials[0].has_work);
	assert_true(isnan(loaded.trials[0].summary.median_ns));
	assert_true(loaded.trials[0].counted);
	assert_int_equal(loaded.device.sm_count, 0);
	assert_null(loaded.label);
	assert_string_equal(loaded.state, "running");
	free(broken.metric);
	run_release(&loaded);
	run_release(&run);
}

static void test_what_was_not_measured_beside_a_round_is_null(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_int_equal(query(context, "SELECT count(*) FROM round WHERE power_w IS NULL AND"
					" memory_clock_hz IS NULL AND temperature_c = 41"),
			 3);
	assert_int_equal(query(context, "SELECT throttle_reasons FROM round WHERE round = 0"), 4);
	assert_int_equal(
		query(context, "SELECT throttle_reasons IS NULL FROM round WHERE round = 1"), 1);
	run_release(&run);
}

static void test_an_infinite_state_is_null(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct round_result round = fixture_round(0, 1);

	round.state.sm_clock_hz = INFINITY;
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	assert_ok(context, db_round_add(context->db, run.trials[0].id, &round, &context->err));
	assert_int_equal(query(context, "SELECT sm_clock_hz IS NULL FROM round"), 1);
	fixture_round_release(&round);
	run_release(&run);
}

static void test_a_round_stored_twice_is_there_once(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct round_result longer = fixture_round(0, 7);
	struct round_result shorter = fixture_round(0, 3);
	struct sample *samples = NULL;
	size_t count = 0;

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	assert_ok(context, db_round_add(context->db, run.trials[0].id, &longer, &context->err));
	assert_ok(context, db_round_add(context->db, run.trials[0].id, &shorter, &context->err));
	assert_ok(context,
		  db_samples_load(context->db, run.trials[0].id, &samples, &count, &context->err));
	assert_int_equal(count, 3);
	assert_int_equal(query(context, "SELECT count(*) FROM round"), 1);
	free(samples);
	fixture_round_release(&longer);
	fixture_round_release(&shorter);
	run_release(&run);
}

static void test_a_sample_that_is_no_time_stores_nothing(void **state)
{
	struct context *context = *state;
	const double bad[] = {NAN, INFINITY, -1};
	struct run run = fixture_run(NULL);

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct round_result round = fixture_round(0, 4);
		struct error err = {0};

		round.time_ns[2] = bad[i];
		assert_int_equal(db_round_add(context->db, run.trials[0].id, &round, &err),
				 PL_EPROTOCOL);
		assert_non_null(strstr(err.text, "sample 2 of round 0"));
		fixture_round_release(&round);
	}
	assert_int_equal(
		query(context, "SELECT (SELECT count(*) FROM round) + count(*) FROM sample"), 0);
	run_release(&run);
}

static void test_every_status_can_be_stored(void **state)
{
#define X(symbol, name, meaning) symbol,
	static const enum trial_status all[] = {TRIAL_STATUS_LIST(X)};
#undef X
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct run loaded = {0};

		assert_ok(context, db_trial_finish(context->db, run.trials[FIXTURE_PENDING].id,
						   all[i], NULL, &context->err));
		assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
		assert_int_equal(loaded.trials[FIXTURE_PENDING].status, all[i]);
		assert_int_equal(loaded.trials[FIXTURE_PENDING].reason == NULL,
				 all[i] == TRIAL_OK || all[i] == TRIAL_PENDING);
		run_release(&loaded);
	}
	run_release(&run);
}

static void test_counters_set_again_replace_the_old(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct counter_list counters = {0};

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	counter_list_set(&counters, "instructions", "1", "smsp__inst_executed.sum", 12);
	assert_ok(context, db_counters_set(context->db, run.trials[FIXTURE_OK].id, &counters,
					   &context->err));
	assert_int_equal(query(context, "SELECT count(*) FROM counter"), 1);
	assert_int_equal(query(context, "SELECT value FROM counter WHERE metric = 'instructions'"),
			 12);
	counter_list_release(&counters);
	run_release(&run);
}

static void test_what_does_not_exist_is_said_to_be_absent(void **state)
{
	struct context *context = *state;
	struct round_result round = fixture_round(0, 1);
	struct counter_list counters = {0};
	struct run run = {0};
	struct db *db = context->db;
	struct error *err = &context->err;

	assert_int_equal(db_round_add(db, 99, &round, err), PL_ENOENT);
	assert_int_equal(db_trial_facts(db, 99, &launch_facts_unknown, err), PL_ENOENT);
	assert_int_equal(db_counters_set(db, 99, &counters, err), PL_ENOENT);
	assert_int_equal(db_trial_finish(db, 99, TRIAL_OK, NULL, err), PL_ENOENT);
	assert_int_equal(db_run_finish(db, 99, "finished", err), PL_ENOENT);
	assert_int_equal(db_run_reopen(db, 99, err), PL_ENOENT);
	assert_int_equal(db_environment_set(db, 99, "a", "b", err), PL_ENOENT);
	assert_int_equal(db_run_load(db, 99, true, &run, err), PL_ENOENT);
	assert_non_null(strstr(err->text, "no run 99"));
	fixture_round_release(&round);
}

static void test_a_reopened_run_is_running(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct run loaded = {0};

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_ok(context, db_run_reopen(context->db, run.id, &context->err));
	assert_ok(context,
		  db_environment_set(context->db, run.id, "hostname", "bench-02", &context->err));
	assert_ok(context, db_run_load(context->db, run.id, false, &loaded, &context->err));
	assert_string_equal(loaded.state, "running");
	assert_int_equal(loaded.finished_ns, 0);
	assert_int_equal(loaded.trial_count, 0);
	assert_string_equal(key_value_get(&loaded.environment, "hostname"), "bench-02");
	run_release(&loaded);
	run_release(&run);
}

static void test_the_same_uid_twice_is_refused(void **state)
{
	struct context *context = *state;
	struct run first = fixture_run("first");
	struct run second = fixture_run("second");

	assert_ok(context, fixture_store(context->db, &first, &context->err));
	memcpy(second.uid, first.uid, sizeof(second.uid));
	assert_int_equal(db_run_begin(context->db, &second, &context->err), PL_EEXIST);
	assert_int_equal(second.id, 0);
	assert_int_equal(second.trials[0].id, 0);
	assert_int_equal(query(context, "SELECT count(*) FROM run"), 1);
	run_release(&first);
	run_release(&second);
}

static void test_devices_are_told_apart_and_kept_once(void **state)
{
	struct context *context = *state;
	struct run same[2] = {fixture_run(NULL), fixture_run(NULL)};
	struct run other = fixture_run(NULL);

	snprintf(other.device.uuid, sizeof(other.device.uuid), "GPU-ffff");
	/* Newer software on the same hardware is the same device. */
	snprintf(same[1].device.driver, sizeof(same[1].device.driver), "590.1");
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_ok(context, db_run_begin(context->db, &same[i], &context->err));
	assert_ok(context, db_run_begin(context->db, &other, &context->err));
	assert_int_equal(query(context, "SELECT count(*) FROM device"), 2);
	run_release(&same[0]);
	run_release(&same[1]);
	run_release(&other);
}

/* ---- lists and references ---- */

struct listed {
	size_t count, stop_after;
	int64_t ids[8], trials, ok, failed, skipped;
	struct device_info device;
	int64_t device_runs;
};

static int list_run(void *data, const struct run *run, int64_t trials, int64_t ok, int64_t failed,
		    int64_t skipped)
{
	struct listed *listed = data;

	listed->ids[listed->count++] = run->id;
	listed->trials = trials;
	listed->ok = ok;
	listed->failed = failed;
	listed->skipped = skipped;
	return listed->count == listed->stop_after;
}

static int list_device(void *data, const struct device_info *device, int64_t runs)
{
	struct listed *listed = data;

	listed->count++;
	listed->device = *device;
	listed->device_runs = runs;
	return 0;
}

/* Ids 1, 2, 3 from newest to oldest, so that neither order is taken for the other. */
static void store_three(struct context *context)
{
	for (int i = 0; i < 3; i++) {
		struct run run = fixture_run(i == 2 ? NULL : "nightly");

		run.started_ns -= i * INT64_C(1000000000);
		snprintf(run.uid, sizeof(run.uid), "abcd%028d", i);
		assert_ok(context, fixture_store(context->db, &run, &context->err));
		assert_int_equal(run.id, i + 1);
		run_release(&run);
	}
}

static void test_runs_are_listed_newest_first(void **state)
{
	struct context *context = *state;
	struct listed all = {0};
	struct listed two = {0};
	struct listed stopped = {.stop_after = 1};

	store_three(context);
	assert_ok(context, db_runs_visit(context->db, 0, list_run, &all, &context->err));
	assert_int_equal(all.count, 3);
	assert_int_equal(all.ids[0], 1);
	assert_int_equal(all.ids[2], 3);
	assert_int_equal(all.trials, 4);
	assert_int_equal(all.ok, 1);
	assert_int_equal(all.failed, 1);
	assert_int_equal(all.skipped, 1);
	assert_ok(context, db_runs_visit(context->db, 2, list_run, &two, &context->err));
	assert_int_equal(two.count, 2);
	assert_int_equal(two.ids[1], 2);
	assert_ok(context, db_runs_visit(context->db, 0, list_run, &stopped, &context->err));
	assert_int_equal(stopped.count, 1);
}

static void test_devices_are_listed_with_their_runs(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct listed listed = {0};

	store_three(context);
	assert_ok(context, db_devices_visit(context->db, list_device, &listed, &context->err));
	assert_int_equal(listed.count, 1);
	assert_int_equal(listed.device_runs, 3);
	assert_same_device(&listed.device, &run.device);
	run_release(&run);
}

static void test_references_find_their_run(void **state)
{
	static const struct {
		const char *reference;
		int64_t id;
	} good[] = {{"last", 1},
		    {"1", 1},
		    {"3", 3},
		    {"nightly", 1},
		    {"abcd0000000000000000000000000002", 3},
		    {"ABCD0000000000000000000000000001", 2}};
	static const struct {
		const char *reference;
		int code;
		const char *text;
	} bad[] = {{"nightlies", PL_ENOENT, "nightly"}, {"4", PL_ENOENT, "no run '4'"},
		   {"abc", PL_ENOENT, "no run 'abc'"},  {"abcd", PL_EUSAGE, "several"},
		   {"", PL_ENOENT, "no run ''"},        {"%", PL_ENOENT, "no run '%'"},
		   {"' OR 1 --", PL_ENOENT, "no run"}};
	struct context *context = *state;
	int64_t id = 0;

	assert_int_equal(db_run_resolve(context->db, "last", &id, &context->err), PL_ENOENT);
	assert_non_null(strstr(context->err.text, "holds no run yet"));
	store_three(context);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_ok(context,
			  db_run_resolve(context->db, good[i].reference, &id, &context->err));
		assert_int_equal(id, good[i].id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};

		id = -7;
		assert_int_equal(db_run_resolve(context->db, bad[i].reference, &id, &err),
				 bad[i].code);
		assert_non_null(strstr(err.text, bad[i].text));
		assert_int_equal(id, -7);
	}
}

static void test_views_answer_in_plain_sql(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly");

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_int_equal(query(context, "SELECT count(*) FROM trials"), FIXTURE_TRIALS);
	assert_int_equal(query(context,
			       "SELECT count(*) FROM trials WHERE status = 'ok'"
			       " AND device = 'NVIDIA H200' AND block = 256 AND n = 1 << 24"
			       " AND label = 'nightly' AND median_ns = 1504.5"
			       " AND dram_read_bytes = 67108864"
			       " AND achieved_occupancy_pct = 93.5"
			       " AND branch_efficiency_pct IS NULL"
			       " AND started_at = '2025-11-21T04:40:00Z'"),
			 1);
	assert_int_equal(query(context, "SELECT block FROM best WHERE kernel = 'reduce'"), 256);
	assert_int_equal(query(context, "SELECT count(*) FROM best"), 1);
	run_release(&run);
}

static void test_best_is_of_each_cases_newest_run(void **state)
{
	struct context *context = *state;
	int64_t trial_of_newer = 0;

	/* The newer run is slower: what was once faster is no longer the code that runs. */
	for (int i = 0; i < 2; i++) {
		struct run run = fixture_run(NULL);
		struct round_result round = fixture_round(i, 10);

		run.started_ns += i;
		round.round = 0;
		assert_ok(context, db_run_begin(context->db, &run, &context->err));
		assert_ok(context,
			  db_round_add(context->db, run.trials[0].id, &round, &context->err));
		assert_ok(context, db_trial_finish(context->db, run.trials[0].id, TRIAL_OK, NULL,
						   &context->err));
		trial_of_newer = run.trials[0].id;
		fixture_round_release(&round);
		run_release(&run);
	}
	assert_int_equal(query(context, "SELECT count(*) FROM best"), 1);
	assert_int_equal(query(context, "SELECT trial_id FROM best"), trial_of_newer);
}

#define store_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_test(test_a_run_comes_back_whole),
		store_test(test_a_measured_trial_comes_back_whole),
		store_test(test_what_is_not_known_is_null),
		store_test(test_what_was_not_measured_beside_a_round_is_null),
		store_test(test_an_infinite_state_is_null),
		store_test(test_a_round_stored_twice_is_there_once),
		store_test(test_a_sample_that_is_no_time_stores_nothing),
		store_test(test_every_status_can_be_stored),
		store_test(test_counters_set_again_replace_the_old),
		store_test(test_what_does_not_exist_is_said_to_be_absent),
		store_test(test_a_reopened_run_is_running),
		store_test(test_the_same_uid_twice_is_refused),
		store_test(test_devices_are_told_apart_and_kept_once),
		store_test(test_runs_are_listed_newest_first),
		store_test(test_devices_are_listed_with_their_runs),
		store_test(test_references_find_their_run),
		store_test(test_views_answer_in_plain_sql),
		store_test(test_best_is_of_each_cases_newest_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
