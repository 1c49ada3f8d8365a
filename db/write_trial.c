/*
 * Stores what a worker sends about a trial, other than its rounds. Each public function is one
 * transaction.
 */
#include "db/write_trial.h"
#include "db/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *db_reason_to_store(enum trial_status status, const char *reason)
{
	if (status == TRIAL_OK || status == TRIAL_PENDING)
		return NULL;
	return reason && *reason ? reason : "no reason was given";
}

int db_trial_facts(struct db *db, int64_t trial_id, const struct launch_facts *facts,
		   struct error *err)
{
	const struct trial row = {.facts = *facts};
	struct statement update = columns_update(db, &trial_columns, PART_FACTS, "id = ?", err);

	columns_bind(&update, &trial_columns, PART_FACTS, &row);
	bind_integer(&update, trial_id);
	statement_run_on_one(&update, "trial", trial_id);
	return statement_release(&update);
}

int db_trials_drop(struct db *db, const int64_t *ids, size_t count, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < count && !rc; i++)
		rc = db_execute_on(db, "DELETE FROM trial WHERE id = ?", ids[i], err);
	return db_end(db, rc, err);
}

/* ---- counters ---- */

/* The name, unit and source of a counter are a row of `metric`, which all trials share. */
void metric_ids_release(struct metric_ids *ids)
{
	free(ids->items);
	*ids = (struct metric_ids){0};
}

static const char *known_or_empty(const char *text)
{
	return text ? text : "";
}

static bool metric_is(const struct metric_id *metric, const struct counter_value *counter)
{
	return !strcmp(metric->name, counter->metric) &&
	       !strcmp(metric->unit, known_or_empty(counter->unit)) &&
	       !strcmp(metric->source, known_or_empty(counter->source));
}

static void bind_metric(struct statement *statement, const struct counter_value *counter)
{
	bind_text(statement, counter->metric);
	bind_text(statement, known_or_empty(counter->unit));
	bind_text(statement, known_or_empty(counter->source));
}

/* Finds the row of a metric, or adds it. */
static int metric_store(struct db *db, const struct counter_value *counter, int64_t *id,
			struct error *err)
{
	struct statement insert = statement_prepare(db,
						    "INSERT INTO metric (name, unit, source)"
						    " VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
						    err);
	struct statement select;
	int rc;

	bind_metric(&insert, counter);
	rc = statement_finish(&insert);
	if (rc)
		return rc;
	if (sqlite3_changes(db->handle)) {
		*id = sqlite3_last_insert_rowid(db->handle);
		return 0;
	}
	select = statement_prepare(
		db, "SELECT id FROM metric WHERE name = ? AND unit = ? AND source = ?", err);
	bind_metric(&select, counter);
	if (statement_next(&select))
		*id = take_integer(&select, 0);
	return statement_release(&select);
}

/* Trials have mostly the same counters in the same order, so a metric is looked for at the position
 * of its counter only. */
static int metric_find_or_store(struct metric_ids *ids, size_t position, struct db *db,
				const struct counter_value *counter, int64_t *id, struct error *err)
{
	struct metric_id *known;
	int rc;

	if (position < ids->count && metric_is(&ids->items[position], counter)) {
		*id = ids->items[position].id;
		return 0;
	}
	rc = metric_store(db, counter, id, err);
	if (rc || position > ids->count)
		return rc;
	if (position == ids->count)
		ids->items = xgrow(ids->items, &ids->capacity, ++ids->count, sizeof(*ids->items));
	known = &ids->items[position];
	*known = (struct metric_id){counter->metric, known_or_empty(counter->unit),
				    known_or_empty(counter->source), *id};
	return 0;
}

int trial_counters_insert(struct db *db, int64_t trial_id, const struct counter_list *counters,
			  struct metric_ids *ids, struct error *err)
{
	struct statement insert =
		statement_prepare(db,
				  "INSERT INTO counter (metric_id, trial_id, value, reason)"
				  " VALUES (?, ?, ?, ?)",
				  err);
	int rc = insert.rc;

	for (size_t i = 0; !rc && i < counters->count; i++) {
		const struct counter_value *counter = &counters->items[i];
		const bool has_value = counter->has_value && isfinite(counter->value);
		int64_t metric_id = 0;

		rc = metric_find_or_store(ids, i, db, counter, &metric_id, err);
		if (rc)
			break;
		bind_integer(&insert, metric_id);
		bind_integer(&insert, trial_id);
		bind_real(&insert, has_value ? counter->value : NAN);
		bind_text(&insert, has_value         ? NULL
				   : counter->reason ? counter->reason
						     : "the value is not finite");
		rc = statement_run(&insert);
	}
	statement_release(&insert);
	return rc;
}

