/*
 * Makes a database for schema_doc.sh, two runs of a device, one of the backend
 * ptx, one of ceilings: make_database FILE.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ceilings_fixture.h"

static int store_emulated(struct db *db, struct error *err)
{
	const struct emulated_value values[] = {{.name = "ptx_global_load_requests", .value = 4},
						{.name = "ptx_global_load_sectors", .value = 16}};
	struct counter_list counters = {0};
	struct line_count_list lines = {0};
	struct run run = fixture_run("laptop");
	struct line_count *line = line_count_list_add(&lines, "kernels/reduce/shuffle.cu", 14);
	int rc;

	free(run.backend);
	run.backend = xstrdup("ptx");
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
				     "5 of 65536 blocks were executed", err);
	if (!rc)
		rc = db_run_finish(db, run.id, "finished", err);
	counter_list_release(&counters);
	line_count_list_release(&lines);
	run_release(&run);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct db *db = NULL;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: make_database FILE\n");
		return 2;
	}
	rc = db_open(&db, argv[1], DB_CREATE, &err);
	for (int i = 0; !rc && i < 2; i++) {
		struct run run = fixture_run("nightly");

		run.started_ns += i;
		key_value_set(&run.environment, "hostname", i ? "bench-02" : "bench-01");
		rc = fixture_store(db, &run, &err);
		run_release(&run);
	}
	if (!rc)
		rc = store_emulated(db, &err);
	if (!rc)
		rc = roofs_store(db, &(struct roofs){"ceilings", "here 1", NULL, NULL, 1, 1}, NULL,
				 &err);
	db_close(db);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc ? 1 : 0;
}
