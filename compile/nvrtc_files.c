#include "compile/nvrtc_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions that NVRTC calls have no argument for a context, so the record is global. */
static struct {
	char *text;
	size_t length, capacity;
	bool on, lost;
} record;

void nvrtc_files_begin(void)
{
	record.on = true;
}

const char *nvrtc_files_end(size_t *length)
{
	record.on = false;
	*length = record.lost ? 1 : record.length;
	return record.lost ? "?" : record.text ? record.text : "";
}

static void record_path(const char *path, bool there)
{
	int before = errno;
	size_t length = strlen(path);

	if (!record.on || record.lost || (!there && before != ENOENT && before != ENOTDIR))
		return;
	if (record.capacity - record.length < length + 2) {
		size_t capacity = 2 * record.capacity + length + 4096;
		char *text = realloc(record.text, capacity);

		if (!text) {
			record.lost = true;
			return;
		}
		record.text = text;
		record.capacity = capacity;
	}
	record.lost = strchr(path, '\n') != NULL;
	record.text[record.length++] = there ? '+' : '-';
	memcpy(record.text + record.length, path, length);
	record.length += length;
	record.text[record.length++] = '\n';
	errno = before;
}

/* NVRTC was linked against these names. They are exported (-rdynamic), so that it calls them. */
FILE *fopen(const char *restrict path, const char *restrict mode);
FILE *fopen64(const char *restrict path, const char *restrict mode);
int open(const char *path, int flags, ...);

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);
	void *found = dlsym(RTLD_NEXT, name);
	FILE *file;

	memcpy(&real, &found, sizeof(real));
	file = real(path, mode);
	if (*mode == 'r')
		record_path(path, file != NULL);
	return file;
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
	return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return open_stream("fopen64", path, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;
	int fd;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	fd = openat(AT_FDCWD, path, flags, mode);
	if ((flags & O_ACCMODE) == O_RDONLY)
		record_path(path, fd >= 0);
	return fd;
}
