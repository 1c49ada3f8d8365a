/* Stores and loads the verdicts on trials, which perflab computes when their run ends. */
#include "db/statement.h"

static int comparisons_delete(struct db *db, int64_t run_id, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, db,
				   "DELETE FROM comparison WHERE trial_id IN"
				   " (SELECT id FROM trial WHERE run_id = ?)",
				   err);

	if (rc)
		return rc;
	bind_integer(&delete, run_id);
	rc = statement_run(&delete, err);
	statement_release(&delete);
	return rc;
}

static int comparisons_insert(struct db *db, int64_t run_id,
			      const struct trial_comparison_list *list, struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(&insert, db,
				   "INSERT INTO comparison (base_trial_id, verdict, change, low,"
				   " high, p, why, trial_id) SELECT ?, ?, ?, ?, ?, ?, ?, id"
				   " FROM trial WHERE id = ? AND run_id = ?",
				   err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < list->count; i++) {
		const struct trial_comparison *comparison = &list->items[i];

		bind_known_integer(&insert, comparison->base_trial_id, 0);
		bind_text(&insert, change_name(comparison->verdict));
		bind_real(&insert, comparison->change);
		bind_real(&insert, comparison->low);
		bind_real(&insert, comparison->high);
		bind_real(&insert, comparison->p);
		bind_known_text(&insert, comparison->why);
		bind_integer(&insert, comparison->trial_id);
		bind_integer(&insert, run_id);
		rc = statement_run_on_one(&insert, "such trial in that run:", comparison->trial_id,
					  err);
	}
	statement_release(&insert);
	return rc;
}

int db_comparisons_store(struct db *db, int64_t run_id, const struct trial_comparison_list *list,
			 struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = comparisons_delete(db, run_id, err);
	if (!rc)
		rc = comparisons_insert(db, run_id, list, err);
	return db_end(db, rc, err);
}

int db_comparisons_load(struct db *db, int64_t run_id, struct trial_comparison_list *out,
			struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db,
				   "SELECT trial_id, base_trial_id, verdict, change, low, high, p,"
				   " why FROM trial JOIN comparison ON trial_id = trial.id"
				   " WHERE run_id = ? ORDER BY position, trial_id",
				   err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		struct trial_comparison comparison = {.trial_id = take_integer(&select, 0)};
		const char *verdict;
		bool known;

		comparison.base_trial_id = take_integer(&select, 0);
		verdict = take_text(&select);
		known = verdict && change_parse(&comparison.verdict, verdict);
		comparison.change = take_real(&select);
		comparison.low = take_real(&select);
		comparison.high = take_real(&select);
		comparison.p = take_real(&select);
		comparison.why =
			(char *)take_text(&select); /* borrowed; comparison_list_add() copies it */
		if (known) /* a newer perflab, or a damaged file, may have other verdicts */
			comparison_list_add(out, &comparison);
	}
	statement_release(&select);
	return rc;
}
