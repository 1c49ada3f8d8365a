/* Loads runs, trials and baselines. */
#include "db/columns.h"
#include "db/run_row.h"
#include "db/speedups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_row_load(struct db *db, int64_t run_id, struct run *run, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	bool row = false;
	int rc;

	text_add(&sql, "SELECT ");
	run_row_add_columns(&sql);
	text_add(&sql, " FROM " RUN_ROW_TABLES("run") " WHERE run.id = ?");
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	bind_integer(&select, run_id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		run_row_take(&select, run);
	else if (!rc)
		rc = error_set(err, PL_ENOENT, "%s has no run %lld", db->path, (long long)run_id);
	statement_release(&select);
	return rc;
}

static int environment_load(struct db *db, int64_t run_id, struct key_value_list *out,
			    struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(
		&select, db, "SELECT key, value FROM environment WHERE run_id = ? ORDER BY key",
		err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		const char *key = take_text(&select);
		const char *value = take_text(&select);

		/* NOT NULL by the schema, but a damaged file may have NULL. */
		if (key && value)
			key_value_set(out, key, value);
	}
	statement_release(&select);
	return rc;
}

/* ---- trials ---- */

#define TRIAL_READ (PART_PLAN | PART_FACTS | PART_RESULT)

static void trial_row_take(struct statement *row, struct trial *trial)
{
	trial->id = take_integer(row, 0);
	trial->run_id = take_integer(row, 0);
	trial->counted = take_integer(row, 0) != 0;
	trial->rounds_done = take_int(row);
	columns_take(row, &trial_columns, TRIAL_READ, trial);
	trial->has_work = trial->flop >= 0 && trial->bytes_read >= 0 && trial->bytes_written >= 0;
	if (!trial->has_work)
		trial->flop = trial->bytes_read = trial->bytes_written = 0;
}

/* Which trials to load. The parameter is the id of a run, or a JSON array of ids of trials. */
#define TRIALS_OF_RUN "SELECT id FROM trial WHERE run_id = ?"
#define TRIALS_OF_LIST "SELECT value FROM json_each(?)"

/* Details come in the order of the trials: by id. */
#define AXES "SELECT trial_id, name, value FROM axis WHERE trial_id IN (%s) ORDER BY trial_id, name"
#define COUNTERS                                                                  \
	"SELECT trial_id, name, unit, source, value, counter.reason FROM counter" \
	" JOIN metric ON metric.id = counter.metric_id WHERE trial_id IN (%s)"    \
	" ORDER BY trial_id, name"

static int trial_rows_load(struct db *db, struct run *run, const char *which, const char *of,
			   struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc;

	text_add(&sql, "SELECT id, run_id, counted_ns IS NOT NULL,"
		       " (SELECT count(*) FROM round WHERE trial_id = trial.id), ");
	columns_add_names(&sql, &trial_columns, TRIAL_READ, "");
	text_addf(&sql, " FROM trial WHERE id IN (%s) ORDER BY id", which);
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	bind_text(&select, of);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		run->trials =
			xgrow(run->trials, &capacity, run->trial_count + 1, sizeof(*run->trials));
		run->trials[run->trial_count] = (struct trial){.speedup = trial_speedup_none};
		trial_row_take(&select, &run->trials[run->trial_count]);
		run->trial_count++;
	}
	statement_release(&select);
	return rc;
}

static void trial_add_axis(struct trial *trial, struct statement *row)
{
	struct named_value *axis;

	trial->axes = xrealloc(trial->axes, (trial->axis_count + 1) * sizeof(*trial->axes));
	axis = &trial->axes[trial->axis_count++];
	columns_take(row, &axis_columns, PART_ALL, axis);
}

void db_counter_take(struct trial *trial, struct statement *row)
{
	const char *metric = take_text(row);
	const char *unit = take_text(row);
	const char *source = take_text(row);
	double value = take_real(row);
	const char *reason = take_text(row);

	if (!metric || !unit || !source)
		return; /* NOT NULL by the schema, but a damaged file may have NULL */
	if (reason)
		counter_list_set_missing(&trial->counters, metric, unit, source, reason);
	else
		counter_list_set(&trial->counters, metric, unit, source, value);
}

static void trial_add_line(struct trial *trial, struct statement *row)
{
	const char *file = take_text(row);
	int64_t number = take_integer(row, 0);
	struct line_count *line =
		line_count_list_add(&trial->lines, file && *file ? file : NULL, number);

	columns_take(row, &line_columns, PART_RESULT, line);
}

/* Gives each row of *sql, which it releases, to `add` with its trial. The trial's id comes first.
 */
static int trial_details_load(struct db *db, struct run *run, struct text *sql, const char *of,
			      void (*add)(struct trial *trial, struct statement *row),
			      struct error *err)
{
	struct statement select;
	size_t at = 0;
	bool row = true;
	int rc = columns_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	bind_text(&select, of);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		int64_t trial_id = take_integer(&select, 0);

