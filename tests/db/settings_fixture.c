/* The runs of version_6.sql. */
#include "settings_fixture.h"

struct run settings_run(struct context *context, struct db *db, int64_t id)
{
	struct run run = {0};

	assert_ok(context, db_run_load(db, id, false, &run, &context->err));
	return run;
}

void assert_complete_run(struct context *context, struct db *db)
{
	struct run run = settings_run(context, db, RUN_COMPLETE);
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

void assert_emulated_run(struct context *context, struct db *db)
{
	struct run run = settings_run(context, db, RUN_EMULATED);

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
