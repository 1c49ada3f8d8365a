/* Stores trials that another program measured. */
#include "db/statement.h"

int db_together_begin(struct db *db, struct error *err)
{
	return db_begin(db, err);
}

int db_together_end(struct db *db, int rc, struct error *err)
{
	return db_end(db, rc, err);
}

/* Nobody knows when the trial ended. `given` fills what the stored samples do not say. */
static int summary_adopt(struct db *db, int64_t trial_id, const struct summary *given,
			 struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db,
				   "UPDATE trial SET finished_ns = NULL,"
				   " sample_count = iif(sample_count, sample_count, ?1),"
				   " median_ns = coalesce(median_ns, ?2),"
				   " min_ns = coalesce(min_ns, ?3), max_ns = coalesce(max_ns, ?4)"
				   " WHERE id = ?5",
				   err);

	if (rc)
		return rc;
	bind_integer(&update, given->count);
	bind_real(&update, given->median_ns);
	bind_real(&update, given->min_ns);
	bind_real(&update, given->max_ns);
	bind_integer(&update, trial_id);
	rc = statement_run_on_one(&update, "trial", trial_id, err);
	statement_release(&update);
	return rc;
}

int db_trial_adopt(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		   const struct summary *given, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_trial_finish(db, trial_id, status, reason, NULL, err);
	if (!rc)
		rc = summary_adopt(db, trial_id, given, err);
	return db_end(db, rc, err);
}
