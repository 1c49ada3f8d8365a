/*
 * Brings a file that is opened for writing to the newest schema: tables.c says what its tables
 * lack. Tables and columns are only added (docs/compatibility.md), so a connection that does not
 * know them yet goes on.
 */
#include "db/schema_text.h"
#include "db/statement.h"

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
	int rc = db_tables_complete(db, err);

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
