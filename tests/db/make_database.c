/*
 * Makes a database for schema_doc.sh: two runs of a device, the first marked good and the second
 * compared with it; one run of the backend ptx; one run of ceilings. usage: make_database FILE
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ceilings_fixture.h"
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
		rc = db_run_finish(db, run.id, "finished", err);
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

/* Two runs: the first is marked good, the second is compared with it. */
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
		rc = db_recording_store(db, &recording, &err);
	recording_release(&recording);
	db_close(db);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
