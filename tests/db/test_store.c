/*
 * Stored values are loaded unchanged, and unknown values are loaded as unknown.
 */
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void assert_same_settings(const struct run *loaded, const struct run *stored)
{
	const struct measure_settings *a = &loaded->settings, *b = &stored->settings;

	assert_true(loaded->has_settings);
	assert_int_equal(loaded->traits.timed, stored->traits.timed);
	assert_int_equal(loaded->traits.emulated, stored->traits.emulated);
	assert_string_equal(loaded->traits.vendor, stored->traits.vendor);
	assert_int_equal(loaded->traits.warp_size, stored->traits.warp_size);
	assert_int_equal(a->device, b->device);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->cache, b->cache);
	assert_int_equal(a->min_samples, b->min_samples);
	assert_int_equal(a->max_time_ns, b->max_time_ns);
	assert_true(a->precision == b->precision);
	assert_int_equal(a->rounds, b->rounds);
	assert_int_equal(a->placements, b->placements);
	assert_int_equal(a->timeout_ns, b->timeout_ns);
	assert_int_equal(a->metrics.count, b->metrics.count);
	for (size_t i = 0; i < a->metrics.count; i++)
		assert_string_equal(a->metrics.items[i], b->metrics.items[i]);
	assert_string_equal(a->chip, b->chip);
	assert_int_equal(a->all_blocks, b->all_blocks);
	assert_int_equal(a->jobs, b->jobs);
	assert_string_equal(a->counter_dump, b->counter_dump);
	assert_string_equal(
		loaded->settings_json,
		"{\"device\":1,\"seed\":\"18364758544493064720\",\"cache\":\"cold\","
		"\"min_samples\":20,\"max_time_ns\":500000000,\"precision\":0.0025000000000000001,"
		"\"rounds\":3,\"timeout_ns\":60000000000,"
		"\"metrics\":[\"dram_read_bytes\",\"sm__inst_executed.sum\"],"
		"\"chip\":\"GA100\",\"all_blocks\":true,\"jobs\":2,\"counter_dump\":\"images\"}");
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
	assert_same_settings(&loaded, &stored);
	assert_int_equal(loaded.state, RUN_FINISHED);
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
	assert_string_equal(trial->launch_hash, "fedcba9876543210");
	assert_int_equal(trial->rounds_done, 2);
	assert_true(trial->counted);

	/* 1000 … 1009 and 2000 … 2009: the median lies half-way between the rounds. */
	assert_int_equal(trial->summary.count, 20);
	assert_true(trial->summary.median_ns == 1504.5);
	assert_true(trial->summary.min_ns == 1000);
	assert_true(trial->summary.max_ns == 2009);
	assert_true(trial->summary.session_low_ns == 1000);
	assert_true(trial->summary.session_high_ns == 2009.5);
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
	assert_int_equal(
		context_query(context,
			      "SELECT count(*) FROM device WHERE coalesce(uuid, chip,"
			      " cc_major, cc_minor, sm_count, max_threads_per_sm,"
			      " max_threads_per_block, max_blocks_per_sm, registers_per_sm,"
			      " shared_bytes_per_sm, shared_bytes_per_block, l2_bytes,"
			      " memory_bytes, sm_clock_max_hz, memory_clock_max_hz,"
			      " memory_bus_bits) IS NULL"),
		1);
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM run WHERE coalesce(label, note,"
				       " finished_ns, driver, cuda_driver, toolkit, cupti, version,"
				       " source_revision, command, settings) IS NULL"),
			 1);
	assert_int_equal(
		context_query(context,
			      "SELECT count(*) FROM trial WHERE coalesce(reason, finished_ns, flop,"
			      " bytes_read, bytes_written, registers_per_thread,"
			      " shared_static_bytes, shared_dynamic_bytes, local_bytes_per_thread,"
			      " theoretical_occupancy_pct, occupancy_limiter, code_hash, code_kind,"
			      " median_ns, mad_ns, session_low_ns, session_high_ns, min_ns, "
			      "max_ns) IS NULL"),
		1);
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM counter WHERE value IS NULL AND"
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
	assert_int_equal(loaded.state, RUN_RUNNING);
	free(broken.metric);
	run_release(&loaded);
	run_release(&run);
}

