/* Stores a run: its device, environment, planned trials and state, and what the user says about it.
 * Each public function is one transaction. */
#include "db/columns.h"
#include "db/write_trial.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int db_together_begin(struct db *db, struct error *err)
{
	return db_begin(db, err);
}

int db_together_end(struct db *db, int rc, struct error *err)
{
	return db_end(db, rc, err);
}

static int run_insert(struct db *db, const struct run *run, const char *uid, int64_t device_id,
		      int64_t *id, struct error *err)
{
	const unsigned parts = run->has_settings ? PART_ALL : PART_ALL & ~(unsigned)PART_SETTINGS;
	struct statement insert = columns_insert(db, &run_columns, parts, "device_id", 1, err);
	struct run row = *run; /* borrows what *run owns */

	snprintf(row.uid, sizeof(row.uid), "%s", uid);
	columns_bind(&insert, &run_columns, parts, &row);
	bind_integer(&insert, device_id);
	if (!statement_run(&insert))
		*id = sqlite3_last_insert_rowid(db->handle);
	return statement_release(&insert);
}

static int environment_insert(struct db *db, int64_t run_id, const struct key_value *pairs,
			      size_t count, struct error *err)
{
	struct statement insert =
		statement_prepare(db,
				  "INSERT INTO environment (run_id, key, value) VALUES (?, ?, ?)"
				  " ON CONFLICT DO UPDATE SET value = excluded.value",
				  err);

	for (size_t i = 0; !insert.rc && i < count; i++) {
		bind_integer(&insert, run_id);
		bind_text(&insert, pairs[i].key);
		bind_text(&insert, pairs[i].value);
		statement_run(&insert);
	}
	return statement_release(&insert);
}

static int trial_insert(struct statement *insert, int64_t run_id, const struct trial *trial,
			unsigned parts)
{
	const bool counted = (parts & PART_RESULT) && trial->counters.count;
	struct trial row = *trial; /* borrows what *trial owns */

	row.reason = (char *)db_reason_to_store(trial->status, trial->reason);
	if (!trial->has_work)
		row.flop = row.bytes_read = row.bytes_written = -1;
	columns_bind(insert, &trial_columns, parts, &row);
	bind_integer(insert, run_id);
	bind_known_integer(insert, counted ? wall_time_ns() : 0, 0);
	return statement_run(insert);
}

/* Fills ids[]. The caller copies them into the trials after the commit. */
static int trials_insert(struct db *db, int64_t run_id, const struct run *run, unsigned parts,
			 int64_t *ids, struct error *err)
{
	struct statement insert =
		columns_insert(db, &trial_columns, parts, "run_id, counted_ns", 2, err);
	struct statement axis = {0};

	if (!insert.rc)
		axis = columns_insert(db, &axis_columns, PART_ALL, "trial_id", 1, err);
	for (size_t i = 0; !insert.rc && !axis.rc && i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial_insert(&insert, run_id, trial, parts))
			break;
		ids[i] = sqlite3_last_insert_rowid(db->handle);
		for (size_t k = 0; !axis.rc && k < trial->axis_count; k++) {
			columns_bind(&axis, &axis_columns, PART_ALL, &trial->axes[k]);
			bind_integer(&axis, ids[i]);
			statement_run(&axis);
		}
	}
	return statements_release(&insert, &axis);
}

/* Stores which base case each trial has. */
static int speedups_insert(struct db *db, const struct run *run, const int64_t *ids,
			   struct error *err)
{
	struct statement insert =
		columns_insert(db, &speedup_columns, PART_ALL, "trial_id", 1, err);

	for (size_t i = 0; !insert.rc && i < run->trial_count; i++) {
		const struct trial_speedup *planned = &run->trials[i].speedup;
		struct trial_speedup row = trial_speedup_none;

		if (!planned->base_variant)
			continue;
		row.base_variant = planned->base_variant; /* borrowed, as the other texts */
		row.base_config = planned->base_config;
		row.why = planned->why;
		columns_bind(&insert, &speedup_columns, PART_ALL, &row);
		bind_integer(&insert, ids[i]);
		statement_run(&insert);
	}
	return statement_release(&insert);
}

/* Stores what another program measured of the trials. */
static int adopted_insert(struct db *db, const struct run *run, const struct adopted_trial *adopted,
			  const int64_t *ids, struct error *err)
{
	struct metric_ids metrics = {0};
	int rc = 0;

	for (size_t i = 0; i < run->trial_count && !rc; i++) {
		for (size_t k = 0; k < adopted[i].round_count && !rc; k++)
			rc = trial_round_insert(db, ids[i], &adopted[i].rounds[k], err);
		if (!rc)
			rc = trial_counters_insert(db, ids[i], &run->trials[i].counters, &metrics,
						   err);
	}
	metric_ids_release(&metrics);
	return rc;
}

