/* Stores, finds and loads recordings of programs. */
#include "db/columns.h"
#include "metrics/recording.h"

#include <string.h>

/* ---- storing ---- */

static int recording_delete(struct db *db, const char *uid, struct error *err)
{
	struct statement delete = statement_prepare(db, "DELETE FROM recording WHERE uid = ?", err);

	bind_text(&delete, uid);
	return statement_finish(&delete);
}

static int recording_insert(struct db *db, const struct recording *recording, int64_t *id,
			    struct error *err)
{
	struct statement insert = columns_insert(db, &recording_columns, PART_ALL, "mode", 1, err);

	columns_bind(&insert, &recording_columns, PART_ALL, recording);
	bind_text(&insert, recording->lists ? "list" : "record");
	if (!statement_run(&insert))
		*id = sqlite3_last_insert_rowid(db->handle);
	return statement_release(&insert);
}

/* Rows of one of the tables that belong to a recording. */
struct recorded_rows {
	const struct column_list *columns;
	const void *items;
	size_t size, count;
	bool numbered;
};

static int rows_insert(struct db *db, const struct recorded_rows *rows, int64_t id,
		       struct error *err)
{
	struct statement insert =
		columns_insert(db, rows->columns, PART_ALL,
			       rows->numbered ? "recording_id, number" : "recording_id",
			       rows->numbered ? 2 : 1, err);

	for (size_t i = 0; i < rows->count && !insert.rc; i++) {
		columns_bind(&insert, rows->columns, PART_ALL,
			     (const char *)rows->items + i * rows->size);
		bind_integer(&insert, id);
		if (rows->numbered)
			bind_integer(&insert, (int64_t)i + 1);
		statement_run(&insert);
	}
	return statement_release(&insert);
}

static int all_rows_insert(struct db *db, const struct recording *recording, int64_t id,
			   struct error *err)
{
	const struct recorded_rows all[] = {
		{&recorded_process_columns, recording->processes, sizeof(*recording->processes),
		 recording->process_count, false},
		{&recorded_kernel_columns, recording->kernels, sizeof(*recording->kernels),
		 recording->kernel_count, true},
		{&recorded_capture_columns, recording->captures, sizeof(*recording->captures),
		 recording->capture_count, true},
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all) && !rc; i++)
		rc = rows_insert(db, &all[i], id, err);
	return rc;
}

int db_recording_store(struct db *db, struct recording *recording, struct error *err)
{
	int64_t id = 0;
	int rc = *recording->uid ? 0 : uid_make(recording->uid, err);

	if (!rc)
		rc = db_begin(db, err);
	if (rc)
		return rc;
	rc = recording_delete(db, recording->uid, err);
	if (!rc)
		rc = recording_insert(db, recording, &id, err);
	if (!rc)
		rc = all_rows_insert(db, recording, id, err);
	rc = db_end(db, rc, err);
	if (!rc)
		recording->id = id;
	return rc;
}

/* ---- one recording ---- */

static void take_process(struct statement *row, struct recording *recording)
{
	struct recorded_process taken = {0};

	columns_take(row, &recorded_process_columns, PART_ALL, &taken);
	*recording_process(recording, taken.pid) = taken;
}

static void take_kernel(struct statement *row, struct recording *recording)
{
	columns_take(row, &recorded_kernel_columns, PART_ALL, recording_add_kernel(recording, 0));
}

static void take_capture(struct statement *row, struct recording *recording)
{
	columns_take(row, &recorded_capture_columns, PART_ALL, recording_add_capture(recording, 0));
}

static int rows_load(struct db *db, struct recording *recording, const struct column_list *columns,
		     const char *rest, void (*take)(struct statement *, struct recording *),
		     struct error *err)
{
	struct statement select = columns_select(db, columns, PART_ALL, rest, err);

	bind_integer(&select, recording->id);
	while (statement_next(&select))
		take(&select, recording);
	return statement_release(&select);
}

static int processes_and_captures_load(struct db *db, struct recording *recording,
				       struct error *err)
{
	int rc = rows_load(db, recording, &recorded_process_columns,
			   "WHERE recording_id = ? ORDER BY pid", take_process, err);

