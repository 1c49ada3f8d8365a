/* perflab query: prints a view, a table, or the rows of an SQL statement that reads. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "db/db.h"
#include "metrics/analysis/verdict.h"
#include "metrics/catalogue/catalogue.h"

#define ROWS_DEFAULT 1000 /* of a human-readable format, which is laid out in memory */

struct query_options {
	const char *db, *output;
	int format;
	int64_t limit;
	bool columns, no_pager;
};

/* A query whose rows are being printed. */
struct printing {
	const struct invocation *call;
	FILE *stream;
	const volatile int *stop;
	struct report_options look;
	struct row_writer *writer;
	int64_t limit, rows; /* limit 0: all */
	bool more;           /* there are more rows than the limit */
	bool limiters;       /* a column has limiters as they were stored */
	int rc;              /* of rows_begin() */
	struct error *err;
};

static enum report_format format_of(const struct invocation *call)
{
	const struct query_options *options = call->options;

	return (enum report_format)options->format;
}

static int visit_columns(void *context, const char *const *names, size_t count)
{
	struct printing *printing = context;

	for (size_t i = 0; i < count; i++)
		printing->limiters |= strcmp(names[i], "limiter") == 0;
	printing->rc = rows_begin(&printing->writer, printing->stream, format_of(printing->call),
				  &printing->look, names, count, printing->err);
	return printing->rc;
}

static int visit_row(void *context, const struct any_value *values, size_t count)
{
	struct printing *printing = context;

	(void)count;
	printing->more = printing->limit > 0 && printing->rows == printing->limit;
	if (printing->more)
		return 1;
	printing->rows++;
	return rows_add(printing->writer, values);
}

static bool is_stopped(void *context)
{
	const struct printing *printing = context;

	return *printing->stop;
}

/* Whether the text is the name of a view or table. A statement contains other characters. */
static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++) {
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	}
	return true;
}

/* A report judges anew, so it may differ from what is stored. */
static void say_old_limiters(struct db *db)
{
	struct error ignored = {0};
	int64_t runs;

	if (!db_judged_before_count(db, &runs, &ignored) && runs > 0)
		say("the stored limiters of %lld %s come from older rules (column rules below %d); "
		    "perflab report shows those of today, and the next run that is stored replaces "
		    "the old ones",
		    (long long)runs, runs == 1 ? "run" : "runs", VERDICT_RULES_VERSION);
}

static int print_query(const struct invocation *call, const struct output *output, struct db *db,
		       struct error *err)
{
	const struct query_options *options = call->options;
	const char *what = call->operands.items[0];
	bool human = report_format_has(format_of(call), HUMAN_READABLE);
	struct printing printing = {
		.call = call,
		.stream = output->stream,
		.stop = interruption_catch(),
		.look = output_look(call, output),
		.limit = human || option_given(call, "limit") ? options->limit : 0,
		.err = err,
	};
	const struct db_query_visitor visitor = {visit_columns, visit_row, is_stopped, &printing};
	int rc = is_name(what) ? db_query_named(db, what, &visitor, err)
			       : db_query(db, what, &visitor, err);

	rc = rows_end(printing.writer, rc ? rc : printing.rc, err);
	if (!rc && printing.more && !option_given(call, "limit"))
		say("these are the first %d rows; --limit 0 shows all, and so do --format csv and "
		    "json",
		    ROWS_DEFAULT);
	if (!rc && printing.limiters)
		say_old_limiters(db);
	return rc;
}

/* ---- the names of views and tables ---- */

static int visit_name(void *context, const char *name, bool is_view, const char *meaning)
{
	table_row(context, (const char *const[]){name, is_view ? "view" : "table",
						 meaning ? meaning : "not part of perflab"});
	return 0;
}

