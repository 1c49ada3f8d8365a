/*
 * Makes a database of runs that nobody measured (lab.h) for the tests of the
 * page: make_lab FILE WHAT. WHAT is `lab`: a run, an older one to compare it
 * with, and one of the backend ptx; `many`: a run of 10,000 cases; `long`: 21
 * such runs; `history`: two cases over 24 runs, one of which became slower;
 * `hostile`:
 * names and reasons that no page likes; `one`: a single case; `bare`: a run
 * without samples or counters; `lines`: cases with profiles; `all_lines` and
 * `some_lines`: 200 cases with a source of 2,000 lines, of which a case executes
 * all, or every tenth; `no_lines`: the same without profiles.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"
#include "lab_lines.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/compare.h"
#include "metrics/catalogue/catalogue.h"

#define STEP_NS 32.0

/* ---- storing ---- */

struct storing {
	struct db *db;
	uint64_t seed;
	double change; /* how far times of this run lie from those of the lab */
	int samples;   /* a round */
	bool all_counters;
	struct error err;
};

/* Ends a run as a sweep does, with the intervals of its times. */
static int finish_run(struct storing *storing, int64_t id)
{
	struct run run = {0};
	int rc = db_run_load(storing->db, id, true, &run, &storing->err);

	if (!rc)
		rc = db_rounds_load(storing->db, &run, &storing->err);
	run_set_intervals(&run);
	if (!rc)
		rc = db_session_intervals_store(storing->db, &run, &storing->err);
	run_release(&run);
	return rc ? rc : db_run_finish(storing->db, id, RUN_FINISHED, &storing->err);
}

static int store_round(struct storing *storing, int64_t trial_id, int number, double time_ns)
{
	struct round_result taken = {
		.round = number,
		.state = {.sm_clock_hz = 1.755e9,
			  .memory_clock_hz = 3.2e9,
			  .temperature_c = 38 + number,
			  .power_w = 412,
			  .throttle_reasons = 0},
		.time_ns = xcalloc((size_t)storing->samples, sizeof(*taken.time_ns)),
		.count = (size_t)storing->samples,
	};
	double drift = 1 + 0.004 * (lab_random(&storing->seed) - 0.5);
	int rc;

	for (size_t i = 0; i < taken.count; i++) {
		double noise = lab_random(&storing->seed) + lab_random(&storing->seed) - 1;
		double late = lab_random(&storing->seed) > 0.97 ? 1.03 : 1;

		taken.time_ns[i] =
			STEP_NS * round(time_ns * drift * late * (1 + 0.006 * noise) / STEP_NS);
	}
	rc = db_round_add(storing->db, trial_id, &taken, &storing->err);
	free(taken.time_ns);
	return rc;
}

static int store_ok(struct storing *storing, const struct run *run, size_t at,
		    const struct lab_case *of)
{
	const struct trial *trial = &run->trials[at];
	/* of the older run some kernels were slower, some faster, some the same */
	size_t place = (size_t)(of->kernel - lab_kernels);
	double slower = 1 + storing->change * ((double)(place % 5) - 1.5);
	double time_ns = lab_time_ns(of, place % 5 == 2 ? 1 : slower);
	struct counter_list counters = {0};
	int rc = db_trial_facts(storing->db, trial->id, &trial->facts, &storing->err);

	for (int round = 0; !rc && round < run->rounds; round++)
		rc = store_round(storing, trial->id, round, time_ns);
	lab_count(&counters, of, time_ns, storing->all_counters);
	if (!rc)
		rc = db_counters_set(storing->db, trial->id, &counters, &storing->err);
	if (!rc)
		rc = db_trial_finish(storing->db, trial->id, TRIAL_OK, NULL, NULL, &storing->err);
	counter_list_release(&counters);
	return rc;
}

static int store_end(struct storing *storing, const struct run *run, size_t at,
		     enum trial_status status, const char *reason)
{
	return db_trial_finish(storing->db, run->trials[at].id, status, reason, NULL,
			       &storing->err);
}