	return rc ? rc
		  : rows_load(db, recording, &recorded_capture_columns,
			      "WHERE recording_id = ? ORDER BY number", take_capture, err);
}

static void recording_take(struct statement *row, struct recording *out)
{
	const char *mode;

	recording_init(out);
	out->id = take_integer(row, 0);
	mode = take_text(row);
	out->lists = mode && strcmp(mode, "list") == 0;
	columns_take(row, &recording_columns, PART_ALL, out);
}

static void add_select(struct text *sql)
{
	text_add(sql, "SELECT recording.id, mode, ");
	columns_add_names(sql, &recording_columns, PART_ALL, "");
}

int db_recording_load(struct db *db, int64_t id, struct recording *out, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	int rc;

	recording_init(out);
	add_select(&sql);
	text_add(&sql, " FROM recording WHERE id = ?");
	select = statement_prepare_text(db, &sql, err);
	bind_integer(&select, id);
	if (statement_next(&select))
		recording_take(&select, out);
	else if (!select.rc)
		select.rc = error_set(err, PL_ENOENT, "%s has no recording %lld", db->path,
				      (long long)id);
	rc = statement_release(&select);
	if (!rc)
		rc = rows_load(db, out, &recorded_kernel_columns,
			       "WHERE recording_id = ? ORDER BY number", take_kernel, err);
	if (!rc)
		rc = processes_and_captures_load(db, out, err);
	if (rc)
		recording_release(out);
	return rc;
}

/* ---- all recordings ---- */

int db_recordings_visit(struct db *db,
			int (*visit)(void *context, const struct recording *recording,
				     int64_t kernels),
			void *context, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	int stop = 0, rc = 0;

	add_select(&sql);
	text_add(&sql, ", (SELECT count(DISTINCT name) FROM recorded_kernel"
		       " WHERE recording_id = recording.id)"
		       " FROM recording ORDER BY started_ns DESC, id DESC");
	select = statement_prepare_text(db, &sql, err);
	while (!rc && !stop && statement_next(&select)) {
		struct recording recording;
		int64_t kernels;

		recording_take(&select, &recording);
		kernels = take_integer(&select, 0);
		rc = processes_and_captures_load(db, &recording, err);
		stop = rc ? 1 : visit(context, &recording, kernels);
		recording_release(&recording);
	}
	rc = rc ? rc : select.rc;
	statement_release(&select);
	return rc;
}

/* ---- references ---- */

/* The newest recording of a label, and "last", are one of several; others must be the only one. */
static int resolve_by(struct db *db, const char *sql, const char *reference, bool newest,
		      int64_t *id, size_t *found, struct error *err)
{
	struct statement select = statement_prepare(db, sql, err);

	*found = 0;
	bind_text(&select, reference);
	while (!(newest && *found) && statement_next(&select)) {
		*id = take_integer(&select, 0);
		++*found;
	}
	return statement_release(&select);
}

int db_recording_resolve(struct db *db, const char *reference, int64_t *id, struct error *err)
{
	static const struct {
		const char *sql;
		bool newest;
	} ways[] = {
		{"SELECT id FROM recording WHERE ? = 'last' ORDER BY started_ns DESC, id DESC",
		 true},
		{"SELECT id FROM recording WHERE CAST(id AS TEXT) = ?", false},
		{"SELECT id FROM recording WHERE label = ? ORDER BY started_ns DESC, id DESC",
		 true},
		{"SELECT id FROM recording WHERE length(?1) >= 4"
		 " AND substr(uid, 1, length(?1)) = ?1",
		 false},
	};
	size_t found = 0;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ways) && !rc && !found; i++)
		rc = resolve_by(db, ways[i].sql, reference, ways[i].newest, id, &found, err);
	if (rc || found == 1)
		return rc;
	if (found)
		return error_set(err, PL_EUSAGE,
				 "%s has %zu recordings whose uid begins with %.40s: give more of "
				 "it",
				 db->path, found, reference);
	return error_set(err, PL_EUSAGE,
			 "%s has no recording '%.80s': \"perflab list recordings\" lists them, and "
			 "\"perflab record --list -- COMMAND\" makes one",
			 db->path, reference);
}
