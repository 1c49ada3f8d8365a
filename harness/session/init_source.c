/* From a file to a compilation, and from its kernels to annotations. */
#include "harness/session/init_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "capture/capture.h"
#include "compile/compile.h"
#include "kernels/user/capture_skeleton.h"
#include "kernels/user/skeleton.h"

#define INIT_SOURCE_MAX_BYTES ((size_t)256 << 20)

static int init_compiler(enum compile_tool *out, const char *name, struct error *err)
{
	*out = COMPILE_AUTO;
	if (!name)
		return 0;
	*out = strcmp(name, "nvcc") ? COMPILE_NVRTC : COMPILE_NVCC;
	return strcmp(name, "nvcc") && strcmp(name, "nvrtc")
		       ? error_set(err, PL_EUSAGE, "--compiler is nvrtc or nvcc, not '%.40s'", name)
		       : 0;
}

static int init_compile(struct compiled **compiled, struct text *messages,
			const struct init_request *request, const char *path,
			const volatile int *stop, struct error *err)
{
	struct compile_request job = {
		.source = path, .arch = request->arch, .standard = request->standard};
	struct compile_cache_use *images = NULL;
	int rc = init_compiler(&job.tool, request->compiler, err);

	for (size_t i = 0; request->flags && i < request->flags->count; i++)
		string_list_add(&job.flags, request->flags->items[i]);
	if (!rc)
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

static enum skeleton_class skeleton_class_of(enum parameter_class class)
{
	return class == PARAMETER_INTEGER ? SKELETON_INTEGER
	       : class == PARAMETER_REAL  ? SKELETON_REAL
					  : SKELETON_BYTES;
}

static enum skeleton_access skeleton_access_of(enum pointer_access access)
{
	return access == POINTER_WRITTEN         ? SKELETON_WRITTEN
	       : access == POINTER_NEVER_WRITTEN ? SKELETON_NEVER_WRITTEN
						 : SKELETON_ACCESS_UNKNOWN;
}

static void describe_entry(struct skeleton_entry *out, const struct compiled_entry *entry)
{
	struct skeleton_parameter *parameters =
		xcalloc(entry->parameter_count + 1, sizeof(*parameters));
	struct text plain = TEXT_INIT;

	for (size_t i = 0; i < entry->parameter_count; i++)
		parameters[i] = (struct skeleton_parameter){
			skeleton_class_of(entry->parameters[i].class), entry->parameters[i].bytes,
			skeleton_access_of(entry->access[i])};
	mangled_plain_name(&plain, entry->name);
	*out = (struct skeleton_entry){entry->name, text_detach(&plain), parameters,
				       entry->parameter_count, entry->textures};
}

static int init_write(struct init_result *out, const struct init_request *request,
		      const struct compiled *compiled, const char *text, size_t length,
		      struct error *err)
{
	struct skeleton_entry *entries = xcalloc(compiled->entry_count + 1, sizeof(*entries));
	const struct skeleton_request skeleton = {
		.file = request->file,
		.ptx = has_suffix(request->file, ".ptx"),
		.text = text,
		.length = length,
		.entries = entries,
		.entry_count = compiled->entry_count,
		.flags = request->flags,
		.standard = request->standard,
		.compiler = request->compiler,
	};
	struct skeleton_counts counts = {0};
	int rc;

	for (size_t i = 0; i < compiled->entry_count; i++)
		describe_entry(&entries[i], &compiled->entries[i]);
	rc = skeleton_write(&out->annotations, &counts, &skeleton, err);
	out->launches = counts.launches;
	out->templates = counts.templates;
	for (size_t i = 0; i < compiled->entry_count; i++) {
		free((void *)entries[i].plain);
		free((void *)entries[i].parameters);
	}
	free(entries);
	return rc;
}

int init_source(struct init_result *out, const struct init_request *request,
		const volatile int *stop, struct error *err)
{
	struct compiled *compiled = NULL;
	char *path, *text = NULL;
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
	rc = path ? init_compile(&compiled, &out->messages, request, path, stop, err)
		  : error_set(err, PL_ENOENT, "%s: the file does not exist", request->file);
	if (!rc)
		rc = compiled_access_read(compiled, err);
	if (!rc)
		rc = init_write(out, request, compiled, text, length, err);
	compiled_free(compiled);
	free(path);
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
