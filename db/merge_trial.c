/*
 * One trial from one database to another, and whether two hold the same.
 * A test goes through every column of the schema, so that none that is added
 * is forgotten here.
 */
#include "db/merge.h"

#include <string.h>

/* Of the row of `trial`: content, and then when it was written, which two copies of the same result
 * need not share. */
#define TRIAL_CONTENT                                                                         \
	"position, kernel, variant, config, status, reason, flop, bytes_read, bytes_written," \
	" registers_per_thread, shared_static_bytes, shared_dynamic_bytes,"                   \
	" local_bytes_per_thread, theoretical_occupancy_pct, occupancy_limiter, code_hash,"   \
	" code_kind, sample_count, median_ns, mad_ns, low_ns, high_ns, min_ns, max_ns, "
#define TRIAL_LAUNCH "launch_hash" /* there is none before version 5 */
#define TRIAL_TIMES "finished_ns, counted_ns"
#define TRIAL_CONTENT_COLUMNS 25
#define TRIAL_COLUMNS 27
#define TRIAL_PROGRESS                                    \
	"id, status = 'pending', counted_ns IS NOT NULL," \
	" (SELECT count(*) FROM round WHERE trial_id = trial.id)"
#define TRIAL_FIRST_COLUMN 4
enum { COLUMN_KERNEL = TRIAL_FIRST_COLUMN + 1, COLUMN_VARIANT, COLUMN_CONFIG };

#define TRIALS_SQL(launch)                                                  \
	"SELECT " TRIAL_PROGRESS ", " TRIAL_CONTENT launch ", " TRIAL_TIMES \
	" FROM trial WHERE run_id = ? ORDER BY position, id"

int trials_select(struct trial_copier *copier, struct statement *select, int64_t run_id,
		  struct error *err)
{
	int rc = statement_prepare(
		select, copier->from,
		copier->version < 5 ? TRIALS_SQL("NULL") : TRIALS_SQL(TRIAL_LAUNCH), err);

	if (!rc)
		bind_integer(select, run_id);
	return rc;
}

struct trial_table {
	const char *read;  /* the trial is its parameter; content first, in an order of its own */
	const char *write; /* those columns, then the trial */
	int columns, content_columns;
};

#define READ_COUNTERS                                           \
	"SELECT name, unit, source, value, reason FROM counter" \
	" JOIN metric ON metric.id = metric_id WHERE trial_id = ? ORDER BY name, source, unit"
/* Before version 2 each counter had the words of its metric. */
#define READ_COUNTERS_1                                                              \
	"SELECT metric, unit, source, value, reason FROM counter WHERE trial_id = ?" \
	" ORDER BY metric, source, unit"

#define READ_ROUNDS(median)                                                   \
	"SELECT round, sm_clock_hz, memory_clock_hz, temperature_c, power_w," \
	" throttle_reasons, " median ", stored_ns FROM round WHERE trial_id = ? ORDER BY round"