/* ---- runs ---- */

static const int64_t blocks[] = {64, 96, 128, 256, 512, 1024};

/* Cases that do not run on the device that does not exist. */
static enum trial_status fate_of(const struct lab_case *of, const char **reason)
{
	if (of->block == 96 && strcmp(of->kernel->kernel, "reduce") == 0) {
		*reason = "the block must be a power of two";
		return TRIAL_SKIPPED;
	}
	if (of->block == 1024 && of->kernel->registers * of->block > 65536) {
		*reason = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: 128 registers a thread";
		return TRIAL_DEVICE_ERROR;
	}
	if (of->block == 96 && strcmp(of->kernel->variant, "tiled") == 0) {
		*reason = "out[17] is 3.5, expected 4096: off by 1.17e+03 of the tolerance";
		return TRIAL_MISMATCH;
	}
	if (of->block == 64 && strcmp(of->kernel->variant, "switch_lane") == 0) {
		*reason = "ran longer than 10 s; its worker was ended";
		return TRIAL_TIMEOUT;
	}
	return TRIAL_OK;
}

static int store_run(struct storing *storing, struct run *run, const struct lab_case *cases)
{
	int rc = db_run_begin(storing->db, run, &storing->err);

	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		const char *reason = NULL;
		enum trial_status fate = fate_of(&cases[i], &reason);

		if (fate == TRIAL_OK)
			rc = store_ok(storing, run, i, &cases[i]);
		else
			rc = store_end(storing, run, i, fate, reason);
	}
	return rc ? rc : finish_run(storing, run->id);
}

/* What the device that does not exist can do at most. */
static int make_roofs(struct storing *storing)
{
	struct run run = lab_run(CEILINGS_LABEL, "perflab ceilings");
	double *times_ns = xcalloc(lab_roof_count, sizeof(*times_ns));
	int rc;

	run.started_ns -= INT64_C(7200000000000);
	for (size_t i = 0; i < lab_roof_count; i++)
		times_ns[i] = lab_add_roof(&run, &lab_roofs[i]);
	rc = db_run_begin(storing->db, &run, &storing->err);
	for (size_t i = 0; !rc && i < run.trial_count; i++) {
		for (int round = 0; !rc && round < run.rounds; round++)
			rc = store_round(storing, run.trials[i].id, round, times_ns[i]);
		if (!rc)
			rc = db_trial_finish(storing->db, run.trials[i].id, TRIAL_OK, NULL, NULL,
					     &storing->err);
	}
	if (!rc)
		rc = finish_run(storing, run.id);
	run_release(&run);
	free(times_ns);
	return rc;
}

/* `per_kernel` cases a kernel of the lab: every block size, then further sizes. */
static int make_run(struct storing *storing, struct run *run, size_t per_kernel)
{
	size_t count = lab_kernel_count * per_kernel;
	struct lab_case *cases = xcalloc(count, sizeof(*cases));
	int rc;

	for (size_t i = 0; i < count; i++) {
		const struct lab_kernel *kernel = &lab_kernels[i / per_kernel];
		size_t place = i % per_kernel;
		int64_t n = strcmp(kernel->kernel, "matmul") == 0 ? 1 << 20 : 1 << 24;

		cases[i] = (struct lab_case){kernel, blocks[place % ARRAY_SIZE(blocks)],
					     n - (int64_t)(place / ARRAY_SIZE(blocks)) * 4096};
		lab_add(run, &cases[i]);
	}
	rc = store_run(storing, run, cases);
	run_release(run);
	free(cases);
	return rc;
}

#define LAB_CONFLICTS 0.625 /* of the wavefronts of shared memory */

