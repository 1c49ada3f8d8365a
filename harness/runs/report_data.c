/* Loads what a report of a stored run needs. */
#include "harness/runs/runs.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "harness/runs/counter_grid.h"
#include "harness/sources/sources.h"

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
	int rc = run_load(data->db, data->run_id, true, &data->run, err);

	if (!rc && (request->rounds || request->compare))
		rc = db_rounds_load(data->db, &data->run, err);
	if (rc || !request->compare)
		return rc;
	data->compares = true;
	return load_compared(data, request->compare, err);
}

int report_data_find(struct report_data *out, const struct report_data_request *request,
		     struct error *err)
{
	int rc = db_open(&out->db, request->db_path, DB_READ, err);

	return rc ? rc : db_run_resolve(out->db, request->run, &out->run_id, err);
}

int report_data_load(struct report_data *out, const struct report_data_request *request,
		     struct error *err)
{
	int rc = out->run_id ? 0 : report_data_find(out, request, err);

	if (!rc)
		rc = load_runs(out, request, err);
	if (!rc)
		rc = db_ceilings_load(out->db, out->run.id, &out->ceilings, err);
	if (!rc && out->compares)
		rc = db_ceilings_load(out->db, out->compared.id, &out->compared_ceilings, err);
	return rc;
}

int report_data_histories(struct report_data *data, const struct run *shown, struct error *err)
{
	int rc = db_history_grid_load(data->db, shown, HISTORY_RUNS, &data->histories, err);

	if (!rc && data->histories.emulated)
		rc = counter_grid_load(&data->histories, data->db, shown, err);
	if (rc || data->histories.emulated || !data->histories.case_count)
		return rc;
	history_grid_find_changes(&data->histories);
	return db_history_grid_codes(data->db, &data->histories, err);
}

void report_data_release(struct report_data *data)
{
	run_release(&data->run);
	run_release(&data->compared);
	ceiling_list_release(&data->ceilings);
	ceiling_list_release(&data->compared_ceilings);
	history_grid_release(&data->histories);
	db_close(data->db);
	*data = (struct report_data){0};
}

int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err)
{
	return db_samples_load(db, trial_id, out, count, err);
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
