/* perflab query: a view, a table, or any SQL that reads. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "db/db.h"

#define ROWS_FOR_PEOPLE 1000 /* unless asked: a table for people is laid out in memory */

struct query_options {
	const char *db;
	int format;
	int64_t limit;
};

/* A query on its way to standard output. */
struct printing {
	const struct invocation *call;
	const volatile int *stop;
	struct report_options look;
	struct row_writer *writer;
	int64_t limit, rows; /* limit 0: all */
	bool more;           /* than the limit */
	int rc;              /* of the writer */
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

	printing->rc = rows_begin(&printing->writer, stdout, format_of(printing->call),
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

/* A view or a table is one name; every statement has a blank or a sign in it. */
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

static int print_query(const struct invocation *call, struct db *db, struct error *err)
{
	const struct query_options *options = call->options;
	const char *what = call->operands.items[0];
	bool human = report_format_has(format_of(call), HUMAN_READABLE);
	struct printing printing = {
		.call = call,
		.stop = interruption_catch(),
		.look = {.colour = call->terminal.out_colour, .width = call->terminal.out_width},
		.limit = human || option_given(call, "limit") ? options->limit : 0,
		.err = err,
	};
	const struct db_query_visitor visitor = {visit_columns, visit_row, is_stopped, &printing};
	int rc = is_name(what) ? db_query_named(db, what, &visitor, err)
			       : db_query(db, what, &visitor, err);

	rc = rows_end(printing.writer, rc ? rc : printing.rc, err);
	if (!rc && printing.more && !option_given(call, "limit"))
		say("these are the first %d rows; --limit 0 shows all, and --format csv and json "
		    "do so unasked",
		    ROWS_FOR_PEOPLE);
	return rc;
}

/* ---- what there is to query ---- */

static int visit_name(void *context, const char *name, bool is_view, const char *meaning)
{
	table_row(context, (const char *const[]){name, is_view ? "view" : "table",
						 meaning ? meaning : "not one of perflab's"});
	return 0;
}

static int print_names(const struct invocation *call, struct db *db, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "name"}, {.name = "kind"}, {.name = "meaning"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc = db_names_visit(db, visit_name, table, err);

	if (!rc)
		rc = table_to_stdout(call, table, format_of(call), err);
	table_free(table);
	return rc;
}

static int run_query(struct invocation *call, struct error *err)
{
	const struct query_options *options = call->options;
	struct db *db = NULL;
	int rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);

	if (!rc)
		rc = call->operands.count ? print_query(call, db, err) : print_names(call, db, err);
	db_close(db);
	return rc;
}

static void query_defaults(void *context)
{
	struct query_options *options = context;

	options->limit = ROWS_FOR_PEOPLE;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct query_options, db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct query_options, format), "FORMAT",
	 "the format", table_format_words, 0},
	{"limit", 'n', OPTION_COUNT, offsetof(struct query_options, limit), "ROWS",
	 "at most so many rows; 0 is all, as csv and json have it unless given", NULL, 0},
};

static const struct example examples[] = {
	{"perflab query", "the views and tables there are"},
	{"perflab query best", "the best configuration of each kernel, device and size"},
	{"perflab query failures --format md", "what did not end well, to paste in a pull request"},
	{"perflab query \"SELECT config, median_ns FROM trials WHERE kernel = 'reduce'"
	 " ORDER BY median_ns LIMIT 5\"",
	 "the five fastest configurations of a kernel"},
	{"perflab query sample --format csv > samples.csv", "every sample that was ever taken"},
};

const struct command command_query = {
	.name = "query",
	.summary = "ask the database: a view, a table, or any SQL that reads",
	.operands = "[NAME|\"SQL\"]",
	.description =
		"Prints a view or a table of the database, or what a statement of SQL gives; "
		"without either, the views and tables there are. docs/schema.md says what every "
		"column means. The sqlite3 shell answers the same questions: nothing here needs "
		"a function of perflab's.\n\n"
		"The statement only reads. What would write, attach another file or load an "
		"extension is refused.\n\n"
		"What is not known is \"-\" in text and md, empty in csv and null in json, never "
		"0. Bytes are x'hex'. json has the rows below \"rows\", one object each, and the "
		"version of its format, 1.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct query_options),
	.defaults = query_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_most = 1,
	.run = run_query,
};
