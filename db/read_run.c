/* Loads and lists runs, with their trials and baselines. */
#include "db/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the row of a run ---- */

/* Tables that run_add_columns() reads from. `run`: the table, or a subquery called run. */
#define RUN_TABLES(run)                                 \
	run " JOIN device ON device.id = run.device_id" \
	    " LEFT JOIN mark ON mark.run_id = run.id"

/* Adds the names of the columns to a SELECT, in the order in which run_take() takes them. */
static void run_add_columns(struct text *sql)
{
	text_add(sql, "run.id, mark.kind, mark.why, ");
	columns_add_names(sql, &run_columns, PART_ALL | PART_GENERATED, "run.");
	text_add(sql, ", ");
	columns_add_names(sql, &device_columns, PART_ALL, "device.");
}

/* Runs that were stored before there was an emulator have no others, and continue without. */
#define SETTINGS_NEEDED                                                            \
	(SETTING_DEVICE | SETTING_CACHE | SETTING_MIN_SAMPLES | SETTING_MAX_TIME | \
	 SETTING_PRECISION | SETTING_TIMEOUT | SETTING_METRICS)

/* Whether --resume can continue with these settings. An untrusted or partial file may lack some. */
static bool settings_are_complete(const struct measure_settings *settings, unsigned known)
{
	return (known & SETTINGS_NEEDED) == SETTINGS_NEEDED && settings->device >= 0 &&
	       settings->min_samples > 0 && settings->max_time_ns > 0 && settings->precision > 0 &&
	       settings->precision < 1 && settings->rounds > 0 && settings->timeout_ns > 0 &&
	       settings->jobs >= 0;
}

/* The settings that the next columns of the row hold, those of run_columns; NULL: not known. */
static unsigned settings_stored(const struct statement *row)
{
	unsigned known = 0;
	int column = row->columns;

	for (size_t i = 0; i < run_columns.count; i++) {
		if (!(run_columns.items[i].part & (PART_ALL | PART_GENERATED)))
			continue;
		if (sqlite3_column_type(row->handle, column++) != SQLITE_NULL)
			known |= run_columns.items[i].setting;
	}
	return known;
}

/* Complete settings say by NULL that an optional one was not given. Seed and rounds have no column
 * of their own, and an emulated run has no rounds, whatever was set. */
static void settings_complete(struct run *run)
{
	struct measure_settings *settings = &run->settings;

	settings->seed = run->seed;
	settings->rounds = run->traits.emulated ? measure_settings_default.rounds : run->rounds;
	/* An older perflab, and an emulator, left the data where it was. */
	if (!(run->settings_known & SETTING_PLACEMENTS) || settings->placements < 1)
		settings->placements = 1;
	run->has_settings = settings_are_complete(settings, run->settings_known);
	if (run->has_settings)
		run->settings_known |= SETTING_SEED | SETTING_ROUNDS | SETTING_CHIP |
				       SETTING_COUNTER_DUMP | SETTING_BASE_VARIANT |
				       SETTING_PLACEMENTS;
}

/* Every uid of perflab is hex digits, and writers print it as it is. A foreign file may have any
 * text in its place. */
static void uid_make_plain(char *uid)
{
	for (; *uid; uid++)
		if (!isxdigit((unsigned char)*uid))
			*uid = '?';
}

static void run_take(struct statement *row, struct run *run)
{
	run->id = take_integer(row, 0);
	run->mark = take_text_copy(row);
	run->mark_why = take_text_copy(row);
	run->settings_known = settings_stored(row);
	columns_take(row, &run_columns, PART_ALL | PART_GENERATED, run);
	columns_take(row, &device_columns, PART_ALL, &run->device);
	uid_make_plain(run->uid);
	settings_complete(run);
}

static int run_row_load(struct db *db, int64_t run_id, struct run *run, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;

	text_add(&sql, "SELECT ");
	run_add_columns(&sql);
	text_add(&sql, " FROM " RUN_TABLES("run") " WHERE run.id = ?");
	select = statement_prepare_text(db, &sql, err);
	bind_integer(&select, run_id);
	if (statement_next(&select))
		run_take(&select, run);
	else if (!select.rc)
		select.rc = error_set(err, PL_ENOENT, "%s has no run %lld", db->path,
				      (long long)run_id);
	return statement_release(&select);
}

