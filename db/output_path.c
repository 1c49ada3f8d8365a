/* Keeps the outputs of perflab from replacing a database or a file of one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/statement.h"

/* The first bytes of the files that SQLite writes: www.sqlite.org/fileformat.html. */
static const struct {
	const char *bytes;
	size_t length;
	const char *what;
} file_heads[] = {
	{"SQLite format 3", 16, "a SQLite database"},
	{"\x37\x7f\x06\x82", 4, "the log of a SQLite database"},
	{"\x37\x7f\x06\x83", 4, "the log of a SQLite database"},
	{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8, "the journal of a SQLite database"},
};
/* The files that SQLite keeps beside a database. */
static const char *const companions[] = {"-wal", "-shm", "-journal"};

/* Sets *what to what SQLite made of the file; NULL: it is not of SQLite, or there is none.
 * Returns 0, or an errno. */
static int file_look(const char **what, const char *path)
{
	char head[16] = {0};
	struct stat status;
	ssize_t length = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*what = NULL;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		length = pread(fd, head, sizeof(head), 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(file_heads) && !*what; i++)
		if (length >= (ssize_t)file_heads[i].length &&
		    memcmp(head, file_heads[i].bytes, file_heads[i].length) == 0)
			*what = file_heads[i].what;
	return 0;
}

/* The database beside which SQLite keeps a file of this name, malloc'd; NULL: none. */
static char *path_owner(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		const char *what = NULL;
		char *owner;

		if (!has_suffix(path, companions[i]))
			continue;
		owner = xstrndup(path, strlen(path) - strlen(companions[i]));
		if (file_look(&what, owner) == 0 && what == file_heads[0].what)
			return owner;
		free(owner);
	}
	return NULL;
}

int db_path_check_output(const char *path, struct error *err)
{
	const char *what = NULL;
	int cause = file_look(&what, path);
	char *owner;
	int rc;

	if (cause)
		return error_set(err, PL_EIO,
				 "cannot write %s: it cannot be read, so it may be a database: %s: "
				 "name another file with -o",
				 path, strerror(cause));
	if (what)
		return error_set(err, PL_EUSAGE,
				 "cannot write %s: it is %s, which the output would replace: name "
				 "another file with -o",
				 path, what);
	owner = path_owner(path);
	if (!owner)
		return 0;
	rc = error_set(err, PL_EUSAGE,
		       "cannot write %s: SQLite keeps a file of that name beside the database %s: "
		       "name another file with -o",
		       path, owner);
	free(owner);
	return rc;
}

/* SQLite would take the new database for the log of the other one, and delete it. */
int db_path_check_owner(const struct db *db, struct error *err)
{
	char *owner = path_owner(db->path);
	int rc;

	if (!owner)
		return 0;
	rc = error_set(err, PL_EUSAGE,
		       "SQLite keeps a file called %s beside the database %s: name another file%s",
		       db->path, owner, db->option);
	free(owner);
	return rc;
}
