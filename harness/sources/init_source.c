/* From a file to a compilation, and from its kernels to annotations. */
#include "harness/sources/sources.h"

#include <ctype.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mangled.h"
#include "capture/capture.h"
#include "compile/compile.h"
#include "kernels/user/skeleton.h"

#define INIT_SOURCE_MAX_BYTES ((size_t)256 << 20)

static int init_compile(struct compiled **compiled, struct text *messages,
			const struct init_request *request, const struct string_list *flags,
			const char *path, const volatile int *stop, struct error *err)
{
	struct compile_request job = {
		.source = path, .arch = request->arch, .standard = request->standard};
	struct compile_cache_use *images = NULL;
	int rc;

	job.tool = !request->compiler                  ? COMPILE_AUTO
		   : strcmp(request->compiler, "nvcc") ? COMPILE_NVRTC
						       : COMPILE_NVCC;
	if (job.tool == COMPILE_NVRTC && strcmp(request->compiler, "nvrtc") != 0)
		return error_set(err, PL_EUSAGE, "--compiler is nvrtc or nvcc, not '%.40s'",
				 request->compiler);
	for (size_t i = 0; i < flags->count; i++)
		string_list_add(&job.flags, flags->items[i]);
	rc = compile_cache_enter(&images, NULL, stop, err);
	job.cache = compile_cache_folder(images);
	if (!rc)
		rc = compile_one(compiled, messages, NULL, &job, stop, err);
	compile_cache_leave(images);
	if (!rc && (*compiled)->messages)
		text_add(messages, (*compiled)->messages);
	string_list_release(&job.flags);
	return rc;
}

/* The type of annotations that a builtin type of C++ is; NULL: none. */
static const char *element_of_builtin(const struct builtin_type *type)
{
	static const struct {
		size_t bytes;
		const char *real, *of_signed, *of_unsigned;
	} rows[] = {
		{1, NULL, "i8", "u8"},
		{2, NULL, "i16", "u16"},
		{4, "f32", "i32", "u32"},
		{8, "f64", "i64", "u64"},
	};

	for (size_t i = 0; type && i < ARRAY_SIZE(rows); i++)
		if (rows[i].bytes == type->bytes)
			return type->real        ? rows[i].real
			       : type->is_signed ? rows[i].of_signed
						 : rows[i].of_unsigned;
	return NULL;
}

/* Whether a mangled name is of something local to a function, which Z begins. Identifiers, numbers
 * of literals and substitutions may hold a Z of their own. */
static bool is_local(const char *name)
{
	const char *at = name + 2;

	while (*at && *at != 'Z') {
		const size_t digits = strspn(at, "0123456789");

		if (digits) {
			const unsigned long length = strtoul(at, NULL, 10);

			at += digits;
			at += length < strlen(at) ? length : strlen(at);
		} else if ((*at == 'S' || *at == 'T') && isdigit((unsigned char)at[1])) {
			at += strcspn(at, "_");
		} else if (*at == 'L' && isalpha((unsigned char)at[1])) {
			at += 2 + strspn(at + 2, "0123456789");
		} else {
			at++;
		}
	}
	return *at == 'Z';
}

/* "ns::scale<float>" of a name in an image. NULL: it is no instance of a template, or one with a
 * part that only the place in the file names, such as a lambda. */
static char *instance_of(const char *name)
{
	static const char unnamed[] = "(anonymous namespace)::";
	struct text readable = TEXT_INIT, whole = TEXT_INIT;
	char *found;

	mangled_readable(&readable, name);
	if (strcmp(readable.data, name) != 0)
		readable_shorten(&whole, readable.data, MANGLED_MOST);
	text_release(&readable);
	while ((found = whole.length ? strstr(whole.data, unnamed) : NULL)) {
		memmove(found, found + strlen(unnamed), strlen(found + strlen(unnamed)) + 1);
		whole.length -= strlen(unnamed);
	}
	if (whole.length && strchr(whole.data, '<') && !strpbrk(whole.data, "{}$#'") &&
	    !is_local(name))
		return text_detach(&whole);
	text_release(&whole);
	return NULL;
}

