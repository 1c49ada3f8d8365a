/* Chooses the compilers for a file, and makes image.ptx and image.cubin in the work folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

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

static int translate_cubin(struct translation *out, const struct compile_request *request,
			   struct error *err)
{
	char *path = xasprintf("%s/image.cubin", out->work);
	int rc = copy_into_work(out, request->source, "image.cubin", err);

	if (!rc)
		rc = cubin_arch_check(request, path, err);
	free(path);
	return rc;
}

/* Also the driver compiles image.ptx, where there is no ptxas. */
static int image_bounds_check(const struct translation *out, const struct compile_request *request,
			      struct error *err)
{
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
static int target_lower(struct translation *out, const struct compile_request *request,
			struct error *err)
{
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
static int assemble_ptx(struct translation *out, const struct compile_request *request,
			const struct compile_tools *tools, const volatile int *stop,
			struct error *err)
{
	struct string_list argv = {0};
	enum tool_end end;
	char *arch;
	int rc = 0;

	if (!request->cubin || !tools->ptxas.length)
		return 0; /* without ptxas the driver compiles it */
	out->tool = "ptxas";
	arch = xasprintf("-arch=%s", request->arch);
	string_list_add(&argv, tools->ptxas.data);
	string_list_add(&argv, arch);
	string_list_add(&argv, "-lineinfo");
	compile_ptxas_flags_add(&argv, request);
	string_list_add(&argv, "-o");
	string_list_add(&argv, "image.cubin");
	string_list_add(&argv, "image.ptx");
	end = tool_run(&out->messages, &argv, out->work, compile_limit_ns(request), stop);
	if (end != TOOL_FAILED || !request->built_in)
		rc = translation_end(out, end, request, "ptxas", err);
	string_list_release(&argv);
	free(arch);
	return rc;
}

/* A .ptx or a capture. */
static int translate_compiled(struct translation *out, const struct compile_request *request,
			      const struct compile_tools *tools, const volatile int *stop,
			      struct error *err)
{
	enum capture_image chosen = CAPTURE_PTX;
	int rc = has_suffix(request->source, CAPTURE_SUFFIX)
			 ? translate_capture(out, request, &chosen, err)
			 : copy_into_work(out, request->source, "image.ptx", err);

	if (!rc && request->built_in)
		rc = target_lower(out, request, err);
	if (rc || chosen == CAPTURE_CUBIN)
		return rc;
	rc = image_bounds_check(out, request, err);
	return rc ? rc : assemble_ptx(out, request, tools, stop, err);
}

/* NVRTC was tried. What it read decides whether the same request ends with nvcc again. */
static void take_back_nvrtc(struct translation *out)
{
	string_list_release(&out->lowered);
	text_clear(&out->messages);
}

/*
 * NVRTC refuses host code and system headers in many words. nvcc judges every file that NVRTC
 * refuses, because it is the reference.
 */
static int translate_auto(struct translation *out, const struct compile_request *request,
			  const struct compile_tools *tools, const volatile int *stop,
			  struct error *err)
{
	struct error cause = {0};
	int rc = translate_with_nvrtc(out, request, tools, stop, &cause);

	if (rc != PL_EPARSE && rc != PL_EUNSUPPORTED) {
		if (rc)
			error_set(err, rc, "%s", cause.text);
		return rc;
	}
	if (!tools->nvcc.length) {
		if (tools->nvrtc.length && tools->helper.length)
			return error_set(err, rc, "%s (there is no nvcc to try)", cause.text);
		return error_set(err, PL_EUNSUPPORTED,
				 "there is no compiler for '%s': neither nvcc nor libnvrtc.so with "
				 "perflab-nvrtc. Install the CUDA toolkit, name its folder in "
				 "$PERFLAB_CUDA_ROOT, or measure a .ptx",
				 request->source);
	}
	take_back_nvrtc(out);
	return translate_with_nvcc(out, request, tools, stop, err);
}

int translate(struct translation *out, const struct compile_request *request,
	      const struct compile_tools *tools, const volatile int *stop, struct error *err)
{
	const char *ending = strrchr(request->source, '.');

	out->tool = "none";
	if (!strcmp(ending, ".cubin"))
		return translate_cubin(out, request, err);
	if (!strcmp(ending, ".ptx") || has_suffix(request->source, CAPTURE_SUFFIX))
		return translate_compiled(out, request, tools, stop, err);
	if (request->tool == COMPILE_NVRTC)
		return translate_with_nvrtc(out, request, tools, stop, err);
	if (request->tool == COMPILE_NVCC)
		return translate_with_nvcc(out, request, tools, stop, err);
	return translate_auto(out, request, tools, stop, err);
}
