/* Chooses the compilers for a file, and makes image.ptx and image.cubin in the work folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "compile/compile_parts.h"

/* The recorded device executed the code, so its own architecture stands for one that is not known.
 */
static int arch_of_code(const struct capture *capture, const char *cubin, size_t bytes)
{
	const struct capture_info *info = capture_info(capture);
	const int arch = cubin_arch(cubin, bytes);

	return arch ? arch : (int)(10 * info->cc_major + info->cc_minor);
}

/* The image that the request needs: the machine code if the device executes it, else the PTX. */
static int choose_image(const struct capture *capture, const struct compile_request *request,
			enum capture_image *chosen, char **data, size_t *bytes, struct error *err)
{
	const int wanted = compile_arch_number(request->arch);
	struct error cause = {0};
	int machine_code, rc = capture_read_image(capture, CAPTURE_CUBIN, data, bytes, err);

	if (rc)
		return rc;
	*chosen = CAPTURE_CUBIN;
	machine_code = arch_of_code(capture, *data, *bytes);
	if (request->cubin && cubin_arch_runs_on(machine_code, wanted))
		return 0;
	free(*data);
	*chosen = CAPTURE_PTX;
	rc = capture_read_image(capture, CAPTURE_PTX, data, bytes, &cause);
	if (rc == PL_ENOENT)
		return error_set(
			err, PL_EUNSUPPORTED,
			"'%s' holds machine code for sm_%d and no PTX%s; it runs on such a "
			"GPU only",
			request->source, machine_code,
			request->cubin ? "" : ", which the emulator needs");
	return rc ? error_set(err, rc, "%s", cause.text) : 0;
}

static int translate_capture(struct translation *out, enum capture_image *chosen, struct error *err)
{
	const struct compile_request *request = out->request;
	struct capture *capture = NULL;
	char *data = NULL;
	size_t bytes = 0;
	int rc = capture_open(&capture, request->source, err);

	string_list_add(&out->read, request->source);
	if (!rc)
		rc = choose_image(capture, request, chosen, &data, &bytes, err);
	if (!rc) {
		rc = work_file_write(out, *chosen == CAPTURE_CUBIN ? "image.cubin" : "image.ptx",
				     data, bytes, err);
		free(data);
	}
	capture_close(capture);
	return rc;
}

/* Returns the number before `words` in a line, or 0. */
static unsigned long number_before(const char *line, const char *words)
{
	const char *found = strstr(line, words), *digits = found;

	while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return found && digits < found ? strtoul(digits, NULL, 10) : 0;
}

void entry_resources_read(struct text *out, const char *said, const char *arch)
{
	static const char mark[] = "Compiling entry function '";
	struct string_list lines = {0};
	unsigned long stack = 0;
	char *name = NULL;

	string_list_split(&lines, said, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i], *quoted = strstr(line, mark);

		if (quoted) {
			quoted += strlen(mark);
			free(name);
			name = xstrndup(quoted, strcspn(quoted, "'"));
			stack = 0;
		}
		if (strstr(line, " bytes stack frame"))
			stack = number_before(line, " bytes stack frame");
		if (!name || !strstr(line, " registers"))
			continue;
		if (strstr(line, " bytes cumulative stack size"))
			stack = number_before(line, " bytes cumulative stack size");
		text_addf(out, "// perflab: entry %s %.*s registers %lu shared %lu local %lu\n",
			  name, (int)strcspn(arch, "af"), arch, number_before(line, " registers"),
			  number_before(line, " bytes smem"), stack);
		free(name);
		name = NULL;
	}
	free(name);
	string_list_release(&lines);
}

/* PTX for sm_90a is compiled for sm_90a, not for sm_90. */
static char *arch_of_ptx(const char *ptx, const char *arch)
{
	const char *target = strstr(ptx, "\n.target ");
	size_t length = strlen(arch);

	target = target ? target + strlen("\n.target ") : "";
	if (!strncmp(target, arch, length) && (target[length] == 'a' || target[length] == 'f'))
		return xstrndup(target, length + 1);
	return xstrdup(arch);
}

