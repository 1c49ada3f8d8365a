/*
 * Notices that the file of a database is no longer where it was opened: it was removed, moved,
 * replaced or emptied while perflab wrote into it. SQLite keeps the open file and would go on
 * writing into it, although nobody can open it again. What was stored is copied into a new file.
 *
 * Its write-ahead log and the index of that are watched, too. An emptied log reads as zeros, and
 * another program starts a log of its own where one was removed. A checkpoint would then overwrite
 * good pages of the file, so there is none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/statement.h"

#define COPIES_MOST 100 /* names to try: NAME.rescued, NAME.rescued-2 and so on */

const char *db_path(const struct db *db)
{
	return db->gone ? NULL : db->path;
}

bool db_was_lost(const struct db *db)
{
	return db->lost;
}

int db_check_there(struct db *db, struct error *err)
{
	return db->written ? db->written(db, err) : 0;
}

/* The inode of the write-ahead log ("-wal") or its index ("-shm") at the path; 0: there is none. */
static ino_t inode_beside(const struct db *db, const char *ending)
{
	char *name = xasprintf("%s%s", db->path, ending);
	struct stat status = {0};
	ino_t inode = stat(name, &status) ? 0 : status.st_ino;

	free(name);
	return inode;
}

static void note_log(struct db *db)
{
	if (!db->place.log)
		db->place.log = inode_beside(db, "-wal");
	if (!db->place.index)
		db->place.index = inode_beside(db, "-shm");
}

static void note_place(struct db *db)
{
	struct stat status = {0};

	stat(db->path, &status);
	db->place = (struct db_place){.device = status.st_dev,
				      .inode = status.st_ino,
				      .permissions = 0600 | (status.st_mode & 0666),
				      .filled = status.st_size > 0};
	note_log(db);
}

/* Whether the file that was opened is at its path, whole or emptied. */
static bool is_there(const struct db *db)
{
	struct stat status;

	return !stat(db->path, &status) && status.st_dev == db->place.device &&
	       status.st_ino == db->place.inode;
}

/* What happened to the file; NULL: nothing. Only stat() may look: to close a descriptor of the file
 * would end the locks that SQLite holds in it. */
static const char *what_happened(const struct db *db)
{
	struct stat status;

	if (stat(db->path, &status))
		return errno == ENOENT || errno == ENOTDIR ? "was removed or moved" : NULL;
	if (status.st_dev != db->place.device || status.st_ino != db->place.inode)
		return "was replaced";
	return db->place.filled && status.st_size == 0 ? "was emptied" : NULL;
}

/* ---- the log ---- */

/* Whether the log begins as SQLite begins it. One that was emptied begins with zeros when SQLite
 * has written on. No lock of SQLite is on the log, so its descriptor may be closed. */
static bool log_has_head(const struct db *db)
{
	static const unsigned char magic[] = {0x37, 0x7f, 0x06};
	unsigned char head[sizeof(magic)];
	char *name = xasprintf("%s-wal", db->path);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

	if (fd >= 0)
		close(fd);
	free(name);
	/* An empty log is one that another program has copied into the file. */
	return got != (ssize_t)sizeof(head) || memcmp(head, magic, sizeof(magic)) == 0;
}

/* What happened to the log or its index, whose ending *which becomes; NULL: nothing. SQLite removes
 * neither while a program has the database open. */
static const char *what_happened_to_log(const struct db *db, const char **which)
{
	const ino_t log = inode_beside(db, "-wal"), index = inode_beside(db, "-shm");

	*which = db->place.log && log != db->place.log ? "-wal" : "-shm";
	if (db->place.log && log != db->place.log)
		return log ? "was replaced" : "was removed or moved";
	if (db->place.index && index != db->place.index)
		return index ? "was replaced" : "was removed or moved";
	*which = "-wal";
	return log_has_head(db) ? NULL : "was emptied";
}

bool db_log_is_whole(const struct db *db)
{
	const char *which;

	return !what_happened_to_log(db, &which);
}

