/*
 * Files: reading a whole file, and finding the files of the installation.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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
	char *bytes = NULL;
	size_t used = 0;
	size_t capacity = 0;
	int rc = PL_OK;

	for (;;) {
		ssize_t got;

		if (capacity - used < READ_STEP) {
			size_t wanted = capacity + capacity / 2 + 2 * READ_STEP;
			char *grown = realloc(bytes, wanted);

			if (!grown) {
				rc = error_set(err, PL_ENOMEM, "no memory for %zu bytes of '%s'",
					       wanted, path);
				goto out;
			}
			bytes = grown;
			capacity = wanted;
		}
		got = read(fd, bytes + used, READ_STEP);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			rc = error_set(err, PL_EIO, "reading '%s': %s", path, strerror(errno));
			goto out;
		}
		if (got == 0)
			break;
		used += (size_t)got;
		if (used > limit) {
			rc = error_set(err, PL_EPARSE,
				       "'%s' is larger than %zu bytes, the limit for such a "
				       "file; check the path",
				       path, limit);
			goto out;
		}
	}
	bytes[used] = '\0';
	*out = bytes;
	*length = used;
	bytes = NULL;
out:
	free(bytes);
	return rc;
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
