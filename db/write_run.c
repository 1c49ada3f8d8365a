/* Stores a run: its device, environment, planned trials and state. Each public function is one
 * transaction. */
#include "db/columns.h"
#include "db/speedups.h"
#include "db/write_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_insert(struct db *db, const struct run *run, const char *uid, int64_t device_id,
		      int64_t *id, struct error *err)
{
	const unsigned parts = run->has_settings ? PART_ALL : PART_ALL & ~(unsigned)PART_SETTINGS;
	struct run row = *run; /* borrows what *run owns */
	struct text sql = TEXT_INIT;
	struct statement insert;
	int rc;

	if (!row.state)
		row.state = (char *)"running";
	snprintf(row.uid, sizeof(row.uid), "%s", uid);
	columns_add_insert(&sql, &run_columns, parts, "device_id", 1);
	rc = columns_prepare(&insert, db, &sql, err);
	if (rc)
		return rc;
	columns_bind(&insert, &run_columns, parts, &row);
	bind_integer(&insert, device_id);
	rc = statement_run(&insert, err);
	if (!rc)
		*id = sqlite3_last_insert_rowid(db->handle);
	statement_release(&insert);
	return rc;
}

static int environment_insert(struct db *db, int64_t run_id, const struct key_value *pairs,
			      size_t count, struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(&insert, db,
				   "INSERT INTO environment (run_id, key, value) VALUES (?, ?, ?)"
				   " ON CONFLICT DO UPDATE SET value = excluded.value",
				   err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < count; i++) {
		bind_integer(&insert, run_id);
		bind_text(&insert, pairs[i].key);
		bind_text(&insert, pairs[i].value);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
}

static int trial_insert(struct statement *insert, int64_t run_id, const struct trial *trial,
			unsigned parts, struct error *err)
{
	const bool counted = (parts & PART_RESULT) && trial->counters.count;
	struct trial row = *trial; /* borrows what *trial owns */

	row.reason = (char *)db_reason_to_store(trial->status, trial->reason);
	if (!trial->has_work)
		row.flop = row.bytes_read = row.bytes_written = -1;
	columns_bind(insert, &trial_columns, parts, &row);
	bind_integer(insert, run_id);
	bind_known_integer(insert, counted ? wall_time_ns() : 0, 0);
	return statement_run(insert, err);
}

static int axes_insert(struct statement *insert, int64_t trial_id, const struct trial *trial,
		       struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < trial->axis_count; i++) {
		columns_bind(insert, &axis_columns, PART_ALL, &trial->axes[i]);
		bind_integer(insert, trial_id);
		rc = statement_run(insert, err);
	}
	return rc;
}

/* Fills ids[]. The caller copies them into the trials after the commit. */
static int trials_insert(struct db *db, int64_t run_id, const struct run *run, unsigned parts,
			 int64_t *ids, struct error *err)
{
	struct statement trial = {0};
	struct statement axis = {0};
	struct text sql = TEXT_INIT;
	int rc;

	columns_add_insert(&sql, &trial_columns, parts, "run_id, counted_ns", 2);
	rc = columns_prepare(&trial, db, &sql, err);
	columns_add_insert(&sql, &axis_columns, PART_ALL, "trial_id", 1);
	if (!rc)
		rc = columns_prepare(&axis, db, &sql, err);
	text_release(&sql);
	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		rc = trial_insert(&trial, run_id, &run->trials[i], parts, err);
		if (rc)
			break;
		ids[i] = sqlite3_last_insert_rowid(db->handle);
		rc = axes_insert(&axis, ids[i], &run->trials[i], err);
	}
	statement_release(&axis);
	statement_release(&trial);
	return rc;
}

int run_and_trials_store(struct db *db, struct run *run, unsigned trial_parts,
			 int (*more)(void *context, struct db *db, const int64_t *trial_ids,
				     struct error *err),
			 void *context, struct error *err)
{
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
		rc = trials_insert(db, run_id, run, trial_parts, ids, err);
	if (!rc)
		rc = db_speedups_plan(db, run, ids, err);
	if (!rc && more)
		rc = more(context, db, ids, err);
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
	return run_and_trials_store(db, run, PART_PLAN, NULL, NULL, err);
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
	rc = statement_prepare(
		&update, db,
		"UPDATE environment SET value = ? WHERE run_id = ? AND key = ? AND value = ?", err);
	if (rc)
		return db_end(db, rc, err);
	bind_text(&update, value);
	bind_integer(&update, run_id);
	bind_text(&update, key);
	bind_text(&update, old);
	rc = statement_run(&update, err);
	statement_release(&update);
	if (!rc && sqlite3_changes(db->handle) == 0)
		rc = error_set(err, PL_EBUSY, "%s: another process changed %s of run %lld",
			       db->path, key, (long long)run_id);
	return db_end(db, rc, err);
}

static int run_set_state(struct db *db, int64_t run_id, const char *state, int64_t finished_ns,
			 struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db,
				   "UPDATE run SET state = ?, finished_ns = ? WHERE id = ?", err);

	if (rc)
		return rc;
	bind_text(&update, state);
	bind_known_integer(&update, finished_ns, 0);
	bind_integer(&update, run_id);
	rc = statement_run_on_one(&update, "run", run_id, err);
	statement_release(&update);
	return rc;
}

int db_run_finish(struct db *db, int64_t run_id, const char *state, struct error *err)
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

	return rc ? rc : db_end(db, run_set_state(db, run_id, "running", 0, err), err);
}

/* ---- where the wall time went ---- */

static int parts_insert(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	struct statement insert;
	int rc =
		statement_prepare(&insert, db,
				  "INSERT INTO run_part (run_id, uid, part, wall_ns)"
				  " SELECT id, uid, ?, ? FROM run WHERE id = ?"
				  " ON CONFLICT DO UPDATE SET wall_ns = wall_ns + excluded.wall_ns",
				  err);

	if (rc)
		return rc;
	for (int part = 0; !rc && part < RUN_PART_COUNT; part++) {
		if (!meter->ns[part])
			continue;
		bind_text(&insert, run_part_name((enum run_part)part));
		bind_integer(&insert, meter->ns[part]);
		bind_integer(&insert, run_id);
		rc = statement_run_on_one(&insert, "run", run_id, err);
	}
	statement_release(&insert);
	return rc;
}

int db_run_parts_add(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, parts_insert(db, run_id, meter, err), err);
}

int db_run_parts_sum(struct db *db, int64_t run_id, int64_t *wall_ns, struct error *err)
{
	struct statement select;
	bool row = false;
	int rc = statement_prepare(&select, db,
				   "SELECT coalesce(sum(wall_ns), 0) FROM run_part"
				   " WHERE run_id = ?",
				   err);

	*wall_ns = 0;
	if (rc)
		return rc;
	bind_integer(&select, run_id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		*wall_ns = take_integer(&select, 0);
	statement_release(&select);
	return rc;
}
