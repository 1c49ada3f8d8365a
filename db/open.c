/* Opens, identifies and migrates a database file. */
#include "db/columns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DB_BUSY_TIMEOUT_NS INT64_C(10000000000)
#define SWITCH_RETRY_MS 2

struct identity {
	int64_t application_id, version;
	int64_t objects; /* of any kind in the schema */
	int64_t tables;  /* of perflab that the file has as tables */
};

/* The tables that perflab reads. They must be tables: a view in an untrusted file could run
 * forever. */
#define OUR_TABLES                                                                       \
	"'device', 'run', 'environment', 'trial', 'axis', 'round', 'sample', 'counter'," \
	" 'metric', 'line', 'mark', 'comparison', 'newest', 'speedup',"                  \
	" 'recording', 'recorded_process', 'recorded_kernel', 'recorded_capture'"
/* How many of them a file has, starting with a schema version. */
static const struct {
	int64_t version, tables;
} our_table_counts[] = {{1, 8}, {2, 10}, {4, 13}, {9, 14}, {14, 18}};

const char *db_default_path(void)
{
	const char *path = getenv("PERFLAB_DB");

	return path && *path ? path : "perflab.db";
}

void db_close(struct db *db)
{
	if (!db)
		return;
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

	code = sqlite3_open_v2(uri, &db->handle, flags | SQLITE_OPEN_URI, NULL);
	free(uri);
	if (code != SQLITE_OK)
		return db_fail(db, db->handle ? sqlite3_extended_errcode(db->handle) : code, err);
	sqlite3_busy_timeout(db->handle, timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms);
	/* The file is untrusted: its schema must not call unsafe functions or damage pages. */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	rc = db_round_median_add(db, err);
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
				       " WHERE type = 'table' AND name IN (" OUR_TABLES ")",
				       err);
	rc = db_end(db, rc, err);
	if (!rc)
		*out = found;
	return rc;
}

static bool identity_is_empty(const struct identity *identity)
{
	return !identity->application_id && !identity->version && !identity->objects;
}

static int64_t our_tables_of(int64_t version)
{
	int64_t tables = 0;

	for (size_t i = 0; i < ARRAY_SIZE(our_table_counts); i++)
		if (version >= our_table_counts[i].version)
			tables = our_table_counts[i].tables;
	return tables;
}

static int check_identity(const struct db *db, const struct identity *identity, struct error *err)
{
	if (identity_is_empty(identity)) {
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
	if (identity->version > db_schema_version)
		return error_set(
			err, PL_EVERSION,
			"%s has schema version %lld and this perflab knows up to %d: use the "
			"newer perflab, or name another file%s",
			db->path, (long long)identity->version, db_schema_version, db->option);
	if (identity->version < 1)
		return error_set(err, PL_ECORRUPT, "%s is damaged: schema version %lld", db->path,
				 (long long)identity->version);
	if (identity->tables != our_tables_of(identity->version))
		return error_set(err, PL_ECORRUPT,
				 "%s does not have perflab's schema: tables are missing: restore a "
				 "copy, or name another file%s",
				 db->path, db->option);
	return 0;
}

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

	for (const char *const *sql = db_migrations[version]; !rc && *sql; sql++)
		rc = db_execute(db, *sql, err);
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
static int migrate(struct db *db, int64_t version, struct error *err)
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

/* Adds the statuses that the file does not know. That needs no new schema version. */
static int complete_statuses(struct db *db, struct error *err)
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

/* Empty tables that stand in for tables that an older file lacks. */
static const struct {
	int since;
	const char *sql;
} stand_in_tables[] = {
	{2,
	 "CREATE TEMP TABLE line (trial_id, file, line, instructions, lanes, branches, divergent,"
	 " requests, sectors, shared_requests, wavefronts, conflicts)"},
	{4, "CREATE TEMP TABLE mark (run_id INTEGER PRIMARY KEY, kind, why, marked_ns)"},
	{4, "CREATE TEMP TABLE comparison (trial_id INTEGER PRIMARY KEY, base_trial_id, verdict,"
	    " change, low, high, p, why)"},
	{9, "CREATE TEMP TABLE speedup (trial_id INTEGER PRIMARY KEY, base_variant, base_config,"
	    " verdict, speedup, low, high, p, base_median_ns, rounds, same_buffers, why)"},
	{14, "CREATE TEMP TABLE recording (id INTEGER PRIMARY KEY, uid, mode, command, started_ns,"
	     " wall_ns, bare_wall_ns, exit_code, label, host, version)"},
	{14, "CREATE TEMP TABLE recorded_kernel (recording_id, name)"},
};
static const struct column_list *const grown_tables[] = {&run_columns, &trial_columns,
							 &round_columns, &sample_columns};

static bool has_column_since(const struct column_list *list, int64_t version)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].since > version)
			return true;
	return false;
}

