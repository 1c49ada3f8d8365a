/*
 * Makes a database for schema_doc.sh: two runs of a device, the first marked good and the second
 * compared with it; one run of the backend ptx; one run of ceilings; one run of a kernel with bank
 * conflicts and of one without. usage: make_database FILE
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ceilings_fixture.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/catalogue/catalogue.h"

static int store_emulated(struct db *db, struct error *err)
{
	const struct emulated_value values[] = {{.name = "ptx_global_load_requests", .value = 4},
						{.name = "ptx_global_load_sectors", .value = 16}};
	struct counter_list counters = {0};
	struct line_count_list lines = {0};
	struct run run = fixture_run("laptop");
	struct line_count *line = line_count_list_add(&lines, "kernels/reduce/shuffle.cu", 14);
	int rc;

	fixture_emulate(&run);
	run.started_ns -= 1;
	line->instructions = 4;
	line->lanes = 128;
	line->requests = 4;
	line->sectors = 16;
	metric_emulated_counters(&counters, values, ARRAY_SIZE(values), 5, 65536);
	rc = db_run_begin(db, &run, err);
	if (!rc)
		rc = db_counters_set(db, run.trials[FIXTURE_OK].id, &counters, err);
	if (!rc)
		rc = db_lines_set(db, run.trials[FIXTURE_OK].id, &lines, err);
	if (!rc)
		rc = db_trial_finish(db, run.trials[FIXTURE_OK].id, TRIAL_SAMPLED,
				     "5 of 65536 blocks were executed", NULL, err);
	if (!rc)
		rc = db_run_finish(db, run.id, RUN_FINISHED, err);
	counter_list_release(&counters);
	line_count_list_release(&lines);
	run_release(&run);
	return rc;
}

/* A case that is slower than in run 1; the other case failed. */
static int store_comparisons(struct db *db, const struct run *run, struct error *err)
{
	struct trial_comparison_list list = {0};
	int rc;

	comparison_list_add(&list,
			    &(struct trial_comparison){.trial_id = run->trials[FIXTURE_OK].id,
						       .base_trial_id = 1,
						       .verdict = CHANGE_REGRESSED,
						       .change = 0.031,
						       .low = 0.022,
						       .high = 0.04,
						       .p = 0.0004});
	comparison_list_add(&list,
			    &(struct trial_comparison){.trial_id = run->trials[FIXTURE_BARE].id,
						       .verdict = CHANGE_FAILED,
						       .change = NAN,
						       .low = NAN,
						       .high = NAN,
						       .p = NAN,
						       .why = (char *)"ran longer than 2 s"});
	rc = db_comparisons_store(db, run->id, &list, err);
	comparison_list_release(&list);
	return rc;
}

static int store_parts(struct db *db, int64_t run_id, struct error *err)
{
	const struct meter meter = {.ns = {[RUN_PART_STARTING] = 250000000,
					   [RUN_PART_SAMPLES] = 1500000000,
					   [RUN_PART_OTHER] = 250000000}};

	return db_run_parts_add(db, run_id, &meter, err);
}

/* With the text of one source file, not of the others. */
static int store_profile(struct db *db, const struct run *run, struct error *err)
{
	static const char text[] = "/* a.cu */\n\n\n\n\n\n\tx[i] = y[i];\n\n\tsum += outer();\n";
	struct profile *profile = fixture_profile();
	char hash[HASH_TEXT_BYTES];
	int rc = db_profile_set(db, run->trials[FIXTURE_OK].id, profile, err);

	if (!rc)
		rc = db_content_keep(db, profile->functions[0].code, FIXTURE_CODE,
				     strlen(FIXTURE_CODE), err);
	hash_of(hash, text, strlen(text));
	if (!rc)
		rc = db_content_keep(db, hash, text, strlen(text), err);
	if (!rc)
		rc = db_run_file_set(db, run->id, "a.cu", hash, NULL, err);
	if (!rc)
		rc = db_run_file_set(db, run->id, "b.cuh", NULL, "was not found", err);
	profile_free(profile);
	return rc;
}

/* Two runs: the first is marked good and has a profile, the second is compared with it. */
static int store_nightly(struct db *db, int night, struct error *err)
{
	const struct run_words good = {.mark = "good", .why = "the release"};
	struct run run = fixture_run("nightly");
	int rc;

	run.started_ns += night;
	key_value_set(&run.environment, "hostname", night ? "bench-02" : "bench-01");
	rc = fixture_store(db, &run, err);
	if (!rc)
		rc = night ? store_comparisons(db, &run, err) : db_run_mark(db, run.id, &good, err);
	if (!rc && !night)
		rc = store_profile(db, &run, err);
	if (!rc)
		rc = store_parts(db, run.id, err);
	run_release(&run);
	return rc;
}

/* A case of a transpose: DRAM bytes and bank conflicts. */
struct transpose {
	const char *variant;
	double median_ns, dram_bytes, conflicts, wavefronts;
};
static const struct transpose transposes[] = {
	{"conflicts", 100000, 67108864, 32505856, 34603008},
	{"padded", 20000, 67108864, 0, 2097152},
};

