/*
 * Reading runs and trials back.
 */
#include "db/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_row_load(struct db *db, int64_t run_id, struct run *run, struct error *err)
{
	struct statement select;
	bool row = false;
	int rc = statement_prepare(
		&select, db, "SELECT " RUN_COLUMNS " FROM " RUN_TABLES("run") " WHERE run.id = ?",
		err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		run_take(&select, run);
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

		/* NOT NULL by the schema; a damaged file may know better. */
		if (key && value)
			key_value_set(out, key, value);
	}
	statement_release(&select);
	return rc;
}

/* ---- trials ---- */

static void trial_take(struct statement *row, struct trial *trial)
{
	struct launch_facts *facts = &trial->facts;
	struct summary *summary = &trial->summary;
	const char *status;

	trial->id = take_integer(row, 0);
	trial->run_id = take_integer(row, 0);
	trial->position = take_integer(row, 0);
	trial->kernel = take_text_copy(row);
	trial->variant = take_text_copy(row);
	trial->config = take_text_copy(row);
	status = take_text(row);
	if (!status || !trial_status_parse(&trial->status, status))
		trial->status = TRIAL_FAILED;
	trial->reason = take_text_copy(row);
	trial->flop = take_integer(row, -1);
	trial->bytes_read = take_integer(row, -1);
	trial->bytes_written = take_integer(row, -1);
	trial->has_work = trial->flop >= 0 && trial->bytes_read >= 0 && trial->bytes_written >= 0;
	if (!trial->has_work)
		trial->flop = trial->bytes_read = trial->bytes_written = 0;
	facts->registers_per_thread = take_integer(row, -1);
	facts->shared_static_bytes = take_integer(row, -1);
	facts->shared_dynamic_bytes = take_integer(row, -1);
	facts->local_bytes_per_thread = take_integer(row, -1);
	facts->theoretical_occupancy_pct = take_real(row);
	take_text_into(row, facts->occupancy_limiter, sizeof(facts->occupancy_limiter));
	take_text_into(row, facts->code_hash, sizeof(facts->code_hash));
	take_text_into(row, facts->code_kind, sizeof(facts->code_kind));
	summary->count = take_integer(row, 0);
	summary->median_ns = take_real(row);
	summary->mad_ns = take_real(row);
	summary->low_ns = take_real(row);
	summary->high_ns = take_real(row);
	summary->min_ns = take_real(row);
	summary->max_ns = take_real(row);
	trial->counted = take_integer(row, 0) != 0;
	trial->rounds_done = take_int(row);
}

/* Which trials are to be loaded: all of a run, or those of a JSON array of ids. */
#define OF_A_RUN "SELECT id FROM trial WHERE run_id = ?"
#define OF_A_LIST "SELECT value FROM json_each(?)"

/* By id, so that the rows of axis and counter meet them in the same order. */
#define TRIALS_SQL(which)                                                                         \
	"SELECT id, run_id, position, kernel, variant, config, status, reason, flop, bytes_read," \
	" bytes_written, registers_per_thread, shared_static_bytes, shared_dynamic_bytes,"        \
	" local_bytes_per_thread, theoretical_occupancy_pct, occupancy_limiter, code_hash,"       \
	" code_kind, sample_count, median_ns, mad_ns, low_ns, high_ns, min_ns, max_ns,"           \
	" counted_ns IS NOT NULL, (SELECT count(*) FROM round WHERE trial_id = trial.id)"         \
	" FROM trial WHERE id IN (" which ") ORDER BY id"
#define AXES_SQL(which)                                                    \
	"SELECT trial_id, name, value FROM axis WHERE trial_id IN (" which \
	") ORDER BY trial_id, name"
#define COUNTERS_SQL(which)                                                           \
	"SELECT trial_id, name, unit, source, value, counter.reason FROM counter"     \
	" JOIN metric ON metric.id = counter.metric_id WHERE trial_id IN (" which ")" \
	" ORDER BY trial_id, name"
#define COUNTERS_1_SQL(which)                                               \
	"SELECT trial_id, metric, unit, source, value, reason FROM counter" \
	" WHERE trial_id IN (" which ") ORDER BY trial_id, metric"
#define LINES_SQL(which)                                                                   \
	"SELECT trial_id, file, line, instructions, lanes, branches, divergent, requests," \
	" sectors, shared_requests, wavefronts, conflicts FROM line"                       \
	" WHERE trial_id IN (" which ") ORDER BY trial_id, file, line"
#define LAUNCHES_SQL(which) "SELECT id, launch_hash FROM trial WHERE id IN (" which ") ORDER BY id"

struct trials_sql {
	const char *trials, *axes, *counters, *counters_1, *lines, *launches;
};
#define TRIALS_SQL_OF(which)                                                                    \
	{                                                                                       \
		TRIALS_SQL(which), AXES_SQL(which), COUNTERS_SQL(which), COUNTERS_1_SQL(which), \
			LINES_SQL(which), LAUNCHES_SQL(which)                                   \
	}

static int trial_rows_load(struct db *db, struct run *run, const char *sql, const char *of,
			   struct error *err)
{
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	bind_text(&select, of);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		run->trials =
			xgrow(run->trials, &capacity, run->trial_count + 1, sizeof(*run->trials));
		run->trials[run->trial_count] = (struct trial){0};
		trial_take(&select, &run->trials[run->trial_count]);
		run->trial_count++;
	}
	statement_release(&select);
	return rc;
}