static int print_names(const struct invocation *call, const struct output *output, struct db *db,
		       struct error *err)
{
	const struct report_options look = output_look(call, output);
	static const struct table_column columns[] = {
		{.name = "name"}, {.name = "kind"}, {.name = "meaning"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc = db_names_visit(db, visit_name, table, err);

	if (!rc)
		rc = table_write(output->stream, table, format_of(call), &look, err);
	table_free(table);
	return rc;
}

/* ---- the columns of views and tables ---- */

/* A table of columns, of one view or table or of all that are perflab's. */
struct listing {
	struct table *table;
	struct db *db;
	const char *only;    /* NULL: all */
	const char *current; /* the view or table that is being listed */
	bool of_user;        /* it is not perflab's */
	int rc;
	struct error *err;
};

static int visit_column(void *context, const char *column, const char *type, const char *meaning)
{
	struct listing *listing = context;
	const struct metric *metric = meaning || listing->of_user ? NULL : metric_find(column);
	const char *const cells[] = {listing->current, column, *type ? type : NULL,
				     metric ? metric->meaning : meaning};

	table_row(listing->table, listing->only ? cells + 1 : cells);
	return 0;
}

static int visit_object(void *context, const char *name, bool is_view, const char *meaning)
{
	struct listing *listing = context;

	(void)is_view;
	listing->current = name;
	if (meaning && !listing->rc)
		listing->rc =
			db_columns_visit(listing->db, name, visit_column, listing, listing->err);
	return listing->rc;
}

static int print_columns(const struct invocation *call, const struct output *output, struct db *db,
			 struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "name"}, {.name = "column"}, {.name = "type"}, {.name = "meaning"}};
	const char *only = call->operands.count ? call->operands.items[0] : NULL;
	const size_t left_out = only ? 1 : 0;
	const struct report_options look = output_look(call, output);
	char *description = only ? db_description(only) : NULL;
	struct listing listing = {
		.table = table_new(columns + left_out, ARRAY_SIZE(columns) - left_out),
		.db = db,
		.only = only,
		.of_user = only && !description,
		.err = err,
	};
	int rc = only ? db_columns_visit(db, only, visit_column, &listing, err)
		      : db_names_visit(db, visit_object, &listing, err);

	rc = rc ? rc : listing.rc;
	if (!rc && description && format_of(call) == REPORT_TEXT)
		fprintf(output->stream, "%s\n", description);
	if (!rc)
		rc = table_write(output->stream, listing.table, format_of(call), &look, err);
	free(description);
	table_free(listing.table);
	return rc;
}

static int print_answer(const struct invocation *call, const struct output *output, struct db *db,
			struct error *err)
{
	const struct query_options *options = call->options;

	if (options->columns && call->operands.count && !is_name(call->operands.items[0]))
		return error_set(err, PL_EUSAGE,
				 "--columns takes the name of a view or table, not SQL: `perflab "
				 "query` lists the names");
	if (options->columns)
		return print_columns(call, output, db, err);
	return call->operands.count ? print_query(call, output, db, err)
				    : print_names(call, output, db, err);
}

static int run_query(struct invocation *call, struct error *err)
{
	const struct query_options *options = call->options;
	struct output output = {0};
	struct db *db = NULL;
	int rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);

	if (!rc)
		rc = output_open(&output, options->output, err);
	if (!rc)
		rc = print_answer(call, &output, db, err);
	rc = output_end(&output, rc, err);
	db_close(db);
	return rc;
}

static void query_defaults(void *context)
{
	struct query_options *options = context;

	options->limit = ROWS_DEFAULT;
}

static const struct option_row query_rows[] = {
	TEXT_ROW("db", 0, query_options, db, "FILE", HELP_DB),
	CHOICE_ROW("format", 'f', query_options, format, "FORMAT", table_format_words,
		   HELP_FORMAT_OF_OUTPUT),
	TEXT_ROW("output", 'o', query_options, output, "FILE", HELP_OUTPUT),
	FLAG_ROW("columns", 0, query_options, columns,
		 "say what the columns of the view or table mean; without NAME, of all of them"),
	COUNT_ROW("limit", 'n', query_options, limit, "ROWS", 0,
		  "print at most this many rows; 0 prints all; csv and json print all unless this "
		  "is given"),
	ROW_NO_PAGER(query_options),
};

static const struct example query_examples[] = {
	{"perflab query", "list the views and tables"},
	{"perflab query results --columns", "say what the columns of a view mean"},
	{"perflab query best", "show the best configuration of each kernel, device and size"},
	{"perflab query failures --format md",
	 "print failed cases as Markdown, for a pull request"},
	{"perflab query \"SELECT config, median_ns FROM trials WHERE kernel = 'reduce'"
	 " ORDER BY median_ns LIMIT 5\"",
	 "show the five fastest configurations of a kernel"},
	{"perflab query sample -o samples.csv", "export every sample"},
};

const struct command command_query = {
	.name = "query",
	.summary = "print a view or table of the database, or run SQL that reads",
	.operands = "[NAME|\"SQL\"]",
	.description =
		"Prints a view or table of the database, or the result of an SQL statement. "
		"Without an operand, lists the views and tables. Begin with the view results, "
		"which has one row per case of a run with everything about it. docs/schema.md has "
		"ten questions and their SQL; --columns describes every column. The sqlite3 shell "
		"gives the same answers: the views use no function of perflab.\n\n"
		"A statement may only read. perflab refuses a statement that writes, attaches "
		"another file or loads an extension.\n\n"
		"An unknown value is \"-\" in text and md, empty in csv and null in json, never 0. "
		"Bytes are printed as x'hex'. json has one object per row in \"rows\", and the "
		"version of its format, 1.",
	OPTIONS_AND_EXAMPLES(query_options, query_rows, query_examples),
	.defaults = query_defaults,
	.operand_kind = OPERANDS_FREE,
	.operands_most = 1,
	.run = run_query,
};
