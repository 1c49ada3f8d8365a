/* Stores runs that another program measured. */
#include "db/columns.h"
#include "db/write_trial.h"
#include "metrics/analysis/statistics.h"

#include <math.h>

int db_together_begin(struct db *db, struct error *err)
{
	return db_begin(db, err);
}

int db_together_end(struct db *db, int rc, struct error *err)
{
	return db_end(db, rc, err);
}

/* What the samples do not say comes from `given`. */
static struct summary adopted_summary(const struct adopted_trial *adopted)
{
	const struct round_result *round = &adopted->round;
	const struct summary *given = &adopted->given;
	struct summary summary = summarise(round->time_ns, round->count);

	if (!summary.count)
		summary.count = given->count;
	if (!isfinite(summary.median_ns))
		summary.median_ns = given->median_ns;
	if (!isfinite(summary.min_ns))
		summary.min_ns = given->min_ns;
	if (!isfinite(summary.max_ns))
		summary.max_ns = given->max_ns;
	return summary;
}

struct adoption {
	const struct run *run;
	const struct adopted_trial *adopted;
};

static int details_insert(void *context, struct db *db, const int64_t *ids, struct error *err)
{
	const struct adoption *adoption = context;
	struct metric_ids metrics = {0};
	int rc = 0;

	for (size_t i = 0; i < adoption->run->trial_count && !rc; i++) {
		if (adoption->adopted[i].round.count)
			rc = trial_round_insert(db, ids[i], &adoption->adopted[i].round, err);
		if (!rc)
			rc = trial_counters_insert(db, ids[i], &adoption->run->trials[i].counters,
						   &metrics, err);
	}
	metric_ids_release(&metrics);
	return rc;
}

/* Whether the run that is adopted is newer than that of the trial in this column of `newest`. */
#define IS_NEWER_THAN(column)                                                                  \
	"(newest." column " IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns," \
	" its.id) FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id"            \
	" WHERE mine.id = ?1 AND trial.id = newest." column "))"

/* Does for all trials of a run what the trigger newest_of_inserted does for one. The trigger takes
 * longer than all else that is stored of a trial. A run has a case once, so the order of its trials
 * has no meaning. */
static int newest_store(struct db *db, int64_t run_id, struct error *err)
{
	struct statement upsert;
	int rc = statement_prepare(
		&upsert, db,
		"INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id,"
		" timed_trial_id)"
		" SELECT device_id, backend, coalesce(origin, ''), kernel, variant, config, "
		"trial.id,"
		" CASE WHEN status IN ('ok', 'unverified') AND median_ns > 0 THEN trial.id END"
		" FROM trial JOIN run ON run.id = run_id"
		" WHERE run_id = ?1 AND status NOT IN ('pending', 'skipped')"
		" ON CONFLICT DO UPDATE SET"
		" trial_id = CASE WHEN " IS_NEWER_THAN(
			"trial_id") " THEN excluded.trial_id ELSE trial_id END,"
				    " timed_trial_id = CASE WHEN excluded.timed_trial_id IS NOT "
				    "NULL AND " IS_NEWER_THAN(
					    "timed_trial_id") " THEN excluded.timed_trial_id ELSE "
							      "timed_trial_id END",
		err);

	if (rc)
		return rc;
	bind_integer(&upsert, run_id);
	rc = statement_run(&upsert, err);
	statement_release(&upsert);
	return rc;
}

int db_run_adopt(struct db *db, struct run *run, const struct adopted_trial *adopted,
		 struct error *err)
{
	struct adoption adoption = {run, adopted};
	int rc = 0;

	for (size_t i = 0; i < run->trial_count && !rc; i++) {
		rc = trial_round_check((int64_t)i + 1, &adopted[i].round, err);
		run->trials[i].summary = adopted_summary(&adopted[i]);
	}
	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = db_newest_suspend(db, err);
	if (!rc)
		rc = run_and_trials_store(db, run, PART_PLAN | PART_RESULT, details_insert,
					  &adoption, err);
	if (!rc)
		rc = db_newest_resume(db, err);
	if (!rc)
		rc = newest_store(db, run->id, err);
	return db_end(db, rc, err);
}