static void trial_add_axis(struct trial *trial, struct statement *row)
{
	struct named_value *axis;
	const char *name = take_text(row);

	trial->axes = xrealloc(trial->axes, (trial->axis_count + 1) * sizeof(*trial->axes));
	axis = &trial->axes[trial->axis_count++];
	*axis = (struct named_value){0};
	if (name)
		strncpy(axis->name, name, sizeof(axis->name) - 1);
	axis->value = take_integer(row, 0);
}

static void trial_add_counter(struct trial *trial, struct statement *row)
{
	const char *metric = take_text(row);
	const char *unit = take_text(row);
	const char *source = take_text(row);
	double value = take_real(row);
	const char *reason = take_text(row);

	if (!metric || !unit || !source)
		return; /* NOT NULL by the schema; a damaged file may know better */
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

	line->instructions = take_integer(row, 0);
	line->lanes = take_integer(row, 0);
	line->branches = take_integer(row, 0);
	line->divergent = take_integer(row, 0);
	line->requests = take_integer(row, 0);
	line->sectors = take_integer(row, 0);
	line->shared_requests = take_integer(row, 0);
	line->wavefronts = take_integer(row, 0);
	line->conflicts = take_integer(row, 0);
}

static void trial_add_launch(struct trial *trial, struct statement *row)
{
	take_text_into(row, trial->launch_hash, sizeof(trial->launch_hash));
}

/* Gives each row of `sql` (trial id first, ordered by it) to `add` with its trial. */
static int trial_details_load(struct db *db, struct run *run, const char *sql, const char *of,
			      void (*add)(struct trial *trial, struct statement *row),
			      struct error *err)
{
	struct statement select;
	size_t at = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

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

/* `of` is the parameter: a run's id, or an array. An older file is read as it is; version 1 has its
 * metrics in the counters, and no lines; launches have a hash since version 5. */
static int trials_load(struct db *db, struct run *run, const struct trials_sql *sql, const char *of,
		       struct error *err)
{
	int64_t version = 0;
	int rc = db_select_integer(&version, db, "PRAGMA user_version", err);

	if (!rc)
		rc = trial_rows_load(db, run, sql->trials, of, err);
	if (!rc)
		rc = trial_details_load(db, run, sql->axes, of, trial_add_axis, err);
	if (!rc)
		rc = trial_details_load(db, run, version == 1 ? sql->counters_1 : sql->counters, of,
					trial_add_counter, err);
	if (!rc && version > 1)
		rc = trial_details_load(db, run, sql->lines, of, trial_add_line, err);
	if (!rc && version > 4)
		rc = trial_details_load(db, run, sql->launches, of, trial_add_launch, err);
	if (!rc && run->trial_count)
		qsort(run->trials, run->trial_count, sizeof(*run->trials), trial_compare_position);
	return rc;
}

int db_run_load(struct db *db, int64_t run_id, bool with_trials, struct run *out, struct error *err)
{
	static const struct trials_sql sql = TRIALS_SQL_OF(OF_A_RUN);
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
		rc = trials_load(db, &run, &sql, of, err);
	rc = db_end(db, rc, err);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}

/* The newest older run that has the case, of those that `marked` lets through: in this order of
 * loops, which the index run_by_device serves, the first trial found is it. */
#define NEWEST_OLDER(marked)                                                                  \
	"(SELECT trial.id FROM run LEFT JOIN mark ON mark.run_id = run.id"                    \
	"  CROSS JOIN trial ON trial.run_id = run.id AND trial.kernel = mine.kernel"          \
	"   AND trial.variant = mine.variant AND trial.config = mine.config"                  \
	"   AND trial.status IN ('ok', 'sampled')"                                            \
	"  WHERE run.device_id = head.device_id AND run.backend = head.backend"               \
	"   AND run.started_ns <= head.started_ns"                                            \
	"   AND (run.started_ns < head.started_ns OR run.id < head.id) AND mark.kind " marked \
	"  ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)"

#define NEWEST_GOOD NEWEST_OLDER("IS 'good'")
#define NEWEST_NOT_BAD NEWEST_OLDER("IS NOT 'bad'")

static const char baselines_sql[] =
	"WITH head AS (SELECT * FROM run WHERE id = ?), good AS MATERIALIZED ("
	" SELECT count(*) AS runs FROM head JOIN run ON run.device_id = head.device_id"
	"  AND run.backend = head.backend"
	"  AND (run.started_ns, run.id) < (head.started_ns, head.id)"
	" JOIN mark ON mark.run_id = run.id AND mark.kind = 'good')"
	" SELECT coalesce(CASE WHEN good.runs > 0 THEN " NEWEST_GOOD " END, " NEWEST_NOT_BAD "),"
	"  good.runs > 0"
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
	static const struct trials_sql sql = TRIALS_SQL_OF(OF_A_LIST);
	struct text ids = TEXT_INIT;
	struct run run = {0};
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	*any_good = false;
	rc = baselines_find(db, run_id, &ids, any_good, err);
	if (!rc)
		rc = trials_load(db, &run, &sql, ids.data, err);
	rc = db_end(db, rc, err);
	text_release(&ids);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}
