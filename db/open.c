/* Opens a database file and checks that it is one of perflab. */
#include "db/statement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DB_BUSY_TIMEOUT_NS INT64_C(10000000000)
#define SWITCH_RETRY_MS 2
#define PAGES_OF_LOG 1000 /* as in SQLite */

struct identity {
	int64_t application_id, version;
	int64_t objects; /* of any kind in the schema */
	int64_t tables;  /* of perflab that the file has as tables */
};

/* The tables that every file of perflab has. They must be tables: a view in an untrusted file could
 * run forever. */
#define OUR_TABLES                                                                       \
	"'device', 'run', 'environment', 'trial', 'axis', 'round', 'sample', 'counter'," \
	" 'metric', 'line', 'mark', 'comparison', 'newest', 'speedup',"                  \
	" 'recording', 'recorded_process', 'recorded_kernel', 'recorded_capture',"       \
	" 'judgement', 'limiter', 'run_part'"
#define OUR_TABLE_COUNT 21

const char *db_default_path(void)
{
	const char *path = getenv("PERFLAB_DB");

	return path && *path ? path : "perflab.db";
}

void db_close(struct db *db)
{
	if (!db)
		return;
	db_place_leave(db);
	db_forget_statements(db);
	sqlite3_close_v2(db->handle); /* cannot fail: every owner finalised its statements */
	free(db->path);
	free(db);
}

/* Reads $PERFLAB_DB_TIMEOUT ("500ms", "1min"): a CI job may want to wait longer, or not at all. */
static int busy_timeout_from_environment(int64_t *out, struct error *err)
{
	const char *text = getenv("PERFLAB_DB_TIMEOUT");

	*out = DB_BUSY_TIMEOUT_NS;
	if (!text || !*text)
		return 0;
	return error_context(err, parse_duration_ns(out, text, err), "PERFLAB_DB_TIMEOUT");
}

/*
 * The name for SQLite, malloc'd. It is always a URI, because SQLite gives a plain name that begins
 * with "file:" or ":memory:" another meaning.
 */
static char *database_uri(const char *path, bool immutable)
{
	struct text uri = TEXT_INIT;

	text_add(&uri, *path == '/' ? "file://" : "file:./");
	for (const char *c = path; *c; c++) {
		if (strchr("%?#", *c))
			text_addf(&uri, "%%%02x", (unsigned)*c);
		else
			text_add_char(&uri, *c);
	}
	if (immutable)
		text_add(&uri, "?immutable=1");
	return text_detach(&uri);
}

/*
 * Opens the file for writing even to read it, because only such a connection removes the -wal and
 * -shm files when it closes. SQLite falls back to reading if writing is not allowed. query_only
 * prevents changes.
 */
static int connect_file(struct db *db, bool immutable, struct error *err)
{
	int flags = SQLITE_OPEN_READWRITE | (db->mode == DB_CREATE ? SQLITE_OPEN_CREATE : 0);
	char *uri = database_uri(db->path, immutable);
	int64_t timeout_ms = db->busy_timeout_ns / 1000000;
	int code, rc;

	/* one thread uses a connection, so SQLite need not lock it in every call */
	code = sqlite3_open_v2(uri, &db->handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
			       NULL);
	free(uri);
	if (code != SQLITE_OK)
		return db_fail(db, db->handle ? sqlite3_extended_errcode(db->handle) : code, err);
	sqlite3_busy_timeout(db->handle, timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms);
	/* The file is untrusted: its schema must not call unsafe functions or damage pages. */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* a generated column of the file must not fill the memory */
	sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, DB_VALUE_BYTES_MOST);
	/* no trigger of the file fires: see schema.c */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	rc = immutable ? 0 : db_holder_begin(db, err);
	if (rc)
		return rc;
	if (db->mode == DB_READ)
		return db_execute(db, "PRAGMA query_only = ON", err);
	/* SQLite opens a read-only file without an error, and would fail at the first write. */
	if (sqlite3_db_readonly(db->handle, "main") == 1)
		return db_fail(db, SQLITE_READONLY, err);
	return 0;
}

/* Reads which program made the file. One transaction, because another process may be creating it.
 */
static int identify(struct identity *out, struct db *db, struct error *err)
{
	struct identity found = {0};
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	rc = db_select_integer(&found.application_id, db, "PRAGMA application_id", err);
	if (!rc)
		rc = db_select_integer(&found.version, db, "PRAGMA user_version", err);
	if (!rc)
		rc = db_select_integer(&found.objects, db, "SELECT count(*) FROM sqlite_schema",
				       err);
	if (!rc)
		rc = db_select_integer(&found.tables, db,
				       "SELECT count(*) FROM sqlite_schema"
				       " WHERE type = 'table' AND rootpage > 0" /* not virtual */
				       " AND name IN (" OUR_TABLES ")",
				       err);
	rc = db_end(db, rc, err);
	if (!rc)
		*out = found;
	return rc;
}