static enum tool_end ptxas_ask(struct text *said, const struct translation *translation,
			       const char *arch)
{
	struct string_list argv = {0};
	enum tool_end end;

	string_list_add(&argv, translation->tools->ptxas.data);
	string_list_add(&argv, "-v");
	string_list_addf(&argv, "-arch=%s", arch);
	compile_ptxas_flags_add(&argv, translation->request);
	string_list_add(&argv, "-o");
	string_list_add(&argv, "resources.cubin");
	string_list_add(&argv, "image.ptx");
	end = tool_run(said, &argv, translation);
	string_list_release(&argv);
	return end;
}

static int append_lines(const char *path, const char *lines, struct error *err)
{
	FILE *file = fopen(path, "abe");
	const bool printed = file && fprintf(file, "\n%s", lines) >= 0;
	const bool closed = file && fclose(file) == 0;

	return printed && closed ? 0 : cache_write_error(path, err);
}

int entry_resources_append(const struct translation *translation, struct error *err)
{
	const struct compile_request *request = translation->request;
	char *path = xasprintf("%s/image.ptx", translation->work), *ptx = NULL, *arch = NULL;
	struct text said = TEXT_INIT, lines = TEXT_INIT;
	enum tool_end end = TOOL_FAILED;
	size_t length;
	int rc = 0;

	if (translation->tools->ptxas.length &&
	    !read_file(&ptx, &length, path, COMPILE_IMAGE_LIMIT, NULL)) {
		arch = arch_of_ptx(ptx, request->arch);
		end = ptxas_ask(&said, translation, arch);
	}
	if (end == TOOL_STOPPED)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	if (end == TOOL_DONE)
		entry_resources_read(&lines, said.data, request->arch);
	if (lines.length)
		rc = append_lines(path, lines.data, err);
	text_release(&said);
	text_release(&lines);
	free(ptx);
	free(arch);
	free(path);
	return rc;
}

static int copy_into_work(struct translation *out, const char *source, const char *name,
			  struct error *err)
{
	char *bytes = NULL;
	size_t length;
	int rc = read_file(&bytes, &length, source, COMPILE_IMAGE_LIMIT, err);

	if (!rc)
		rc = work_file_write(out, name, bytes, length, err);
	string_list_add(&out->read, source);
	free(bytes);
	return rc;
}

static int cubin_arch_check(const struct compile_request *request, const char *path,
			    struct error *err)
{
	const int wanted = compile_arch_number(request->arch);
	int given;
	size_t length;
	char *bytes;
	int rc = read_file(&bytes, &length, path, COMPILE_IMAGE_LIMIT, err);

	if (rc)
		return rc;
	given = cubin_arch(bytes, length);
	free(bytes);
	if (!request->cubin || cubin_arch_runs_on(given, wanted))
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "'%s' holds machine code for sm_%d, which a device of sm_%d cannot "
			 "execute: compile it for sm_%d, or give the .ptx or the .cu",
			 request->source, given, wanted, wanted);
}

static int translate_cubin(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	char *path = xasprintf("%s/image.cubin", out->work);
	int rc = copy_into_work(out, request->source, "image.cubin", err);

	if (!rc)
		rc = cubin_arch_check(request, path, err);
	free(path);
	return rc;
}

/* Also the driver compiles image.ptx, where there is no ptxas. */
static int image_bounds_check(const struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	char *path = xasprintf("%s/image.ptx", out->work), *text = NULL;
	size_t length;
	int rc = read_file(&text, &length, path, COMPILE_IMAGE_LIMIT, err);

	if (!rc)
		rc = error_context(err, ptx_bounds_check(text, err), "'%s'", request->source);
	free(text);
	free(path);
	return rc;
}

/* PTX runs on GPUs from its .target on. That of built-in kernels is made for compute
 * capability 9.0, but few of them use what older GPUs lack; the compiler refuses those. */
