/* Writing: a file that has another name until it is complete, and its compressed parts. */
#include "capture/part_stream.h"

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

/* Level 1: the program waits meanwhile, and a disk writes no faster. */
enum { LEVEL = 1, MOST_THREADS = 8 };

#define BUFFER_BYTES ((size_t)1 << 20)

int part_writer_open(struct part_writer *out, struct error *err)
{
	int threads = usable_processors();

	*out = (struct part_writer){
		.context = ZSTD_createCCtx(),
		.hash = XXH64_createState(),
		.buffer = malloc(BUFFER_BYTES),
	};
	if (!out->context || !out->hash || !out->buffer) {
		part_writer_close(out);
		return error_set(err, PL_ENOMEM, "no memory to compress a capture");
	}
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_compressionLevel, LEVEL);
	/* An error here means that the library was built without threads: it uses this one. */
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_nbWorkers,
			       threads < MOST_THREADS ? threads : MOST_THREADS);
	return 0;
}

void part_writer_close(struct part_writer *writer)
{
	ZSTD_freeCCtx(writer->context);
	XXH64_freeState(writer->hash);
	free(writer->buffer);
	*writer = (struct part_writer){0};
}

void part_begin(struct part_writer *writer, const struct new_file *file)
{
	writer->part = (struct capture_part){.offset = file->bytes};
	ZSTD_CCtx_reset(writer->context, ZSTD_reset_session_only);
	XXH64_reset(writer->hash, 0);
}

/* Compresses the input, or what the library still holds, and writes what comes out. */
static int part_push(struct part_writer *writer, struct new_file *file, ZSTD_inBuffer in,
		     ZSTD_EndDirective how, struct error *err)
{
	size_t left;

	do {
		ZSTD_outBuffer out = {writer->buffer, BUFFER_BYTES, 0};
		int rc;

		left = ZSTD_compressStream2(writer->context, &out, &in, how);
		if (ZSTD_isError(left))
			return error_set(err, PL_ENOMEM, "cannot compress %s: %s", file->path,
					 ZSTD_getErrorName(left));
		rc = new_file_write(file, writer->buffer, out.pos, err);
		if (rc)
			return rc;
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int part_add(struct part_writer *writer, struct new_file *file, const void *data, size_t bytes,
	     struct error *err)
{
	XXH64_update(writer->hash, data, bytes);
	writer->part.raw += bytes;
	return part_push(writer, file, (ZSTD_inBuffer){data, bytes, 0}, ZSTD_e_continue, err);
}

int part_end(struct capture_part *out, struct part_writer *writer, struct new_file *file,
	     struct error *err)
{
	int rc = part_push(writer, file, (ZSTD_inBuffer){0}, ZSTD_e_end, err);

	if (rc)
		return rc;
	*out = writer->part;
	out->stored = file->bytes - out->offset;
	out->hash = XXH64_digest(writer->hash);
	return 0;
}
