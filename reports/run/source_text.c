/* Finds source files by the names that a compiler recorded; see the header. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/run/source_text.h"

#define SOURCE_LIMIT ((size_t)4 << 20)

/* folder NULL: the name is a whole path. */
static bool read_source(struct source_text *source, const char *folder, const char *name)
{
	char *path = folder ? xasprintf("%s/%s", folder, name) : xstrdup(name);
	struct stat status;
	size_t length;
	/* reading a pipe or a device could take forever */
	bool read = stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
		    read_file(&source->bytes, &length, path, SOURCE_LIMIT, NULL) == 0;

	if (read)
		source->written_ns =
			(int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
	free(path);
	return read;
}

/* The part of a path after its last "..", without a root. */
static const char *inner_part(const char *file)
{
	const char *inner = file;

	for (const char *part = file; part; part = strchr(part, '/')) {
		part += strspn(part, "/");
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
			inner = part + 2;
	}
	return inner + strspn(inner, "/");
}

/* The path without its first folder; NULL: it has none. */
static const char *without_first(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? slash + strspn(slash, "/") : NULL;
}

/*
 * The tree may have moved since it was compiled. So this tries the whole path, then drops one
 * leading folder after another. Many files share a name, so a bare name is searched only in the
 * folder that the user gave, or if the compiler recorded nothing more.
 */
static bool find_source(struct source_text *source, const char *file)
{
	const char *whole = inner_part(file), *folder = source->where->folder;
	const char *change =
		source->where->measured ? key_value_get(source->where->measured, file) : NULL;

	if (change && !*change)
		return source->measured = read_source(source, NULL, file);
	if (change) {
		source->reason = change;
		return false;
	}

	for (const char *name = whole; name && *name; name = without_first(name)) {
		if ((name == whole || without_first(name)) && read_source(source, ".", name))
			return true;
		if (folder && read_source(source, folder, name))
			return true;
	}
	return false;
}

const char *source_text_line(struct source_text *source, const char *file, int64_t line)
{
	if (!file)
		return NULL;
	if (!source->file || strcmp(source->file, file) != 0) {
		const struct report_sources *where = source->where;

		source_text_release(source);
		source->where = where;
		source->file = xstrdup(file);
		if (find_source(source, file))
			source->lines = text_split_lines(source->bytes, &source->count);
	}
	if (line < 1 || (uint64_t)line > source->count)
		return NULL;
	return source->lines[line - 1];
}

void source_text_release(struct source_text *source)
{
	free(source->file);
	free(source->bytes);
	free(source->lines);
	*source = (struct source_text){0};
}
