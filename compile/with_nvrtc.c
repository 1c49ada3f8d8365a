/* Compiles with NVRTC, in the program perflab-nvrtc. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

static void nvrtc_folder_add(struct string_list *argv, const char *folder, const char *below)
{
	char *flag = xasprintf("-I%s%s", folder, below);

	string_list_add(argv, flag);
	free(flag);
}

static int nvrtc_flags_add(struct string_list *argv, const struct compile_request *request,
			   const struct compile_tools *tools, struct error *err)
{
	struct string_list folders = {0};
	char *arch = request->cubin ? xasprintf("--gpu-architecture=%s", request->arch)
				    : xasprintf("--gpu-architecture=compute_%s", request->arch + 3);
	int rc;

	string_list_add(argv, arch);
	string_list_add(argv, "-lineinfo");
	rc = compile_flags_add(argv, &folders, request, COMPILE_NVRTC, err);
	/* behind the folders of the user, as nvcc has them; last what nvcc takes from the system */
	if (tools->includes.length) {
		nvrtc_folder_add(argv, tools->includes.data, "");
		nvrtc_folder_add(argv, tools->includes.data, "/cccl");
	}
	if (tools->headers.length)
		nvrtc_folder_add(argv, tools->headers.data, "");
	string_list_release(&folders);
	free(arch);
	return rc;
}

/* Returns the text of a file in the work folder, or NULL. */
static char *work_file(const struct translation *translation, const char *name)
{
	char *path = xasprintf("%s/%s", translation->work, name), *text = NULL;
	size_t length;

	if (read_file(&text, &length, path, COMPILE_IMAGE_LIMIT, NULL))
		text = NULL;
	free(path);
	return text;
}

/* A record that lacks the source itself is not to be trusted: "?" is a file that never matches. A
 * file that was refused has no image, so its record may be short. */
static void nvrtc_files_take(struct translation *out, const char *source, bool compiled)
{
	char *text = work_file(out, "files");
	struct string_list lines = {0};
	bool has_source = false;

	if (text)
		string_list_split(&lines, text, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const char *path = lines.items[i] + 1;

		if (lines.items[i][0] == '+') {
			has_source |= !strcmp(path, source);
			string_list_add(&out->read, path);
		} else if (lines.items[i][0] == '-' && *path == '/') {
			string_list_add(&out->absent, path);
		}
	}
	if (!has_source && compiled)
		string_list_add(&out->read, "?");
	string_list_release(&lines);
	free(text);
}

static void nvrtc_names_take(struct translation *out, const struct compile_request *request)
{
	char *text = work_file(out, "names");
	struct string_list lines = {0};
	size_t line = 0;

	if (text)
		string_list_split(&lines, text, '\n');
	for (size_t i = 0; i < request->entries.count; i++) {
		bool instance = entry_is_instance(request->entries.items[i]);

		string_list_add(&out->lowered,
				instance && line < lines.count ? lines.items[line] : "");
		line += instance;
	}
	string_list_release(&lines);
	free(text);
}

/* NVRTC numbers the wanted instances in an order of its own, from line 2 on, and shows each. */
static void name_map_hide(struct translation *out, const struct compile_request *request)
{
	for (size_t i = 0; i <= request->entries.count; i++) {
		char *from = xasprintf("__nv_name_map(%zu)", i + 1);
		char *to = xasprintf("%s: the wanted instance", request->source);

		messages_replace(&out->messages, 0, from, to);
		free(from);
		free(to);
	}
}

int translate_with_nvrtc(struct translation *out, const struct compile_request *request,
			 const struct compile_tools *tools, const volatile int *stop,
			 struct error *err)
{
	struct string_list argv = {0};
	enum tool_end end;
	int rc;

	if (!tools->helper.length)
		return error_set(
			err, PL_EUNSUPPORTED,
			"there is no program perflab-nvrtc beside perflab: build perflab's "
			"target all");
	if (!tools->nvrtc.length)
		return error_set(err, PL_EUNSUPPORTED,
				 "there is no libnvrtc.so: install the CUDA toolkit, or name its "
				 "folder in $PERFLAB_CUDA_ROOT");
	out->tool = "nvrtc";
	string_list_add(&argv, tools->helper.data);
	string_list_add(&argv, tools->nvrtc.data);
	string_list_add(&argv, request->source);
	string_list_add(&argv, out->work);
	for (size_t i = 0; i < request->entries.count; i++) {
		if (entry_is_instance(request->entries.items[i]))
			string_list_add(&argv, request->entries.items[i]);
	}
	string_list_add(&argv, "--");
	rc = nvrtc_flags_add(&argv, request, tools, err);
	if (!rc) {
		end = tool_run(&out->messages, &argv, out->work, compile_limit_ns(request), stop);
		name_map_hide(out, request);
		rc = translation_end(out, end, request, "NVRTC", err);
		nvrtc_files_take(out, request->source, !rc);
		nvrtc_names_take(out, request);
	}
	string_list_release(&argv);
	return rc;
}
