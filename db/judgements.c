/*
 * What perflab judges about the trials of a run when it ends: the verdicts on them, and their
 * limiters. And which runs must be judged again.
 */
#include "db/statement.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"

#include <math.h>

/* ---- verdicts ---- */

static int comparisons_insert(struct db *db, int64_t run_id,
			      const struct trial_comparison_list *list, struct error *err)
{
	struct statement insert = statement_prepare(
		db,
		"INSERT INTO comparison (base_trial_id, verdict, change, low, high, p, why,"
		" time_verdict, covers, trial_id) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, id FROM trial"
		" WHERE id = ? AND run_id = ?",
		err);

	for (size_t i = 0; !insert.rc && i < list->count; i++) {
		const struct trial_comparison *comparison = &list->items[i];

		bind_known_integer(&insert, comparison->base_trial_id, 0);
		bind_text(&insert, change_name(comparison->verdict));
		bind_real(&insert, comparison->change);
		bind_real(&insert, comparison->low);
		bind_real(&insert, comparison->high);
		bind_real(&insert, comparison->p);
		bind_known_text(&insert, comparison->why);
		bind_text(&insert, comparison->time_verdict);
		bind_text(&insert, comparison->covers);
		bind_integer(&insert, comparison->trial_id);
		bind_integer(&insert, run_id);
		statement_run_on_one(&insert, "such trial in that run:", comparison->trial_id);
	}
	return statement_release(&insert);
}

int db_comparisons_store(struct db *db, int64_t run_id, const struct trial_comparison_list *list,
			 struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_execute_on(db,
			   "DELETE FROM comparison WHERE trial_id IN"
			   " (SELECT id FROM trial WHERE run_id = ?)",
			   run_id, err);
	if (!rc)
		rc = comparisons_insert(db, run_id, list, err);
	return db_end(db, rc, err);
}

int db_comparisons_load(struct db *db, int64_t run_id, struct trial_comparison_list *out,
			struct error *err)
{
	struct statement select =
		statement_prepare(db,
				  "SELECT trial_id, base_trial_id, verdict, change, low, high, p,"
				  " why FROM trial JOIN comparison ON trial_id = trial.id"
				  " WHERE run_id = ? ORDER BY position, trial_id",
				  err);

	bind_integer(&select, run_id);
	while (statement_next(&select)) {
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
	return statement_release(&select);
}

/* ---- limiters ---- */

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
	struct statement insert = statement_prepare(
		db,
		"INSERT INTO limiter (limiter, roof_pct, from_model, precision, flop,"
		" dram_pct, l2_pct, l1_pct, shared_pct, compute_pct,"
		" model_precision, model_compute_pct, summary, advice, notes,"
		" above_roof, trial_id)"
		" SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, id FROM trial"
		" WHERE id = ? AND run_id = ?",
		err);

	for (size_t i = 0; i < count && !insert.rc; i++) {
		bind_limiter(&insert, &items[i]);
		bind_integer(&insert, items[i].trial_id);
		bind_integer(&insert, run_id);
		statement_run_on_one(&insert, "such trial in that run:", items[i].trial_id);
	}
	return statement_release(&insert);
}

static int judgement_insert(struct db *db, int64_t run_id, int64_t roofs_run_id, struct error *err)
{
	struct statement insert = statement_prepare(
		db,
		"INSERT OR REPLACE INTO judgement (run_id, rules, roofs_run_id) VALUES (?, ?, ?)",
		err);

	bind_integer(&insert, run_id);
	bind_integer(&insert, VERDICT_RULES_VERSION);
	bind_known_integer(&insert, roofs_run_id, 0);
	return statement_finish(&insert);
}

int db_limiters_store(struct db *db, int64_t run_id, const struct trial_limiter *items,
		      size_t count, int64_t roofs_run_id, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_execute_on(db,
			   "DELETE FROM limiter WHERE trial_id IN"
			   " (SELECT id FROM trial WHERE run_id = ?)",
			   run_id, err);
	if (!rc)
		rc = limiters_insert(db, run_id, items, count, err);
	if (!rc)
		rc = judgement_insert(db, run_id, roofs_run_id, err);
	return db_end(db, rc, err);
}

/* ---- runs to judge again ---- */

/* Gives the ids of the rows to `visit` until it returns false. */
static int visit_runs(struct statement *select, bool (*visit)(void *context, int64_t run_id),
		      void *context)
{
	while (statement_next(select))
		if (!visit(context, take_integer(select, 0)))
			break;
	return statement_release(select);
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
	struct statement select = statement_prepare(db, unjudged_sql, err);

	bind_integer(&select, VERDICT_RULES_VERSION);
	return visit_runs(&select, visit, context);
}

int db_judged_before_count(struct db *db, int64_t *out, struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT count(*) FROM judgement WHERE rules >= 0 AND rules < ?", err);

	*out = 0;
	bind_integer(&select, VERDICT_RULES_VERSION);
	if (statement_next(&select))
		*out = take_integer(&select, 0);
	return statement_release(&select);
}

/*
 * Runs whose baselines a new mark may have changed. They are noted in `judgement.rules`, as the
 * complement of the version of the rules, until they are judged again: there may be a hundred
 * thousand.
 */
