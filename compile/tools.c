/* Finds the compilers of this machine, and what tells one version of them from another. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "compile/compile_parts.h"

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* Sets *out to the first regular file that matches a pattern of glob(7). */
static bool file_matching(struct text *out, const char *folder, const char *pattern)
{
	char *whole = xasprintf("%s/%s", folder, pattern);
	glob_t found = {0};
	bool is = false;

	if (!glob(whole, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && !is; i++) {
			struct stat status;

			is = !stat(found.gl_pathv[i], &status) && S_ISREG(status.st_mode);
			if (is) {
				text_clear(out);
				text_add(out, found.gl_pathv[i]);
			}
		}
	}
	globfree(&found);
	free(whole);
	return is;
}

/* Adds the real path, size and time of change of a file. */
static void identity_add(struct text *out, const char *path)
{
	char real[PATH_MAX];
	struct stat status;

	if (!realpath(path, real) || stat(real, &status))
		return;
	text_addf(out, "%s %lld %lld.%09ld\n", real, (long long)status.st_size,
		  (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static void identity_add_variable(struct text *out, const char *variable)
{
	const char *value = getenv(variable);

	text_addf(out, "%s=%s\n", variable, value ? value : "");
}

/* Adds the folders that a variable of the environment lists. */
static void folders_of_variable(struct string_list *out, const char *variable, const char *below)
{
	const char *value = getenv(variable);
	struct string_list parts = {0};

	if (!value || !*value)
		return;
	string_list_split(&parts, value, ':');
	for (size_t i = 0; i < parts.count; i++)
		if (*parts.items[i] == '/')
			string_list_addf(out, "%s%s", parts.items[i], below);
	string_list_release(&parts);
}

/* Sets *out to the first program of a list, unless it is set. */
static void program_take(struct text *out, const struct string_list *paths)
{
	for (size_t i = 0; i < paths->count && !out->length; i++)
		if (*paths->items[i] == '/' && is_program(paths->items[i]))
			text_add(out, paths->items[i]);
}

static void helper_find(struct compile_tools *tools)
{
	struct string_list folders = {0};
	const char *forced = getenv("PERFLAB_NVRTC_PROGRAM");

	if (forced && *forced) {
		text_add(&tools->helper, is_program(forced) ? forced : "");
		return;
	}
	if (!install_path(&tools->helper, "bin/perflab-nvrtc", NULL) &&
	    is_program(tools->helper.data))
		return;
	text_clear(&tools->helper);
	folders_of_variable(&folders, "PATH", "/perflab-nvrtc");
	program_take(&tools->helper, &folders);
	string_list_release(&folders);
}

static void headers_find(struct compile_tools *tools)
{
	struct stat status;

	if (install_path(&tools->headers, "share/perflab/nvrtc", NULL) ||
	    stat(tools->headers.data, &status) || !S_ISDIR(status.st_mode))
		text_clear(&tools->headers);
}

/* Asks the helper where the dynamic loader finds the library. */
static void nvrtc_ask_loader(struct compile_tools *tools)
{
	char *argv[] = {tools->helper.data, (char *)"--find", NULL};
	struct text path = TEXT_INIT;

	if (!process_capture(&path, PATH_MAX, argv, NULL) && *path.data == '/') {
		path.data[strcspn(path.data, "\n")] = '\0';
		text_add(&tools->nvrtc, path.data);
	}
	text_release(&path);
}

static void nvrtc_find(struct compile_tools *tools)
{
	static const char *const below[] = {"lib64", "lib", "targets/*/lib"};
	struct string_list roots = {0}, folders = {0};

	folders_of_variable(&roots, "PERFLAB_CUDA_ROOT", "");
	folders_of_variable(&roots, "CUDA_HOME", "");
	string_list_add(&roots, "/usr/local/cuda");
	for (size_t i = 0; i < roots.count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(below); k++)
			string_list_addf(&folders, "%s/%s", roots.items[i], below[k]);
	folders_of_variable(&folders, "LD_LIBRARY_PATH", "");
	for (size_t i = 0; i < folders.count && !tools->nvrtc.length; i++)
		if (!file_matching(&tools->nvrtc, folders.items[i], "libnvrtc.so"))
			file_matching(&tools->nvrtc, folders.items[i], "libnvrtc.so.[0-9]*");
	if (!tools->nvrtc.length && tools->helper.length)
		nvrtc_ask_loader(tools);
	string_list_release(&roots);
	string_list_release(&folders);
}

/* The headers of the toolkit are beside the folder of the library. */
static void nvrtc_describe(struct compile_tools *tools)
{
	static const char *const beside[] = {"../include", "../targets/*/include", "../../include",
					     "../../../include", "../../cuda_runtime/include"};
	char real[PATH_MAX];
	char *end;

	if (!tools->nvrtc.length || !realpath(tools->nvrtc.data, real))
		return;
	identity_add(&tools->nvrtc_identity, real);
	identity_add(&tools->nvrtc_identity, tools->helper.data);
	identity_add_variable(&tools->nvrtc_identity, "NVRTC_APPEND_FLAGS");
	end = strrchr(real, '/');
	*end = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(beside) && !tools->includes.length; i++) {
		char *pattern = xasprintf("%s/cuda_fp16.h", beside[i]);

		if (file_matching(&tools->includes, real, pattern)) {
			char *folder = realpath(tools->includes.data, NULL);

			text_clear(&tools->includes);
			if (folder)
				text_add_bytes(&tools->includes, folder,
					       (size_t)(strrchr(folder, '/') - folder));
			free(folder);
		}
		free(pattern);
	}
}

static void nvcc_find(struct compile_tools *tools)
{
	struct string_list paths = {0};
	const char *forced = getenv("PERFLAB_NVCC");

	if (forced && *forced) {
		text_add(&tools->nvcc, *forced == '/' && is_program(forced) ? forced : "");
		return;
	}
	folders_of_variable(&paths, "PERFLAB_CUDA_ROOT", "/bin/nvcc");
	folders_of_variable(&paths, "PATH", "/nvcc");
	folders_of_variable(&paths, "CUDA_HOME", "/bin/nvcc");
	string_list_add(&paths, "/usr/local/cuda/bin/nvcc");
	program_take(&tools->nvcc, &paths);
	string_list_release(&paths);
}

static void nvcc_describe(struct compile_tools *tools)
{
	/* what selects the host compiler and its headers, or adds flags */
	static const char *const variables[] = {
		"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
		"CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH",    "PATH"};
	static const char *const parts[] = {"ptxas", "cudafe++", "nvcc.profile",
					    "../nvvm/bin/cicc"};
	char *argv[] = {tools->nvcc.data, (char *)"--version", NULL};
	char real[PATH_MAX];

	if (!tools->nvcc.length || !realpath(tools->nvcc.data, real))
		return;
	identity_add(&tools->nvcc_identity, real);
	*strrchr(real, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *path = xasprintf("%s/%s", real, parts[i]);

		identity_add(&tools->nvcc_identity, path);
		if (!i && is_program(path))
			text_add(&tools->ptxas, path);
		free(path);
	}
	/* nvcc may be a script that starts another nvcc */
	process_capture(&tools->nvcc_identity, COMPILE_TEXT_LIMIT, argv, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		identity_add_variable(&tools->nvcc_identity, variables[i]);
}

void compile_tools_find(struct compile_tools *tools)
{
	*tools = (struct compile_tools){TEXT_INIT, TEXT_INIT, TEXT_INIT, TEXT_INIT,
					TEXT_INIT, TEXT_INIT, TEXT_INIT, TEXT_INIT};
	helper_find(tools);
	headers_find(tools);
	nvrtc_find(tools);
	nvrtc_describe(tools);
	nvcc_find(tools);
	nvcc_describe(tools);
}

void compile_tools_release(struct compile_tools *tools)
{
	text_release(&tools->helper);
	text_release(&tools->nvrtc);
	text_release(&tools->includes);
	text_release(&tools->headers);
	text_release(&tools->nvcc);
	text_release(&tools->ptxas);
	text_release(&tools->nvrtc_identity);
	text_release(&tools->nvcc_identity);
}
