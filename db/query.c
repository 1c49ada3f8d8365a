/*
 * Runs one SQL statement of the user that only reads. An authorizer allows only the actions that
 * reading needs, so that a statement from an untrusted source changes no file and opens no other.
 */
#include "db/statement.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_BETWEEN_LOOKS 100000 /* of SQLite's virtual machine: some milliseconds */

int db_query_named(struct db *db, const char *name, const struct db_query_visitor *visitor,
		   struct error *err)
{
	char *sql;
	int rc = db_name_check(db, name, err);

	if (rc)
		return rc;
	sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	rc = sql ? db_query(db, sql, visitor, err)
		 : error_set(err, PL_ENOMEM, "%s: out of memory", db->path);
	sqlite3_free(sql);
	return rc;
}

/* ---- the authorizer ---- */

struct guard {
	const struct db_query_visitor *visitor;
	char refused[80]; /* the first action that was refused; "" none */
};

/* Pragmas that only read the schema or check the file, with any argument; and pragmas that only
 * read a value if they have no argument. */
static const char *const pragmas_looking[] = {
	"table_info",  "table_xinfo",      "table_list",        "index_list",      "index_info",
	"index_xinfo", "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check",
	NULL,
};
static const char *const pragmas_telling[] = {
	"user_version",   "application_id", "page_count",      "page_size", "encoding",
	"freelist_count", "function_list",  "compile_options", NULL,
};

static bool is_pragma_of(const char *const *words, const char *word)
{
	for (; *words; words++) {
		if (sqlite3_stricmp(*words, word) == 0)
			return true;
	}
	return false;
}

static bool pragma_reads(const char *name, const char *argument)
{
	return is_pragma_of(pragmas_looking, name) ||
	       (!argument && is_pragma_of(pragmas_telling, name));
}

static int refuse_action(struct guard *guard, const char *what, const char *name)
{
	if (!guard->refused[0])
		sqlite3_snprintf(sizeof(guard->refused), guard->refused, "%s%s%.40s", what,
				 name ? " " : "", name ? name : "");
	return SQLITE_DENY;
}

static int authorise(void *context, int action, const char *first, const char *second,
		     const char *database, const char *within)
{
	struct guard *guard = context;

	(void)database, (void)within;
	switch (action) {
	case SQLITE_UPDATE:
		/* SQLite asks for this when it sets up table-valued functions such as json_each. A
		 * statement that writes also fails sqlite3_stmt_readonly(). */
		if (sqlite3_stricmp(first, "sqlite_master") != 0)
			return refuse_action(guard, "writing", NULL);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (second && sqlite3_stricmp(second, "load_extension") == 0)
			return refuse_action(guard, "the function", second);
		return SQLITE_OK;
	case SQLITE_PRAGMA:
		return pragma_reads(first, second) ? SQLITE_OK
						   : refuse_action(guard, "PRAGMA", first);
	case SQLITE_ATTACH:
		return refuse_action(guard, "ATTACH", NULL);
	case SQLITE_DETACH:
		return refuse_action(guard, "DETACH", NULL);
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
		return refuse_action(guard, "transactions", NULL);
	default:
		return refuse_action(guard, "writing", NULL);
	}
}

static int look_whether_stopped(void *context)
{
	const struct guard *guard = context;

	return guard->visitor->stopped && guard->visitor->stopped(guard->visitor->context);
}

/* ---- the query ---- */

/* SQLite notices a change of a view before it asks the authorizer. */
static bool says_that_view_cannot_change(const char *message)
{
	static const char *const sayings[] = {"because it is a view", "to a view",
					      "trigger on view: ", "may not be altered",
					      "views may not be indexed"};

	for (size_t i = 0; i < ARRAY_SIZE(sayings); i++)
		if (strstr(message, sayings[i]))
			return true;
	return false;
}

static int fail_query(struct db *db, const struct guard *guard, struct error *err)
{
	int code = sqlite3_extended_errcode(db->handle);

	const bool changes_view = says_that_view_cannot_change(sqlite3_errmsg(db->handle));

	if (guard->refused[0] || changes_view)
		return error_set(err, PL_EUSAGE,
				 "perflab query only reads and refuses %s (the sqlite3 shell "
				 "does more)",
				 changes_view ? "writing" : guard->refused);
	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		return error_set(err, PL_EINTERRUPTED, "the query was interrupted");
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
	case SQLITE_AUTH:
		return error_set(err, PL_EUSAGE, "SQL: %s", sqlite3_errmsg(db->handle));
	case SQLITE_TOOBIG:
		return error_set(err, PL_EUSAGE, "SQL: a value or the statement is too long");
	default:
		return db_fail(db, code, err);
	}
}

