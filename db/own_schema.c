/*
 * The views and triggers of perflab come from its migrations, never from the file, which is
 * untrusted. A trigger of the file does not fire (see connect_file() in open.c): temporary ones of
 * the connection maintain `newest`. If a view of the file is not as the migrations make it,
 * temporary views of the connection take the place of all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "db/statement.h"

#if SQLITE_VERSION_NUMBER < 3035000
#error "SQLite 3.35 is needed: before, no trigger could fire without those of the file"
#endif

/* ---- what the migrations make ---- */

/* The name of an object if the statement begins with these words, malloc'd; else NULL. */
static char *name_after(const char *sql, const char *words)
{
	static const char condition[] = "IF EXISTS ";
	const size_t length = strlen(words);

	if (strncmp(sql, words, length) != 0)
		return NULL;
	sql += length;
	if (strncmp(sql, condition, strlen(condition)) == 0)
		sql += strlen(condition);
	return xstrndup(sql, strcspn(sql, " ;\n"));
}

/* SQLite stores a statement without the semicolon at its end. */
static void take_created(struct key_value_list *out, const char *name, const char *sql)
{
	size_t length = strlen(sql);
	char *stored;

	while (length && strchr("; \n", sql[length - 1]))
		length--;
	stored = xstrndup(sql, length);
	key_value_set(out, name, stored);
	free(stored);
}

/* Follows one statement of a migration; each creates or drops at most one object. */
static void follow_statement(struct key_value_list *out, const char *sql, const char *create,
			     const char *drop)
{
	char *created = name_after(sql, create), *dropped = name_after(sql, drop);

	if (created)
		take_created(out, created, sql);
	if (dropped)
		key_value_set(out, dropped, "");
	free(created);
	free(dropped);
}

/* The views or triggers of a schema version by name: the statements as SQLite stores them, "" for
 * one that is gone. To run the migrations in memory would give the same, in 25 ms. */
static void own_objects(struct key_value_list *out, int64_t version, const char *create,
			const char *drop)
{
	for (int64_t i = 0; i < version; i++) {
		const char *const *list = db_migrations[i];
		char *sql;

		for (; (sql = db_next_statement(&list)); free(sql))
			follow_statement(out, sql, create, drop);
	}
}

/* ---- what the file has ---- */

static int objects_load(struct key_value_list *out, struct db *db, const char *type,
			struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db,
				   "SELECT name, sql FROM sqlite_schema WHERE type = ?", err);

	if (rc)
		return rc;
	bind_text(&select, type);
	while (!(rc = statement_step(&select, &row, err)) && row) {
		const char *name = take_text(&select), *sql = take_text(&select);

		if (name && sql)
			key_value_set(out, name, sql);
	}
	statement_release(&select);
	return rc;
}

/* "CREATE VIEW …" as "CREATE TEMP VIEW …". */
static int create_temporary(struct db *db, const char *sql, struct error *err)
{
	static const char create[] = "CREATE ";
	char *temporary = xasprintf("CREATE TEMP %s", sql + strlen(create));
	int rc = db_execute(db, temporary, err);

	free(temporary);
	return rc;
}

static int create_all(struct db *db, const struct key_value_list *objects, struct error *err)
{
	int rc = db_execute(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", err);

	for (size_t i = 0; !rc && i < objects->count; i++)
		if (*objects->items[i].value)
			rc = create_temporary(db, objects->items[i].value, err);
	if (!rc && db->mode == DB_READ)
		rc = db_execute(db, "PRAGMA query_only = ON", err);
	return rc;
}

static bool has_all(const struct key_value_list *has, const struct key_value_list *wanted)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const char *own = wanted->items[i].value;
		const char *sql = key_value_get(has, wanted->items[i].key);

		if (*own && (!sql || strcmp(sql, own) != 0))
			return false;
	}
	return true;
}

int db_own_schema_use(struct db *db, int64_t version, struct error *err)
{
	struct key_value_list views = {0}, triggers = {0}, found = {0};
	int rc = objects_load(&found, db, "view", err);

	own_objects(&views, version, "CREATE VIEW ", "DROP VIEW ");
	own_objects(&triggers, version, "CREATE TRIGGER ", "DROP TRIGGER ");
	if (!rc && !has_all(&found, &views))
		rc = create_all(db, &views, err);
	if (!rc && db->mode != DB_READ)
		rc = create_all(db, &triggers, err);
	key_value_list_release(&views);
	key_value_list_release(&triggers);
	key_value_list_release(&found);
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

	own_objects(&triggers, db_schema_version, "CREATE TRIGGER ", "DROP TRIGGER ");
	rc = create_temporary(db, key_value_get(&triggers, TRIGGER_OF_INSERTED), err);
	key_value_list_release(&triggers);
	return rc;
}