enum { TABLE_AXIS, TABLE_ROUND, TABLE_SAMPLE, TABLE_COUNTER, TABLE_LINE };
static const struct trial_table trial_tables[TRIAL_TABLES] = {
	[TABLE_AXIS] = {"SELECT name, value FROM axis WHERE trial_id = ? ORDER BY name",
			"INSERT INTO axis (name, value, trial_id) VALUES (?, ?, ?)", 2, 2},
	[TABLE_ROUND] = {READ_ROUNDS("median_ns"),
			 "INSERT INTO round (round, sm_clock_hz, memory_clock_hz, temperature_c,"
			 " power_w, throttle_reasons, median_ns, stored_ns, trial_id)"
			 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			 8, 7},
	[TABLE_SAMPLE] = {"SELECT round, sequence, time_ns FROM sample WHERE trial_id = ?"
			  " ORDER BY round, sequence",
			  "INSERT INTO sample (round, sequence, time_ns, trial_id)"
			  " VALUES (?, ?, ?, ?)",
			  3, 3},
	[TABLE_COUNTER] = {READ_COUNTERS,
			   "INSERT INTO counter (metric_id, value, reason, trial_id)"
			   " VALUES ((SELECT id FROM metric WHERE name = ?1 AND unit = ?2"
			   " AND source = ?3), ?4, ?5, ?6)",
			   5, 5},
	[TABLE_LINE] = {"SELECT file, line, instructions, lanes, branches, divergent, requests,"
			" sectors, shared_requests, wavefronts, conflicts FROM line"
			" WHERE trial_id = ? ORDER BY file, line",
			"INSERT INTO line (file, line, instructions, lanes, branches, divergent,"
			" requests, sectors, shared_requests, wavefronts, conflicts, trial_id)"
			" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			11, 11},
};

static const char *read_sql(int table, int64_t version)
{
	if (version == 1 && table == TABLE_COUNTER)
		return READ_COUNTERS_1;
	if (version == 1 && table == TABLE_LINE)
		return "SELECT NULL WHERE ? IS NULL";
	if (version < VERSION_WITH_ROUND_MEDIANS && table == TABLE_ROUND)
		return READ_ROUNDS(ROUND_MEDIAN_OF_SAMPLES);
	return trial_tables[table].read;
}

int trial_copier_init(struct trial_copier *copier, struct db *from, struct db *into,
		      struct error *err)
{
	int rc;

	*copier = (struct trial_copier){.from = from, .into = into};
	rc = db_select_integer(&copier->version, from, "PRAGMA user_version", err);
	for (int i = 0; i < TRIAL_TABLES && !rc; i++) {
		rc = statement_prepare(&copier->tables[i].read, from, read_sql(i, copier->version),
				       err);
		if (!rc)
			rc = statement_prepare(&copier->tables[i].own, into, trial_tables[i].read,
					       err);
		if (!rc)
			rc = statement_prepare(&copier->tables[i].write, into,
					       trial_tables[i].write, err);
	}
	if (!rc)
		rc = statement_prepare(&copier->trial, into,
				       "INSERT INTO trial (" TRIAL_CONTENT TRIAL_LAUNCH
				       ", " TRIAL_TIMES
				       ", run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
				       " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				       err);
	if (!rc)
		rc = statement_prepare(&copier->metric, into,
				       "INSERT INTO metric (name, unit, source) VALUES (?, ?, ?)"
				       " ON CONFLICT DO NOTHING",
				       err);
	if (!rc)
		rc = statement_prepare(
			&copier->own_trial, into,
			"SELECT " TRIAL_CONTENT TRIAL_LAUNCH " FROM trial WHERE id = ?", err);
	if (!rc)
		rc = statement_prepare(&copier->find, into,
				       "SELECT " TRIAL_PROGRESS " FROM trial WHERE kernel = ?"
				       " AND variant = ? AND config = ? AND run_id = ?",
				       err);
	if (rc)
		trial_copier_release(copier);
	return rc;
}

void trial_copier_release(struct trial_copier *copier)
{
	for (int i = 0; i < TRIAL_TABLES; i++) {
		statement_release(&copier->tables[i].read);
		statement_release(&copier->tables[i].own);
		statement_release(&copier->tables[i].write);
	}
	statement_release(&copier->trial);
	statement_release(&copier->metric);
	statement_release(&copier->own_trial);
	statement_release(&copier->find);
}

void trial_progress_take(struct statement *row, struct trial_progress *out)
{
	out->id = take_integer(row, 0);
	out->pending = take_integer(row, 0) != 0;
	out->counted = take_integer(row, 0) != 0;
	out->rounds = take_integer(row, 0);
}

char *trial_row_name(struct statement *row)
{
	const char *words[3];

	for (int i = 0; i < 3; i++) {
		words[i] = (const char *)sqlite3_column_text(row->handle, COLUMN_KERNEL + i);
		if (!words[i])
			words[i] = ""; /* a stranger's file */
	}
	return xasprintf("%s/%s/%s", words[0], words[1], words[2]);
}

int trial_find(struct trial_copier *copier, struct statement *row, int64_t run_id,
	       struct trial_progress *out, bool *found, struct error *err)
{
	struct statement *find = &copier->find;
	int rc;

	for (int i = COLUMN_KERNEL; i <= COLUMN_CONFIG; i++)
		bind_column(find, row, i);
	bind_integer(find, run_id);
	rc = statement_step(find, found, err);
	if (!rc && *found)
		trial_progress_take(find, out);
	statement_restart(find);
	return rc;
}

/* ---- comparing ---- */

static bool columns_equal(struct statement *left, int left_column, struct statement *right,
			  int right_column)
{
	sqlite3_stmt *a = left->handle, *b = right->handle;
	int type = sqlite3_column_type(a, left_column);
	int size;

	if (type != sqlite3_column_type(b, right_column))
		return false;
	switch (type) {
	case SQLITE_NULL:
		return true;
	case SQLITE_INTEGER:
		return sqlite3_column_int64(a, left_column) ==
		       sqlite3_column_int64(b, right_column);
	case SQLITE_FLOAT:
		return sqlite3_column_double(a, left_column) ==
		       sqlite3_column_double(b, right_column);
	default:
		size = sqlite3_column_bytes(a, left_column);
		return size == sqlite3_column_bytes(b, right_column) &&
		       (!size || !memcmp(sqlite3_column_blob(a, left_column),
					 sqlite3_column_blob(b, right_column), (size_t)size));
	}
}

int rows_equal(struct statement *left, struct statement *right, int columns, bool *equal,
	       struct error *err)
{
	bool left_row = true, right_row = true;
	int rc = 0;

	*equal = true;
	while (!rc && *equal && left_row) {
		rc = statement_step(left, &left_row, err);
		if (!rc)
			rc = statement_step(right, &right_row, err);
		*equal = left_row == right_row;
		for (int i = 0; i < columns && !rc && *equal && left_row; i++)
			*equal = columns_equal(left, i, right, i);
	}
	statement_restart(left);
	statement_restart(right);
	return rc;
}

static int trial_rows_equal(struct trial_copier *copier, struct statement *row, int64_t own_id,
			    bool *equal, struct error *err)
{
	struct statement *own = &copier->own_trial;
	bool found = false;
	int rc;

	bind_integer(own, own_id);
	rc = statement_step(own, &found, err);
	*equal = found;
	for (int i = 0; i < TRIAL_CONTENT_COLUMNS && !rc && *equal; i++)
		*equal = columns_equal(row, TRIAL_FIRST_COLUMN + i, own, i);
	statement_restart(own);
	return rc;
}

int trial_equal(struct trial_copier *copier, struct statement *row, int64_t id, int64_t own_id,
		bool *equal, struct error *err)
{
	int rc = trial_rows_equal(copier, row, own_id, equal, err);

	for (int i = 0; i < TRIAL_TABLES && !rc && *equal; i++) {
		bind_integer(&copier->tables[i].read, id);
		bind_integer(&copier->tables[i].own, own_id);
		rc = rows_equal(&copier->tables[i].read, &copier->tables[i].own,
				trial_tables[i].content_columns, equal, err);
	}
	return rc;
}

/* ---- copying ---- */

static int metric_copy(struct trial_copier *copier, struct statement *counter, struct error *err)
{
	for (int i = 0; i < 3; i++)
		bind_column(&copier->metric, counter, i);
	return statement_run(&copier->metric, err);
}

static int rows_copy(struct trial_copier *copier, int table, int64_t id, int64_t new_id,
		     struct error *err)
{
	struct statement *read = &copier->tables[table].read;
	struct statement *write = &copier->tables[table].write;
	bool row = true;
	int rc;

	bind_integer(read, id);
	for (rc = statement_step(read, &row, err); !rc && row;
	     rc = rc ? rc : statement_step(read, &row, err)) {
		if (table == TABLE_COUNTER)
			rc = metric_copy(copier, read, err);
		if (rc)
			break;
		for (int i = 0; i < trial_tables[table].columns; i++)
			bind_column(write, read, i);
		bind_integer(write, new_id);
		rc = statement_run(write, err);
	}
	statement_restart(read);
	return rc;
}

int trial_copy(struct trial_copier *copier, struct statement *row, int64_t id, int64_t run_id,
	       struct error *err)
{
	int64_t new_id;
	int rc;

	for (int i = 0; i < TRIAL_COLUMNS; i++)
		bind_column(&copier->trial, row, TRIAL_FIRST_COLUMN + i);
	bind_integer(&copier->trial, run_id);
	rc = statement_run(&copier->trial, err);
	if (rc)
		return rc;
	new_id = sqlite3_last_insert_rowid(copier->into->handle);
	for (int i = 0; i < TRIAL_TABLES && !rc; i++)
		rc = rows_copy(copier, i, id, new_id, err);
	return rc;
}

int trial_delete(struct db *db, int64_t id, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, db, "DELETE FROM trial WHERE id = ?", err);

	if (rc)
		return rc;
	bind_integer(&delete, id);
	rc = statement_run(&delete, err); /* what belongs to it goes with it */
	statement_release(&delete);
	return rc;
}