/* Whether more than blanks, comments and semicolons is left. A syntax error counts as more. */
static bool has_statement(struct db *db, const char *sql)
{
	sqlite3_stmt *next = NULL;
	int code = SQLITE_OK;

	while (code == SQLITE_OK && !next && *sql)
		code = sqlite3_prepare_v2(db->handle, sql, -1, &next, &sql);
	sqlite3_finalize(next);
	return code != SQLITE_OK || next;
}

static struct any_value value_of(sqlite3_stmt *statement, int column)
{
	struct any_value value = {0};

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		value.kind = VALUE_INTEGER;
		value.integer = sqlite3_column_int64(statement, column);
		break;
	case SQLITE_FLOAT:
		value.kind = VALUE_REAL;
		value.real = sqlite3_column_double(statement, column);
		break;
	case SQLITE_TEXT:
		value.kind = VALUE_TEXT;
		value.bytes = sqlite3_column_text(statement, column);
		value.length = (size_t)sqlite3_column_bytes(statement, column);
		break;
	case SQLITE_BLOB:
		value.kind = VALUE_BYTES;
		value.bytes = sqlite3_column_blob(statement, column);
		value.length = (size_t)sqlite3_column_bytes(statement, column);
		break;
	default:
		break;
	}
	return value;
}

static int query_give_columns(sqlite3_stmt *statement, const struct db_query_visitor *visitor)
{
	int count = sqlite3_column_count(statement);
	const char **heads = xcalloc((size_t)count + 1, sizeof(*heads));
	int stop;

	for (int i = 0; i < count; i++) {
		heads[i] = sqlite3_column_name(statement, i);
		if (!heads[i])
			heads[i] = "";
	}
	stop = visitor->columns ? visitor->columns(visitor->context, heads, (size_t)count) : 0;
	free(heads);
	return stop;
}

static int query_give_rows(struct db *db, sqlite3_stmt *statement, const struct guard *guard,
			   struct error *err)
{
	const struct db_query_visitor *visitor = guard->visitor;
	int count = sqlite3_column_count(statement);
	struct any_value *values = xcalloc((size_t)count + 1, sizeof(*values));
	int stop = query_give_columns(statement, visitor);
	int code = SQLITE_DONE;

	while (!stop && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < count; i++)
			values[i] = value_of(statement, i);
		stop = visitor->row ? visitor->row(visitor->context, values, (size_t)count) : 0;
	}
	free(values);
	return stop || code == SQLITE_DONE ? 0 : fail_query(db, guard, err);
}

static int query_guarded(struct db *db, const char *sql, const struct guard *guard,
			 struct error *err)
{
	sqlite3_stmt *statement = NULL;
	const char *rest = sql;
	int rc = 0;

	/* skip comments and semicolons before the statement */
	while (!rc && !statement && *rest) {
		if (sqlite3_prepare_v2(db->handle, rest, -1, &statement, &rest) != SQLITE_OK)
			rc = fail_query(db, guard, err);
	}
	if (!rc && !statement)
		rc = error_set(err, PL_EUSAGE, "SQL: the text has no statement");
	if (!rc && has_statement(db, rest))
		rc = error_set(err, PL_EUSAGE, "SQL: one statement at a time");
	if (!rc && !sqlite3_stmt_readonly(statement))
		rc = error_set(err, PL_EUSAGE, "perflab query only reads and refuses writing");
	if (!rc)
		rc = query_give_rows(db, statement, guard, err);
	sqlite3_finalize(statement); /* repeats the step's error, which was reported */
	return rc;
}

/* ---- names that there are not ---- */

/* What people guess, and what it is called here. A guess is only used if no name is similar. */
static const struct guess {
	const char *word, *meant;
} tables[] =
	{
		{"axes", "the column results.axes, or the table axis"},
		{"benchmarks", "results"},
		{"cases", "results"},
		{"kernels", "results"},
		{"lines", "result_lines"},
		{"measurements", "results"},
		{"metrics", "result_counters"},
		{"rounds", "result_rounds"},
		{"runs", "run, or the view results"},
		{"samples", "result_samples"},
},
  columns[] = {
	  {"bandwidth", "dram_bytes_per_s"},
	  {"blocksize", "block"},
	  {"block_size", "block"},
	  {"bottleneck", "limiter"},
	  {"conflicts", "bank_conflict_pct"},
	  {"date", "started_at"},
	  {"duration", "median_ns"},
	  {"gpu", "device"},
	  {"id", "run_id or trial_id"},
	  {"mean", "mean_ns"},
	  {"median", "median_ns"},
	  {"metric", "name"},
	  {"name", "kernel, variant or config"},
	  {"occupancy", "achieved_occupancy_pct"},
	  {"persistence", "persistence_mode"},
	  {"run", "run_id or label"},
	  {"run_label", "label"},
	  {"size", "n"},
	  {"threads", "block"},
	  {"time", "median_ns"},
	  {"time_ns", "median_ns"},
	  {"trial", "trial_id"},
};

