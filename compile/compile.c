/* Compiles one file, or finds it in the cache. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile_parts.h"

void compiled_free(struct compiled *compiled)
{
	struct entry_list entries;

	if (!compiled)
		return;
	entries = (struct entry_list){compiled->entries, compiled->entry_count, 0};
	entry_list_release(&entries);
	free(compiled->ptx);
	free(compiled->cubin);
	free(compiled->tool);
	free(compiled->messages);
	string_list_release(&compiled->variables);
	free(compiled);
}

/* ---- the request ---- */

static bool source_has_ending(const char *source, const char *ending)
{
	const char *last = strrchr(source, '.');

	return last && !strcmp(last, ending);
}

static int arch_check(const char *arch, struct error *err)
{
	size_t digits;

	if (arch && !strncmp(arch, "sm_", 3)) {
		digits = strspn(arch + 3, "0123456789");
		arch += 3 + digits;
		if (digits >= 2 && digits <= 3 &&
		    (!*arch || !strcmp(arch, "a") || !strcmp(arch, "f")))
			return 0;
	}
	return error_set(err, PL_EUSAGE, "'%.40s' is no architecture: write sm_90 or sm_90a",
			 arch ? arch : "");
}

static int source_check(const char *source, struct error *err)
{
	int fd;

	if (!source || *source != '/' || strlen(source) > 4000)
		return error_set(err, PL_EUSAGE, "the path of a source must be absolute: '%.200s'",
				 source ? source : "");
	if (!source_has_ending(source, ".cu") && !source_has_ending(source, ".cuh") &&
	    !source_has_ending(source, ".ptx") && !source_has_ending(source, ".cubin") &&
	    !has_suffix(source, CAPTURE_SUFFIX))
		return error_set(err, PL_EUSAGE,
				 "'%s' is neither a .cu, a .cuh, a .ptx, a .cubin nor a .capture: "
				 "rename it",
				 source);
	/* what is in a capture gets a path of its own */
	if (!has_suffix(source, CAPTURE_SUFFIX) && strpbrk(source, "\"\\\n\r"))
		return error_set(err, PL_EUSAGE,
				 "the path '%s' contains a quote, a backslash or a line end, "
				 "which the compilers cannot read: rename it",
				 source);
	fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, errno == ENOENT || errno == ENOTDIR ? PL_ENOENT : PL_EIO,
				 "cannot read '%s': %s", source, strerror(errno));
	close(fd);
	return 0;
}

static int request_check(const struct compile_request *request, struct error *err)
{
	struct string_list argv = {0}, folders = {0};
	int rc = source_check(request->source, err);
	const bool is_text = !rc && (source_has_ending(request->source, ".cu") ||
				     source_has_ending(request->source, ".cuh"));

	if (!rc)
		rc = arch_check(request->arch, err);
	if (!rc)
		rc = compile_flags_add(&argv, &folders, request, COMPILE_NVCC, err);
	/* names of kernels become part of a text for the compiler; in a compiled file they are only
	 * looked for */
	for (size_t i = 0; !rc && is_text && i < request->entries.count; i++)
		rc = entry_wanted_check(request->entries.items[i], err);
	string_list_release(&argv);
	string_list_release(&folders);
	return rc;
}

/* ---- the work folder ---- */

/* Makes a folder beside the images, so that they can be moved. */
static int work_make(struct text *work, const char *root, struct error *err)
{
	text_clear(work);
	text_addf(work, "%s/work", root);
	if (cache_folder_make(work->data, err))
		return PL_EIO;
	text_add(work, "/XXXXXX"); /* CACHE_STEM_LENGTH */
	return mkdtemp(work->data) ? 0 : cache_write_error(work->data, err);
}

/* ---- results ---- */