/* `adopted` has what was measured of each trial; NULL: the trials are only planned. Fills the ids
 * and the uid of *run after the commit. */
static int whole_run_store(struct db *db, struct run *run, const struct adopted_trial *adopted,
			   struct error *err)
{
	const unsigned parts = adopted ? PART_PLAN | PART_RESULT : PART_PLAN;
	int64_t *ids = xcalloc(run->trial_count + 1, sizeof(*ids));
	int64_t device_id = 0;
	int64_t run_id = 0;
	char uid[33];
	int rc = 0;

	snprintf(uid, sizeof(uid), "%s", run->uid);
	if (!*uid)
		rc = uid_make(uid, err);
	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		goto out;
	rc = db_device_store(db, &run->device, &device_id, err);
	if (!rc)
		rc = run_insert(db, run, uid, device_id, &run_id, err);
	if (!rc)
		rc = environment_insert(db, run_id, run->environment.items, run->environment.count,
					err);
	if (!rc)
		rc = trials_insert(db, run_id, run, parts, ids, err);
	if (!rc)
		rc = speedups_insert(db, run, ids, err);
	if (!rc && adopted)
		rc = adopted_insert(db, run, adopted, ids, err);
	rc = db_end(db, rc, err);
	if (rc)
		goto out;
	run->id = run_id;
	snprintf(run->uid, sizeof(run->uid), "%s", uid);
	for (size_t i = 0; i < run->trial_count; i++)
		run->trials[i].id = ids[i];
out:
	free(ids);
	return rc;
}

int db_run_begin(struct db *db, struct run *run, struct error *err)
{
	return whole_run_store(db, run, NULL, err);
}

int db_environment_set(struct db *db, int64_t run_id, const char *key, const char *value,
		       struct error *err)
{
	const struct key_value pair = {.key = (char *)key, .value = (char *)value};
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, environment_insert(db, run_id, &pair, 1, err), err);
}

int db_environment_swap(struct db *db, int64_t run_id, const char *key, const char *old,
			const char *value, struct error *err)
{
	struct statement update;
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	update = statement_prepare(
		db, "UPDATE environment SET value = ? WHERE run_id = ? AND key = ? AND value = ?",
		err);
	bind_text(&update, value);
	bind_integer(&update, run_id);
	bind_text(&update, key);
	bind_text(&update, old);
	rc = statement_finish(&update);
	if (!rc && sqlite3_changes(db->handle) == 0)
		rc = error_set(err, PL_EBUSY, "%s: another process changed %s of run %lld",
			       db->path, key, (long long)run_id);
	return db_end(db, rc, err);
}

static int run_set_state(struct db *db, int64_t run_id, enum run_state state, int64_t finished_ns,
			 struct error *err)
{
	struct statement update = statement_prepare(
		db, "UPDATE run SET state = ?, finished_ns = ? WHERE id = ?", err);

	bind_text(&update, run_state_name(state));
	bind_known_integer(&update, finished_ns, 0);
	bind_integer(&update, run_id);
	statement_run_on_one(&update, "run", run_id);
	return statement_release(&update);
}

int db_run_finish(struct db *db, int64_t run_id, enum run_state state, struct error *err)
{
	int rc = db_begin(db, err);

	if (!rc)
		rc = db_end(db, run_set_state(db, run_id, state, wall_time_ns(), err), err);

	/* Syncs, so that a finished run survives a power loss, too. The commit stands even if this
	 * fails: when a reader blocks the checkpoint, a later one does it. */
	if (!rc && db_log_is_whole(db))
		sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return rc;
}

int db_run_reopen(struct db *db, int64_t run_id, struct error *err)
{
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, run_set_state(db, run_id, RUN_RUNNING, 0, err), err);
}

/* ---- where the wall time went ---- */

static int parts_insert(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	struct statement insert =
		statement_prepare(db,
				  "INSERT INTO run_part (run_id, uid, part, wall_ns)"
				  " SELECT id, uid, ?, ? FROM run WHERE id = ?"
				  " ON CONFLICT DO UPDATE SET wall_ns = wall_ns + excluded.wall_ns",
				  err);

	for (int part = 0; !insert.rc && part < RUN_PART_COUNT; part++) {
		if (!meter->ns[part])
			continue;
		bind_text(&insert, run_part_name((enum run_part)part));
		bind_integer(&insert, meter->ns[part]);
		bind_integer(&insert, run_id);
		statement_run_on_one(&insert, "run", run_id);
	}
	return statement_release(&insert);
}

int db_run_parts_add(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, parts_insert(db, run_id, meter, err), err);
}

