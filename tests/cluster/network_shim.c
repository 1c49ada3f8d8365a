/*
 * Preloaded into perflab: shows the files of this machine as files of a network file system, which
 * a test cannot mount.
 *
 *   SHIM_MAGIC   f_type of statfs(2), hexadecimal
 *   SHIM_FOLDER  only the files in this folder are shown so; without it, all
 *   SHIM_MOUNTS  the file to show as /proc/self/mountinfo
 *   SHIM_BEEGFS  the file to show as the settings of the only mount of BeeGFS
 *   SHIM_LOCKS   an error number, which every lock gets
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

int statfs(const char *path, struct statfs *out)
{
	int (*next)(const char *, struct statfs *) = dlsym(RTLD_NEXT, "statfs");
	const char *magic = getenv("SHIM_MAGIC"), *folder = getenv("SHIM_FOLDER");
	int rc = next(path, out);

	if (rc == 0 && magic && (!folder || strncmp(path, folder, strlen(folder)) == 0))
		out->f_type = strtol(magic, NULL, 16);
	return rc;
}

int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *out)
{
	int (*next)(const char *, int, int (*)(const char *, int), glob_t *) =
		dlsym(RTLD_NEXT, "glob");
	const char *settings = getenv("SHIM_BEEGFS");

	if (settings && strncmp(pattern, "/proc/fs/beegfs", strlen("/proc/fs/beegfs")) == 0)
		pattern = settings;
	return next(pattern, flags, failed, out);
}

static int shown_open(const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
	const char *mounts = getenv("SHIM_MOUNTS");

	if (mounts && strcmp(path, "/proc/self/mountinfo") == 0)
		path = mounts;
	return next(path, flags, mode);
}

static int shown_fcntl(int fd, int command, void *argument)
{
	int (*next)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl");
	const char *error = getenv("SHIM_LOCKS");

	if (error && command == F_SETLK) {
		errno = atoi(error);
		return -1;
	}
	return next(fd, command, argument);
}

/* The arguments are passed on whether they were given or not. */
#define WITH_ARGUMENT(last, type)           \
	va_list arguments;                  \
	type argument;                      \
	va_start(arguments, last);          \
	argument = va_arg(arguments, type); \
	va_end(arguments)

int open(const char *path, int flags, ...)
{
	WITH_ARGUMENT(flags, mode_t);
	return shown_open(path, flags, argument);
}

int open64(const char *path, int flags, ...)
{
	WITH_ARGUMENT(flags, mode_t);
	return shown_open(path, flags, argument);
}

int fcntl(int fd, int command, ...)
{
	WITH_ARGUMENT(command, void *);
	return shown_fcntl(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
	WITH_ARGUMENT(command, void *);
	return shown_fcntl(fd, command, argument);
}
