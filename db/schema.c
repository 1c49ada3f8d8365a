/*
 * The views and triggers of perflab come from db/schema/, never from the file, which is untrusted
 * and may be written by another version of perflab at any time. No trigger of the file fires (see
 * connect_file() in open.c): temporary ones of the connection maintain `newest`. Temporary views
 * answer the queries of users if those of the file differ. The views and triggers in the file are
 * for other programs, too; opening it for writing makes those again that differ.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "db/schema.h"
#include "db/statement.h"

#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 is needed: before, there were no STRICT tables"
#endif

/* The assembler finds db/schema/ on the include path. */
#define EMBED(symbol, file)                                  \
	__asm__(".pushsection .rodata\n"                     \
		".globl " #symbol "\n"                       \
		".type " #symbol ", @object\n" #symbol ":\n" \
		".incbin \"db/schema/" file "\"\n"           \
		".byte 0\n"                                  \
		".size " #symbol ", . - " #symbol "\n"       \
		".popsection\n")
EMBED(db_schema_tables, "tables.sql");
EMBED(db_schema_triggers, "triggers.sql");
EMBED(db_schema_views, "views.sql");

/* ---- what the SQL says ---- */

void schema_objects(struct key_value_list *out, const char *sql, const char *create)
{
	for (const char *at = sql; (at = strstr(at, create));) {
		const char *name = at + strlen(create), *end = strstr(name, ";\n\n");
		const size_t length = end ? (size_t)(end - at) : strlen(at) - strlen(";\n");
		char *key = xstrndup(name, strcspn(name, " "));
		char *stored = xstrndup(at + 1, length - 1);

		key_value_set(out, key, stored);
		free(key);
		free(stored);
		at += length;
	}
}

#define COMMENT "-- "

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static const char *line_after(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

char *schema_description(const char *sql)
{
	struct text out = TEXT_INIT;

	for (const char *line = line_after(sql); begins(line, "\t" COMMENT);
	     line = line_after(line)) {
		const char *words = line + strlen("\t" COMMENT);

		text_add_bytes(&out, words, strcspn(words, "\n"));
		text_add_char(&out, '\n');
	}
	return text_detach(&out);
}

/* ---- columns ---- */

/* A column whose lines are being read. */
struct reading {
	struct schema_columns *out;
	struct text sql, meaning;
	bool of_view, inside;
};

/* The first word of a definition, or the last one of an expression: "x AS name", "table.name". */
static char *column_name_of(const char *sql, bool of_view)
{
	const char *end = sql + strlen(sql), *begin;

	if (!of_view)
		return xstrndup(sql, strcspn(sql, " "));
	if (end > sql && end[-1] == '"')
		end--;
	for (begin = end; begin > sql && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_');)
		begin--;
	return xstrndup(begin, (size_t)(end - begin));
}

static void end_column(struct reading *reading)
{
	struct schema_columns *out = reading->out;
	struct schema_column *column;

	if (!reading->inside)
		return;
	reading->inside = false;
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	column = &out->items[out->count++];
	column->sql = text_detach(&reading->sql);
	if (has_suffix(column->sql, ","))
		column->sql[strlen(column->sql) - 1] = 0;
	column->meaning = text_detach(&reading->meaning);
	column->name = column_name_of(column->sql, reading->of_view);
}

static void add_meaning(struct reading *reading, const char *words, const char *end)
{
	if (*reading->meaning.data)
		text_add_char(&reading->meaning, ' ');
	text_add_bytes(&reading->meaning, words, (size_t)(end - words));
}

/* A comment counts if no more of the column follows. */
static void add_code(struct reading *reading, const char *code, const char *end)
{
	const char *comment = strstr(code, " " COMMENT);
	const bool commented = comment && comment < end;

	text_release(&reading->meaning);
	if (*reading->sql.data)
		text_add_char(&reading->sql, '\n');
	text_add_bytes(&reading->sql, code, (size_t)((commented ? comment : end) - code));
	if (commented)
		add_meaning(reading, comment + strlen(" " COMMENT), end);
}

static void read_line(struct reading *reading, const char *line, const char *end)
{
	const char *code = line + strspn(line, "\t");

	if (code == line + 1) {
		end_column(reading);
		/* a constraint of a table begins with a keyword in capitals */
		reading->inside = !begins(code, COMMENT) &&
				  (reading->of_view || islower((unsigned char)*code));
	}
	if (reading->inside && begins(code, COMMENT))
		add_meaning(reading, code + strlen(COMMENT), end);
	else if (reading->inside)
		add_code(reading, code, end);
}

/* The line after the last SELECT that is at the end of a line: those before it are within WITH. */
static const char *select_list(const char *sql)
{
	const char *begin = line_after(sql);

	for (const char *at = sql; (at = strstr(at, "SELECT\n"));)
		begin = at += strlen("SELECT\n");
	return begin;
}

void schema_columns_read(struct schema_columns *out, const char *sql)
{
	struct reading reading = {.out = out,
				  .sql = TEXT_INIT,
				  .meaning = TEXT_INIT,
				  .of_view = begins(sql, &CREATE_VIEW[1])};

	for (const char *line = reading.of_view ? select_list(sql) : line_after(sql); *line == '\t';
	     line = line_after(line))
		read_line(&reading, line, line + strcspn(line, "\n"));
	end_column(&reading);
}

const struct schema_column *schema_column_find(const struct schema_columns *columns,
					       const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->items[i].name, name) == 0)
			return &columns->items[i];
	return NULL;
}