static void test_what_was_not_measured_beside_a_round_is_null(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM round WHERE power_w IS NULL AND"
				       " memory_clock_hz IS NULL AND temperature_c = 41"),
			 3);
	assert_int_equal(
		context_query(context, "SELECT throttle_reasons FROM round WHERE round = 0"), 4);
	assert_int_equal(
		context_query(context,
			      "SELECT throttle_reasons IS NULL FROM round WHERE round = 1"),
		1);
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
	assert_int_equal(context_query(context, "SELECT sm_clock_hz IS NULL FROM round"), 1);
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
	assert_int_equal(context_query(context, "SELECT count(*) FROM round"), 1);
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
		context_query(context,
			      "SELECT (SELECT count(*) FROM round) + count(*) FROM sample"),
		0);
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
						   all[i], NULL, NULL, &context->err));
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
	assert_int_equal(context_query(context, "SELECT count(*) FROM counter"), 1);
	assert_int_equal(
		context_query(context, "SELECT value FROM counters WHERE metric = 'instructions'"),
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
	assert_int_equal(db_trial_finish(db, 99, TRIAL_OK, NULL, NULL, err), PL_ENOENT);
	assert_int_equal(db_run_finish(db, 99, RUN_FINISHED, err), PL_ENOENT);
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
	assert_int_equal(loaded.state, RUN_RUNNING);
	assert_int_equal(loaded.finished_ns, 0);
	assert_int_equal(loaded.trial_count, 0);
	assert_string_equal(key_value_get(&loaded.environment, "hostname"), "bench-02");
	/* of two writers that know the old value, the second is rejected */
	assert_ok(context, db_environment_swap(context->db, run.id, "hostname", "bench-02",
					       "bench-03", &context->err));
	assert_int_equal(db_environment_swap(context->db, run.id, "hostname", "bench-02",
					     "bench-04", &context->err),
			 PL_EBUSY);
	run_release(&loaded);
	assert_ok(context, db_run_load(context->db, run.id, false, &loaded, &context->err));
	assert_string_equal(key_value_get(&loaded.environment, "hostname"), "bench-03");
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
	assert_int_equal(context_query(context, "SELECT count(*) FROM run"), 1);
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
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 2);
	run_release(&same[0]);
	run_release(&same[1]);
	run_release(&other);
}

/* A resumed run adds to what is there; nothing else is touched. */
static void test_the_parts_of_a_run_add_up(void **state)
{
	const struct meter first = {.ns = {[RUN_PART_SAMPLES] = 3000, [RUN_PART_OTHER] = 1000}};
	const struct meter second = {.ns = {[RUN_PART_SAMPLES] = 1000, [RUN_PART_STORING] = 5000}};
	struct context *context = *state;
	struct run runs[2] = {fixture_run("one"), fixture_run("two")};

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		assert_ok(context, db_run_begin(context->db, &runs[i], &context->err));
		assert_ok(context,
			  db_run_parts_add(context->db, runs[i].id, &first, &context->err));
	}
	assert_ok(context, db_run_parts_add(context->db, runs[0].id, &second, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM run_times"), 5);
	assert_int_equal(context_query(context, "SELECT wall_ns FROM run_part WHERE run_id = 1"
						" AND part = 'samples'"),
			 4000);
	assert_int_equal(context_query(context, "SELECT round(wall_pct) FROM run_times"
						" WHERE run_id = 1 AND part = 'samples'"),
			 40);
	assert_int_equal(context_query(context, "SELECT sum(wall_ns) FROM run_part"
						" WHERE run_id = 2"),
			 4000);
	assert_int_equal(context_query(context, "SELECT total(wall_pct) FROM run_times"), 200);
	assert_int_equal(db_run_parts_add(context->db, 99, &first, &context->err), PL_ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		run_release(&runs[i]);
}

#define store_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

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
		store_test(test_the_parts_of_a_run_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
