/*
 * A capture gets its name at the end, so until then another process would find
 * the name free. Therefore the number is reserved by a file in the folder of the
 * request. What is left of a process that was killed costs a number.
 */
#include "record/capture_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/capture.h"

/* Without a folder to write to there are no reservations, and the name is taken all the same. */
static bool reserve(struct capture_name *name)
{
	int fd = open(name->reservation, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return false;
	if (fd >= 0)
		close(fd);
	/* After the reservation: before it, another process may still write that file. */
	if (access(name->path, F_OK) != 0)
		return true;
	if (fd >= 0)
		unlink(name->reservation);
	return false;
}

void capture_name_reserve(struct capture_name *out, const char *folder, const char *prefix)
{
	for (int64_t number = 1;; number++) {
		out->path = number == 1 ? xasprintf("%s" CAPTURE_SUFFIX, prefix)
					: xasprintf("%s-%" PRId64 CAPTURE_SUFFIX, prefix, number);
		out->reservation = xasprintf("%s/reserved-%" PRId64, folder, number);
		if (reserve(out))
			return;
		free(out->path);
		free(out->reservation);
	}
}

void capture_name_release(struct capture_name *name)
{
	if (name->reservation)
		unlink(name->reservation);
	free(name->reservation);
	free(name->path);
	*name = (struct capture_name){0};
}
