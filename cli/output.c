/* Where a report is written; see the header. */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAME ".perflab-XXXXXX"

static int cannot_write(const char *path, int cause, struct error *err)
{
	return error_set(err, PL_EIO, "cannot write %s: %s", path, strerror(cause));
}

/* A device or a pipe cannot be replaced, so it is written in place. */
static int open_in_place(struct output *out, const char *path, struct error *err)
{
	out->stream = fopen(path, "we");
	return out->stream ? 0 : cannot_write(path, errno, err);
}

/* Creates a temporary file in the folder of the target, with the permissions that the target has,
 * or would get as a new file. */
static int open_beside(struct output *out, const char *path, const struct stat *existing,
		       struct error *err)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	out->temporary = xasprintf("%.*s%s", (int)folder, path, TEMPORARY_NAME);
	fd = mkstemp(out->temporary);
	if (fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return cannot_write(path, errno, err);
	}
	fchmod(fd, existing ? existing->st_mode & 0777 : 0666 & ~mask);
	out->stream = fdopen(fd, "w");
	if (!out->stream)
		close(fd);
	return out->stream ? 0 : cannot_write(path, errno, err);
}

int output_open(struct output *out, const char *path, struct error *err)
{
	struct stat found;
	bool exists;
	int rc;

	*out = (struct output){0};
	if (!path || strcmp(path, "-") == 0) {
		out->stream = stdout;
		return 0;
	}
	/* replace the file that a link points to, not the link */
	exists = stat(path, &found) == 0;
	out->path = exists ? realpath(path, NULL) : xstrdup(path);
	if (!out->path)
		return cannot_write(path, errno, err);
	if (exists && S_ISDIR(found.st_mode))
		rc = cannot_write(path, EISDIR, err);
	else if (exists && !S_ISREG(found.st_mode))
		rc = open_in_place(out, path, err);
	else
		rc = open_beside(out, out->path, exists ? &found : NULL, err);
	if (rc)
		output_discard(out);
	return rc;
}

int output_commit(struct output *out, struct error *err)
{
	bool failed;
	int rc = 0;

	if (!out->path)
		return 0;
	failed = ferror(out->stream) != 0;
	errno = 0;
	failed |= fclose(out->stream) != 0;
	out->stream = NULL;
	if (failed)
		rc = cannot_write(out->path, errno ? errno : EIO, err);
	else if (out->temporary && rename(out->temporary, out->path))
		rc = cannot_write(out->path, errno, err);
	if (!rc) {
		free(out->temporary);
		out->temporary = NULL;
	}
	output_discard(out);
	return rc;
}

void output_discard(struct output *out)
{
	if (out->path && out->stream)
		fclose(out->stream);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	*out = (struct output){0};
}

int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err)
{
	struct report_options options = {.colour = call->terminal.out_colour,
					 .width = call->terminal.out_width};

	return table_write(stdout, table, format, &options, err);
}