#define LATER(a, b) "(" a ".started_ns, " a ".id) > (" b ".started_ns, " b ".id)"
#define SAME_SERIES                                                     \
	"run.device_id = head.device_id AND run.backend = head.backend" \
	" AND run.origin IS head.origin"
#define SAME_CASE                                                     \
	"trial.kernel = mine.kernel AND trial.variant = mine.variant" \
	" AND trial.config = mine.config AND trial.status IN ('ok', 'sampled', 'unverified')"

/* clang-format off */
/* Among these runs, the first that has the case. */
#define FIRST_WITH_CASE(runs)                                                      \
	"(SELECT " runs ".id FROM " runs " CROSS JOIN trial"                       \
	"  ON trial.run_id = " runs ".id AND " SAME_CASE                           \
	"  ORDER BY " runs ".started_ns, " runs ".id LIMIT 1)"

/*
 * The run `head` can be a baseline of later runs up to the next good one that has the case. If it
 * is or was good, and no older run is, then the cases that it lacks have or lose the remark that no
 * older good run has them, up to the first good run. CROSS JOIN fixes the order of the
 * loops: few runs are marked. The next few good runs have most cases. So perflab looks there
 * first: SQLite would look for the case in all of them before it takes the first one.
 */
static const char ends_if_good[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?1), good AS MATERIALIZED ("
	" SELECT run.id, run.started_ns FROM mark CROSS JOIN run ON run.id = mark.run_id"
	" CROSS JOIN head WHERE mark.kind = 'good' AND run.id <> head.id AND " SAME_SERIES
	"), later AS MATERIALIZED ("
	" SELECT good.* FROM good CROSS JOIN head WHERE " LATER("good", "head")
	"), next AS MATERIALIZED (SELECT * FROM later ORDER BY started_ns, id LIMIT 8"
	"), ends AS MATERIALIZED ("
	" SELECT coalesce(" FIRST_WITH_CASE("next") ", " FIRST_WITH_CASE("later") ") AS run_id"
	" FROM head JOIN trial AS mine ON mine.run_id = head.id"
	" WHERE mine.status IN ('ok', 'sampled', 'unverified')"
	" UNION ALL SELECT (SELECT id FROM good ORDER BY started_ns, id LIMIT 1) FROM head"
	" WHERE NOT EXISTS (SELECT * FROM good WHERE NOT " LATER("good", "head") "))";

/* If it is not and was not good, it can be one up to the next run that has the case and is not bad.
 * The index run_by_device gives that soon. */
static const char ends_if_not[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?1), ends AS MATERIALIZED ("
	" SELECT (SELECT run.id FROM run LEFT JOIN mark ON mark.run_id = run.id"
	"  CROSS JOIN trial ON trial.run_id = run.id AND " SAME_CASE
	"  WHERE " SAME_SERIES " AND run.started_ns >= head.started_ns"
	"  AND " LATER("run", "head") " AND mark.kind IS NOT 'bad'"
	"  ORDER BY run.started_ns, run.id LIMIT 1) AS run_id"
	" FROM head CROSS JOIN trial AS mine ON mine.run_id = head.id"
	" WHERE mine.status IN ('ok', 'sampled', 'unverified'))";

/* A case without an end reaches all later runs. */
static const char note_later[] =
	", last AS MATERIALIZED (SELECT coalesce(run.started_ns, 9223372036854775807) AS started_ns,"
	"  coalesce(run.id, 9223372036854775807) AS id FROM ends LEFT JOIN run"
	"  ON run.id = ends.run_id ORDER BY 1 DESC, 2 DESC LIMIT 1)"
	" INSERT INTO judgement (run_id, rules)"
	" SELECT run.id, ~0 FROM head CROSS JOIN run ON " SAME_SERIES
	"  AND run.started_ns BETWEEN head.started_ns AND (SELECT started_ns FROM last)"
	" WHERE " LATER("run", "head")
	"  AND (run.started_ns, run.id) <= (SELECT started_ns, id FROM last)"
	" ON CONFLICT DO UPDATE SET rules = min(rules, ~rules)";
/* clang-format on */

int db_changed_baselines_note(struct db *db, int64_t run_id, bool good, struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	text_addf(&sql, "%s%s", good ? ends_if_good : ends_if_not, note_later);
	rc = db_execute_on(db, sql.data, run_id, err);
	text_release(&sql);
	return rc;
}

int db_changed_baselines_visit(struct db *db, bool (*visit)(void *context, int64_t run_id),
			       void *context, struct error *err)
{
	struct statement select = statement_prepare(db,
						    "SELECT run.id FROM judgement"
						    " CROSS JOIN run ON run.id = judgement.run_id"
						    " WHERE judgement.rules < 0"
						    " ORDER BY run.started_ns DESC, run.id DESC",
						    err);

	return visit_runs(&select, visit, context);
}

int db_changed_baselines_settle(struct db *db, int64_t run_id, struct error *err)
{
	return db_execute_on(db,
			     "UPDATE judgement SET rules = ~rules WHERE run_id = ? AND rules < 0",
			     run_id, err);
}
