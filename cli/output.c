/* Where a report is written; see the header. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db.h"

#define TEMPORARY_NAME ".perflab-XXXXXX"

static int cannot_write(const char *path, int cause, struct error *err)
{
	/* the file itself need not exist */
	return error_set(err, PL_EIO, "cannot write %s: %s", path,
			 cause == ENOENT ? "its folder does not exist" : strerror(cause));
}

/* The number of the open file that a name such as /dev/stdout or /dev/fd/3 stands for; -1: none. */
static int output_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	int64_t number;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
		    parse_i64(&number, path + strlen(folders[i]), NULL) == 0 && number >= 0 &&
		    number <= INT_MAX)
			return (int)number;
	return -1;
}

bool output_is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0 || output_descriptor(path) == STDOUT_FILENO;
}

static FILE *descriptor_open(int number)
{
	const int copy = fcntl(number, F_DUPFD_CLOEXEC, 0);
	FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");

	if (!stream && copy >= 0)
		close(copy);
	return stream;
}

/* A device, a pipe or an open file cannot be replaced, so it is written in place. */
static int open_in_place(struct output *out, const char *path, struct error *err)
{
	const int number = output_descriptor(path);

	/* opening the name again would begin a file anew that the caller appends to */
	out->stream = number < 0 ? fopen(path, "we") : descriptor_open(number);
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
	if (output_is_stdout(path)) {
		out->stream = stdout;
		return 0;
	}
	exists = stat(path, &found) == 0;
	/* replace the file that a link points to, not the link; a pipe has no other name */
	out->path = exists && S_ISREG(found.st_mode) ? realpath(path, NULL) : xstrdup(path);
	if (!out->path)
		return cannot_write(path, errno, err);
	if (exists && S_ISDIR(found.st_mode))
		rc = cannot_write(path, EISDIR, err);
	else if (exists && !S_ISREG(found.st_mode))
		rc = open_in_place(out, path, err);
	else
		rc = db_path_check_output(out->path, err);
	if (!rc && !out->stream && output_descriptor(path) >= 0)
		rc = open_in_place(out, path, err);
	else if (!rc && !out->stream)
		rc = open_beside(out, out->path, exists ? &found : NULL, err);
	if (rc)
		output_discard(out);
	return rc;
}

static int output_commit(struct output *out, struct error *err)
{
	bool failed = ferror(out->stream) != 0;
	int rc = 0;

	errno = 0;
	failed |= fclose(out->stream) != 0;
	out->stream = NULL;
	if (failed)
		rc = cannot_write(out->path, errno ? errno : EIO, err);
	/* it may have become a database since it was opened */
	if (!rc && out->temporary)
		rc = db_path_check_output(out->path, err);
	if (!rc && out->temporary && rename(out->temporary, out->path))
		rc = cannot_write(out->path, errno, err);
	if (!rc) {
		free(out->temporary);
		out->temporary = NULL;
	}
	return rc;
}

int output_end(struct output *out, int rc, struct error *err)
{
	if (out->path && !rc)
		rc = output_commit(out, err);
	else if (out->path && rc == PL_EIO)
		error_context(err, rc, "%s", out->path);
	output_discard(out);
	return rc;
}

struct report_options output_look(const struct invocation *call, const struct output *out)
{
	const struct terminal *terminal = &call->terminal;

	return out->path ? (struct report_options){0}
			 : (struct report_options){.colour = terminal->out_colour,
						   .width = terminal->out_width,
						   .ascii = terminal->out_ascii};
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

/* ---- the format ---- */

/* The row of --format, if it chooses among the formats of reports. */
static const struct option_row *report_format_row(const struct invocation *call)
{
	static const char *const *const lists[] = {table_format_words, run_format_words,
						   regress_format_words, history_format_words,
						   study_format_words};
	const struct option_row *row = option_row_find(call->command, "format");

	for (size_t i = 0; row && i < ARRAY_SIZE(lists); i++)
		if (row->choices == lists[i])
			return row;
	return NULL;
}

static int no_such_format(const struct invocation *call, const struct option_row *row,
			  const char *path, enum report_format format, struct error *err)
{
	struct text all = TEXT_INIT;
	int rc;

	add_choices(&all, row->choices);
	rc = error_set(err, PL_EUSAGE,
		       "--output %s: the name means %s, which perflab %s does not write; --format "
		       "chooses one of: %s",
		       path, report_format_name(format), call->command->name, all.data);
	text_release(&all);
	return rc;
}

/* Without --format, the ending of the file decides. */
static int settle_by_ending(struct invocation *call, const struct option_row *row, const char *path,
			    struct error *err)
{
	int *chosen = (int *)((char *)call->options + row->offset);
	const char *name = report_format_name((enum report_format) * chosen);
	const bool given = option_given(call, "format");
	enum report_format meant;
	struct stat found;

	if (!*path)
		return error_set(err, PL_EUSAGE, "--output: the file has no name");
	if (!report_format_of_file(&meant, path)) {
		/* a device or a pipe need not say it */
		if (!given && report_file_ending(path) &&
		    (stat(path, &found) || S_ISREG(found.st_mode)))
			call->note = xasprintf("the name of %s says no format, so it is written as "
					       "%s; --format chooses another",
					       path, name);
		return 0;
	}
	if (given && (enum report_format) * chosen != meant)
		call->note = xasprintf("%s is written as %s, as --format says; its name means %s",
				       path, name, report_format_name(meant));
	if (given)
		return 0;
	if (!*row->choices[meant])
		return no_such_format(call, row, path, meant, err);
	*chosen = (int)meant;
	return 0;
}

int output_settle_for(struct invocation *call, const char *path, struct error *err)
{
	const struct option_row *row = report_format_row(call);
	const bool to_file = !output_is_stdout(path);
	enum report_format format;
	int rc;

	if (!row)
		return 0;
	rc = to_file ? settle_by_ending(call, row, path, err) : 0;
	format = (enum report_format) * (int *)((char *)call->options + row->offset);
	if (!rc && !to_file && call->terminal.out_width > 0 &&
	    report_format_has(format, NOT_ON_TERMINAL))
		rc = error_set(err, PL_EUSAGE,
			       "%s is not for a terminal: give -o FILE.%s, or a pipe",
			       report_format_name(format), report_format_name(format));
	return rc;
}

/* A verb whose --output names something else settles it itself. */
int output_settle(struct invocation *call, struct error *err)
{
	const struct option_row *row = option_row_find(call->command, "output");
	const bool is_report = row && strcmp(row->argument, "FILE") == 0;

	return output_settle_for(
		call, is_report ? *(const char **)((char *)call->options + row->offset) : NULL,
		err);
}

/* ---- tables ---- */

void cell_take(struct cells *cells, char *text)
{
	cells->items[cells->count++] = text;
}

void cell_text(struct cells *cells, const char *text)
{
	cell_take(cells, text ? xstrdup(text) : NULL);
}

void cell_format(struct cells *cells, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cell_take(cells, xvasprintf(format, args));
	va_end(args);
}

void cell_number(struct cells *cells, int64_t value)
{
	cell_take(cells, value < 0 ? NULL : xasprintf("%lld", (long long)value));
}

void cells_end(struct cells *cells, struct table *table)
{
	table_row(table, (const char *const *)cells->items);
	for (size_t i = 0; i < cells->count; i++)
		free(cells->items[i]);
	*cells = (struct cells){0};
}

int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err)
{
	struct report_options options = {.colour = call->terminal.out_colour,
					 .width = call->terminal.out_width};

	return table_write(stdout, table, format, &options, err);
}