/* PTX has the names that it has, and no other instances. */
static void describe_entry(struct skeleton_entry *out, const struct compiled_entry *entry, bool ptx)
{
	static const enum skeleton_class classes[] = {
		[PARAMETER_INTEGER] = SKELETON_INTEGER,
		[PARAMETER_REAL] = SKELETON_REAL,
		[PARAMETER_BYTES] = SKELETON_BYTES,
	};
	static const enum skeleton_access accesses[] = {
		[POINTER_UNKNOWN] = SKELETON_ACCESS_UNKNOWN,
		[POINTER_WRITTEN] = SKELETON_WRITTEN,
		[POINTER_ONLY_WRITTEN] = SKELETON_ONLY_WRITTEN,
		[POINTER_NEVER_WRITTEN] = SKELETON_NEVER_WRITTEN,
	};
	struct skeleton_parameter *parameters =
		xcalloc(entry->parameter_count + 1, sizeof(*parameters));
	struct mangled_parameter *types = xcalloc(entry->parameter_count + 1, sizeof(*types));
	const struct compiled_dimensions *of = &entry->dimensions;
	struct text plain = TEXT_INIT, name = TEXT_INIT;

	if (mangled_parameters(types, entry->parameter_count, entry->name) !=
	    (int)entry->parameter_count)
		memset(types, 0, entry->parameter_count * sizeof(*types));
	for (size_t i = 0; i < entry->parameter_count; i++)
		parameters[i] = (struct skeleton_parameter){
			classes[entry->parameters[i].class], entry->parameters[i].bytes,
			accesses[entry->access[i]],
			element_of_builtin(types[i].builtin ? types[i].builtin : types[i].pointee)};
	free(types);
	mangled_plain_name(&plain, entry->name);
	if (ptx)
		text_add(&name, entry->name);
	else
		mangled_portable(&name, entry->name);
	*out = (struct skeleton_entry){
		.name = text_detach(&name),
		.plain = text_detach(&plain),
		.instance = ptx ? NULL : instance_of(entry->name),
		.parameters = parameters,
		.parameter_count = entry->parameter_count,
		.textures = entry->textures,
		.dimensions = {of->thread_y, of->thread_z, of->block_y, of->block_z},
	};
}

static int init_write(struct init_result *out, const struct init_request *request,
		      const struct string_list *flags, const struct compiled *compiled,
		      const char *text, size_t length, struct error *err)
{
	struct skeleton_entry *entries = xcalloc(compiled->entry_count + 1, sizeof(*entries));
	const char *sidecar = request->sidecar ? request->sidecar : request->file;
	char *copy = xstrdup(sidecar);
	/* of a file that need not exist, without links */
	char *folder = realpath(dirname(copy), NULL);
	struct skeleton_request skeleton = {
		.file = request->file,
		.ptx = has_suffix(request->file, ".ptx"),
		.text = text,
		.length = length,
		.entries = entries,
		.entry_count = compiled->entry_count,
		.flags = flags,
		.folder = folder,
		.standard = request->standard,
		.compiler = request->compiler,
	};
	struct skeleton_counts counts = {0};
	int rc = 0;

	free(copy);
	if (!folder)
		rc = error_set(err, PL_ENOENT, "%s: its folder does not exist", sidecar);
	for (size_t i = 0; i < compiled->entry_count; i++)
		describe_entry(&entries[i], &compiled->entries[i], skeleton.ptx);
	if (!rc)
		rc = skeleton_write(&out->annotations, &counts, &skeleton, err);
	out->launches = counts.launches;
	out->templates = counts.templates;
	for (size_t i = 0; i < compiled->entry_count; i++) {
		free((void *)entries[i].name);
		free((void *)entries[i].plain);
		free((void *)entries[i].instance);
		free((void *)entries[i].parameters);
	}
	free(entries);
	free(folder);
	return rc;
}

int init_source(struct init_result *out, const struct init_request *request,
		const volatile int *stop, struct error *err)
{
	struct compiled *compiled = NULL;
	struct string_list flags = {0};
	char *path, *here, *text = NULL;
	size_t length = 0;
	int rc;

	*out = (struct init_result){.annotations = TEXT_INIT, .messages = TEXT_INIT};
	if (!has_suffix(request->file, ".cu") && !has_suffix(request->file, ".cuh") &&
	    !has_suffix(request->file, ".ptx"))
		return error_set(
			err, PL_EUSAGE,
			"%s: perflab init reads the parameters of kernels from a .cu, "
			".cuh or .ptx; write other annotations by hand: docs/your-kernel.md",
			request->file);
	rc = read_file(&text, &length, request->file, INIT_SOURCE_MAX_BYTES, err);
	if (rc)
		return rc;
	path = realpath(request->file, NULL);
	here = getcwd(NULL, 0);
	if (!path)
		rc = error_set(err, PL_ENOENT, "%s: the file does not exist", request->file);
	else if (!here)
		rc = error_set(err, PL_EIO, "the current folder has no path");
	else /* as for a sweep, paths in the flags are relative to the current folder */
		skeleton_flags_add(&flags, request->flags, here);
	if (!rc)
		rc = init_compile(&compiled, &out->messages, request, &flags, path, stop, err);
	if (!rc)
		rc = compiled_access_read(compiled, err);
	if (!rc)
		rc = init_write(out, request, &flags, compiled, text, length, err);
	string_list_release(&flags);
	compiled_free(compiled);
	free(path);
	free(here);
	free(text);
	return rc;
}

int init_replacement(struct text *out, const char *path, struct error *err)
{
	struct capture *capture = NULL;
	int rc;

	if (!has_suffix(path, CAPTURE_SUFFIX))
		return error_set(
			err, PL_EUSAGE,
			"--from %s: a capture is expected, whose name ends in " CAPTURE_SUFFIX,
			path);
	rc = capture_open(&capture, path, err);
	if (!rc)
		capture_skeleton_write(out, path, capture_info(capture));
	capture_close(capture);
	return rc;
}

void init_result_release(struct init_result *result)
{
	text_release(&result->annotations);
	text_release(&result->messages);
}
