/*
 * Copies one trial from one database to another, and compares two trials. Both use the lists of
 * columns; a test checks every column of the schema.
 */
#include "db/columns.h"
#include "db/merge.h"

#include <string.h>

#define TRIAL_PROGRESS                                    \
	"id, status = 'pending', counted_ns IS NOT NULL," \
	" (SELECT count(*) FROM round WHERE trial_id = trial.id)"
#define TRIAL_FIRST_COLUMN 4 /* of trial_columns, in the row of a trial */
enum { COLUMN_KERNEL = TRIAL_FIRST_COLUMN, COLUMN_VARIANT, COLUMN_CONFIG };

int trials_select(struct trial_copier *copier, struct statement *select, int64_t run_id,
		  struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	text_add(&sql, "SELECT " TRIAL_PROGRESS ", ");
	columns_add_names(&sql, &trial_columns, PART_ALL, "");
	text_add(&sql, " FROM trial WHERE run_id = ? ORDER BY position, id");
	rc = columns_prepare(select, copier->from, &sql, err);
	if (!rc)
		bind_integer(select, run_id);
	return rc;
}

/* The tables of a trial in the order in which they are copied. Counters are the exception: their
 * names are in a table of their own, where each is stored once. */
static const struct trial_table {
	const struct column_list *columns;
	const char *order;
} trial_tables[TRIAL_TABLES] = {
	{&axis_columns, "name"},
	{&round_columns, "round"},
	{&sample_columns, "round, sequence"},
	{NULL, NULL},
	{&line_columns, "file, line"},
	{&speedup_columns, "trial_id"},
};

#define READ_COUNTERS                                           \
	"SELECT name, unit, source, value, reason FROM counter" \
	" JOIN metric ON metric.id = metric_id WHERE trial_id = ? ORDER BY name, source, unit"
#define WRITE_COUNTERS                                                                     \
	"INSERT INTO counter (metric_id, value, reason, trial_id) VALUES ((SELECT id FROM" \
	" metric WHERE name = ?1 AND unit = ?2 AND source = ?3), ?4, ?5, ?6)"
#define COUNTER_COLUMNS 5

static bool is_of_counters(const struct trial_table *table)
{
	return !table->columns;
}

static size_t columns_read(const struct trial_table *table)
{
	return is_of_counters(table) ? COUNTER_COLUMNS : columns_count(table->columns, PART_ALL);
}

/* When the row was written comes last, so that two copies are equal by the columns before it. */
static size_t columns_compared(const struct trial_table *table)
{
	return is_of_counters(table) ? COUNTER_COLUMNS
				     : columns_count(table->columns, PART_KEY | PART_RESULT);
}

static int prepare_read(struct statement *statement, struct db *db, const struct trial_table *table,
			struct error *err)
{
	struct text sql = TEXT_INIT;

	if (is_of_counters(table))
		return statement_prepare(statement, db, READ_COUNTERS, err);
	text_add(&sql, "SELECT ");
	columns_add_names(&sql, table->columns, PART_ALL, "");
	text_addf(&sql, " FROM %s WHERE trial_id = ? ORDER BY %s", table->columns->table,
		  table->order);
	return columns_prepare(statement, db, &sql, err);
}

static int prepare_write(struct statement *statement, struct db *db,
			 const struct trial_table *table, struct error *err)
{
	struct text sql = TEXT_INIT;

	if (is_of_counters(table))
		return statement_prepare(statement, db, WRITE_COUNTERS, err);
	columns_add_insert(&sql, table->columns, PART_ALL, "trial_id", 1);
	return columns_prepare(statement, db, &sql, err);
}

static int prepare_trials(struct trial_copier *copier, struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	columns_add_insert(&sql, &trial_columns, PART_ALL, "run_id", 1);
	rc = columns_prepare(&copier->trial, copier->into, &sql, err);
	if (rc)
		return rc;
	text_add(&sql, "SELECT ");
	columns_add_names(&sql, &trial_columns, PART_ALL, "");
	text_add(&sql, " FROM trial WHERE id = ?");
	rc = columns_prepare(&copier->own_trial, copier->into, &sql, err);
	if (rc)
		return rc;
	return statement_prepare(&copier->find, copier->into,
				 "SELECT " TRIAL_PROGRESS " FROM trial WHERE kernel = ?"
				 " AND variant = ? AND config = ? AND run_id = ?",
				 err);
}

int trial_copier_init(struct trial_copier *copier, struct db *from, struct db *into,
		      struct error *err)
{
	int rc = 0;

	*copier = (struct trial_copier){.from = from, .into = into};
	for (int i = 0; i < TRIAL_TABLES && !rc; i++) {
		rc = prepare_read(&copier->tables[i].read, from, &trial_tables[i], err);
		if (!rc)
			rc = prepare_read(&copier->tables[i].own, into, &trial_tables[i], err);
		if (!rc)
			rc = prepare_write(&copier->tables[i].write, into, &trial_tables[i], err);
	}
	if (!rc)
		rc = prepare_trials(copier, err);
	if (!rc)
		rc = statement_prepare(&copier->metric, into,
				       "INSERT INTO metric (name, unit, source) VALUES (?, ?, ?)"
				       " ON CONFLICT DO NOTHING",
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
			words[i] = ""; /* a damaged file */
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

int rows_equal(struct statement *left, struct statement *right, size_t columns, bool *equal,
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
		for (size_t i = 0; i < columns && !rc && *equal && left_row; i++)
			*equal = columns_equal(left, (int)i, right, (int)i);
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
	for (size_t i = 0; i < trial_columns.count && !rc && *equal; i++)
		if (!(trial_columns.items[i].part & PART_WRITTEN))
			*equal = columns_equal(row, TRIAL_FIRST_COLUMN + (int)i, own, (int)i);
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
				columns_compared(&trial_tables[i]), equal, err);
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
		if (is_of_counters(&trial_tables[table]))
			rc = metric_copy(copier, read, err);
		if (rc)
			break;
		bind_columns(write, read, 0, columns_read(&trial_tables[table]));
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

	bind_columns(&copier->trial, row, TRIAL_FIRST_COLUMN, trial_columns.count);
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
	rc = statement_run(&delete, err); /* deletes its samples, counters and lines, too */
	statement_release(&delete);
	return rc;
}