static int check_identity(const struct db *db, const struct identity *identity, struct error *err)
{
	if (!identity->application_id && !identity->version && !identity->objects) {
		if (db->mode == DB_CREATE)
			return 0;
		return error_set(err, PL_ECORRUPT,
				 "%s is empty: no sweep was stored in it; name another file%s",
				 db->path, db->option);
	}
	if (identity->application_id != DB_APPLICATION_ID)
		return error_set(
			err, PL_ECORRUPT,
			"%s is another application's database, not perflab's (application_id "
			"%lld): name another file%s",
			db->path, (long long)identity->application_id, db->option);
	if (identity->version > DB_SCHEMA_VERSION)
		return error_set(
			err, PL_EVERSION,
			"%s has schema version %lld and this perflab knows up to %d: use the "
			"newer perflab, or name another file%s",
			db->path, (long long)identity->version, DB_SCHEMA_VERSION, db->option);
	if (identity->version < 1)
		return error_set(err, PL_ECORRUPT, "%s is damaged: schema version %lld", db->path,
				 (long long)identity->version);
	if (identity->version < DB_SCHEMA_OLDEST)
		return error_set(err, PL_EVERSION,
				 "%s has schema version %lld and this perflab reads %d and newer: "
				 "convert it "
				 "with `scripts/convert-database %s NEW.db` from perflab's source",
				 db->path, (long long)identity->version, DB_SCHEMA_OLDEST,
				 db->path);
	if (identity->tables != OUR_TABLE_COUNT)
		return error_set(err, PL_ECORRUPT,
				 "%s does not have perflab's schema: tables are missing: restore a "
				 "copy, or name another file%s",
				 db->path, db->option);
	return 0;
}

/*
 * The switch upgrades a lock, and SQLite does not wait for that. Without this loop, one of two
 * processes that create the same file would fail.
 */
static int switch_journal(struct db *db, const char *mode, struct error *err)
{
	int64_t end_ns = monotonic_ns() + db->busy_timeout_ns;
	int code = sqlite3_exec(db->handle, mode, NULL, NULL, NULL);

	while ((code & 0xff) == SQLITE_BUSY && monotonic_ns() < end_ns) {
		sqlite3_sleep(SWITCH_RETRY_MS);
		code = sqlite3_exec(db->handle, mode, NULL, NULL, NULL);
	}
	return code == SQLITE_OK ? 0 : db_fail(db, sqlite3_extended_errcode(db->handle), err);
}

/*
 * In WAL mode readers and the writer never wait for each other. With synchronous NORMAL, a commit
 * survives kill -9 of this process, because the kernel has the bytes. A power loss or a crash of
 * the machine may undo the last commits, each as a whole, and the file stays intact. FULL would
 * prevent that, but costs one fsync per commit, several per case. Instead db_run_finish() syncs, so
 * that a finished run is safe. On a network file system there is no WAL mode, and a rollback
 * journal is safe only with FULL.
 */
static int prepare_for_writing(struct db *db, struct error *err)
{
	int rc = switch_journal(
		db, db->network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL",
		err);

	if (!rc)
		rc = db_execute(db,
				db->network ? "PRAGMA synchronous = FULL"
					    : "PRAGMA synchronous = NORMAL",
				err);
	return rc ? rc : db_execute(db, "PRAGMA foreign_keys = ON", err);
}

static bool disk_is_full(const struct db *db)
{
	return db->failed_errno == ENOSPC || db->failed_errno == EDQUOT;
}

/* Whether a file could not be read because the -wal and -shm files that this needs could not be
 * made: the folder is read-only, or the disk is full. Or because it needs an exclusive lock, see
 * shared_place.c, and the file is read-only. */
static bool lacks_place(const struct db *db)
{
	switch (db->failed_code & 0xff) {
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		return db->mode == DB_READ && access(db->path, R_OK) == 0;
	case SQLITE_IOERR:
		return db->mode == DB_READ && access(db->path, R_OK) == 0 &&
		       (disk_is_full(db) || (db->network && access(db->path, W_OK) != 0));
	default:
		return false;
	}
}

/* Whether a program that was ended left changes beside the file, in its -wal file. */
static bool has_changes_beside(const struct db *db)
{
	char *wal = xasprintf("%s-wal", db->path);
	struct stat found;
	const bool has = stat(wal, &found) == 0 && found.st_size > 0;

	free(wal);
	return has;
}

/*
 * Reading a WAL database needs its -wal and -shm files. In a read-only folder and on a full disk
 * SQLite cannot create them. If no writer left changes in a -wal file, the database file is
 * complete and can be opened as immutable. Else what it lacks is in the -wal file, and reading
 * without it would show old results.
 */