/* The path of an image in the cache; NULL if there is none with this ending. */
static char *image_path(const char *stem, const char *ending)
{
	char *path = xasprintf("%s%s", stem, ending);

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

/* PTX says more of a parameter than machine code. */
static int entries_of_image(struct entry_list *out, const char *stem, struct error *err)
{
	char *ptx = image_path(stem, ".ptx"), *bytes = NULL;
	char *path = ptx ? ptx : xasprintf("%s.cubin", stem);
	size_t length;
	int rc = read_file(&bytes, &length, path, COMPILE_IMAGE_LIMIT, err);

	if (!rc)
		rc = ptx ? ptx_entries_read(out, bytes, err)
			 : cubin_entries_read(out, bytes, length, err);
	free(bytes);
	free(path);
	return rc;
}

/* `stem` is the path of the images without ending. `lowered` are the names of the instances. */
static int result_choose(struct entry_list *out, const struct compile_request *request,
			 const char *stem, const struct string_list *lowered, struct error *err)
{
	struct entry_list all = {0};
	int rc = entries_of_image(&all, stem, err);

	if (rc)
		return error_context(err, rc, "'%s'", request->source);
	return entries_choose(out, &all, request, lowered, err);
}

static struct compiled *result_make(struct entry_list *entries, const char *stem, const char *tool,
				    const char *messages)
{
	struct compiled *compiled = xcalloc(1, sizeof(*compiled));

	compiled->ptx = image_path(stem, ".ptx");
	compiled->cubin = image_path(stem, ".cubin");
	compiled->tool = xstrdup(tool);
	compiled->messages = xstrdup(messages);
	compiled->entries = entries->items;
	compiled->entry_count = entries->count;
	return compiled;
}

static void add_paths(struct string_list *out, const struct string_list *paths)
{
	for (size_t i = 0; out && i < paths->count; i++)
		if (paths->items[i][0] == '/')
			string_list_add(out, paths->items[i]);
}

/* ---- the answer ---- */

/*
 * What a request is answered with. The image depends on the wanted instances of templates, and not
 * on the other wanted kernels: these are in it anyway. So requests for some kernels of a file share
 * its image.
 */
struct compile_answer {
	const struct compile_request *wanted;
	struct compile_request image; /* the same, with the instances only */
	const struct compile_tools *tools;
	const volatile int *stop;
	struct compiled *compiled;
	struct text *messages;     /* NULL: nobody asks */
	struct string_list *files; /* NULL: nobody asks */
	bool by_nvrtc;             /* NVRTC made the image */
};

static int answer_choose(struct compile_answer *answer, const char *stem, const char *tool,
			 const char *messages, const struct string_list *lowered, struct error *err)
{
	struct entry_list entries = {0};
	int rc = result_choose(&entries, answer->wanted, stem, lowered, err);

	answer->by_nvrtc = !strcmp(tool, "nvrtc");
	if (!rc)
		answer->compiled = result_make(&entries, stem, tool, messages);
	return rc;
}

/* Returns whether the image is in the cache. If so, *rc is what became of it. */
static bool answer_from_cache(struct compile_answer *answer, const char *folder, int *rc,
			      struct error *err)
{
	struct cache_record record = {0};
	struct text stem = TEXT_INIT;
	const bool found = cache_find(&record, &stem, folder);

	if (found) {
		*rc = answer_choose(answer, stem.data, record.tool, record.messages,
				    &record.lowered, err);
		if (!*rc)
			answer->compiled->from_cache = true;
		for (size_t i = 0; answer->files && i < record.file_count; i++)
			string_list_add(answer->files, record.files[i].path);
		cache_record_release(&record);
	}
	text_release(&stem);
	return found;
}

static int answer_anew(struct compile_answer *answer, const char *root, const char *folder,
		       struct error *err)
{
	const struct compile_request *request = &answer->image;
	struct translation translation = {.messages = TEXT_INIT};
	struct text work = TEXT_INIT, stem = TEXT_INIT;
	char *sources = xasprintf("%s/sources", root);
	struct timespec started;
	int rc = work_make(&work, root, err);

	if (rc)
		goto out;
	clock_gettime(CLOCK_REALTIME_COARSE, &started);
	translation.work = work.data;
	translation.sources = sources;
	rc = translate(&translation, request, answer->tools, answer->stop, err);
	if (rc && answer->messages)
		text_add_bytes(answer->messages, translation.messages.data,
			       translation.messages.length);
	if (!rc && !request->cubin && !source_has_ending(request->source, ".cubin"))
		rc = entry_resources_append(&translation, request, answer->tools, answer->stop,
					    err);
	if (!rc)
		rc = cache_store(&stem, folder, &translation, &started, err);
	if (!rc)
		rc = answer_choose(answer, stem.data, translation.tool, translation.messages.data,
				   &translation.lowered, err);
	add_paths(answer->files, &translation.read);
	add_paths(answer->files, &translation.absent);
	folder_remove(work.data);
out:
	translation_release(&translation);
	free(sources);
	text_release(&work);
	text_release(&stem);
	return rc;
}

static int answer_find(struct compile_answer *answer, struct error *err)
{
	struct text root = TEXT_INIT, folder = TEXT_INIT;
	int rc = cache_folder(&root, &folder, &answer->image, answer->tools, err);

	if (!rc)
		rc = cache_open(root.data, err);
	if (!rc && !answer_from_cache(answer, folder.data, &rc, err))
		rc = answer_anew(answer, root.data, folder.data, err);
	text_release(&root);
	text_release(&folder);
	return rc;
}

/* NVRTC may lack a kernel that nvcc has: the file can tell them apart, and an old NVRTC drops
 * kernels that nobody can call from another file. */
static int answer_find_with_any(struct compile_answer *answer, struct error *err)
{
	struct error missing = {0};
	int rc = answer_find(answer, &missing);

	if (rc == PL_EUSAGE && answer->by_nvrtc && answer->image.tool == COMPILE_AUTO &&
	    answer->tools->nvcc.length) {
		answer->image.tool = COMPILE_NVCC;
		return answer_find(answer, err);
	}
	return rc ? error_set(err, rc, "%s", missing.text) : 0;
}

int compile_with(struct compiled **out, struct text *messages, struct string_list *files,
		 const struct compile_request *request, const struct compile_tools *tools,
		 const volatile int *stop, struct error *err)
{
	struct compile_answer answer = {.wanted = request,
					.image = *request,
					.tools = tools,
					.stop = stop,
					.messages = messages,
					.files = files};
	int rc;

	*out = NULL;
	rc = request_check(request, err);
	if (!rc)
		rc = compile_memory_limit(&(int64_t){0}, err);
	if (rc)
		return rc;
	answer.image.entries = (struct string_list){0};
	for (size_t i = 0; i < request->entries.count; i++)
		if (entry_is_instance(request->entries.items[i]))
			string_list_add(&answer.image.entries, request->entries.items[i]);
	rc = answer_find_with_any(&answer, err);
	*out = answer.compiled;
	string_list_release(&answer.image.entries);
	return rc;
}

int compile_one(struct compiled **out, struct text *messages, struct string_list *files,
		const struct compile_request *request, const volatile int *stop, struct error *err)
{
	struct compile_tools tools;
	int rc;

	compile_tools_find(&tools);
	rc = compile_with(out, messages, files, request, &tools, stop, err);
	compile_tools_release(&tools);
	return rc;
}
