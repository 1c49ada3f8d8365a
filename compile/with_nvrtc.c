/* Compiles with NVRTC, in the program perflab-nvrtc. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

static int nvrtc_flags_add(struct string_list *argv, const struct translation *in,
			   struct error *err)
{
	const char *includes = in->tools->includes.data, *headers = in->tools->headers.data;
	const struct compile_request *request = in->request;
	struct string_list folders = {0};
	int rc;

	if (request->cubin)
		string_list_addf(argv, "--gpu-architecture=%s", request->arch);
	else
		string_list_addf(argv, "--gpu-architecture=compute_%s", request->arch + 3);
	string_list_add(argv, "-lineinfo");
	rc = compile_flags_add(argv, &folders, request, COMPILE_NVRTC, err);
	/* behind the folders of the user, as nvcc has them; last what nvcc takes from the system */
	if (*includes) {
		string_list_addf(argv, "-I%s", includes);
		string_list_addf(argv, "-I%s/cccl", includes);
	}
	if (*headers)
		string_list_addf(argv, "-I%s", headers);
	string_list_release(&folders);
	return rc;
}

/* Splits a file in the work folder into its lines; without the file there are none. */
static void work_file_lines(struct string_list *lines, const struct translation *translation,
			    const char *name)
{
	char *path = xasprintf("%s/%s", translation->work, name), *text = NULL;
	size_t length;

	if (!read_file(&text, &length, path, COMPILE_IMAGE_LIMIT, NULL))
		string_list_split(lines, text, '\n');
	free(text);
	free(path);
}

/* A record that lacks the source itself is not to be trusted: "?" is a file that never matches. A
 * file that was refused has no image, so its record may be short. */
static void nvrtc_files_take(struct translation *out, const char *source, bool compiled)
{
	struct string_list lines = {0};
	bool has_source = false;

	work_file_lines(&lines, out, "files");
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
}

static void nvrtc_names_take(struct translation *out)
{
	const struct compile_request *request = out->request;
	struct string_list lines = {0};
	size_t line = 0;

	work_file_lines(&lines, out, "names");
	for (size_t i = 0; i < request->entries.count; i++) {
		bool instance = entry_is_instance(request->entries.items[i]);

		string_list_add(&out->lowered,
				instance && line < lines.count ? lines.items[line] : "");
		line += instance;
	}
	string_list_release(&lines);
}

/* NVRTC numbers the wanted instances in an order of its own, from line 2 on, and shows each. */
static void name_map_hide(struct translation *out)
{
	const struct compile_request *request = out->request;
	char *to = xasprintf("%s: the wanted instance", request->source);

	for (size_t i = 0; i <= request->entries.count; i++) {
		char *from = xasprintf("__nv_name_map(%zu)", i + 1);

		messages_replace(&out->messages, 0, from, to);
		free(from);
	}
	free(to);
}

int translate_with_nvrtc(struct translation *out, struct error *err)
{
	const struct compile_request *request = out->request;
	struct string_list argv = {0};
	enum tool_end end;
	int rc;

	if (!out->tools->helper.length)
		return error_set(
			err, PL_EUNSUPPORTED,
			"there is no program perflab-nvrtc beside perflab: build perflab's "
			"target all");
	if (!out->tools->nvrtc.length)
		return error_set(err, PL_EUNSUPPORTED,
				 "there is no libnvrtc.so: install the CUDA toolkit, or name its "
				 "folder in $PERFLAB_CUDA_ROOT");
	out->tool = "nvrtc";
	string_list_add(&argv, out->tools->helper.data);
	string_list_add(&argv, out->tools->nvrtc.data);
	string_list_add(&argv, request->source);
	string_list_add(&argv, out->work);
	for (size_t i = 0; i < request->entries.count; i++) {
		if (entry_is_instance(request->entries.items[i]))
			string_list_add(&argv, request->entries.items[i]);
	}
	string_list_add(&argv, "--");
	rc = nvrtc_flags_add(&argv, out, err);
	if (!rc) {
		end = tool_run(&out->messages, &argv, out);
		name_map_hide(out);
		rc = translation_end(out, end, "NVRTC", err);
		nvrtc_files_take(out, request->source, !rc);
		nvrtc_names_take(out);
	}
	string_list_release(&argv);
	return rc;
}
