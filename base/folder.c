/*
 * Folders for temporary files.
 */
#include "base/base.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int temporary_folder_make(char **out, const char *name, struct error *err)
{
	const char *base = getenv("TMPDIR");
	char *path = xasprintf("%s/%s-XXXXXX", base && *base ? base : "/tmp", name);
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