/* Creates a view of the same name with the columns that an older file lacks. */
static int create_stand_in_view(struct db *db, const struct column_list *list, int64_t version,
				struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	text_addf(&sql, "CREATE TEMP VIEW %s AS ", list->table);
	columns_add_select_older(&sql, list, version);
	rc = db_execute(db, sql.data, err);
	text_release(&sql);
	return rc;
}

/*
 * A file of an older schema that is only read is not changed. Temporary tables and views of this
 * connection stand in for what it lacks, so that queries need to know only the newest schema.
 */
static int create_stand_ins(struct db *db, int64_t version, struct error *err)
{
	int rc;

	if (version == db_schema_version)
		return 0;
	rc = db_execute(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(stand_in_tables); i++)
		if (stand_in_tables[i].since > version)
			rc = db_execute(db, stand_in_tables[i].sql, err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(grown_tables); i++)
		if (has_column_since(grown_tables[i], version))
			rc = create_stand_in_view(db, grown_tables[i], version, err);
	return rc ? rc : db_execute(db, "PRAGMA query_only = ON", err);
}

/*
 * The switch upgrades a lock, and SQLite does not wait for that. Without this loop, one of two
 * processes that create the same file would fail.
 */
static int switch_to_wal(struct db *db, struct error *err)
{
	static const char wal[] = "PRAGMA journal_mode = WAL";
	int64_t end_ns = monotonic_ns() + db->busy_timeout_ns;
	int code = sqlite3_exec(db->handle, wal, NULL, NULL, NULL);

	while ((code & 0xff) == SQLITE_BUSY && monotonic_ns() < end_ns) {
		sqlite3_sleep(SWITCH_RETRY_MS);
		code = sqlite3_exec(db->handle, wal, NULL, NULL, NULL);
	}
	return code == SQLITE_OK ? 0 : db_fail(db, sqlite3_extended_errcode(db->handle), err);
}

/*
 * In WAL mode readers and the writer never wait for each other. With synchronous NORMAL, a commit
 * survives kill -9 of this process, because the kernel has the bytes. A power loss or a crash of
 * the machine may undo the last commits, each as a whole, and the file stays intact. FULL would
 * prevent that, but costs one fsync per commit, several per case. Instead db_run_finish() syncs, so
 * that a finished run is safe.
 */
static int prepare_for_writing(struct db *db, struct error *err)
{
	int rc = switch_to_wal(db, err);

	if (!rc)
		rc = db_execute(db, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", err);
	return rc;
}

/*
 * Reading a WAL database needs its -wal and -shm files. In a read-only folder SQLite cannot create
 * them. If no writer left a -wal file, the database file is complete and can be opened as
 * immutable.
 */
static bool can_read_at_rest(const struct db *db)
{
	char *wal;
	bool at_rest;

	if (db->mode != DB_READ)
		return false;
	switch (db->failed_code & 0xff) {
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		break;
	default:
		return false;
	}
	wal = xasprintf("%s-wal", db->path);
	at_rest = access(db->path, R_OK) == 0 && access(wal, F_OK) != 0;
	free(wal);
	return at_rest;
}

static int connect_and_identify(struct db *db, struct identity *identity, struct error *err)
{
	struct error first = {0};
	int rc = connect_file(db, false, &first);

	if (!rc)
		rc = identify(identity, db, &first);
	if (rc && can_read_at_rest(db)) {
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
				 db->path, strerror(errno), db->option);
	close(file);
	return 0;
}

static int check_path(const struct db *db, struct error *err)
{
	const char *path = db->path;
	struct stat status;

	if (!*path)
		return error_set(err, PL_EUSAGE, "the database has no name: name a file%s",
				 db->option);
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

int db_open_given(struct db **out, const char *path, enum db_mode mode, const char *option,
		  struct error *err)
{
	struct identity identity = {0};
	struct db *db = xcalloc(1, sizeof(*db));
	int rc;

	db->path = xstrdup(path);
	db->option = option;
	db->mode = mode;
	rc = busy_timeout_from_environment(&db->busy_timeout_ns, err);
	if (!rc)
		rc = check_path(db, err);
	if (!rc)
		rc = connect_and_identify(db, &identity, err);
	if (!rc)
		rc = check_identity(db, &identity, err);
	if (!rc && mode != DB_READ)
		rc = prepare_for_writing(db, err);
	if (!rc && mode != DB_READ && identity.version < db_schema_version)
		rc = migrate(db, identity.version, err);
	if (!rc && mode != DB_READ)
		rc = complete_statuses(db, err);
	if (!rc && mode == DB_READ)
		rc = create_stand_ins(db, identity.version, err);
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
