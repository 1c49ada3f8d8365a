#include "ceilings_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct roof_row {
	const char *kernel, *variant, *config;
	int64_t flop, bytes_read, bytes_written;
	double median_ns;
} rows[] = {
	{"ceilings", "dram_copy", "block=256", 0, 500000, 500000, 250},
	{"ceilings", "dram_copy", "block=512", 0, 500000, 500000, 200},
	{"ceilings", "dram_read", "block=256", 0, 1000000, 0, 250},
	{"ceilings", "l2_read", "block=256", 0, 800000, 0, 100},
	{"ceilings", "shared_read", "block=256", 0, 3200000, 0, 100},
	{"ceilings", "f32_fma", "block=256", 6400000, 0, 0, 100},
	{"ceilings", "tensor_f16_wgmma", "block=384", 64000000, 0, 0, 100},
	{"stream", "triad", "block=256", 4000, 600, 400, 1000},
	{"stream", "broken", "block=256", 4000, 600, 400, 0},
};

static struct trial trial_of(const struct roof_row *row, int64_t position)
{
	return (struct trial){
		.position = position,
		.kernel = xstrdup(row->kernel),
		.variant = xstrdup(row->variant),
		.config = xstrdup(row->config),
		.has_work = true,
		.flop = row->flop,
		.bytes_read = row->bytes_read,
		.bytes_written = row->bytes_written,
	};
}

/* Samples of `median_ns`, and one on each side to get an interval. */
static int store_samples(struct db *db, int64_t trial_id, double median_ns, struct error *err)
{
	double time_ns[21];
	struct round_result round = {
		.state = {.sm_clock_hz = 1.7e9, .throttle_reasons = -1},
		.time_ns = time_ns,
		.count = ARRAY_SIZE(time_ns),
	};

	for (size_t i = 0; i < ARRAY_SIZE(time_ns); i++)
		time_ns[i] = median_ns * (1 + 0.001 * ((double)i - 10));
	return db_round_add(db, trial_id, &round, err);
}

static int store_counters(struct db *db, int64_t trial_id, struct error *err)
{
	static const struct {
		const char *metric;
		double value;
	} counted[] = {{"dram_bytes", 2000}, {"l2_from_l1_bytes", 1000}, {"l1_bytes", 4000},
		       {"shared_bytes", 0},  {"flop_f32", 4000},         {"flop_f64", 0}};
	struct counter_list list = {0};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		counter_list_set(&list, counted[i].metric, "", "test", counted[i].value);
	rc = db_counters_set(db, trial_id, &list, err);
	counter_list_release(&list);
	return rc;
}

int roofs_store(struct db *db, const struct roofs *roofs, int64_t *run_id, struct error *err)
{
	struct run run = fixture_run(roofs->label);
	int rc;

	for (size_t i = 0; i < run.trial_count; i++)
		trial_release(&run.trials[i]);
	free(run.trials);
	run.trials = xcalloc(ARRAY_SIZE(rows), sizeof(*run.trials));
	run.trial_count = ARRAY_SIZE(rows);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		run.trials[i] = trial_of(&rows[i], (int64_t)i);
	run.started_ns = roofs->started_ns;
	if (roofs->uuid)
		snprintf(run.device.uuid, sizeof(run.device.uuid), "%s", roofs->uuid);
	key_value_set(&run.environment, "process", roofs->process);
	rc = db_run_begin(db, &run, err);
	for (size_t i = 0; i < ARRAY_SIZE(rows) && !rc; i++) {
		const struct roof_row *row = &rows[i];
		bool left_out =
			roofs->only && strncmp(row->variant, roofs->only, strlen(roofs->only)) != 0;

		if (left_out || !(row->median_ns > 0)) {
			rc = db_trial_finish(db, run.trials[i].id, TRIAL_FAILED, "left out", NULL,
					     err);
			continue;
		}
		rc = store_samples(db, run.trials[i].id, row->median_ns * roofs->slower, err);
		if (!rc && strcmp(row->kernel, "stream") == 0)
			rc = store_counters(db, run.trials[i].id, err);
		if (!rc)
			rc = db_trial_finish(db, run.trials[i].id, TRIAL_OK, NULL, NULL, err);
		/* as if it had been judged */
		run.trials[i].summary.session_low_ns = 0.999 * row->median_ns * roofs->slower;
		run.trials[i].summary.session_high_ns = 1.001 * row->median_ns * roofs->slower;
	}
	if (!rc)
		rc = db_session_intervals_store(db, &run, err);
	if (!rc)
		rc = db_run_finish(db, run.id, RUN_FINISHED, err);
	if (!rc && run_id)
		*run_id = run.id;
	run_release(&run);
	return rc;
}
