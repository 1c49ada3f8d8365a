/* Stores and loads the speed-ups of trials over their base cases. */
#include "db/speedups.h"
#include "db/columns.h"

#include <math.h>

int db_speedups_plan(struct db *db, const struct run *run, const int64_t *ids, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement insert;
	int rc;

	columns_add_insert(&sql, &speedup_columns, PART_ALL, "trial_id", 1);
	rc = columns_prepare(&insert, db, &sql, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		const struct trial_speedup *planned = &run->trials[i].speedup;
		struct trial_speedup row = trial_speedup_none;

		if (!planned->base_variant)
			continue;
		row.base_variant = planned->base_variant; /* borrowed, as the other texts */
		row.base_config = planned->base_config;
		row.why = planned->why;
		columns_bind(&insert, &speedup_columns, PART_ALL, &row);
		bind_integer(&insert, ids[i]);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
}

int db_speedup_refuse(struct db *db, int64_t trial_id, const char *why, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db, "UPDATE speedup SET why = ? WHERE trial_id = ?",
				   err);

	if (rc)
		return rc;
	bind_text(&update, why);
	bind_integer(&update, trial_id);
	rc = statement_run_on_one(&update, "speed-up of trial", trial_id, err);
	statement_release(&update);
	return rc;
}

static int speedups_update(struct db *db, const struct run *run, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement update;
	int rc;

	text_add(&sql, "UPDATE speedup SET ");
	columns_add_assignments(&sql, &speedup_columns, PART_WRITTEN);
	text_add(&sql, " WHERE trial_id = ?");
	rc = columns_prepare(&update, db, &sql, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		if (!run->trials[i].speedup.base_variant)
			continue;
		columns_bind(&update, &speedup_columns, PART_WRITTEN, &run->trials[i].speedup);
		bind_integer(&update, run->trials[i].id);
		rc = statement_run_on_one(&update, "speed-up of trial", run->trials[i].id, err);
	}
	statement_release(&update);
	return rc;
}

int db_speedups_store(struct db *db, const struct run *run, struct error *err)
{
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, speedups_update(db, run, err), err);
}

void db_speedups_select(struct text *sql, const char *which)
{
	text_add(sql, "SELECT speedup.trial_id, base.id, ");
	columns_add_names(sql, &speedup_columns, PART_ALL, "speedup.");
	text_addf(sql,
		  " FROM speedup JOIN trial AS head ON head.id = speedup.trial_id"
		  " LEFT JOIN trial AS base ON base.run_id = head.run_id"
		  "  AND base.kernel = head.kernel AND base.variant = speedup.base_variant"
		  "  AND base.config = speedup.base_config"
		  " WHERE speedup.trial_id IN (%s) ORDER BY speedup.trial_id",
		  which);
}

void db_speedup_take(struct trial *trial, struct statement *row)
{
	struct trial_speedup *speedup = &trial->speedup;

	trial_speedup_release(speedup);
	speedup->base_trial_id = take_integer(row, 0);
	columns_take(row, &speedup_columns, PART_ALL, speedup);
	/* A damaged file may have a verdict without a number. */
	if (!(speedup->speedup > 0))
		speedup->verdict = SPEEDUP_NOT_MEASURED;
}
