/* Stores recordings of programs. */
#include "db/columns.h"
#include "metrics/recording.h"

#define MODE(recording) ((recording)->lists ? "list" : "record")

static int recording_delete(struct db *db, const char *uid, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, db, "DELETE FROM recording WHERE uid = ?", err);

	if (rc)
		return rc;
	bind_text(&delete, uid);
	rc = statement_run(&delete, err);
	statement_release(&delete);
	return rc;
}

static int recording_insert(struct db *db, const struct recording *recording, int64_t *id,
			    struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement insert;
	int rc;

	columns_add_insert(&sql, &recording_columns, PART_ALL, "mode", 1);
	rc = columns_prepare(&insert, db, &sql, err);
	if (rc)
		return rc;
	columns_bind(&insert, &recording_columns, PART_ALL, recording);
	bind_text(&insert, MODE(recording));
	rc = statement_run(&insert, err);
	if (!rc)
		*id = sqlite3_last_insert_rowid(db->handle);
	statement_release(&insert);
	return rc;
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
	struct text sql = TEXT_INIT;
	struct statement insert;
	int rc;

	columns_add_insert(&sql, rows->columns, PART_ALL,
			   rows->numbered ? "recording_id, number" : "recording_id",
			   rows->numbered ? 2 : 1);
	rc = columns_prepare(&insert, db, &sql, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < rows->count && !rc; i++) {
		columns_bind(&insert, rows->columns, PART_ALL,
			     (const char *)rows->items + i * rows->size);
		bind_integer(&insert, id);
		if (rows->numbered)
			bind_integer(&insert, (int64_t)i + 1);
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
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