static int trial_mark_counted(struct db *db, int64_t trial_id, struct error *err)
{
	struct statement update =
		statement_prepare(db, "UPDATE trial SET counted_ns = ? WHERE id = ?", err);

	bind_integer(&update, wall_time_ns());
	bind_integer(&update, trial_id);
	statement_run_on_one(&update, "trial", trial_id);
	return statement_release(&update);
}

int db_counters_set(struct db *db, int64_t trial_id, const struct counter_list *counters,
		    struct error *err)
{
	struct metric_ids ids = {0};
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = trial_mark_counted(db, trial_id, err);
	if (!rc)
		rc = db_execute_on(db, "DELETE FROM counter WHERE trial_id = ?", trial_id, err);
	if (!rc)
		rc = trial_counters_insert(db, trial_id, counters, &ids, err);
	metric_ids_release(&ids);
	return db_end(db, rc, err);
}

/* ---- source lines ---- */

static int lines_insert(struct db *db, int64_t trial_id, const struct line_count_list *lines,
			struct error *err)
{
	struct statement insert =
		columns_insert(db, &line_columns, PART_RESULT, "trial_id, file, line", 3, err);

	for (size_t i = 0; !insert.rc && i < lines->count; i++) {
		const struct line_count *line = &lines->items[i];

		columns_bind(&insert, &line_columns, PART_RESULT, line);
		bind_integer(&insert, trial_id);
		bind_text(&insert, line->file ? line->file : "");
		bind_integer(&insert, line->line);
		statement_run(&insert);
	}
	return statement_release(&insert);
}

int db_lines_set(struct db *db, int64_t trial_id, const struct line_count_list *lines,
		 struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = db_execute_on(db, "DELETE FROM line WHERE trial_id = ?", trial_id, err);
	if (!rc)
		rc = lines_insert(db, trial_id, lines, err);
	return db_end(db, rc, err);
}

/* ---- speed-ups ---- */

int db_speedup_refuse(struct db *db, int64_t trial_id, const char *why, struct error *err)
{
	struct statement update =
		statement_prepare(db, "UPDATE speedup SET why = ? WHERE trial_id = ?", err);

	bind_text(&update, why);
	bind_integer(&update, trial_id);
	statement_run_on_one(&update, "speed-up of trial", trial_id);
	return statement_release(&update);
}

int db_speedups_store(struct db *db, const struct run *run, struct error *err)
{
	struct statement update;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	update = columns_update(db, &speedup_columns, PART_WRITTEN, "trial_id = ?", err);
	for (size_t i = 0; !update.rc && i < run->trial_count; i++) {
		if (!run->trials[i].speedup.base_variant)
			continue;
		columns_bind(&update, &speedup_columns, PART_WRITTEN, &run->trials[i].speedup);
		bind_integer(&update, run->trials[i].id);
		statement_run_on_one(&update, "speed-up of trial", run->trials[i].id);
	}
	return db_end(db, statement_release(&update), err);
}

/* ---- the end ---- */

int db_session_intervals_store(struct db *db, const struct run *run, struct error *err)
{
	struct statement update;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	update = statement_prepare(
		db, "UPDATE trial SET session_low_ns = ?, session_high_ns = ? WHERE id = ?", err);
	for (size_t i = 0; i < run->trial_count && !update.rc; i++) {
		bind_real(&update, run->trials[i].summary.session_low_ns);
		bind_real(&update, run->trials[i].summary.session_high_ns);
		bind_integer(&update, run->trials[i].id);
		statement_run_on_one(&update, "trial", run->trials[i].id);
	}
	return db_end(db, statement_release(&update), err);
}

static int trial_end(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		     const struct summary *summary, int64_t finished_ns, struct error *err)
{
	struct statement update = statement_prepare(
		db,
		"UPDATE trial SET status = ?, reason = ?, finished_ns = ?,"
		" sample_count = ?, median_ns = ?, mad_ns = ?, session_low_ns = ?,"
		" session_high_ns = ?, min_ns = ?, max_ns = ? WHERE id = ?",
		err);

	bind_text(&update, trial_status_name(status));
	bind_text(&update, db_reason_to_store(status, reason));
	bind_known_integer(&update, finished_ns, 0);
	bind_integer(&update, summary->count);
	bind_real(&update, summary->median_ns);
	bind_real(&update, summary->mad_ns);
	bind_real(&update, summary->session_low_ns);
	bind_real(&update, summary->session_high_ns);
	bind_real(&update, summary->min_ns);
	bind_real(&update, summary->max_ns);
	bind_integer(&update, trial_id);
	statement_run_on_one(&update, "trial", trial_id);
	return statement_release(&update);
}

int db_trial_finish(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		    const struct summary *summary, struct error *err)
{
	struct summary stored = {0};
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	if (!summary)
		rc = db_trial_summary(db, trial_id, &stored, err);
	if (!rc)
		rc = trial_end(db, trial_id, status, reason, summary ? summary : &stored,
			       status == TRIAL_PENDING ? 0 : wall_time_ns(), err);
	return db_end(db, rc, err);
}