static int make_emulated(struct storing *storing)
{
	struct run run = lab_run("emulated", "perflab sweep reduce stream --backend ptx");
	int rc;

	free(run.backend);
	run.backend = xstrdup("ptx");
	run.traits = (struct backend_traits){.emulated = true, .warp_size = 32};
	run.rounds = 1;
	run.started_ns -= INT64_C(3600000000000);
	snprintf(run.device.name, sizeof(run.device.name), "PTX emulator (GH100 limits)");
	for (size_t i = 0; i < 2 * lab_kernel_count; i++) {
		struct lab_case of = {&lab_kernels[i / 2], i % 2 ? 512 : 256, 1 << 16};

		lab_add(&run, &of);
	}
	rc = db_run_begin(storing->db, &run, &storing->err);
	for (size_t i = 0; !rc && i < run.trial_count; i++) {
		const struct lab_kernel *kernel = &lab_kernels[i / 2];
		double n = 1 << 16, branches = isnan(kernel->branch_pct) ? 0 : n / 32;
		/* of one variant, in its second block size only */
		bool conflicts = i % 2 && strcmp(kernel->variant, "sequential") == 0;
		bool sampled = strcmp(kernel->kernel, "matmul") == 0;
		const struct emulated_value values[] = {
			{.name = "ptx_warp_instructions", .value = n / 4},
			{.name = "ptx_lane_instructions",
			 .value = n * 8 * kernel->threads_pct / 100},
			{.name = "ptx_branches", .value = branches},
			{.name = "ptx_divergent_branches",
			 .value = branches * (100 - kernel->branch_pct) / 100},
			{.name = "ptx_global_load_requests", .value = n / 32},
			{.name = "ptx_global_load_sectors", .value = n / 8 * kernel->l1},
			{.name = "ptx_shared_load_wavefronts", .value = n / 64},
			{.name = "ptx_shared_store_wavefronts", .value = n / 64},
			{.name = "ptx_shared_bank_conflicts",
			 .value = conflicts ? n / 32 * LAB_CONFLICTS : 0},
			{.name = "ptx_f32_flop", .value = n * kernel->flop},
			{.name = "ptx_f64_flop", .value = 0},
			{.name = "ptx_compulsory_read_bytes", .value = n * kernel->bytes * 0.6},
			{.name = "ptx_compulsory_written_bytes", .value = n * kernel->bytes * 0.4},
			{.name = "ptx_theoretical_occupancy_pct",
			 .value = run.trials[i].facts.theoretical_occupancy_pct},
		};
		struct counter_list counters = {0};

		metric_emulated_counters(&counters, values, ARRAY_SIZE(values), sampled ? 5 : 256,
					 256);
		rc = db_counters_set(storing->db, run.trials[i].id, &counters, &storing->err);
		if (!rc)
			rc = store_end(storing, &run, i, sampled ? TRIAL_SAMPLED : TRIAL_OK,
				       sampled ? "5 of 256 blocks were executed" : NULL);
		counter_list_release(&counters);
	}
	if (!rc)
		rc = finish_run(storing, run.id);
	run_release(&run);
	return rc;
}

static int make_lab(struct storing *storing)
{
	struct run before =
		lab_run("before", "perflab sweep --block-sizes 64..1024 --label before");
	struct run now = lab_run("now", "perflab sweep --block-sizes 64..1024 --label now");
	int rc;

	storing->change = 0.04;
	before.started_ns -= INT64_C(86400000000000);
	key_value_set(&before.environment, "persistence_mode", "off");
	key_value_set(&before.environment, "process", "nowhere 1 2");
	key_value_set(&now.environment, "process", "nowhere 3 4");
	rc = make_run(storing, &before, ARRAY_SIZE(blocks) - 1);
	storing->change = 0;
	if (!rc)
		rc = make_emulated(storing);
	return rc ? rc : make_run(storing, &now, ARRAY_SIZE(blocks));
}

/* How much slower the first kernel of the lab is in a run of the history: a step that stays, of the
 * last but 14 runs. */
#define HISTORY_RUNS 24
#define HISTORY_STEP 10
#define HISTORY_SLOWER 0.05
/* How much faster the third kernel is in the newest run. */
#define HISTORY_FASTER 0.03

/* Kernels over many runs of a day each: one became slower, one is faster just now; one run failed,
 * another is marked good. */