static int connect_and_identify(struct db *db, struct identity *identity, struct error *err)
{
	struct error first = {0};
	int rc = connect_file(db, false, &first);

	if (!rc)
		rc = identify(identity, db, &first);
	if (rc && lacks_place(db) && has_changes_beside(db))
		return error_set(
			err, PL_EIO,
			"%s cannot be read: a program that was ended left its last changes "
			"in %s-wal, and to read them SQLite must make %s-shm, but the "
			"%s, or copy both files to another folder",
			db->path, db->path, db->path,
			disk_is_full(db) ? "disk is full: free space"
					 : "folder is read-only: make it writable");
	if (rc && lacks_place(db)) {
		db_forget_statements(db);
		sqlite3_close_v2(db->handle);
		db->handle = NULL;
		rc = connect_file(db, true, err);
		return rc ? rc : identify(identity, db, err);
	}
	return rc ? error_set(err, rc, "%s", first.text) : 0;
}

/* Creates the file here, because SQLite would report a later failure instead of the first one. */
static int create_file(const struct db *db, struct error *err)
{
	int file = open(db->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (file < 0)
		return error_set(err, PL_EIO, "%s cannot be created: %s: name another file%s",
				 db->path,
				 errno == ENOENT ? "its folder does not exist" : strerror(errno),
				 db->option);
	close(file);
	return 0;
}

static int check_path(const struct db *db, struct error *err)
{
	const char *path = db->path;
	struct stat status;
	int rc;

	if (!*path)
		return error_set(err, PL_EUSAGE, "the database has no name: name a file%s",
				 db->option);
	rc = db_path_check_owner(db, err);
	if (rc)
		return rc;
	if (stat(path, &status)) {
		if (errno == ENOENT && db->mode == DB_CREATE)
			return create_file(db, err);
		if (errno == ENOENT)
			return error_set(err, PL_ENOENT,
					 "%s does not exist: `perflab sweep` creates it, or name "
					 "another file%s",
					 path, db->option);
		return error_set(err, PL_EIO, "%s: %s: name another file%s", path, strerror(errno),
				 db->option);
	}
	if (!S_ISREG(status.st_mode))
		return error_set(err, PL_EIO, "%s is not a regular file: name another%s", path,
				 db->option);
	/* SQLite treats a file of one byte as empty, and would overwrite it. */
	if (status.st_size == 1)
		return error_set(err, PL_ECORRUPT, DB_NOT_A_DATABASE, path, db->option);
	return 0;
}

/* Goes on with another file of the same contents. */
static int continue_in(struct db *db, const char *path)
{
	struct db other = *db;
	int rc;

	other.handle = NULL;
	other.kept_count = 0;
	other.has_own_views = false;
	other.path = xstrdup(path);
	rc = connect_file(&other, false, NULL);
	if (!rc)
		rc = prepare_for_writing(&other, NULL);
	if (!rc)
		rc = db_holder_share(&other, NULL);
	if (!rc)
		rc = db_own_triggers_use(&other, NULL);
	if (rc) {
		db_forget_statements(&other);
		sqlite3_close_v2(other.handle);
		free(other.path);
		return rc;
	}
	db_forget_statements(db);
	sqlite3_close_v2(db->handle); /* stays until its statements are finalised */
	free(db->path);
	*db = other;
	db_place_guard(db);
	return 0;
}

static int check_place(struct db *db, struct error *err)
{
	char *copy = NULL;
	int rc = db_place_check(db, &copy, err);

	if (rc)
		db->gone = !copy || continue_in(db, copy);
	free(copy);
	return rc;
}

int db_open_given(struct db **out, const char *path, enum db_mode mode, const char *option,
		  struct error *err)
{
	struct identity identity = {0};
	struct db *db = xcalloc(1, sizeof(*db));
	int rc;

	db->path = xstrdup(path);
	db->option = option;
	db->mode = mode;
	db->pages_of_log = PAGES_OF_LOG;
	rc = busy_timeout_from_environment(&db->busy_timeout_ns, err);
	if (!rc)
		rc = db_holder_find(db, err);
	if (!rc)
		rc = check_path(db, err);
	if (!rc)
		rc = db_holder_check_locks(db, err);
	if (!rc)
		rc = connect_and_identify(db, &identity, err);
	if (!rc)
		rc = check_identity(db, &identity, err);
	if (!rc && mode != DB_READ)
		rc = prepare_for_writing(db, err);
	if (!rc)
		rc = db_holder_share(db, err);
	if (!rc && mode != DB_READ) {
		db_place_guard(db);
		db->written = check_place;
	}
	if (!rc && mode != DB_READ)
		rc = db_migrate(db, identity.version, err);
	if (!rc && mode != DB_READ)
		rc = db_own_triggers_use(db, err);
	if (!rc && mode == DB_READ)
		rc = db_tables_stand_in(db, err);
	if (!rc) {
		*out = db;
		db = NULL;
	}
	db_close(db);
	return rc;
}

int db_open(struct db **out, const char *path, enum db_mode mode, struct error *err)
{
	return db_open_given(out, path, mode, " with --db", err);
}
