/* Loads what a report of a stored run needs. */
#include "harness/session/report_data.h"

#include <stdlib.h>
#include <string.h>

#include "harness/session/judge.h"
#include "harness/session/source_facts.h"

#define HISTORY_RUNS 50 /* in an HTML page */

/* Refuses to compare emulated with measured numbers. */
static int load_compared(struct report_data *data, const char *reference, struct error *err)
{
	const struct run *run = &data->run;
	struct run *compared = &data->compared;
	int64_t id;
	int rc = db_run_resolve(data->db, reference, &id, err);

	if (!rc)
		rc = run_load(data->db, id, true, compared, err);
	if (!rc && strcmp(compared->backend, run->backend) != 0)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld used the backend %s and run %lld used %s: their "
			       "numbers do not compare",
			       (long long)run->id, run->backend, (long long)id, compared->backend);
	if (!rc)
		rc = db_rounds_load(data->db, compared, err);
	return error_context(err, rc, "--compare");
}

static int load_runs(struct report_data *data, const struct report_data_request *request,
		     struct error *err)
{
	int64_t id = 0;
	int rc = db_run_resolve(data->db, request->run, &id, err);

	if (!rc)
		rc = run_load(data->db, id, true, &data->run, err);
	if (rc || !request->compare)
		return rc;
	data->compares = true;
	rc = db_rounds_load(data->db, &data->run, err);
	return rc ? rc : load_compared(data, request->compare, err);
}

int report_data_load(struct report_data *out, const struct report_data_request *request,
		     struct error *err)
{
	int rc = db_open(&out->db, request->db_path, DB_READ, err);

	if (!rc)
		rc = load_runs(out, request, err);
	if (!rc)
		rc = db_ceilings_load(out->db, out->run.id, &out->ceilings, err);
	if (!rc && request->histories)
		rc = db_history_grid_load(out->db, &out->run, HISTORY_RUNS, &out->histories, err);
	if (!rc && out->histories.case_count)
		history_grid_find_changes(&out->histories);
	return rc;
}

void report_data_release(struct report_data *data)
{
	run_release(&data->run);
	run_release(&data->compared);
	ceiling_list_release(&data->ceilings);
	history_grid_release(&data->histories);
	db_close(data->db);
	*data = (struct report_data){0};
}

int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err)
{
	return db_samples_load(db, trial_id, out, count, err);
}

int report_trials_choose(const struct trial ***out, size_t *count, const struct run *run,
			 char *const *patterns, size_t pattern_count, struct error *err)
{
	const struct trial **chosen =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);
		bool matches = pattern_count == 0;

		for (size_t j = 0; j < pattern_count && !matches; j++)
			matches = pattern_matches(patterns[j], name);
		if (matches)
			chosen[(*count)++] = &run->trials[i];
		free(name);
	}
	if (*count == 0 && pattern_count) {
		free(chosen);
		return error_set(err, PL_EUSAGE,
				 "no case of run %lld matches \"%s\"; `perflab report %lld` lists "
				 "the cases",
				 (long long)run->id, patterns[0], (long long)run->id);
	}
	*out = chosen;
	return 0;
}

void report_measured_sources(struct key_value_list *out, const struct run *run)
{
	source_facts_compare(out, run);
}

bool report_source_folder(struct text *out)
{
	const char *given = getenv("PERFLAB_SOURCE_DIR");

	if (!given || !*given)
		return install_path(out, "share/perflab/source", NULL) == 0;
	text_clear(out);
	text_add(out, given);
	return true;
}
