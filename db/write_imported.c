/* Stores trials that another program measured. */
#include "db/statement.h"

#include <math.h>

int db_together_begin(struct db *db, struct error *err)
{
	return db_begin(db, err);
}

int db_together_end(struct db *db, int rc, struct error *err)
{
	return db_end(db, rc, err);
}

/* What the stored samples do not say comes from `given`. */
static void summary_complete(struct summary *summary, const struct summary *given)
{
	if (!summary->count)
		summary->count = given->count;
	if (!isfinite(summary->median_ns))
		summary->median_ns = given->median_ns;
	if (!isfinite(summary->min_ns))
		summary->min_ns = given->min_ns;
	if (!isfinite(summary->max_ns))
		summary->max_ns = given->max_ns;
}

int db_trial_adopt(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		   const struct summary *given, struct error *err)
{
	struct summary summary;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_trial_summary(db, trial_id, &summary, err);
	if (!rc) {
		summary_complete(&summary, given);
		/* nobody knows when the trial ended */
		rc = db_trial_end(db, trial_id, status, reason, &summary, 0, err);
	}
	return db_end(db, rc, err);
}
