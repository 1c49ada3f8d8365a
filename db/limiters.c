/* Stores the limiters of trials, which perflab judges when their run ends. */
#include "db/statement.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"

#include <math.h>

static int run_execute(struct db *db, const char *sql, int64_t run_id, struct error *err)
{
	struct statement statement;
	int rc = statement_prepare(&statement, db, sql, err);

	if (rc)
		return rc;
	bind_integer(&statement, run_id);
	rc = statement_run(&statement, err);
	statement_release(&statement);
	return rc;
}

static int judgement_insert(struct db *db, int64_t run_id, int64_t roofs_run_id, struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(&insert, db,
				   "INSERT OR REPLACE INTO judgement (run_id, rules, roofs_run_id)"
				   " VALUES (?, ?, ?)",
				   err);

	if (rc)
		return rc;
	bind_integer(&insert, run_id);
	bind_integer(&insert, VERDICT_RULES_VERSION);
	bind_known_integer(&insert, roofs_run_id, 0);
	rc = statement_run(&insert, err);
	statement_release(&insert);
	return rc;
}

/* One line per item. NULL for none. */
static void bind_verdict_notes(struct statement *insert, const struct verdict_note *notes,
			       size_t count, bool named)
{
	struct text lines = TEXT_INIT;

	for (size_t i = 0; i < count; i++)
		text_addf(&lines, "%s%s%s%s", i ? "\n" : "", named ? notes[i].rule : "",
			  named ? ": " : "", notes[i].text);
	bind_text(insert, count ? lines.data : NULL);
	text_release(&lines);
}

/* What the emulator counts is no measurement, so its operations are not stored as such. */
static void bind_limiter(struct statement *insert, const struct trial_limiter *item)
{
	const struct roofline_point *point = &item->point;
	const struct verdict *verdict = &item->verdict;
	const double flop = point->emulated ? NAN : point->flop;

	bind_text(insert, verdict->bound == BOUND_UNKNOWN ? NULL : bound_name(verdict->bound));
	bind_real(insert, verdict->roof_pct);
	bind_integer(insert, verdict->from_model);
	bind_text(insert, flop > 0 ? precision_name(point->precision) : NULL);
	bind_real(insert, flop);
	bind_real(insert, point->level[LEVEL_DRAM].roof_pct);
	bind_real(insert, point->level[LEVEL_L2].roof_pct);
	bind_real(insert, point->level[LEVEL_L1].roof_pct);
	bind_real(insert, point->level[LEVEL_SHARED].roof_pct);
	/* if most operations were not counted, the share of those that were says nothing */
	bind_real(insert, point->model.used ? NAN : point->compute_roof_pct);
	bind_text(insert, point->model.used && point->model.has_precision
				  ? precision_name(point->model.precision)
				  : NULL);
	bind_real(insert, point->model.used ? point->model.compute_roof_pct : NAN);
	bind_text(insert, verdict->summary);
	bind_verdict_notes(insert, verdict->advice, verdict->advice_count, false);
	bind_verdict_notes(insert, verdict->notes, verdict->note_count, true);
	bind_text(insert, verdict->above_roof);
}

static int limiters_insert(struct db *db, int64_t run_id, const struct trial_limiter *items,
			   size_t count, struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(
		&insert, db,
		"INSERT INTO limiter (limiter, roof_pct, from_model, precision, flop,"
		" dram_pct, l2_pct, l1_pct, shared_pct, compute_pct,"
		" model_precision, model_compute_pct, summary, advice, notes,"
		" above_roof, trial_id)"
		" SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, id FROM trial"
		" WHERE id = ? AND run_id = ?",
		err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count && !rc; i++) {
		bind_limiter(&insert, &items[i]);
		bind_integer(&insert, items[i].trial_id);
		bind_integer(&insert, run_id);
		rc = statement_run_on_one(&insert, "such trial in that run:", items[i].trial_id,
					  err);
	}
	statement_release(&insert);
	return rc;
}

int db_limiters_store(struct db *db, int64_t run_id, const struct trial_limiter *items,
		      size_t count, int64_t roofs_run_id, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = run_execute(db,
			 "DELETE FROM limiter WHERE trial_id IN"
			 " (SELECT id FROM trial WHERE run_id = ?)",
			 run_id, err);
	if (!rc)
		rc = limiters_insert(db, run_id, items, count, err);
	if (!rc)
		rc = judgement_insert(db, run_id, roofs_run_id, err);
	return db_end(db, rc, err);
}

/* A run that was judged before its device had roofs is judged again when it has. */
static const char unjudged_sql[] =
	"WITH roofed AS (SELECT DISTINCT run.device_id FROM trial JOIN run ON run.id = trial.run_id"
	"  WHERE trial.kernel = '" CEILINGS_KERNEL "' AND trial.status = 'ok'"
	"  AND run.origin IS NULL AND run.label = '" CEILINGS_LABEL "')"
	" SELECT run.id FROM run LEFT JOIN judgement ON judgement.run_id = run.id"
	" WHERE judgement.run_id IS NULL OR (judgement.rules >= 0 AND (judgement.rules < ?"
	"  OR (judgement.roofs_run_id IS NULL AND run.timed AND run.device_id IN roofed)))"
	" ORDER BY run.started_ns DESC, run.id DESC";

int db_unjudged_visit(struct db *db, bool (*visit)(void *context, int64_t run_id), void *context,
		      struct error *err)
{
	struct statement select;
	bool row = true, more = true;
	int rc = statement_prepare(&select, db, unjudged_sql, err);

	if (rc)
		return rc;
	bind_integer(&select, VERDICT_RULES_VERSION);
	for (rc = statement_step(&select, &row, err); !rc && row && more;
	     rc = more ? statement_step(&select, &row, err) : 0)
		more = visit(context, take_integer(&select, 0));
	statement_release(&select);
	return rc;
}

int db_judged_before_count(struct db *db, int64_t *out, struct error *err)
{
	struct statement select;
	bool row;
	int rc = statement_prepare(
		&select, db, "SELECT count(*) FROM judgement WHERE rules >= 0 AND rules < ?", err);

	*out = 0;
	if (rc)
		return rc;
	bind_integer(&select, VERDICT_RULES_VERSION);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		*out = take_integer(&select, 0);
	statement_release(&select);
	return rc;
}
