/* Loads the runs of one sweep on several GPUs; see the header. */
#include "harness/runs/runs.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"

static int load_group_runs(struct gpu_group *group, struct db *db, const int64_t *ids, size_t count,
			   struct error *err)
{
	int rc = 0;

	group->runs = xcalloc(count + 1, sizeof(*group->runs));
	for (size_t i = 0; i < count && !rc; i++)
		rc = run_load_measured(db, ids[i], true, &group->runs[group->count++], err);
	return rc;
}

static int load_roofs(struct group_data *data, struct db *db, struct error *err)
{
	const struct gpu_group *group = &data->group;
	int rc = 0;

	for (size_t i = 0; i < group->count && group->one_model && !rc && !data->roofs_of; i++) {
		rc = db_ceilings_load(db, group->runs[i].id, &data->ceilings, err);
		if (!rc && data->ceilings.count)
			data->roofs_of = &group->runs[i];
	}
	return rc;
}

int group_data_load(struct group_data *out, struct db *db, int64_t run_id, struct error *err)
{
	int64_t *ids = NULL;
	size_t count = 0;
	int rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);

	*out = (struct group_data){0};
	if (!rc)
		rc = load_group_runs(&out->group, db, ids, count, err);
	if (!rc)
		rc = gpu_group_complete(&out->group, err);
	if (!rc)
		rc = load_roofs(out, db, err);
	free(ids);
	return rc;
}

void group_data_release(struct group_data *data)
{
	gpu_group_release(&data->group);
	ceiling_list_release(&data->ceilings);
	*data = (struct group_data){0};
}

int group_is_meant(bool *out, struct db *db, const char *reference, int64_t run_id,
		   struct error *err)
{
	struct run run = {0};
	int64_t *ids = NULL;
	int64_t number;
	size_t count = 0;
	int rc;

	*out = false;
	/* a number is that of a run, although a revision may begin with it */
	if (parse_i64(&number, reference, NULL) == 0 && number == run_id)
		return 0;
	rc = db_runs_alike(db, run_id, GPUS_GROUP_KEY, &ids, &count, err);
	free(ids);
	if (!rc && count)
		rc = db_run_load(db, run_id, false, &run, err);
	if (!rc && count)
		*out = strcmp(reference, "last") == 0 ||
		       (run.label && strcmp(run.label, reference) == 0) ||
		       (run.source_revision &&
			strncmp(run.source_revision, reference, strlen(reference)) == 0 &&
			strncmp(run.uid, reference, strlen(reference)) != 0);
	run_release(&run);
	return rc;
}
