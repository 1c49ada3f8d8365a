/* Suggests names for a statement of the user that names a table or column which there is not. */
#include "db/query_hint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

bool query_hint(struct text *out, struct db *db, const char *sql, const char *message)
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