/* Stands in for the automatic checkpoints of SQLite, which trust the log. */
static int checkpoint_after_commit(void *context, sqlite3 *handle, const char *name, int pages)
{
	const struct db *db = context;

	if (pages >= db->pages_of_log && db_log_is_whole(db))
		sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

void db_place_guard(struct db *db)
{
	note_place(db);
	sqlite3_wal_hook(db->handle, checkpoint_after_commit, db);
}

void db_place_leave(struct db *db)
{
	if (db->written && !db_log_is_whole(db))
		sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* ---- the copy ---- */

/* Creates an empty file with a name that is free, malloc'd. NULL: errno says why. Nobody may read
 * it who could not read the database. */
static char *copy_create(const char *path, mode_t permissions)
{
	for (int i = 1; i <= COPIES_MOST; i++) {
		char *name = i == 1 ? xasprintf("%s.rescued", path)
				    : xasprintf("%s.rescued-%d", path, i);
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions);

		if (fd >= 0) {
			close(fd);
			return name;
		}
		free(name);
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

static int copy_write(struct db *db, sqlite3 *copy)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db->handle, "main");
	int step, code;

	if (!backup)
		return sqlite3_errcode(copy);
	step = sqlite3_backup_step(backup, -1);
	code = sqlite3_backup_finish(backup);
	/* by its documentation, the end need not repeat that a lock kept the step from copying */
	return code == SQLITE_OK && step != SQLITE_DONE ? step : code;
}

/* A file that was emptied can still give pages, and some of them are wrong. */
static bool copy_is_whole(sqlite3 *copy)
{
	sqlite3_stmt *check = NULL;
	bool whole =
		sqlite3_prepare_v2(copy, "PRAGMA quick_check(1)", -1, &check, NULL) == SQLITE_OK &&
		sqlite3_step(check) == SQLITE_ROW &&
		strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;

	sqlite3_finalize(check);
	return whole;
}

/* Copies the database beside its place. The name of the copy is malloc'd; NULL: `why` says why
 * there is none. */
static char *copy_make(struct db *db, const char *beside, struct text *why)
{
	char *name = copy_create(beside, db->place.permissions);
	sqlite3 *copy = NULL;
	int code;

	text_clear(why);
	if (!name) {
		text_addf(why, "%s.rescued: %s", beside, strerror(errno));
		return NULL;
	}
	code = sqlite3_open_v2(name, &copy, SQLITE_OPEN_READWRITE, NULL);
	if (code == SQLITE_OK)
		code = copy_write(db, copy);
	if (code == SQLITE_OK && !copy_is_whole(copy))
		code = SQLITE_CORRUPT;
	sqlite3_close_v2(copy);
	if (code == SQLITE_OK)
		return name;
	text_addf(why, "%s: %s", name, sqlite3_errstr(code));
	unlink(name);
	free(name);
	return NULL;
}

/* Beside the old place, or in the working directory if that folder is gone, too. */
static char *copy_anywhere(struct db *db, struct text *why)
{
	const char *slash = strrchr(db->path, '/');
	char *name = copy_make(db, db->path, why);

	return name || !slash ? name : copy_make(db, slash + 1, why);
}

/* The log of a file that is gone would be played into the next file of that name, which may be the
 * copy, and destroy it. All of it is in the copy. The log of another file is not ours. */
static void remove_log(const struct db *db)
{
	static const char *const endings[] = {"-wal", "-shm"};

	if (!db->place.log || inode_beside(db, "-wal") != db->place.log)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *name = xasprintf("%s%s", db->path, endings[i]);

		unlink(name);
		free(name);
	}
}

/* PL_EIO. `which` is the ending of the file that something happened to. `copy`: NULL if `why` says
 * why there is none. */
static int report_loss(const struct db *db, const char *which, const char *happened,
		       const char *copy, const char *why, struct error *err)
{
	if (!copy)
		return error_set(err, PL_EIO,
				 "%s%s %s while perflab wrote into it: the results of this command "
				 "are lost, because they cannot be copied to %s",
				 db->path, which, happened, why);
	if (*which) /* what is left of a log would be played into a copy of the old name */
		return error_set(err, PL_EIO,
				 "%s%s %s while perflab wrote into it: all that was stored in %s "
				 "is in %s now: name that file%s",
				 db->path, which, happened, db->path, copy, db->option);
	return error_set(err, PL_EIO,
			 "%s %s while perflab wrote into it: all that was stored in it is in %s "
			 "now: give that file the old name, or name it%s",
			 db->path, happened, copy, db->option);
}

int db_place_check(struct db *db, char **copy, struct error *err)
{
	const char *which = "", *happened = what_happened(db);
	struct text why = TEXT_INIT;
	int rc;

	if (!happened)
		happened = what_happened_to_log(db, &which);
	if (!happened) {
		note_log(db);
		return 0;
	}
	db->lost = true;
	if (*which)
		db_place_leave(db);
	*copy = copy_anywhere(db, &why);
	if (*copy && !is_there(db))
		remove_log(db);
	rc = report_loss(db, which, happened, *copy, why.data, err);
	text_release(&why);
	return rc;
}
