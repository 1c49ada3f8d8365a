/* Finds and loads recordings of programs. */
#include "db/columns.h"
#include "metrics/recording.h"

#include <string.h>

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
		     const char *order, void (*take)(struct statement *, struct recording *),
		     struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	bool row = true;
	int rc;

	text_add(&sql, "SELECT ");
	columns_add_names(&sql, columns, PART_ALL, "");
	text_addf(&sql, " FROM %s WHERE recording_id = ? ORDER BY %s", columns->table, order);
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	bind_integer(&select, recording->id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err))
		take(&select, recording);
	statement_release(&select);
	return rc;
}

static int kernels_load(struct db *db, struct recording *recording, struct error *err)
{
	return rows_load(db, recording, &recorded_kernel_columns, "number", take_kernel, err);
}

static int processes_and_captures_load(struct db *db, struct recording *recording,
				       struct error *err)
{
	int rc = rows_load(db, recording, &recorded_process_columns, "pid", take_process, err);

	return rc ? rc
		  : rows_load(db, recording, &recorded_capture_columns, "number", take_capture,
			      err);
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
	bool row = false;
	int rc;

	recording_init(out);
	add_select(&sql);
	text_add(&sql, " FROM recording WHERE id = ?");
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	bind_integer(&select, id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		recording_take(&select, out);
	statement_release(&select);
	if (!rc && !row)
		return error_set(err, PL_ENOENT, "%s has no recording %lld", db->path,
				 (long long)id);
	if (!rc)
		rc = kernels_load(db, out, err);
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
	bool row = true;
	int stop = 0, rc;

	add_select(&sql);
	text_add(&sql, ", (SELECT count(DISTINCT name) FROM recorded_kernel"
		       " WHERE recording_id = recording.id)"
		       " FROM recording ORDER BY started_ns DESC, id DESC");
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = rc || stop ? rc : statement_step(&select, &row, err)) {
		struct recording recording;
		int64_t kernels;

		recording_take(&select, &recording);
		kernels = take_integer(&select, 0);
		rc = processes_and_captures_load(db, &recording, err);
		stop = rc ? 1 : visit(context, &recording, kernels);
		recording_release(&recording);
	}
	statement_release(&select);
	return rc;
}

/* ---- references ---- */

/* The newest recording of a label, and "last", are one of several; others must be the only one. */
static int resolve_by(struct db *db, const char *sql, const char *reference, bool newest,
		      int64_t *id, size_t *found, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

	*found = 0;
	if (rc)
		return rc;
	bind_text(&select, reference);
	for (rc = statement_step(&select, &row, err); !rc && row && !(newest && *found);
	     rc = statement_step(&select, &row, err)) {
		*id = take_integer(&select, 0);
		++*found;
	}
	statement_release(&select);
	return rc;
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
