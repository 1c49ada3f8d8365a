/* Finds the source lines of the instructions of a profile, and keeps the machine code and the text
 * of the files that they are in. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "compile/line_table.h"
#include "harness/sources/sources.h"
#include "harness/sweep/sweep_parts.h"

#define CODE_LIMIT_BYTES ((size_t)256 << 20)
#define TEXT_LIMIT_BYTES ((size_t)4 << 20)

struct profile_sources {
	const struct result_writer *writer;
	bool keep;                  /* source text and machine code */
	int64_t begun_ns;           /* wall clock: when the sweep began */
	char *path;                 /* of the machine code that is loaded; NULL: none */
	char hash[HASH_TEXT_BYTES]; /* of it */
	struct line_table *lines;   /* NULL: it has none */
	int64_t *frames;            /* of the profile, for each frame of the lines; -1: none yet */
	struct string_list files;   /* that were kept, or looked for */
};

struct profile_sources *profile_sources_new(const struct result_writer *writer, bool keep)
{
	struct profile_sources *sources = xcalloc(1, sizeof(*sources));

	sources->writer = writer;
	sources->keep = keep;
	sources->begun_ns = wall_time_ns();
	return sources;
}

static void forget_code(struct profile_sources *sources)
{
	free(sources->path);
	free(sources->frames);
	line_table_free(sources->lines);
	sources->path = NULL;
	sources->frames = NULL;
	sources->lines = NULL;
}

void profile_sources_free(struct profile_sources *sources)
{
	if (!sources)
		return;
	forget_code(sources);
	string_list_release(&sources->files);
	free(sources);
}

/* ---- source text ---- */

/* The file is named by machine code, which may come from anybody: nothing but source text is kept.
 */
static bool is_source_name(const char *file)
{
	static const char *const suffixes[] = {".cu",  ".cuh", ".h",   ".hh",  ".hpp",
					       ".hxx", ".c",   ".cc",  ".cpp", ".cxx",
					       ".inl", ".inc", ".ipp", ".py",  ".ptx"};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (has_suffix(file, suffixes[i]))
			return true;
	return false;
}

/* In nanoseconds, a time of a broken clock would be too large. */
static bool is_later(const struct timespec *time, int64_t ns)
{
	const int64_t seconds = ns / 1000000000;

	return time->tv_sec > seconds ||
	       (time->tv_sec == seconds && time->tv_nsec > ns % 1000000000);
}

/* *why: to follow "the text is not kept: the file ". */
static bool read_text(const char *path, int64_t begun_ns, char **bytes, size_t *length,
		      const char **why)
{
	struct stat status;
	struct error ignored = {0};

	*why = "was not found";
	if (stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	*why = "was changed after the sweep began";
	if (is_later(&status.st_mtim, begun_ns))
		return false;
	*why = "cannot be read, or has more than 4 MiB";
	return read_file(bytes, length, path, TEXT_LIMIT_BYTES, &ignored) == 0;
}

/* A name without root is one of perflab's own files, or the user said where it is. Another file of
 * this name is not looked for if there is one of perflab's. */
static bool find_text(const struct profile_sources *sources, const char *file, char **bytes,
		      size_t *length, const char **why)
{
	struct text path = TEXT_INIT;
	bool own, found;

	*why = "has no name of source text";
	if (!is_source_name(file))
		return false;
	if (file[0] == '/')
		return read_text(file, sources->begun_ns, bytes, length, why);
	own = source_folder(&path);
	text_addf(&path, "/%s", file);
	own = own && access(path.data, F_OK) == 0;
	found = read_text(own ? path.data : file, sources->begun_ns, bytes, length, why);
	text_release(&path);
	return found;
}

static int keep_text(struct profile_sources *sources, const char *file, struct error *err)
{
	const struct result_writer *writer = sources->writer;
	char hash[HASH_TEXT_BYTES];
	const char *why = NULL;
	char *bytes = NULL;
	size_t length = 0;
	int rc = 0;

	if (!sources->keep || string_list_has(&sources->files, file))
		return 0;
	string_list_add(&sources->files, file);
	if (!find_text(sources, file, &bytes, &length, &why))
		return writer->source(writer->context, file, NULL, why, err);
	hash_of(hash, bytes, length);
	rc = writer->content(writer->context, hash, bytes, length, err);
	free(bytes);
	return rc ? rc : writer->source(writer->context, file, hash, NULL, err);
}

/* ---- machine code ---- */

/* Without machine code or lines, *sources has none. */
static int load_code(struct profile_sources *sources, const char *path, struct error *err)
{
	const struct result_writer *writer = sources->writer;
	struct error ignored = {0};
	char *bytes = NULL;
	size_t length = 0;
	int rc = 0;

	if (sources->path && strcmp(sources->path, path) == 0)
		return 0;
	forget_code(sources);
	sources->path = xstrdup(path);
	sources->hash[0] = '\0';
	if (!has_suffix(path, ".cubin") ||
	    read_file(&bytes, &length, path, CODE_LIMIT_BYTES, &ignored))
		return 0;
	hash_of(sources->hash, bytes, length);
	if (sources->keep)
		rc = writer->content(writer->context, sources->hash, bytes, length, err);
	if (!line_table_read(&sources->lines, bytes, length, &ignored))
		sources->frames =
			xcalloc(line_table_count(sources->lines) + 1, sizeof(*sources->frames));
	free(bytes);
	return rc;
}

/* The number in the profile of a frame of the code, which is added with its callers. */
static int64_t frame_number(struct profile_sources *sources, struct profile *profile, int64_t index)
{
	const struct source_frame *frame;
	int64_t caller;

	if (index < 0)
		return -1;
	if (sources->frames[index] >= 0)
		return sources->frames[index];
	frame = line_table_frame(sources->lines, index);
	caller = frame_number(sources, profile, frame->caller);
	sources->frames[index] =
		profile_frame_add(profile, frame->file, frame->line, frame->function, caller);
	return sources->frames[index];
}

int profile_sources_find(struct profile_sources *sources, struct profile *profile, const bool *own,
			 const struct launch_case *launch, struct error *err)
{
	int rc = load_code(sources, launch->code ? launch->code : launch->image, err);
	const size_t frames = sources->lines ? line_table_count(sources->lines) : 0;

	for (size_t i = 0; i < frames; i++)
		sources->frames[i] = -1; /* of another profile */
	for (size_t i = 0; i < profile->function_count; i++)
		if (own[i])
			memcpy(profile->functions[i].code, sources->hash, sizeof(sources->hash));
	for (size_t i = 0; i < profile->instruction_count && frames; i++) {
		struct profile_instruction *instruction = &profile->instructions[i];

		if (own[instruction->function])
			instruction->frame = frame_number(
				sources, profile,
				line_table_find(sources->lines,
						profile->functions[instruction->function].name,
						(uint64_t)instruction->pc));
	}
	for (size_t i = 0; i < profile->frame_count && !rc; i++)
		rc = keep_text(sources, profile->frames[i].file, err);
	return rc;
}
