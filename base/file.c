/* Files: reading them, finding those of the installation, and folders for temporary ones. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP ((size_t)64 * 1024)

/*
 * Reads to the end of the file. The buffer grows with the bytes read, because
 * stat() reports a size of 0 for files in /proc. Each read
 * has room for READ_STEP bytes, so the terminator fits after the last one.
 */
static int file_read_all(char **out, size_t *length, int fd, size_t limit, const char *path,
			 struct error *err)
{
	size_t used = 0, capacity = 0;
	char *bytes = NULL;
	ssize_t got = 1;
	int rc = 0;

	while (!rc && got) {
		if (capacity - used < READ_STEP) {
			const size_t wanted = capacity + capacity / 2 + 2 * READ_STEP;
			char *grown = realloc(bytes, wanted);

			if (!grown) {
				rc = error_set(err, PL_ENOMEM, "no memory for %zu bytes of '%s'",
					       wanted, path);
				break;
			}
			bytes = grown;
			capacity = wanted;
		}
		got = TEMP_FAILURE_RETRY(read(fd, bytes + used, READ_STEP));
		if (got < 0)
			rc = error_set(err, PL_EIO, "reading '%s': %s", path, strerror(errno));
		else if ((used += (size_t)got) > limit)
			rc = error_set(err, PL_EPARSE,
				       "'%s' is larger than %zu bytes, the limit for such a "
				       "file; check the path",
				       path, limit);
	}
	if (rc) {
		free(bytes);
		return rc;
	}
	bytes[used] = '\0';
	*out = bytes;
	*length = used;
	return 0;
}

static const char *kind_of_file(mode_t mode)
{
	return S_ISDIR(mode)    ? "a folder"
	       : S_ISFIFO(mode) ? "a pipe"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

int file_open(int *fd, const char *path, struct error *err)
{
	struct stat status;

	/* without O_NONBLOCK, opening a pipe would wait for its other end */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_set(err, PL_ENOENT, "no such file: '%s'", path);
	if (*fd < 0 || fstat(*fd, &status)) {
		const int cause = errno;

		if (*fd >= 0)
			close(*fd);
		return error_set(err, PL_EIO, "opening '%s': %s", path, strerror(cause));
	}
	if (S_ISREG(status.st_mode))
		return 0;
	close(*fd);
	return error_set(err, PL_EPARSE,
			 "'%s' is %s: perflab reads regular files only, so name one", path,
			 kind_of_file(status.st_mode));
}

int file_open_stream(FILE **out, const char *path, struct error *err)
{
	int fd, rc = file_open(&fd, path, err);

	if (rc)
		return rc;
	*out = fdopen(fd, "rb");
	if (*out)
		return 0;
	close(fd);
	return error_set(err, PL_ENOMEM, "no memory to read '%s'", path);
}

int read_file(char **out, size_t *length, const char *path, size_t limit, struct error *err)
{
	int fd, rc = file_open(&fd, path, err);

	if (rc)
		return rc;
	rc = file_read_all(out, length, fd, limit, path, err);
	close(fd);
	return rc;
}

bool standard_streams_open(void)
{
	static const int modes[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};

	/* in ascending order, because open() takes the lowest number */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd)
			return false;
	return true;
}

int install_path(struct text *out, const char *name, struct error *err)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program));

	if (length < 0)
		return error_set(err, PL_EIO, "finding the running program: /proc/self/exe: %s",
				 strerror(errno));
	if ((size_t)length == sizeof(program))
		return error_set(err, PL_EIO,
				 "the path of the running program is longer than %zu bytes: "
				 "install perflab at a shorter path",
				 sizeof(program) - 1);
	/* removes the name of the program, then bin */
	for (int parts = 0; parts < 2; parts++) {
		while (length > 0 && program[length - 1] != '/')
			length--;
		if (length > 0)
			length--;
	}
	text_clear(out);
	text_add_bytes(out, program, (size_t)length);
	text_add_char(out, '/');
	text_add(out, name);
	return PL_OK;
}

static const char *temporary_base(void)
{
	const char *base = getenv("TMPDIR");

	return base && *base ? base : "/tmp";
}

int temporary_folder_make(char **out, const char *name, struct error *err)
{
	char *path = xasprintf("%s/%s-XXXXXX", temporary_base(), name);
	int rc;

	*out = NULL;
	if (mkdtemp(path)) {
		*out = path;
		return 0;
	}
	rc = error_set(err, PL_EIO,
		       "cannot make a folder %s: %s; set TMPDIR to one that can be written", path,
		       strerror(errno));
	free(path);
	return rc;
}

/* One that cannot be removed must not keep the others. */
static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

void folder_remove(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- held folders ---- */

/* Locks a folder of this user. Returns a descriptor, or -1. */
static int folder_lock(const char *path, int how)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && status.st_uid == geteuid() && !flock(fd, how))
		return fd;
	close(fd);
	return -1;
}

void held_folders_clean(const char *name)
{
	char *pattern = xasprintf("%s/%s-??????", temporary_base(), name);
	glob_t found = {0};

	if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const int lock = folder_lock(found.gl_pathv[i], LOCK_EX | LOCK_NB);

			if (lock < 0)
				continue;
			folder_remove(found.gl_pathv[i]);
			close(lock);
		}
	}
	globfree(&found);
	free(pattern);
}

int held_folder_make(char **out, int *lock, const char *name, struct error *err)
{
	held_folders_clean(name);
	for (;;) {
		const int rc = temporary_folder_make(out, name, err);
		bool there;

		*lock = rc ? -1 : folder_lock(*out, LOCK_EX);
		if (rc)
			return rc;
		/* held_folders_clean() of another process may have come between */
		there = access(*out, F_OK) == 0;
		if (*lock >= 0 && there)
			return 0;
		if (*lock >= 0)
			close(*lock);
		else if (there)
			return 0; /* this file system has no locks: nobody else gets one, either */
		free(*out);
	}
}
