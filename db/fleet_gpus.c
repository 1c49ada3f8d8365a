/* The GPUs of a fleet; see the header. */
#include "db/fleet_gpus.h"

#include <stdlib.h>
#include <string.h>

struct gpu_run {
	int64_t device_id;
	size_t run;
};

static int by_device_and_run(const void *left, const void *right)
{
	const struct gpu_run *a = left, *b = right;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	return (a->run > b->run) - (a->run < b->run);
}

struct gpu_statements {
	struct statement device, run, environment;
};

static int prepare_all(struct gpu_statements *select, struct db *db, struct error *err)
{
	int rc = statement_prepare(&select->device, db,
				   "SELECT name, uuid, cc_major, cc_minor, sm_count FROM device"
				   " WHERE id = ?",
				   err);

	if (!rc)
		rc = statement_prepare(&select->run, db,
				       "SELECT device_ordinal, driver FROM run WHERE id = ?", err);
	if (!rc)
		rc = statement_prepare(&select->environment, db,
				       "SELECT value FROM environment WHERE run_id = ? AND key = ?",
				       err);
	return rc;
}

static int load_device(struct statement *select, struct fleet_gpu *gpu, struct error *err)
{
	bool row = false;
	int rc;

	bind_integer(select, gpu->device_id);
	rc = statement_step(select, &row, err);
	if (!rc && row) {
		gpu->name = take_text_copy(select);
		gpu->uuid = take_text_copy(select);
		gpu->cc_major = take_int(select);
		gpu->cc_minor = take_int(select);
		gpu->sm_count = take_integer(select, 0);
	}
	statement_restart(select);
	if (!gpu->name)
		gpu->name = xstrdup("unknown device");
	if (!gpu->uuid)
		gpu->uuid = xstrdup("");
	return rc;
}

static int load_environment(struct statement *select, int64_t run_id, const char *key, char **out,
			    struct error *err)
{
	bool row = false;
	int rc;

	bind_integer(select, run_id);
	bind_text(select, key);
	rc = statement_step(select, &row, err);
	if (!rc && row)
		*out = take_text_copy(select);
	statement_restart(select);
	return rc;
}

/* What its newest run says about a GPU. */
static int load_newest(struct gpu_statements *select, struct fleet_gpu *gpu, int64_t run_id,
		       struct error *err)
{
	bool row = false;
	int rc;

	bind_integer(&select->run, run_id);
	rc = statement_step(&select->run, &row, err);
	if (!rc && row) {
		gpu->ordinal = take_integer(&select->run, -1);
		gpu->facts[FLEET_DRIVER] = take_text_copy(&select->run);
	}
	statement_restart(&select->run);
	if (!rc)
		rc = load_environment(&select->environment, run_id, "host", &gpu->host, err);
	for (size_t i = 0; !rc && i < FLEET_FACTS; i++) {
		const char *key = fleet_fact_key((enum fleet_fact)i);

		if (key)
			rc = load_environment(&select->environment, run_id, key, &gpu->facts[i],
					      err);
	}
	if (!gpu->facts[FLEET_PROFILER]) /* a run stores it only if there was one */
		gpu->facts[FLEET_PROFILER] = xstrdup("none");
	return rc;
}

static int load_all(struct gpu_statements *select, struct fleet *fleet, const struct gpu_run *runs,
		    struct error *err)
{
	size_t capacity = 0, end;
	int rc = 0;

	for (size_t begin = 0; !rc && begin < fleet->run_count; begin = end) {
		struct fleet_gpu *gpu;
		const struct fleet_run *newest = &fleet->runs[runs[begin].run];

		fleet->gpus =
			xgrow(fleet->gpus, &capacity, fleet->gpu_count + 1, sizeof(*fleet->gpus));
		gpu = &fleet->gpus[fleet->gpu_count];
		*gpu = (struct fleet_gpu){.device_id = runs[begin].device_id, .ordinal = -1};
		for (end = begin; end < fleet->run_count && runs[end].device_id == gpu->device_id;
		     end++) {
			struct fleet_run *run = &fleet->runs[runs[end].run];

			run->gpu = fleet->gpu_count;
			if (run->started_ns >= newest->started_ns)
				newest = run;
		}
		fleet->gpu_count++;
		rc = load_device(&select->device, gpu, err);
		if (!rc)
			rc = load_newest(select, gpu, newest->id, err);
		if (!*gpu->uuid)
			fleet->runs_without_uuid += end - begin;
	}
	return rc;
}

int fleet_gpus_load(struct db *db, struct fleet *fleet, int64_t *device_ids, struct error *err)
{
	struct gpu_run *runs = xcalloc(fleet->run_count + 1, sizeof(*runs));
	struct gpu_statements select = {0};
	int rc = prepare_all(&select, db, err);

	for (size_t i = 0; i < fleet->run_count; i++)
		runs[i] = (struct gpu_run){device_ids[i], i};
	qsort(runs, fleet->run_count, sizeof(*runs), by_device_and_run);
	if (!rc)
		rc = load_all(&select, fleet, runs, err);
	statement_release(&select.device);
	statement_release(&select.run);
	statement_release(&select.environment);
	free(runs);
	return rc;
}
