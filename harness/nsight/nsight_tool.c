/* Finds ncu and nsys, and writes command lines that limit them to some cases. */
#include "harness/nsight/nsight_tool.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folders of the tools when PATH has none. The last match of a pattern is the newest. */
static const char *const folders[] = {
	"/usr/local/cuda/bin",
	"/usr/local/cuda-*/bin",
	"/opt/cuda/bin",
	"/opt/nvidia/nsight-compute/*",
	"/opt/nvidia/nsight-systems/*/bin",
	"/opt/nvidia/nsight-systems-cli/*/bin",
	"/usr/local/cuda*/nsight-compute*",
	"/usr/local/cuda*/nsight-systems*/bin",
	"/usr/lib/nsight-compute",
	"/usr/lib/nsight-systems/bin",
	"/opt/nvidia/nsight-compute/*/host/target-linux-x64",
};

static bool is_executable(const char *path)
{
	return access(path, X_OK) == 0;
}

static bool find_tool_in_folder(struct text *path, const char *folder, size_t length,
				const char *tool)
{
	text_clear(path);
	text_add_bytes(path, folder, length);
	text_addf(path, "/%s", tool);
	return is_executable(path->data);
}

static bool find_tool_in_path(struct text *path, const char *tool)
{
	const char *rest = getenv("PATH");

	while (rest && *rest) {
		size_t length = strcspn(rest, ":");

		if (length && find_tool_in_folder(path, rest, length, tool))
			return true;
		rest += length + (rest[length] == ':');
	}
	return false;
}

static bool find_tool_by_pattern(struct text *path, const char *folder, const char *tool)
{
	char *pattern = xasprintf("%s/%s", folder, tool);
	glob_t found = {0};
	bool any = false;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = found.gl_pathc; i > 0 && !any; i--) {
			any = is_executable(found.gl_pathv[i - 1]);
			if (any) {
				text_clear(path);
				text_add(path, found.gl_pathv[i - 1]);
			}
		}
	}
	globfree(&found);
	free(pattern);
	return any;
}

int nsight_find(struct text *path, const char *tool, struct error *err)
{
	const char *cuda_home = getenv("CUDA_HOME");

	if (find_tool_in_path(path, tool))
		return 0;
	if (cuda_home && *cuda_home) {
		char *folder = xasprintf("%s/bin", cuda_home);
		bool found = find_tool_in_folder(path, folder, strlen(folder), tool);

		free(folder);
		if (found)
			return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (find_tool_by_pattern(path, folders[i], tool))
			return 0;
	}
	return error_set(err, PL_EUNSUPPORTED,
			 "%s is not installed: install Nsight %s, or put its folder in PATH", tool,
			 strcmp(tool, "ncu") == 0 ? "Compute" : "Systems");
}

/*
 * Adds the nested NVTX ranges of the profile phase of a case: "reduce/shuffle/block=256,n=4096".
 * ncu finds no range within another one of the same name, so a variant with the name of its kernel
 * is left out, and the kernel too: only the cases to profile are executed.
 */
static void add_profile_range(struct text *out, const char *case_name)
{
	const size_t kernel = strcspn(case_name, "/");
	const char *variant = case_name + kernel + (case_name[kernel] == '/');

	if (strncmp(variant, case_name, kernel) == 0 && variant[kernel] == '/')
		case_name = variant + kernel + 1;
	text_add(out, "perflab@");
	for (; *case_name; case_name++)
		text_add_char(out, *case_name == ',' ? '/' : *case_name);
	text_add(out, "/profile/");
}

static void add_words(struct string_list *argv, const char *const *list)
{
	for (; *list; list++)
		string_list_add(argv, *list);
}

static void add_number_option(struct string_list *argv, const char *option, uint64_t value)
{
	char *text = xasprintf("%llu", (unsigned long long)value);

	string_list_add(argv, option);
	string_list_add(argv, text);
	free(text);
}

static void add_timeout(struct string_list *argv, int64_t timeout_ns)
{
	char *text = xasprintf("%" PRId64 "ns", timeout_ns);

	string_list_add(argv, "--timeout");
	string_list_add(argv, text);
	free(text);
}

static void add_tool_words(struct string_list *argv, const struct nsight_words *words)
{
	static const char *const systems[] = {"profile",           "-t",   "cuda,nvtx",
					      "--force-overwrite", "true", NULL};
	static const char *const compute[] = {"--clock-control", "none", "--nvtx", NULL};
	static const char *const compute_end[] = {"--target-processes", "all", "--force-overwrite",
						  NULL};

	string_list_add(argv, words->tool);
	if (words->systems) {
		add_words(argv, systems);
	} else {
		add_words(argv, compute);
		for (size_t i = 0; i < words->cases->count; i++) {
			struct text range = TEXT_INIT;

			add_profile_range(&range, words->cases->items[i]);
			string_list_add(argv, "--nvtx-include");
			string_list_add(argv, range.data);
			text_release(&range);
		}
		add_words(argv, compute_end);
	}
	string_list_add(argv, "-o");
	string_list_add(argv, words->file);
	for (size_t i = 0; i < words->extra->count; i++)
		string_list_add(argv, words->extra->items[i]);
}

int nsight_arguments(struct string_list *argv, const struct nsight_words *words, struct error *err)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length < 0)
		return error_set(err, PL_EIO, "cannot find this program's own path: %s",
				 strerror(errno));
	program[length] = '\0';
	add_tool_words(argv, words);
	string_list_add(argv, program);
	string_list_add(argv, "sweep");
	for (size_t i = 0; i < words->sources->count; i++)
		string_list_add(argv, words->sources->items[i]);
	for (size_t i = 0; i < words->cases->count; i++)
		string_list_add(argv, words->cases->items[i]);
	add_words(argv, (const char *const[]){"--metrics", "none", "--rounds", "1", "--ceilings",
					      "never", "--quiet", "--backend", words->backend,
					      "--db", words->db, NULL});
	add_number_option(argv, "--seed", words->settings->seed);
	add_timeout(argv, words->settings->timeout_ns);
	add_number_option(argv, "--device", (uint64_t)words->settings->device);
	add_words(argv, (const char *const[]){"--cache",
					      words->settings->cache == CACHE_HOT ? "hot" : "cold",
					      NULL});
	return 0;
}
