/*
 * Brings a file to the newest schema: the tables, columns and indexes of perflab that it lacks,
 * because an older version made it. Within perflab 1.x the schema only grows
 * (docs/compatibility.md). So a comparison with db/schema/tables.sql says what to add, and no list
 * of changes is kept. A column that is missing has its default or NULL in every row. A connection
 * that does not know the added ones yet goes on.
 */
#include "db/schema.h"
#include "db/statement.h"

#include <stdlib.h>
#include <string.h>

/* The statements that make what the file lacks: in the file, or in the connection. */
struct lacking {
	struct db *db;
	bool in_file;
	struct string_list stored; /* the tables and indexes of the file */
	struct string_list statements;
};

static void add_statement(struct lacking *lacking, char *sql)
{
	string_list_add(&lacking->statements, sql);
	free(sql);
}

/* ---- columns ---- */

/* Whether rows can be without it. A constraint is in the first line of a definition. */
static bool can_be_added(const struct schema_column *column)
{
	char *line = xstrndup(column->sql, strcspn(column->sql, "\n"));
	const bool can = !strstr(line, "PRIMARY KEY") && !strstr(line, "UNIQUE") &&
			 (!strstr(line, "NOT NULL") || strstr(line, " DEFAULT "));

	free(line);
	return can;
}

/* The literal after DEFAULT, which is one word. */
static char *default_of(const struct schema_column *column)
{
	const char *found = strstr(column->sql, " DEFAULT ");

	if (!found)
		return xstrdup("NULL");
	found += strlen(" DEFAULT ");
	return xstrndup(found, strcspn(found, " \n"));
}

/* Adds ", value AS name" to the columns of a stand-in, or a statement. */
static void add_column(struct lacking *lacking, struct text *stand_in, const char *table,
		       const struct schema_column *column)
{
	char *value = default_of(column);

	if (lacking->in_file)
		add_statement(lacking,
			      xasprintf("ALTER TABLE main.%s ADD COLUMN %s", table, column->sql));
	else
		text_addf(stand_in, ", %s AS %s", value, column->name);
	free(value);
}

static int compare_columns(struct lacking *lacking, const char *table,
			   const struct schema_columns *own, struct error *err)
{
	struct string_list stored = {0};
	struct text stand_in = TEXT_INIT;
	int rc = db_select_names(&stored, lacking->db,
				 "SELECT name FROM pragma_table_xinfo(?, 'main')", table, err);

	for (size_t i = 0; i < own->count && !rc; i++) {
		const struct schema_column *column = &own->items[i];

		if (string_list_has(&stored, column->name))
			continue;
		if (!can_be_added(column))
			rc = error_set(err, PL_ECORRUPT,
				       "%s does not have perflab's schema: the column %s.%s is "
				       "missing: restore a copy, or name another file%s",
				       lacking->db->path, table, column->name, lacking->db->option);
		else
			add_column(lacking, &stand_in, table, column);
	}
	if (stand_in.length)
		add_statement(lacking, xasprintf("CREATE TEMP VIEW %s AS SELECT *%s FROM main.%s",
						 table, stand_in.data, table));
	string_list_release(&stored);
	text_release(&stand_in);
	return rc;
}

/* ---- tables ---- */

static int compare_tables(struct lacking *lacking, struct error *err)
{
	struct key_value_list own = {0};
	int rc = 0;

	schema_objects(&own, db_schema_tables, CREATE_TABLE);
	for (size_t i = 0; i < own.count && !rc; i++) {
		const char *table = own.items[i].key, *sql = own.items[i].value;
		struct schema_columns columns = {0};

		if (!string_list_has(&lacking->stored, table)) {
			add_statement(lacking, lacking->in_file
						       ? xstrdup(sql)
						       : xasprintf("CREATE TEMP %s",
								   sql + strlen("CREATE ")));
			continue;
		}
		schema_columns_read(&columns, sql);
		rc = compare_columns(lacking, table, &columns, err);
		schema_columns_release(&columns);
	}
	key_value_list_release(&own);
	return rc;
}

static void compare_indexes(struct lacking *lacking)
{
	struct key_value_list own = {0};

	schema_objects(&own, db_schema_tables, CREATE_INDEX);
	schema_objects(&own, db_schema_tables, CREATE_UNIQUE_INDEX);
	for (size_t i = 0; i < own.count; i++)
		if (!string_list_has(&lacking->stored, own.items[i].key))
			add_statement(lacking, xstrdup(own.items[i].value));
	key_value_list_release(&own);
}

