/*
 * Databases on network file systems. A write-ahead log needs memory that all users of the database
 * share, which two machines do not have: they would damage the file. A rollback journal needs only
 * locks. So the file gets one, and nothing is written where the locks of one machine do not hold on
 * the others.
 *
 * The connection begins with exclusive locks. With them SQLite can open a database that a local
 * program left in WAL mode, without shared memory and without another user.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_system.h"
#include "db/statement.h"

/* SQLite locks 512 bytes from here on. The next one is free. */
#define SQLITE_LOCK_BYTES 0x40000000
#define FREE_LOCK_BYTE (SQLITE_LOCK_BYTES + 512)

#define REMEDY                                                                            \
	"so two writers could damage it: write to a local disk, or mount it with locks; " \
	"docs/cluster.md tells how to collect the results"

/* The file system of a file, or of its folder if the file does not exist. */
static void find_holder(struct file_system *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");

	file_system_of(out, access(path, F_OK) ? folder : path);
	free(folder);
}

int db_holder_find(struct db *db, struct error *err)
{
	struct file_system holder;

	find_holder(&holder, db->path);
	db->network = holder.name;
	if (db->mode == DB_READ || !holder.name || !holder.local_locks)
		return 0;
	return error_set(err, PL_EIO, "%s is on %s without locks between machines (%s), " REMEDY,
			 db->path, holder.name, holder.local_locks);
}

/* The error number of a lock; 0: it can be had, or another program has it. */
static int lock_error(const char *path)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FREE_LOCK_BYTE, .l_len = 1};
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETLK, &lock) == 0 || errno == EACCES || errno == EAGAIN)
		return 0; /* SQLite reports that a file cannot be opened */
	return errno;
}

int db_holder_check_locks(struct db *db, struct error *err)
{
	int status = 0;
	pid_t child;

	if (!db->network || db->mode == DB_READ)
		return 0;
	/* A child tries, because to close the file ends all locks that a process has in it. */
	child = fork();
	if (child == 0)
		_exit(lock_error(db->path));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return error_set(err, PL_EIO, "%s: cannot try its locks: %s", db->path,
				 strerror(errno));
	if (WEXITSTATUS(status) == 0)
		return 0;
	return error_set(err, PL_EIO, "%s is on %s, which refuses locks (%s), " REMEDY, db->path,
			 db->network, strerror(WEXITSTATUS(status)));
}

int db_holder_begin(struct db *db, struct error *err)
{
	return db->network ? db_execute(db, "PRAGMA locking_mode = EXCLUSIVE", err) : 0;
}

static int journal_is_wal(bool *out, struct db *db, struct error *err)
{
	struct statement select = statement_prepare(db, "PRAGMA journal_mode", err);
	const char *mode = statement_next(&select) ? take_text(&select) : NULL;

	*out = mode && strcmp(mode, "wal") == 0;
	return statement_release(&select);
}

int db_holder_share(struct db *db, struct error *err)
{
	bool wal = false;
	int rc;

	if (!db->network)
		return 0;
	rc = journal_is_wal(&wal, db, err);
	if (rc || wal)
		return rc;
	/* the lock ends with the next read */
	return db_execute(db, "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema",
			  err);
}