int db_run_parts_sum(struct db *db, int64_t run_id, int64_t *wall_ns, struct error *err)
{
	struct statement select = statement_prepare(db,
						    "SELECT coalesce(sum(wall_ns), 0) FROM run_part"
						    " WHERE run_id = ?",
						    err);

	*wall_ns = 0;
	bind_integer(&select, run_id);
	if (statement_next(&select))
		*wall_ns = take_integer(&select, 0);
	return statement_release(&select);
}

/* ---- runs that another program measured ---- */

/* Summarises the samples of all rounds if they are known. */
static struct summary adopted_summary(const struct adopted_trial *adopted)
{
	struct summary summary;
	size_t count = 0;
	double *time_ns;

	for (size_t i = 0; i < adopted->round_count; i++) {
		if (!adopted->rounds[i].count)
			return adopted->given;
		count += adopted->rounds[i].count;
	}
	if (!count)
		return adopted->given;
	time_ns = xmalloc(count * sizeof(*time_ns));
	count = 0;
	for (size_t i = 0; i < adopted->round_count; i++) {
		const struct round_result *round = &adopted->rounds[i];

		memcpy(time_ns + count, round->time_ns, round->count * sizeof(*time_ns));
		count += round->count;
	}
	summary = summarise(time_ns, count);
	free(time_ns);
	return summary;
}

/* Whether the run that is adopted is newer than that of the trial in this column of `newest`. */
#define IS_NEWER_THAN(column)                                                                  \
	"(newest." column " IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns," \
	" its.id) FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id"            \
	" WHERE mine.id = ?1 AND trial.id = newest." column "))"

/* Does for all trials of a run what the trigger newest_of_inserted does for one. The trigger takes
 * longer than all else that is stored of a trial. A run has a case once, so the order of its trials
 * has no meaning. */
static const char newest_sql[] =
	"INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id,"
	" timed_trial_id)"
	" SELECT device_id, backend, coalesce(origin, ''), kernel, variant, config, trial.id,"
	" CASE WHEN status IN ('ok', 'unverified') AND median_ns > 0 THEN trial.id END"
	" FROM trial JOIN run ON run.id = run_id"
	" WHERE run_id = ?1 AND status NOT IN ('pending', 'skipped')"
	" ON CONFLICT DO UPDATE SET trial_id = CASE WHEN " IS_NEWER_THAN(
		"trial_id") " THEN excluded.trial_id ELSE trial_id END,"
			    " timed_trial_id = CASE WHEN excluded.timed_trial_id IS NOT NULL "
			    "AND " IS_NEWER_THAN("timed_trial_id") " THEN excluded.timed_trial_id "
								   "ELSE timed_trial_id END";

int db_run_adopt(struct db *db, struct run *run, const struct adopted_trial *adopted,
		 struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < run->trial_count && !rc; i++) {
		for (size_t k = 0; k < adopted[i].round_count && !rc; k++)
			rc = trial_round_check((int64_t)i + 1, &adopted[i].rounds[k], err);
		run->trials[i].summary = adopted_summary(&adopted[i]);
	}
	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = db_newest_suspend(db, err);
	if (!rc)
		rc = whole_run_store(db, run, adopted, err);
	if (!rc)
		rc = db_newest_resume(db, err);
	if (!rc)
		rc = db_execute_on(db, newest_sql, run->id, err);
	return db_end(db, rc, err);
}

/* ---- what the user says ---- */

static int mark_set(struct db *db, int64_t run_id, const char *kind, const char *why,
		    struct error *err)
{
	struct statement store = statement_prepare(db,
						   "INSERT INTO mark (run_id, kind, why, marked_ns)"
						   " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
						   " kind = excluded.kind, why = excluded.why,"
						   " marked_ns = excluded.marked_ns",
						   err);

	bind_integer(&store, run_id);
	bind_text(&store, kind);
	bind_known_text(&store, why);
	bind_integer(&store, wall_time_ns());
	return statement_finish(&store);
}

/* PL_ENOENT: there is no such run. */
static int words_set(struct db *db, int64_t run_id, const char *label, const char *note,
		     struct error *err)
{
	struct statement update =
		statement_prepare(db,
				  "UPDATE run SET label = CASE WHEN ? THEN ? ELSE label END,"
				  " note = CASE WHEN ? THEN ? ELSE note END WHERE id = ?",
				  err);

	bind_integer(&update, label != NULL);
	bind_known_text(&update, label);
	bind_integer(&update, note != NULL);
	bind_known_text(&update, note);
	bind_integer(&update, run_id);
	statement_run_on_one(&update, "run", run_id);
	return statement_release(&update);
}

int db_run_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = words_set(db, run_id, words->label, words->note, err);
	if (!rc && words->mark && strcmp(words->mark, "none") == 0)
		rc = db_execute_on(db, "DELETE FROM mark WHERE run_id = ?", run_id, err);
	else if (!rc && words->mark)
		rc = mark_set(db, run_id, words->mark, words->why, err);
	return db_end(db, rc, err);
}
