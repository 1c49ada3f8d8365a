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

struct statement trials_select(struct trial_copier *copier, int64_t run_id, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;

	text_add(&sql, "SELECT " TRIAL_PROGRESS ", ");
	columns_add_names(&sql, &trial_columns, PART_ALL, "");
	text_add(&sql, " FROM trial WHERE run_id = ? ORDER BY position, id");
	select = statement_prepare_text(copier->from, &sql, err);
	bind_integer(&select, run_id);
	return select;
}

/* The tables of a trial in the order in which they are copied. Counters are the exception: their
 * names are in a table of their own, where each is stored once. */
static const struct trial_table {
	const struct column_list *columns;
	const char *rest; /* of the SELECT */
} trial_tables[TRIAL_TABLES] = {
	{&axis_columns, "WHERE trial_id = ? ORDER BY name"},
	{&round_columns, "WHERE trial_id = ? ORDER BY round"},
	{&sample_columns, "WHERE trial_id = ? ORDER BY round, sequence"},
	{NULL, NULL},
	{&line_columns, "WHERE trial_id = ? ORDER BY file, line"},
	{&speedup_columns, "WHERE trial_id = ?"},
	{&profile_columns, "WHERE trial_id = ?"},
	{&profile_function_columns, "WHERE trial_id = ? ORDER BY function"},
	{&profile_frame_columns, "WHERE trial_id = ? ORDER BY frame"},
	{&instruction_columns, "WHERE trial_id = ? ORDER BY instruction"},
	{&stall_columns, "WHERE trial_id = ? ORDER BY instruction, reason"},
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

static struct statement prepare_read(struct db *db, const struct trial_table *table,
				     struct error *err)
{
	return is_of_counters(table)
		       ? statement_prepare(db, READ_COUNTERS, err)
		       : columns_select(db, table->columns, PART_ALL, table->rest, err);
}

static struct statement prepare_write(struct db *db, const struct trial_table *table,
				      struct error *err)
{
	return is_of_counters(table)
		       ? statement_prepare(db, WRITE_COUNTERS, err)
		       : columns_insert(db, table->columns, PART_ALL, "trial_id", 1, err);
}

static int prepare_trials(struct trial_copier *copier, struct error *err)
{
	copier->trial = columns_insert(copier->into, &trial_columns, PART_ALL, "run_id", 1, err);
	if (copier->trial.rc)
		return copier->trial.rc;
	copier->own_trial =
		columns_select(copier->into, &trial_columns, PART_ALL, "WHERE id = ?", err);
	if (copier->own_trial.rc)
		return copier->own_trial.rc;
	copier->find = statement_prepare(copier->into,
					 "SELECT " TRIAL_PROGRESS " FROM trial WHERE kernel = ?"
					 " AND variant = ? AND config = ? AND run_id = ?",
					 err);
	if (copier->find.rc)
		return copier->find.rc;
	copier->metric = statement_prepare(copier->into,
					   "INSERT INTO metric (name, unit, source)"
					   " VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
					   err);
	return copier->metric.rc;
}

int trial_copier_init(struct trial_copier *copier, struct db *from, struct db *into,
		      struct error *err)
{
	int rc = 0;

	*copier = (struct trial_copier){.from = from, .into = into};
	for (int i = 0; i < TRIAL_TABLES && !rc; i++) {
		struct table_copier *table = &copier->tables[i];

		table->read = prepare_read(from, &trial_tables[i], err);
		rc = table->read.rc;
		if (!rc) {
			table->own = prepare_read(into, &trial_tables[i], err);
			rc = table->own.rc;
		}
		if (!rc) {
			table->write = prepare_write(into, &trial_tables[i], err);
			rc = table->write.rc;
		}
	}
	if (!rc)
		rc = prepare_trials(copier, err);
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

	row->columns = COLUMN_KERNEL;
	for (int i = 0; i < 3; i++)
		words[i] = take_known_text(row);
	return xasprintf("%s/%s/%s", words[0], words[1], words[2]);
}

bool trial_find(struct trial_copier *copier, struct statement *row, int64_t run_id,
		struct trial_progress *out)
{
	struct statement *find = &copier->find;
	bool found;

	for (int i = COLUMN_KERNEL; i <= COLUMN_CONFIG; i++)
		bind_column(find, row, i);
	bind_integer(find, run_id);
	found = statement_next(find);
	if (found)
		trial_progress_take(find, out);
	statement_restart(find);
	return found;
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

bool rows_equal(struct statement *left, struct statement *right, size_t columns)
{
	bool row = true, equal = true;

	while (equal && row) {
		row = statement_next(left);
		equal = !left->rc && row == statement_next(right) && !right->rc;
		for (size_t i = 0; i < columns && equal && row; i++)
			equal = columns_equal(left, (int)i, right, (int)i);
	}
	statement_restart(left);
	statement_restart(right);
	return equal;
}

static bool trial_rows_equal(struct trial_copier *copier, struct statement *row, int64_t own_id)
{
	struct statement *own = &copier->own_trial;
	bool equal;

	bind_integer(own, own_id);
	equal = statement_next(own);
	for (size_t i = 0; i < trial_columns.count && equal; i++)
		if (!(trial_columns.items[i].part & PART_WRITTEN))
			equal = columns_equal(row, TRIAL_FIRST_COLUMN + (int)i, own, (int)i);
	statement_restart(own);
	return equal;
}

int trial_equal(struct trial_copier *copier, struct statement *row, int64_t id, int64_t own_id,
		bool *equal)
{
	int rc;

	*equal = trial_rows_equal(copier, row, own_id);
	rc = copier->own_trial.rc;
	for (int i = 0; i < TRIAL_TABLES && !rc && *equal; i++) {
		struct table_copier *table = &copier->tables[i];

		bind_integer(&table->read, id);
		bind_integer(&table->own, own_id);
		*equal = rows_equal(&table->read, &table->own, columns_compared(&trial_tables[i]));
		rc = table->read.rc ? table->read.rc : table->own.rc;
	}
	return rc;
}

/* ---- copying ---- */

static int rows_copy(struct trial_copier *copier, int index, int64_t id, int64_t new_id)
{
	const struct trial_table *table = &trial_tables[index];
	struct statement *read = &copier->tables[index].read;
	struct statement *write = &copier->tables[index].write;

	bind_integer(read, id);
	while (!write->rc && !copier->metric.rc && statement_next(read)) {
		if (is_of_counters(table)) {
			bind_columns(&copier->metric, read, 0, 3);
			if (statement_run(&copier->metric))
				break;
		}
		bind_columns(write, read, 0, columns_read(table));
		bind_integer(write, new_id);
		statement_run(write);
	}
	statement_restart(read);
	return read->rc ? read->rc : write->rc ? write->rc : copier->metric.rc;
}

int trial_copy(struct trial_copier *copier, struct statement *row, int64_t id, int64_t run_id)
{
	int64_t new_id;
	int rc;

	bind_columns(&copier->trial, row, TRIAL_FIRST_COLUMN, trial_columns.count);
	bind_integer(&copier->trial, run_id);
	rc = statement_run(&copier->trial);
	new_id = sqlite3_last_insert_rowid(copier->into->handle);
	for (int i = 0; i < TRIAL_TABLES && !rc; i++)
		rc = rows_copy(copier, i, id, new_id);
	return rc;
}