void schema_columns_release(struct schema_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		free(columns->items[i].name);
		free(columns->items[i].sql);
		free(columns->items[i].meaning);
	}
	free(columns->items);
	*columns = (struct schema_columns){0};
}

/* ---- in the file ---- */

/* Sets the statements of the views and triggers of the file by name, "" for another object. */
static int stored_objects(struct key_value_list *out, struct db *db, struct error *err)
{
	struct statement select = statement_prepare(
		db, "SELECT name, iif(type IN ('view', 'trigger'), sql, '') FROM sqlite_schema",
		err);

	while (statement_next(&select)) {
		const char *name = take_text(&select), *sql = take_text(&select);

		if (name && sql)
			key_value_set(out, name, sql);
	}
	return statement_release(&select);
}

static int make_again(struct db *db, const char *name, const char *stored, const char *sql,
		      struct error *err)
{
	char *drop = xasprintf(
		"DROP %s main.%s",
		strncmp(stored ? stored : "", "CREATE VIEW", 11) ? "TRIGGER" : "VIEW", name);
	int rc = stored ? db_execute(db, drop, err) : 0;

	free(drop);
	return rc ? rc : db_execute(db, sql, err);
}

/* Sets *differs if an object of the file is not as it should be; with `make`, makes it so. A table
 * of the user that has its name stays. */
static int compare_objects(bool *differs, struct db *db, bool make, struct error *err)
{
	struct key_value_list own = {0}, found = {0};
	int rc = stored_objects(&found, db, err);

	schema_objects(&own, db_schema_views, CREATE_VIEW);
	schema_objects(&own, db_schema_triggers, CREATE_TRIGGER);
	*differs = false;
	for (size_t i = 0; i < own.count && !rc; i++) {
		const struct key_value *item = &own.items[i];
		const char *stored = key_value_get(&found, item->key);

		if (stored && strcmp(stored, item->value) == 0)
			continue;
		*differs = true;
		if (make && (!stored || *stored))
			rc = make_again(db, item->key, stored, item->value, err);
	}
	key_value_list_release(&own);
	key_value_list_release(&found);
	return rc;
}

int db_schema_renew(struct db *db, struct error *err)
{
	bool differs;
	int rc = compare_objects(&differs, db, false, err);

	if (rc || !differs)
		return rc;
	rc = db_begin(db, err);
	if (!rc)
		rc = db_end(db, compare_objects(&differs, db, true, err), err);
	return error_context(err, rc, "making the views again");
}

/* ---- of the connection ---- */

/* "CREATE VIEW …" as "CREATE TEMP VIEW …". */
static int create_temporary(struct db *db, const char *sql, struct error *err)
{
	char *temporary = xasprintf("CREATE TEMP %s", sql + strlen("CREATE "));
	int rc = db_execute(db, temporary, err);

	free(temporary);
	return rc;
}

static int create_all(struct db *db, const char *sql, const char *create, struct error *err)
{
	struct key_value_list objects = {0};
	int rc = db_execute(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", err);

	schema_objects(&objects, sql, create);
	for (size_t i = 0; !rc && i < objects.count; i++)
		rc = create_temporary(db, objects.items[i].value, err);
	key_value_list_release(&objects);
	if (!rc && db->mode == DB_READ)
		rc = db_execute(db, "PRAGMA query_only = ON", err);
	return rc;
}

int db_own_triggers_use(struct db *db, struct error *err)
{
	return create_all(db, db_schema_triggers, CREATE_TRIGGER, err);
}

int db_own_views_use(struct db *db, struct error *err)
{
	bool differs = false;
	int rc = db->has_own_views ? 0 : compare_objects(&differs, db, false, err);

	if (rc || !differs)
		return rc;
	rc = create_all(db, db_schema_views, CREATE_VIEW, err);
	db->has_own_views = !rc;
	return rc;
}

/* ---- many trials at once ---- */

#define TRIGGER_OF_INSERTED "newest_of_inserted"

int db_newest_suspend(struct db *db, struct error *err)
{
	return db_execute(db, "DROP TRIGGER temp." TRIGGER_OF_INSERTED, err);
}

int db_newest_resume(struct db *db, struct error *err)
{
	struct key_value_list triggers = {0};
	int rc;

	schema_objects(&triggers, db_schema_triggers, CREATE_TRIGGER);
	rc = create_temporary(db, key_value_get(&triggers, TRIGGER_OF_INSERTED), err);
	key_value_list_release(&triggers);
	return rc;
}
