/*
 * The row of a run from one database to another, with its surroundings and its
 * mark; what belongs to its trials is in merge_trial.c.
 */
#include "db/merge.h"

#include <string.h>

#define RUN_IDENTITY                                                                              \
	"backend, driver, cuda_driver, toolkit, cupti, version, source_revision, settings, seed," \
	" rounds"
#define RUN_IDENTITY_COLUMNS 10
#define RUN_REST "label, note, command, state, started_ns, finished_ns"
#define RUN_COLUMNS_COPIED 16

int merge_run_find(struct db *db, const char *uid, int64_t *id, bool *found, struct error *err)
{
	struct statement find;
	int rc = statement_prepare(&find, db, "SELECT id FROM run WHERE uid = ?", err);

	if (rc)
		return rc;
	bind_text(&find, uid);
	rc = statement_step(&find, found, err);
	if (!rc && *found)
		*id = take_integer(&find, 0);
	statement_release(&find);
	return rc;
}

static int run_row_copy(const struct merge *merge, struct merge_run *moved, int64_t device_id,
			struct error *err)
{
	struct statement read = {0}, write = {0};
	bool row = false;
	int rc = statement_prepare(&read, merge->from,
				   "SELECT " RUN_IDENTITY ", " RUN_REST " FROM run WHERE id = ?",
				   err);

	if (!rc)
		rc = statement_prepare(&write, merge->into,
				       "INSERT INTO run (" RUN_IDENTITY ", " RUN_REST
				       ", uid, device_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
				       " ?, ?, ?, ?, ?, ?, ?)",
				       err);
	if (!rc) {
		bind_integer(&read, moved->run.id);
		rc = statement_step(&read, &row, err);
	}
	if (!rc && !row)
		rc = error_set(err, PL_ENOENT, "%s has no run %lld any more", merge->from->path,
			       (long long)moved->run.id);
	if (!rc) {
		for (int i = 0; i < RUN_COLUMNS_COPIED; i++)
			bind_column(&write, &read, i);
		bind_text(&write, moved->uid);
		bind_integer(&write, device_id);
		rc = statement_run(&write, err);
	}
	if (!rc)
		moved->id = sqlite3_last_insert_rowid(merge->into->handle);
	statement_release(&write);
	statement_release(&read);
	return rc;
}

int merge_mark_copy(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement read = {0}, write = {0};
	bool row = false;
	int rc = statement_prepare(&read, merge->from,
				   "SELECT kind, why, marked_ns FROM mark WHERE run_id = ?", err);

	/* of two the later one is meant */
	if (!rc)
		rc = statement_prepare(&write, merge->into,
				       "INSERT INTO mark (kind, why, marked_ns, run_id)"
				       " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
				       " kind = excluded.kind, why = excluded.why,"
				       " marked_ns = excluded.marked_ns"
				       " WHERE excluded.marked_ns > marked_ns",
				       err);
	if (!rc) {
		bind_integer(&read, moved->run.id);
		rc = statement_step(&read, &row, err);
	}
	if (!rc && row) {
		for (int i = 0; i < 3; i++)
			bind_column(&write, &read, i);
		bind_integer(&write, moved->id);
		rc = statement_run(&write, err);
	}
	statement_release(&write);
	statement_release(&read);
	return rc;
}

int merge_run_make(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	int64_t device_id = 0;
	int rc = db_device_store(merge->into, &moved->run.device, &device_id, err);

	if (!rc)
		rc = run_row_copy(merge, moved, device_id, err);
	for (size_t i = 0; i < moved->run.environment.count && !rc; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];

		/* no process measured a sweep of several */
		if (!moved->shard || strcmp(pair->key, "process"))
			rc = db_environment_set(merge->into, moved->id, pair->key, pair->value,
						err);
	}
	moved->made = true;
	return rc;
}

/* Shards were, or their sweep would have another uid. */
int merge_run_check(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	static const char sql[] = "SELECT " RUN_IDENTITY " FROM run WHERE id = ?";
	struct statement left = {0}, right = {0};
	bool equal = true;
	int rc;

	if (moved->shard)
		return 0;
	rc = statement_prepare(&left, merge->from, sql, err);
	if (!rc)
		rc = statement_prepare(&right, merge->into, sql, err);
	if (!rc) {
		bind_integer(&left, moved->run.id);
		bind_integer(&right, moved->id);
		rc = rows_equal(&left, &right, RUN_IDENTITY_COLUMNS, &equal, err);
	}
	statement_release(&right);
	statement_release(&left);
	moved->is_another = !equal;
	return rc;
}

int merge_run_complete(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(
		&update, merge->into,
		"UPDATE run SET label = coalesce(label, ?1), note = coalesce(note, ?2),"
		" finished_ns = CASE WHEN state = 'finished' OR ?3 = 'running'"
		"  THEN finished_ns ELSE ?4 END,"
		" state = CASE WHEN state = 'finished' OR ?3 = 'running' THEN state ELSE ?3 END"
		" WHERE id = ?5",
		err);

	if (rc)
		return rc;
	bind_text(&update, moved->run.label);
	bind_text(&update, moved->run.note);
	bind_text(&update, moved->run.state);
	bind_known_integer(&update, moved->run.finished_ns, 0);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}
