/* Brings the schema of a file that is written to the newest version. */
#include <stdio.h>
#include <string.h>

#include "db/statement.h"

/* Checks foreign keys, which are off while a migration rebuilds tables. */
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

/* The indexes and triggers of users on `run`. The file is untrusted, so only what SQLite writes for
 * such an object is taken. */
static int list_objects_on_run(struct string_list *out, struct db *db, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc =
		statement_prepare(&select, db,
				  "SELECT sql FROM sqlite_schema WHERE lower(tbl_name) = 'run'"
				  " AND type IN ('index', 'trigger') AND (sql LIKE 'CREATE INDEX %'"
				  " OR sql LIKE 'CREATE UNIQUE INDEX %'"
				  " OR sql LIKE 'CREATE TRIGGER %')"
				  " AND name NOT IN ('run_by_label', 'run_by_device')"
				  " ORDER BY rowid",
				  err);

	if (rc)
		return rc;
	while (!(rc = statement_step(&select, &row, err)) && row)
		string_list_add(out, take_text(&select));
	statement_release(&select);
	return rc;
}

/* A step that rebuilds `run` drops them. One that another step kept, or that names what is gone,
 * gives SQLITE_ERROR and is left out. */
static int restore_objects_on_run(struct db *db, const struct string_list *objects,
				  struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < objects->count; i++) {
		struct statement create = {0};
		struct error left_out = {0};

		/* not db_execute(), which would run what follows the statement, too */
		rc = statement_prepare(&create, db, objects->items[i], &left_out);
		if (!rc)
			rc = statement_run(&create, &left_out);
		if (rc && (db->failed_code & 0xff) == SQLITE_ERROR)
			rc = 0;
		else if (rc)
			error_set(err, rc, "%s", left_out.text);
		statement_release(&create);
	}
	return rc;
}

static int migrate_step(struct db *db, int64_t version, struct error *err)
{
	struct string_list objects = {0};
	char mark[96];
	int rc = list_objects_on_run(&objects, db, err);

	if (!rc)
		rc = db_execute_list(db, db_migrations[version], err);
	if (!rc)
		rc = restore_objects_on_run(db, &objects, err);
	string_list_release(&objects);
	if (!rc)
		rc = check_references(db, err);
	if (rc)
		return rc;
	snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 DB_APPLICATION_ID, (int)version + 1);
	return db_execute(db, mark, err);
}

/* One transaction per step. It reads the version again under the write lock, so that the second of
 * two processes finds the work done. */
int db_migrate(struct db *db, int64_t version, struct error *err)
{
	/* A step that rebuilds a table drops the old one. That must not delete rows that refer to
	 * it, and renaming must not check the views of users. Neither setting can change within a
	 * transaction. */
	int rc = db_execute(db, "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON", err);

	while (!rc && version < db_schema_version) {
		rc = db_begin(db, err);
		if (rc)
			break;
		rc = db_select_integer(&version, db, "PRAGMA user_version", err);
		if (!rc && version < db_schema_version)
			rc = migrate_step(db, version, err);
		rc = db_end(db, rc, err);
	}
	if (!rc)
		rc = db_execute(db, "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON",
				err);
	return error_context(err, rc, "bringing the schema to version %d", db_schema_version);
}

int db_complete_statuses(struct db *db, struct error *err)
{
	int64_t known = 0;
	int rc = db_select_integer(&known, db, db_statuses_known, err);

	if (rc || known == TRIAL_STATUS_COUNT)
		return rc;
	rc = db_begin(db, err);
	if (!rc)
		rc = db_end(db, db_execute(db, db_status_rows, err), err);
	return rc;
}
