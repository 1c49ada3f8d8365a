#include "harness/sweep/gpus/gpu_reconcile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "metrics/analysis/gpu_group.h"

/* Whether the run of a slot can be resumed. One whose GPU failed need not where others were
 * interrupted; where all GPUs failed, nobody else has its cases. */
static bool can_resume(const struct gpu_slot *slot, bool failed)
{
	return atomic_load(&slot->run_id) &&
	       (failed ? slot->code != 0 : slot->code == PL_EINTERRUPTED);
}

/* Gives the cases that nobody has claimed to the interrupted runs, in turn. */
static void deal_free_cases(struct gpu_share *share, size_t count)
{
	size_t next = 0, tried;
	bool failed = true;

	for (size_t i = 0; i < count; i++)
		failed &= !can_resume(&share->slots[i], false);

	for (size_t i = 0; i < share->count; i++) {
		if (gpu_share_owner(share, i) >= 0)
			continue;
		for (tried = 0; tried < count && !can_resume(&share->slots[next], failed); tried++)
			next = (next + 1) % count;
		if (tried == count)
			return;
		gpu_share_claim(share, (int)next, i);
		next = (next + 1) % count;
	}
}

/* A process that was interrupted has said so itself. */
static void tell_unmeasured(const struct db *db, int64_t run_id, size_t cases,
			    const struct sweep_observer *observer)
{
	struct text path = TEXT_INIT;

	shell_word(&path, db_path(db));
	tell_observer(observer, NOTICE_WARNING,
		      "run %lld has %zu %s that no GPU measured; continue with: perflab sweep "
		      "--resume %lld --db %s",
		      (long long)run_id, cases, cases == 1 ? "case" : "cases", (long long)run_id,
		      path.data);
	text_release(&path);
}

static int reconcile_run(const struct gpu_share *share, int slot, bool spread, struct db *db,
			 const struct sweep_observer *observer, struct error *err)
{
	const int64_t run_id = atomic_load(&share->slots[slot].run_id);
	struct run run = {0};
	int64_t *ids;
	size_t count = 0, pending = 0;
	int rc = db_run_load(db, run_id, true, &run, err);

	if (rc)
		return rc;
	ids = xcalloc(run.trial_count + 1, sizeof(*ids));
	for (size_t i = 0; i < run.trial_count; i++) {
		const int64_t at = run.trials[i].position;
		const int owner = !spread && at >= 0 && (size_t)at < share->count
					  ? gpu_share_owner(share, (size_t)at)
					  : slot;

		if (owner >= 0 && owner != slot)
			ids[count++] = run.trials[i].id;
		else
			pending += run.trials[i].status == TRIAL_PENDING;
	}
	rc = db_trials_drop(db, ids, count, err);
	if (!rc && run.state && strcmp(run.state, "running") == 0)
		rc = db_run_finish(db, run_id, "interrupted", err);
	if (!rc && pending && share->slots[slot].code != PL_EINTERRUPTED)
		tell_unmeasured(db, run_id, pending, observer);
	free(ids);
	run_release(&run);
	return rc;
}

void gpu_reconcile(struct gpu_share *share, size_t count, bool spread, const char *db_path,
		   const struct sweep_observer *observer)
{
	struct error cause = {0};
	struct db *db = NULL;
	bool well = true;
	int rc;

	for (size_t i = 0; i < count; i++)
		well &= !share->slots[i].code || !atomic_load(&share->slots[i].run_id);
	if (well)
		return;
	if (!spread)
		deal_free_cases(share, count);
	rc = db_open(&db, db_path, DB_WRITE, &cause);
	for (size_t i = 0; i < count && !rc; i++)
		if (share->slots[i].code && atomic_load(&share->slots[i].run_id))
			rc = reconcile_run(share, (int)i, spread, db, observer, &cause);
	db_close(db);
	if (rc && access(db_path, F_OK) != 0)
		tell_observer(observer, NOTICE_WARNING,
			      "%s is gone: the runs may have cases in common. Join the copies that "
			      "are named above with perflab merge, then continue each run with "
			      "--resume",
			      db_path);
	else if (rc)
		tell_observer(observer, NOTICE_WARNING,
			      "the runs that did not end well may have cases in common: %s",
			      cause.text);
}

/* ---- GPUs without a run ---- */

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
	struct key_value_list fact = {0};
	int rc = 0;

	gpu_absence_add(&fact, of->gpu->number, of->gpu->info.uuid, share->slots[of->slot].error);
	for (size_t i = 0; i < count && !rc; i++) {
		const int64_t run_id = begun_run(&processes[i], share);

		if (run_id && !*db)
			rc = db_open(db, db_path, DB_WRITE, err);
		if (run_id && !rc)
			rc = db_environment_set(*db, run_id, fact.items[0].key, fact.items[0].value,
						err);
	}
	key_value_list_release(&fact);
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
