/*
 * The views and triggers of perflab come from db/schema/, never from the file, which is untrusted
 * and may be written by another version of perflab at any time. No trigger of the file fires (see
 * connect_file() in open.c): temporary ones of the connection maintain `newest`. Temporary views
 * answer the queries of users if those of the file differ. The views and triggers in the file are
 * for other programs, too; opening it for writing makes those again that differ.
 */
#include <stdlib.h>
#include <string.h>

#include "db/schema_text.h"
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
/* Sets the statements of the views and triggers of the file by name, "" for another object. */
static int stored_objects(struct key_value_list *out, struct db *db, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(
		&select, db,
		"SELECT name, iif(type IN ('view', 'trigger'), sql, '') FROM sqlite_schema", err);

	if (rc)
		return rc;
	while (!(rc = statement_step(&select, &row, err)) && row) {
		const char *name = take_text(&select), *sql = take_text(&select);

		if (name && sql)
			key_value_set(out, name, sql);
	}
	statement_release(&select);
	return rc;
}

/* ---- in the file ---- */

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