static int compare(struct lacking *lacking, struct error *err)
{
	/* a view is no table, and neither is a virtual one */
	int rc = db_select_names(&lacking->stored, lacking->db,
				 "SELECT name FROM main.sqlite_schema WHERE rootpage > 0", NULL,
				 err);

	if (!rc)
		rc = compare_tables(lacking, err);
	if (!rc && lacking->in_file)
		compare_indexes(lacking);
	return rc;
}

static int execute(struct lacking *lacking, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < lacking->statements.count && !rc; i++)
		rc = db_execute(lacking->db, lacking->statements.items[i], err);
	return rc;
}

static void lacking_release(struct lacking *lacking)
{
	string_list_release(&lacking->stored);
	string_list_release(&lacking->statements);
}

/* Under the write lock, because another process may have added all of it since. */
static int add_lacking(struct db *db, struct error *err)
{
	struct lacking lacking = {.db = db, .in_file = true};
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = compare(&lacking, err);
	if (!rc)
		rc = execute(&lacking, err);
	lacking_release(&lacking);
	return db_end(db, rc, err);
}

/* Adds what the file lacks. It takes the write lock only if there is any. */
static int complete_tables(struct db *db, struct error *err)
{
	struct lacking lacking = {.db = db, .in_file = true};
	int rc = compare(&lacking, err);
	const bool lacks = lacking.statements.count > 0;

	lacking_release(&lacking);
	if (rc || !lacks)
		return rc;
	return error_context(err, add_lacking(db, err),
			     "adding the tables and columns of this version");
}

int db_tables_stand_in(struct db *db, struct error *err)
{
	struct lacking lacking = {.db = db};
	int rc = compare(&lacking, err);

	if (!rc && lacking.statements.count) {
		rc = db_execute(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", err);
		if (!rc)
			rc = execute(&lacking, err);
		if (!rc)
			rc = db_execute(db, "PRAGMA query_only = ON", err);
	}
	lacking_release(&lacking);
	return rc;
}

/* ---- the version of a file ---- */

/* The statuses that this perflab knows, which may be more than the version that made the file knew.
 */
#define STATUS_ROW(symbol, name, meaning) \
	"INSERT OR IGNORE INTO trial_status (name, meaning) VALUES ('" name "', '" meaning "');\n"
#define STATUS_NAME(symbol, name, meaning) ", '" name "'"

static int complete_statuses(struct db *db, struct error *err)
{
	int64_t known = 0;
	int rc = db_select_integer(
		&known, db,
		"SELECT count(*) FROM trial_status WHERE name IN (''" TRIAL_STATUS_LIST(
			STATUS_NAME) ")",
		err);

	if (rc || known == TRIAL_STATUS_COUNT)
		return rc;
	rc = db_begin(db, err);
	return rc ? rc : db_end(db, db_execute(db, TRIAL_STATUS_LIST(STATUS_ROW), err), err);
}

static int check_references(struct db *db, struct error *err)
{
	int64_t broken = 0;
	int rc = db_select_integer(&broken, db, "SELECT count(*) FROM pragma_foreign_key_check",
				   err);

	if (!rc && broken)
		rc = error_set(err, PL_ECORRUPT,
			       "%s is damaged: %lld rows refer to missing rows: restore a copy, or "
			       "name another file%s",
			       db->path, (long long)broken, db->option);
	return rc;
}

static int mark_as_new(struct db *db, struct error *err)
{
	char mark[64];
	int rc = check_references(db, err);

	snprintf(mark, sizeof(mark), "PRAGMA user_version = %d", DB_SCHEMA_VERSION);
	return rc ? rc : db_execute(db, mark, err);
}

/* Adds what the file lacks of this version of perflab. */
static int complete(struct db *db, struct error *err)
{
	int rc = complete_tables(db, err);

	if (!rc)
		rc = complete_statuses(db, err);
	return rc ? rc : db_schema_renew(db, err);
}

/* Reads the version again under the write lock, so that the second of two processes finds the work
 * done. */
static int migrate_locked(struct db *db, struct error *err)
{
	int64_t version = 0;
	int rc = db_select_integer(&version, db, "PRAGMA user_version", err);

	if (!rc && !version)
		rc = db_execute(db, db_schema_tables, err);
	if (!rc)
		rc = complete(db, err);
	if (!rc && version && version < DB_SCHEMA_VERSION)
		rc = mark_as_new(db, err);
	return rc;
}

int db_migrate(struct db *db, int64_t version, struct error *err)
{
	int rc;

	if (version == DB_SCHEMA_VERSION)
		return complete(db, err);
	rc = db_begin(db, err);
	if (!rc)
		rc = db_end(db, migrate_locked(db, err), err);
	return error_context(err, rc, "bringing the schema to version %d", DB_SCHEMA_VERSION);
}