static int environment_load(struct db *db, int64_t run_id, struct key_value_list *out,
			    struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT key, value FROM environment WHERE run_id = ? ORDER BY key", err);

	bind_integer(&select, run_id);
	while (statement_next(&select)) {
		const char *key = take_text(&select);
		const char *value = take_text(&select);

		/* NOT NULL by the schema, but a damaged file may have NULL. */
		if (key && value)
			key_value_set(out, key, value);
	}
	return statement_release(&select);
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

#define STALLS \
	"SELECT trial_id, reason, samples FROM stall WHERE trial_id IN (%s) ORDER BY trial_id"
#define FUNCTIONS \
	"SELECT trial_id, name FROM profile_function WHERE trial_id IN (%s) ORDER BY trial_id"
#define FRAMES                                                              \
	"SELECT trial_id, file, line, share FROM profile_frame"             \
	" WHERE trial_id IN (%s) AND share > 0 AND file NOT LIKE '/usr/%%'" \
	" ORDER BY trial_id"
#define MOST_SAMPLES ((int64_t)1 << 40) /* of a row; a damaged file may have any number */

static int trial_rows_load(struct db *db, struct run *run, const char *which, const char *of,
			   struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	size_t capacity = 0;

	text_add(&sql, "SELECT id, run_id, counted_ns IS NOT NULL,"
		       " (SELECT count(*) FROM round WHERE trial_id = trial.id), ");
	columns_add_names(&sql, &trial_columns, TRIAL_READ, "");
	text_addf(&sql, " FROM trial WHERE id IN (%s) ORDER BY id", which);
	select = statement_prepare_text(db, &sql, err);
	bind_text(&select, of);
	while (statement_next(&select)) {
		run->trials =
			xgrow(run->trials, &capacity, run->trial_count + 1, sizeof(*run->trials));
		run->trials[run->trial_count] = (struct trial){.speedup = trial_speedup_none};
		trial_row_take(&select, &run->trials[run->trial_count]);
		run->trial_count++;
	}
	return statement_release(&select);
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

int db_counters_load(struct db *db, struct trial *trials, size_t count, struct error *err)
{
	struct statement select =
		statement_prepare(db,
				  "SELECT metric.name, unit, source, value, reason FROM counter"
				  " JOIN metric ON metric.id = metric_id WHERE trial_id = ?",
				  err);

	for (size_t i = 0; i < count && !select.rc; i++) {
		bind_integer(&select, trials[i].id);
		while (statement_next(&select))
			db_counter_take(&trials[i], &select);
		statement_restart(&select);
	}
	return statement_release(&select);
}

static void trial_add_line(struct trial *trial, struct statement *row)
{
	const char *file = take_text(row);
	int64_t number = take_integer(row, 0);
	struct line_count *line =
		line_count_list_add(&trial->lines, file && *file ? file : NULL, number);

	columns_take(row, &line_columns, PART_RESULT, line);
}

static void trial_add_stall(struct trial *trial, struct statement *row)
{
	const char *reason = take_text(row);
	const int64_t samples = take_integer(row, 0);

	if (reason && samples > 0 && samples <= MOST_SAMPLES)
		trial->stall_samples[stall_of_reason(reason)] += samples;
}

static void trial_add_function(struct trial *trial, struct statement *row)
{
	const char *name = take_text(row);

	trial->functions++;
	trial->library_functions += name && function_is_of_library(name);
}

static void trial_add_frame(struct trial *trial, struct statement *row)
{
	const char *file = take_text(row);
	const int64_t line = take_integer(row, 0);
	const double share = take_real(row);

	if (!file || line < 1 || !(share > trial->hot_share && share <= 1))
		return;
	free(trial->hot_file);
	trial->hot_file = xstrdup(file);
	trial->hot_line = line;
	trial->hot_share = share;
}

/* The speed-ups of the trials that the subquery `which` gives. */
static void add_select_of_speedups(struct text *sql, const char *which)
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

static void trial_add_speedup(struct trial *trial, struct statement *row)
{
	struct trial_speedup *speedup = &trial->speedup;

	trial_speedup_release(speedup);
	speedup->base_trial_id = take_integer(row, 0);
	columns_take(row, &speedup_columns, PART_ALL, speedup);
	/* A damaged file may have a verdict without a number. */
	if (!(speedup->speedup > 0))
		speedup->verdict = SPEEDUP_NOT_MEASURED;
}

/* Gives each row of *sql, which it releases, to `add` with its trial. The trial's id comes first.
 */
static int trial_details_load(struct db *db, struct run *run, struct text *sql, const char *of,
			      void (*add)(struct trial *trial, struct statement *row),
			      struct error *err)
{
	size_t at = 0;
	struct statement select = statement_prepare_text(db, sql, err);

	bind_text(&select, of);
	while (statement_next(&select)) {
		int64_t trial_id = take_integer(&select, 0);

		while (at < run->trial_count && run->trials[at].id < trial_id)
			at++;
		if (at < run->trial_count && run->trials[at].id == trial_id)
			add(&run->trials[at], &select);
	}
	return statement_release(&select);
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
	text_addf(&sql, STALLS, which);
	rc = trial_details_load(db, run, &sql, of, trial_add_stall, err);
	if (rc)
		return rc;
	text_addf(&sql, FUNCTIONS, which);
	rc = trial_details_load(db, run, &sql, of, trial_add_function, err);
	if (rc)
		return rc;
	text_addf(&sql, FRAMES, which);
	rc = trial_details_load(db, run, &sql, of, trial_add_frame, err);
	if (rc)
		return rc;
	text_add(&sql, "SELECT trial_id, file, line, ");
	columns_add_names(&sql, &line_columns, PART_RESULT, "");
	text_addf(&sql, " FROM line WHERE trial_id IN (%s) ORDER BY trial_id, file, line", which);
	rc = trial_details_load(db, run, &sql, of, trial_add_line, err);
	if (rc)
		return rc;
	add_select_of_speedups(&sql, which);
	rc = trial_details_load(db, run, &sql, of, trial_add_speedup, err);
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
	struct statement select = statement_prepare(db, baselines_sql, err);

	bind_integer(&select, run_id);
	while (statement_next(&select)) {
		int64_t id = take_integer(&select, 0);

		*any_good = take_integer(&select, 0) != 0;
		if (id)
			text_addf(ids, "%s%lld", ids->length ? "," : "[", (long long)id);
	}
	text_add(ids, ids->length ? "]" : "[]");
	return statement_release(&select);
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

/* ---- lists of runs ---- */

/* Reads only the index trial_by_status. */
static const char tally_sql[] =
	"SELECT status, count(*) FROM trial WHERE run_id = ? GROUP BY status";

static int tally_load(struct statement *select, int64_t run_id, struct trial_tally *tally)
{
	*tally = (struct trial_tally){0};
	bind_integer(select, run_id);
	while (statement_next(select)) {
		const enum trial_status status = take_status(select);
		const int64_t count = take_integer(select, 0);

		tally->trials += count;
		tally->ok += status == TRIAL_OK ? count : 0;
		tally->sampled += status == TRIAL_SAMPLED ? count : 0;
		tally->unverified += status == TRIAL_UNVERIFIED ? count : 0;
		tally->skipped += status == TRIAL_SKIPPED ? count : 0;
		tally->failed += trial_status_is_failure(status) ? count : 0;
	}
	return statement_restart(select);
}

/* Sorts ids only: a run has some 60 columns. */
#define NEWEST_RUNS                                                                    \
	"(SELECT id FROM run ORDER BY started_ns DESC, id DESC LIMIT ?) AS newest_run" \
	" JOIN run ON run.id = newest_run.id"

int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select, tallies = {0};
	int stop = 0;
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	text_add(&sql, "SELECT ");
	run_add_columns(&sql);
	text_add(&sql, " FROM " RUN_TABLES(NEWEST_RUNS) " ORDER BY run.started_ns DESC,"
							" run.id DESC");
	select = statement_prepare_text(db, &sql, err);
	if (!select.rc)
		tallies = statement_prepare(db, tally_sql, err);
	bind_integer(&select, limit > 0 ? limit : -1);
	while (!tallies.rc && !stop && statement_next(&select)) {
		struct run run = {0};
		struct trial_tally tally;

		run_take(&select, &run);
		if (!tally_load(&tallies, run.id, &tally))
			stop = visit(context, &run, &tally);
		run_release(&run);
	}
	return db_end(db, statements_release(&select, &tallies), err);
}

int db_runs_count(struct db *db, int64_t *out, struct error *err)
{
	return db_select_integer(out, db, "SELECT count(*) FROM run", err);
}