static int make_history(struct storing *storing)
{
	int rc = 0;

	storing->all_counters = false;
	for (int i = 0; !rc && i < HISTORY_RUNS; i++) {
		char *label = xasprintf("day-%d", i);
		struct run run = lab_run(label, "perflab sweep reduce");
		const struct run_words words = {.mark = i == 3 ? "good" : NULL};

		free(run.source_revision);
		run.source_revision = xasprintf("%040d", i);
		run.started_ns += i * INT64_C(86400000000000);
		for (size_t j = 0; j < 3; j++)
			lab_add(&run, &(struct lab_case){&lab_kernels[j], 256, 1 << 24});
		rc = db_run_begin(storing->db, &run, &storing->err);
		for (size_t j = 0; !rc && j < 3; j++) {
			struct lab_case of = {&lab_kernels[j], 256, 1 << 24};
			double slower = j == 0 && i >= HISTORY_STEP       ? 1 + HISTORY_SLOWER
					: j == 2 && i == HISTORY_RUNS - 1 ? 1 - HISTORY_FASTER
									  : 1;

			for (int round = 0; !rc && round < run.rounds; round++)
				rc = store_round(storing, run.trials[j].id, round,
						 lab_time_ns(&of, slower));
			if (!rc && i == 5 && j == 1)
				rc = store_end(storing, &run, j, TRIAL_FAILED,
					       "the driver went away");
			else if (!rc)
				rc = db_trial_finish(storing->db, run.trials[j].id, TRIAL_OK, NULL,
						     NULL, &storing->err);
		}
		if (!rc)
			rc = finish_run(storing, run.id);
		if (!rc && words.mark)
			rc = db_run_mark(storing->db, run.id, &words, &storing->err);
		run_release(&run);
		free(label);
	}
	return rc;
}

/* Older runs, of which a page has the times; then the one that it is of. */
static int make_many(struct storing *storing, int runs)
{
	int rc = 0;

	for (int i = 0; !rc && i < runs; i++) {
		struct run run = lab_run("many", "perflab sweep --block-sizes 64..1024");

		run.started_ns += i;
		rc = make_run(storing, &run, 10000 / lab_kernel_count);
	}
	return rc;
}

/* ---- what no page likes ---- */

#define HOSTILE "</script><script>throw 1</script><!--\xe2\x80\xa8 \xff \x1b[31m \"'&amp;"

static int make_hostile(struct storing *storing)
{
	char *label = xasprintf("label %s", HOSTILE);
	struct run run = lab_run(label, "perflab sweep " HOSTILE);
	char *long_name = xcalloc(501, 1);
	char *reason = xasprintf("reason %s", HOSTILE);
	struct lab_case of = {&lab_kernels[0], 256, 1 << 20};
	int rc;

	memset(long_name, 'k', 500);
	key_value_set(&run.environment, "__proto__", HOSTILE);
	key_value_set(&run.environment, HOSTILE, "1");
	for (size_t i = 0; i < 3 + TRIAL_STATUS_COUNT; i++) {
		struct trial *trial = lab_add(&run, &of);

		free(trial->variant);
		trial->variant = i == 0   ? xstrdup(HOSTILE)
				 : i == 1 ? xstrdup(long_name)
				 : i == 2 ? xstrdup("__proto__")
					  : xasprintf("status_%zu", i - 3);
	}
	free(run.trials[0].kernel);
	run.trials[0].kernel = xstrdup(HOSTILE);
	rc = db_run_begin(storing->db, &run, &storing->err);
	for (size_t i = 0; !rc && i < 3; i++)
		rc = store_ok(storing, &run, i, &of);
	for (size_t i = 0; !rc && i < TRIAL_STATUS_COUNT; i++) {
		enum trial_status status = (enum trial_status)i;

		if (status != TRIAL_PENDING)
			rc = store_end(storing, &run, 3 + i, status,
				       status == TRIAL_OK ? NULL : reason);
	}
	run_release(&run);
	free(long_name);
	free(reason);
	free(label);
	return rc;
}