static struct trial transpose_trial(const struct transpose *row, int64_t position)
{
	struct trial trial = {
		.position = position,
		.kernel = xstrdup("transpose"),
		.variant = xstrdup(row->variant),
		.config = xstrdup("block=256,n=4096"),
		.axes = xcalloc(2, sizeof(*trial.axes)),
		.axis_count = 2,
		.has_work = true,
		.bytes_read = 33554432,
		.bytes_written = 33554432,
	};

	trial.axes[0] = (struct named_value){.name = "block", .value = 256};
	trial.axes[1] = (struct named_value){.name = "n", .value = 4096};
	return trial;
}

static int store_transpose(struct db *db, int64_t trial_id, const struct transpose *row,
			   struct error *err)
{
	struct round_result round = fixture_round(0, 7);
	struct counter_list counters = {0};
	int rc;

	for (size_t i = 0; i < round.count; i++)
		round.time_ns[i] = row->median_ns * (1 + 0.001 * ((double)i - 3));
	counter_list_set(&counters, "dram_bytes", "byte", "test", row->dram_bytes);
	counter_list_set(&counters, "shared_load_bank_conflicts", "wavefront", "test", 0);
	counter_list_set(&counters, "shared_store_bank_conflicts", "wavefront", "test",
			 row->conflicts);
	counter_list_set(&counters, "shared_load_wavefronts", "wavefront", "test", 1048576);
	counter_list_set(&counters, "shared_store_wavefronts", "wavefront", "test",
			 row->wavefronts - 1048576);
	rc = db_round_add(db, trial_id, &round, err);
	if (!rc)
		rc = db_counters_set(db, trial_id, &counters, err);
	if (!rc)
		rc = db_trial_finish(db, trial_id, TRIAL_OK, NULL, NULL, err);
	counter_list_release(&counters);
	fixture_round_release(&round);
	return rc;
}

static int store_transposes(struct db *db, struct error *err)
{
	struct run run = fixture_run("padding");
	int rc;

	for (size_t i = 0; i < run.trial_count; i++)
		trial_release(&run.trials[i]);
	run.trial_count = ARRAY_SIZE(transposes);
	for (size_t i = 0; i < run.trial_count; i++)
		run.trials[i] = transpose_trial(&transposes[i], (int64_t)i);
	run.started_ns += 2;
	key_value_set(&run.environment, "gpu.persistence_mode", "on");
	rc = db_run_begin(db, &run, err);
	for (size_t i = 0; i < run.trial_count && !rc; i++)
		rc = store_transpose(db, run.trials[i].id, &transposes[i], err);
	if (!rc)
		rc = db_run_finish(db, run.id, RUN_FINISHED, err);
	run_release(&run);
	return rc;
}

/* As the session does when a run ends. */
static int judge(struct db *db, int64_t run_id, struct error *err)
{
	struct trial_limiter items[16] = {0};
	struct ceiling_list ceilings = {0};
	struct run run = {0};
	size_t count = 0;
	int rc = db_run_load(db, run_id, true, &run, err);
	const struct verdict_context context = verdict_context_of(&run, &ceilings);

	if (!rc)
		rc = db_ceilings_load(db, run_id, &ceilings, err);
	for (size_t i = 0; i < run.trial_count && count < ARRAY_SIZE(items) && !rc; i++) {
		struct trial_limiter *item = &items[count];

		if (!trial_status_counted(run.trials[i].status))
			continue;
		item->trial_id = run.trials[i].id;
		roofline_point_of(&item->point, &run.trials[i], run.traits.emulated, &ceilings);
		verdict_of(&item->verdict, &run.trials[i], &item->point, &context);
		count++;
	}
	if (!rc)
		rc = db_limiters_store(db, run_id, items, count,
				       ceilings.count ? ceilings.items[0].run_id : 0, err);
	for (size_t i = 0; i < count; i++)
		verdict_release(&items[i].verdict);
	ceiling_list_release(&ceilings);
	run_release(&run);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct recording recording = fixture_recording();
	struct db *db = NULL;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: make_database FILE\n");
		return 2;
	}
	rc = db_open(&db, argv[1], DB_CREATE, &err);
	for (int night = 0; !rc && night < 2; night++)
		rc = store_nightly(db, night, &err);
	if (!rc)
		rc = store_emulated(db, &err);
	if (!rc)
		rc = roofs_store(db, &(struct roofs){"ceilings", "here 1", NULL, NULL, 1, 1}, NULL,
				 &err);
	if (!rc)
		rc = store_transposes(db, &err);
	for (int64_t run_id = 1; run_id <= 5 && !rc; run_id++)
		rc = judge(db, run_id, &err);
	if (!rc)
		rc = db_recording_store(db, &recording, &err);
	recording_release(&recording);
	db_close(db);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
