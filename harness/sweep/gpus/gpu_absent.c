#include "harness/sweep/gpus/gpu_absent.h"

#include <stdlib.h>

#include "harness/sweep/sweep_parts.h"

static int64_t begun_run(const struct gpu_process *process, const struct gpu_share *share)
{
	return (int64_t)atomic_load(&share->slots[process->slot].run_id);
}

/* Whether the GPU of this process failed before any process of it began a run. */
static bool is_absent(const struct gpu_process *processes, size_t count, size_t at,
		      const struct gpu_share *share)
{
	const int code = share->slots[processes[at].slot].code;

	for (size_t i = 0; i < count; i++)
		if (processes[i].gpu == processes[at].gpu && begun_run(&processes[i], share))
			return false;
	return code && code != PL_EINTERRUPTED;
}

/* Opens the database at the first fact. */
static int store_in_runs(struct db **db, const char *db_path, const struct gpu_process *processes,
			 size_t count, size_t absent, const struct gpu_share *share,
			 struct error *err)
{
	const struct gpu_process *of = &processes[absent];
	char *key = xasprintf(GPUS_ABSENT_PREFIX "%d", of->gpu->number);
	char *fact = xasprintf("%s: %s", of->gpu->info.uuid, share->slots[of->slot].error);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		const int64_t run_id = begun_run(&processes[i], share);

		if (run_id && !*db)
			rc = db_open(db, db_path, DB_WRITE, err);
		if (run_id && !rc)
			rc = db_environment_set(*db, run_id, key, fact, err);
	}
	free(key);
	free(fact);
	return rc;
}

void gpu_absent_store(const struct gpu_process *processes, size_t count,
		      const struct gpu_share *share, const char *db_path,
		      const struct sweep_observer *observer)
{
	struct error cause = {0};
	struct db *db = NULL;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		if (!is_absent(processes, count, i, share))
			continue;
		rc = store_in_runs(&db, db_path, processes, count, i, share, &cause);
		if (rc)
			tell_observer(observer, NOTICE_WARNING,
				      "the runs do not say why GPU %d has none: %s",
				      processes[i].gpu->number, cause.text);
	}
	db_close(db);
}
