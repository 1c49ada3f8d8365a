#include "capture/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files of a process that was killed have the number of a process that may be in use again. */
enum { MOST_NAMES = 1000 };

static int new_file_refused(const char *path, int cause, struct error *err)
{
	return error_set(err, PL_EIO, "cannot write %s: %s", path, strerror(cause));
}

int new_file_create(struct new_file *out, const char *path, struct error *err)
{
	*out = (struct new_file){.fd = -1};
	for (int i = 0; i < MOST_NAMES && out->fd < 0; i++) {
		free(out->temporary);
		out->temporary = xasprintf("%s.part-%ld-%d", path, (long)getpid(), i);
		out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (out->fd < 0 && errno != EEXIST)
			break;
	}
	if (out->fd < 0) {
		int cause = errno;

		free(out->temporary);
		out->temporary = NULL;
		return new_file_refused(path, cause, err);
	}
	out->path = xstrdup(path);
	return 0;
}

/* A write beyond the limit of the process raises SIGXFSZ, which ends most programs. */
static bool beyond_limit(uint64_t end)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       end > limit.rlim_cur;
}

int new_file_write(struct new_file *file, const void *data, size_t bytes, struct error *err)
{
	if (beyond_limit(file->bytes + bytes))
		return new_file_refused(file->path, EFBIG, err);
	while (bytes) {
		ssize_t put = write(file->fd, data, bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return new_file_refused(file->path, errno, err);
		data = (const char *)data + put;
		bytes -= (size_t)put;
		file->bytes += (size_t)put;
	}
	return 0;
}

/* The file has its name already, so a folder that cannot be synchronised is no error: some file
 * systems refuse it. */
static void sync_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Another recording may have written a file of this name meanwhile. Not all file systems can
 * rename without replacing. */
static int rename_to_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno == EEXIST || (errno != EINVAL && errno != ENOSYS))
		return errno;
	if (!access(to, F_OK))
		return EEXIST;
	return rename(from, to) ? errno : 0;
}

int new_file_commit(struct new_file *file, struct error *err)
{
	int cause = 0;
	int rc = 0;

	if (fsync(file->fd))
		cause = errno;
	if (close(file->fd) && !cause)
		cause = errno;
	file->fd = -1;
	if (!cause)
		cause = rename_to_new(file->temporary, file->path);
	if (cause == EEXIST) {
		rc = error_set(err, PL_EUSAGE,
			       "%s: another program has written this file meanwhile; record again "
			       "with another name",
			       file->path);
	} else if (cause) {
		rc = new_file_refused(file->path, cause, err);
	} else {
		sync_folder_of(file->path);
		free(file->temporary);
		file->temporary = NULL;
	}
	new_file_discard(file);
	return rc;
}

void new_file_discard(struct new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file){.fd = -1};
}
