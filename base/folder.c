/*
 * Folders for temporary files.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

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