static const char *guess_find(const struct guess *guesses, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (sqlite3_stricmp(guesses[i].word, word) == 0)
			return guesses[i].meant;
	return NULL;
}

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the SQL has the name as a word. */
static bool mentions(const char *sql, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = sql; *at; at++)
		if ((at == sql || !is_word_character(at[-1])) &&
		    sqlite3_strnicmp(at, name, (int)length) == 0 && !is_word_character(at[length]))
			return true;
	return false;
}

static int add_columns_of(struct string_list *out, struct db *db, const char *object)
{
	return db_select_names(out, db, "SELECT name FROM pragma_table_xinfo(?)", object, NULL);
}

struct mentioned {
	struct db *db;
	const char *sql;
	struct string_list objects, columns;
};

static int add_if_mentioned(void *context, const char *name, bool is_view, const char *meaning)
{
	struct mentioned *mentioned = context;

	(void)is_view, (void)meaning;
	string_list_add(&mentioned->objects, name);
	if (mentions(mentioned->sql, name))
		add_columns_of(&mentioned->columns, mentioned->db, name);
	return 0;
}

/* The first of the views that answer without a join that has the column. */
static const char *view_with(struct db *db, const char *column)
{
	static const char *const views[] = {"results", "result_counters", "result_samples",
					    "result_rounds", "result_lines"};

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct string_list known = {0};
		bool found;

		add_columns_of(&known, db, views[i]);
		found = string_list_has(&known, column);
		string_list_release(&known);
		if (found)
			return views[i];
	}
	return NULL;
}

static bool suggest_table(struct text *out, const char *word, const struct mentioned *mentioned)
{
	const char *meant = guess_find(tables, ARRAY_SIZE(tables), word);

	if (meant)
		text_add(out, meant);
	return meant || nearest_names(out, word, (const char *const *)mentioned->objects.items,
				      mentioned->objects.count);
}

/* A guess counts if the statement names an object with the first of its words. */
static bool suggest_column(struct text *out, const char *word, const struct mentioned *mentioned)
{
	const struct string_list *known = &mentioned->columns;
	const char *meant = guess_find(columns, ARRAY_SIZE(columns), word), *view;
	char *first = xstrndup(meant ? meant : "", strcspn(meant ? meant : "", ", "));
	const bool guessed = meant && string_list_has(known, first);

	free(first);
	if (guessed)
		text_add(out, meant);
	if (guessed || nearest_names(out, word, (const char *const *)known->items, known->count))
		return true;
	view = view_with(mentioned->db, word);
	if (view)
		text_addf(out, "%s of the view %s", word, view);
	return view;
}

/* Adds what the user may have meant, such as "median_ns", to *out. `message` is SQLite's. Returns
 * false if it names no unknown table or column, or if nothing is similar. */
static bool query_hint(struct text *out, struct db *db, const char *sql, const char *message)
{
	static const char no_table[] = "no such table: ", no_column[] = "no such column: ";
	const char *table = strstr(message, no_table), *column = strstr(message, no_column);
	struct mentioned mentioned = {.db = db, .sql = sql};
	const char *dot;
	bool found = false;

	if ((!table && !column) || db_names_visit(db, add_if_mentioned, &mentioned, NULL))
		goto out;
	if (table) {
		found = suggest_table(out, table + strlen(no_table), &mentioned);
		goto out;
	}
	column += strlen(no_column);
	dot = strrchr(column, '.');
	found = suggest_column(out, dot ? dot + 1 : column, &mentioned);
out:
	string_list_release(&mentioned.objects);
	string_list_release(&mentioned.columns);
	return found;
}

/* Adds to the message what may have been meant. */
static int add_hint(struct db *db, const char *sql, int rc, struct error *err)
{
	struct text hint = TEXT_INIT;

	if (err && rc == PL_EUSAGE && query_hint(&hint, db, sql, err->text)) {
		char *message = xstrdup(err->text);

		error_set(err, rc, "%s; did you mean %s?", message, hint.data);
		free(message);
	}
	text_release(&hint);
	return rc;
}

int db_query(struct db *db, const char *sql, const struct db_query_visitor *visitor,
	     struct error *err)
{
	struct guard guard = {.visitor = visitor};
	int rc = db_own_views_use(db, err);

	if (rc)
		return rc;
	sqlite3_set_authorizer(db->handle, authorise, &guard);
	sqlite3_progress_handler(db->handle, STEPS_BETWEEN_LOOKS, look_whether_stopped, &guard);
	rc = query_guarded(db, sql, &guard, err);
	sqlite3_progress_handler(db->handle, 0, NULL, NULL);
	sqlite3_set_authorizer(db->handle, NULL, NULL);
	return rc ? add_hint(db, sql, rc, err) : 0;
}