static int make_one(struct storing *storing, bool bare)
{
	struct run run = lab_run("one", "perflab sweep reduce/shuffle");
	struct lab_case of = {&lab_kernels[10], 256, 1 << 24};
	int rc;

	lab_add(&run, &of);
	rc = db_run_begin(storing->db, &run, &storing->err);
	if (!rc && bare)
		rc = store_end(storing, &run, 0, TRIAL_FAILED, "the driver went away");
	else if (!rc)
		rc = store_ok(storing, &run, 0, &of);
	if (!rc)
		rc = finish_run(storing, run.id);
	run_release(&run);
	return rc;
}

/* ---- profiles ---- */

static int make_lines(struct storing *storing)
{
	struct run run = lab_run("lines", "perflab sweep --lines all");
	struct lab_case of = {&lab_kernels[10], 0, 1 << 24};
	int rc;

	for (int64_t i = 0; i < LAB_PROFILE_COUNT; i++) {
		of.block = 32 * (i + 1);
		lab_add(&run, &of);
	}
	rc = db_run_begin(storing->db, &run, &storing->err);
	for (size_t i = 0; !rc && i < LAB_PROFILE_COUNT; i++) {
		rc = store_ok(storing, &run, i, &of);
		if (!rc)
			rc = lab_lines_store(storing->db, run.id, run.trials[i].id,
					     (enum lab_profile)i, &storing->err);
	}
	if (!rc)
		rc = finish_run(storing, run.id);
	run_release(&run);
	return rc;
}

/* Each case executes every `every`-th of 2,000 lines; 0: none has a profile. */
static int make_long_lines(struct storing *storing, int64_t every)
{
	struct run run = lab_run("long lines", "perflab sweep --lines all");
	struct lab_case of = {&lab_kernels[10], 0, 1 << 24};
	int rc;

	for (int64_t i = 0; i < 200; i++) {
		of.block = i + 1;
		lab_add(&run, &of);
	}
	rc = db_run_begin(storing->db, &run, &storing->err);
	for (size_t i = 0; !rc && i < run.trial_count; i++) {
		rc = store_ok(storing, &run, i, &of);
		if (!rc && every)
			rc = lab_long_lines_store(storing->db, run.id, run.trials[i].id, 2000,
						  every, 1 + (int64_t)i % every, &storing->err);
	}
	if (!rc)
		rc = finish_run(storing, run.id);
	run_release(&run);
	return rc;
}

int main(int argc, char **argv)
{
	struct storing storing = {.seed = 1, .samples = 20, .all_counters = true};
	const char *what = argc == 3 ? argv[2] : "";
	int rc = argc == 3 ? db_open(&storing.db, argv[1], DB_CREATE, &storing.err) : PL_EUSAGE;

	if (rc)
		fprintf(stderr, "usage: make_lab FILE lab|many|long|history|hostile|one|bare|lines|"
				"all_lines|some_lines|no_lines\n");
	else if (strcmp(what, "lab") == 0)
		rc = make_roofs(&storing) || make_lab(&storing);
	else if (strcmp(what, "many") == 0)
		rc = make_roofs(&storing) || make_many(&storing, 1);
	else if (strcmp(what, "long") == 0) {
		storing.samples = 1;
		storing.all_counters = false;
		rc = make_many(&storing, 21);
	} else if (strcmp(what, "history") == 0)
		rc = make_history(&storing);
	else if (strcmp(what, "hostile") == 0)
		rc = make_hostile(&storing);
	else if (strcmp(what, "lines") == 0)
		rc = make_lines(&storing);
	else if (strcmp(what, "all_lines") == 0)
		rc = make_long_lines(&storing, 1);
	else if (strcmp(what, "some_lines") == 0)
		rc = make_long_lines(&storing, 10);
	else if (strcmp(what, "no_lines") == 0)
		rc = make_long_lines(&storing, 0);
	else
		rc = make_one(&storing, strcmp(what, "bare") == 0);
	db_close(storing.db);
	if (rc)
		fprintf(stderr, "%s\n", storing.err.text);
	return rc ? 1 : 0;
}