		while (at < run->trial_count && run->trials[at].id < trial_id)
			at++;
		if (at < run->trial_count && run->trials[at].id == trial_id)
			add(&run->trials[at], &select);
	}
	statement_release(&select);
	return rc;
}

static int trial_compare_position(const void *a, const void *b)
{
	const struct trial *left = a;
	const struct trial *right = b;

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* `of` is the parameter of `which`. */
static int trials_load(struct db *db, struct run *run, const char *which, const char *of,
		       struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc = trial_rows_load(db, run, which, of, err);

	if (rc)
		return rc;
	text_addf(&sql, AXES, which);
	rc = trial_details_load(db, run, &sql, of, trial_add_axis, err);
	if (rc)
		return rc;
	text_addf(&sql, COUNTERS, which);
	rc = trial_details_load(db, run, &sql, of, db_counter_take, err);
	if (rc)
		return rc;
	text_add(&sql, "SELECT trial_id, file, line, ");
	columns_add_names(&sql, &line_columns, PART_RESULT, "");
	text_addf(&sql, " FROM line WHERE trial_id IN (%s) ORDER BY trial_id, file, line", which);
	rc = trial_details_load(db, run, &sql, of, trial_add_line, err);
	if (rc)
		return rc;
	db_speedups_select(&sql, which);
	rc = trial_details_load(db, run, &sql, of, db_speedup_take, err);
	if (!rc && run->trial_count)
		qsort(run->trials, run->trial_count, sizeof(*run->trials), trial_compare_position);
	return rc;
}

int db_run_load(struct db *db, int64_t run_id, bool with_trials, struct run *out, struct error *err)
{
	struct run run = {0};
	char of[24];
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	snprintf(of, sizeof(of), "%lld", (long long)run_id);
	rc = run_row_load(db, run_id, &run, err);
	if (!rc)
		rc = environment_load(db, run_id, &run.environment, err);
	if (!rc && with_trials)
		rc = trials_load(db, &run, TRIALS_OF_RUN, of, err);
	rc = db_end(db, rc, err);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}

/* The trial of the case in the newest older run with a mark that passes `marked`. CROSS JOIN fixes
 * the order of the loops: the index run_by_device gives runs from the newest on, so the first trial
 * found is the answer. */
#define NEWEST_OLDER(marked, from)                                                            \
	"(SELECT trial.id FROM run LEFT JOIN mark ON mark.run_id = run.id"                    \
	"  CROSS JOIN trial ON trial.run_id = run.id AND trial.kernel = mine.kernel"          \
	"   AND trial.variant = mine.variant AND trial.config = mine.config"                  \
	"   AND trial.status IN ('ok', 'sampled', 'unverified')"                              \
	"  WHERE run.device_id = head.device_id AND run.backend = head.backend"               \
	"   AND run.origin IS head.origin"                                                    \
	"   AND run.started_ns <= " from                                                      \
	"   AND (run.started_ns < head.started_ns OR run.id < head.id) AND mark.kind " marked \
	"  ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)"

#define NEWEST_GOOD NEWEST_OLDER("IS 'good'", "good.newest_ns")
#define NEWEST_NOT_BAD NEWEST_OLDER("IS NOT 'bad'", "head.started_ns")

/* Few runs are marked, and the newest good one may be far back. */
static const char baselines_sql[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?), good AS MATERIALIZED ("
	" SELECT max(run.started_ns) AS newest_ns FROM mark CROSS JOIN run ON run.id = mark.run_id"
	" CROSS JOIN head WHERE mark.kind = 'good' AND run.device_id = head.device_id"
	"  AND run.backend = head.backend AND run.origin IS head.origin"
	"  AND (run.started_ns, run.id) < (head.started_ns, head.id))"
	" SELECT coalesce(CASE WHEN good.newest_ns NOT NULL THEN " NEWEST_GOOD
	" END, " NEWEST_NOT_BAD "), good.newest_ns NOT NULL"
	" FROM head CROSS JOIN good JOIN trial AS mine ON mine.run_id = head.id";

static int baselines_find(struct db *db, int64_t run_id, struct text *ids, bool *any_good,
			  struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db, baselines_sql, err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		int64_t id = take_integer(&select, 0);

		*any_good = take_integer(&select, 0) != 0;
		if (id)
			text_addf(ids, "%s%lld", ids->length ? "," : "[", (long long)id);
	}
	statement_release(&select);
	text_add(ids, ids->length ? "]" : "[]");
	return rc;
}

int db_baselines_load(struct db *db, int64_t run_id, struct run *out, bool *any_good,
		      struct error *err)
{
	struct text ids = TEXT_INIT;
	struct run run = {0};
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	*any_good = false;
	rc = baselines_find(db, run_id, &ids, any_good, err);
	if (!rc)
		rc = trials_load(db, &run, TRIALS_OF_LIST, ids.data, err);
	rc = db_end(db, rc, err);
	text_release(&ids);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}