static int target_lower(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	static const char directive[] = "\n.target sm_";
	char *path = xasprintf("%s/image.ptx", out->work), *ptx = NULL;
	const char *target;
	size_t length;
	int rc = read_file(&ptx, &length, path, COMPILE_IMAGE_LIMIT, err);

	target = rc ? NULL : strstr(ptx, directive);
	if (target && atoi(target + strlen(directive)) > compile_arch_number(request->arch)) {
		char *from = xstrndup(target, strcspn(target + 1, ",\n") + 1);
		char *to = xasprintf("\n.target %s", request->arch);
		struct text text = TEXT_INIT;

		text_add(&text, ptx);
		messages_replace(&text, 0, from, to);
		rc = work_file_write(out, "image.ptx", text.data, text.length, err);
		text_release(&text);
		free(from);
		free(to);
	}
	free(ptx);
	free(path);
	return rc;
}

/* Makes image.cubin of image.ptx, if that is wanted. */
static int assemble_ptx(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	struct string_list argv = {0};
	enum tool_end end;
	int rc = 0;

	if (!request->cubin || !out->tools->ptxas.length)
		return 0; /* without ptxas the driver compiles it */
	out->tool = "ptxas";
	string_list_add(&argv, out->tools->ptxas.data);
	string_list_addf(&argv, "-arch=%s", request->arch);
	string_list_add(&argv, "-lineinfo");
	compile_ptxas_flags_add(&argv, request);
	string_list_add(&argv, "-o");
	string_list_add(&argv, "image.cubin");
	string_list_add(&argv, "image.ptx");
	end = tool_run(&out->messages, &argv, out);
	if (end != TOOL_FAILED || !request->built_in)
		rc = translation_end(out, end, "ptxas", err);
	string_list_release(&argv);
	return rc;
}

/* A .ptx or a capture. */
static int translate_compiled(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	enum capture_image chosen = CAPTURE_PTX;
	int rc = has_suffix(request->source, CAPTURE_SUFFIX)
			 ? translate_capture(out, &chosen, err)
			 : copy_into_work(out, request->source, "image.ptx", err);

	if (!rc && request->built_in)
		rc = target_lower(out, err);
	if (rc || chosen == CAPTURE_CUBIN)
		return rc;
	rc = image_bounds_check(out, err);
	return rc ? rc : assemble_ptx(out, err);
}

/*
 * NVRTC refuses host code and system headers in many words. nvcc judges every file that NVRTC
 * refuses, because it is the reference.
 */
static int translate_auto(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	struct error cause = {0};
	int rc = translate_with_nvrtc(out, &cause);

	if (rc != PL_EPARSE && rc != PL_EUNSUPPORTED) {
		if (rc)
			error_set(err, rc, "%s", cause.text);
		return rc;
	}
	if (!out->tools->nvcc.length) {
		if (out->tools->nvrtc.length && out->tools->helper.length)
			return error_set(err, rc, "%s (there is no nvcc to try)", cause.text);
		return error_set(err, PL_EUNSUPPORTED,
				 "there is no compiler for '%s': neither nvcc nor libnvrtc.so with "
				 "perflab-nvrtc. Install the CUDA toolkit, name its folder in "
				 "$PERFLAB_CUDA_ROOT, or measure a .ptx",
				 request->source);
	}
	/* what NVRTC read decides whether the same request ends with nvcc again */
	string_list_release(&out->lowered);
	text_clear(&out->messages);
	return translate_with_nvcc(out, err);
}

int translate(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	const char *ending = strrchr(request->source, '.');

	out->tool = "none";
	if (!strcmp(ending, ".cubin"))
		return translate_cubin(out, err);
	if (!strcmp(ending, ".ptx") || has_suffix(request->source, CAPTURE_SUFFIX))
		return translate_compiled(out, err);
	if (request->tool == COMPILE_NVRTC)
		return translate_with_nvrtc(out, err);
	if (request->tool == COMPILE_NVCC)
		return translate_with_nvcc(out, err);
	return translate_auto(out, err);
}
