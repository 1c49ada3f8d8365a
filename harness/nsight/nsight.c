/* Runs cases of a stored run, or of files of the user, under ncu or nsys. */
#include "harness/nsight/nsight.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/request/request.h"
#include "harness/sources/sources.h"

static bool is_systems(const struct nsight_request *request)
{
	return strcmp(request->tool, NSIGHT_SYSTEMS) == 0;
}

/* ---- the run ---- */

/* PL_EUSAGE, with the nearest names, unless the word is a case of the run. */
static int check_run_case(const struct run *run, const char *word, struct error *err)
{
	const char **names = xcalloc(run->trial_count ? run->trial_count : 1, sizeof(*names));
	struct text near = TEXT_INIT;
	bool found = false;
	int rc = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);

		found |= strcmp(name, word) == 0;
		names[i] = name;
	}
	if (!found && nearest_names(&near, word, names, run->trial_count))
		rc = error_set(err, PL_EUSAGE, "run %lld has no case \"%s\"; did you mean %s?",
			       (long long)run->id, word, near.data);
	else if (!found)
		rc = error_set(
			err, PL_EUSAGE,
			"run %lld has no case \"%s\"; cases are written as %s, and \"perflab "
			"report %lld\" lists them",
			(long long)run->id, word,
			run->trial_count ? names[0] : "KERNEL/VARIANT/CONFIG", (long long)run->id);
	for (size_t i = 0; i < run->trial_count; i++)
		free((char *)names[i]);
	free(names);
	text_release(&near);
	return rc;
}

static int load_profiled_run(struct run *run, const struct nsight_request *request,
			     struct error *err)
{
	struct db *db = NULL;
	int64_t id = 0;
	int rc = db_open(&db, request->db_path, DB_READ, err);

	if (!rc)
		rc = db_run_resolve(db, request->run, &id, err);
	if (!rc)
		rc = run_load(db, id, true, run, err);
	if (!rc && run->traits.emulated)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld is of backend %s, which launches nothing on a GPU: there "
			       "is nothing to profile; its counts are in \"perflab report %lld "
			       "--lines\"",
			       (long long)id, run->backend, (long long)id);
	if (!rc && !run->has_settings)
		rc = error_set(err, PL_EPARSE,
			       "settings of run %lld: they are missing or cannot be read",
			       (long long)id);
	for (size_t i = 0; i < request->cases->count && !rc; i++)
		rc = check_run_case(run, request->cases->items[i], err);
	db_close(db);
	return rc;
}

/*
 * The words of `perflab sweep` for the files that the run measured. PL_EUNSUPPORTED: a file has
 * changed, so a profile would be of other code than the run.
 */
static int load_sources(struct string_list *sources, const struct run *run, struct error *err)
{
	struct sweep_request stored = {0};
	struct key_value_list facts = {0};
	struct kernel_file *files = NULL;
	int rc = source_words_take(&stored, run, err);

	stored.against = NULL; /* one version is profiled, that of now */
	if (!rc)
		rc = request_read_files(&files, &stored, NULL, err);
	source_facts_add(&facts, files);
	if (!rc)
		rc = source_facts_check(run, &facts, err);
	if (!rc)
		source_words_add_arguments(sources, &stored);
	key_value_list_release(&facts);
	kernel_file_free(files);
	sweep_request_release(&stored);
	return rc;
}

/* ---- what to profile ---- */

/* Owns its strings; `settings` is borrowed from the run or the request. */
struct profiled {
	struct run run; /* empty if there is none */
	struct string_list sources, cases;
	const struct measure_settings *settings;
	const char *backend;
};

static void profiled_release(struct profiled *profiled)
{
	string_list_release(&profiled->sources);
	string_list_release(&profiled->cases);
	run_release(&profiled->run);
}

static int load_profiled(struct profiled *out, const struct nsight_request *request,
			 struct error *err)
{
	struct kernel_file *files = NULL;
	struct plan *plan = NULL;
	int rc;

	if (!request->sweep) {
		rc = load_profiled_run(&out->run, request, err);
		if (!rc)
			rc = load_sources(&out->sources, &out->run, err);
		for (size_t i = 0; i < request->cases->count; i++)
			string_list_add(&out->cases, request->cases->items[i]);
		out->settings = &out->run.settings;
		out->backend = out->run.backend;
		return rc;
	}
	rc = request_read_files(&files, request->sweep, NULL, err);
	if (!rc)
		rc = request_plan(&plan, request->sweep, &(struct user_kernels){.now = files}, err);
	/* the tool gets the names of all cases, because each has a range of its own */
	for (size_t i = 0; !rc && i < plan->count; i++) {
		char *name = xasprintf("%s/%s/%s", plan->cases[i].kernel, plan->cases[i].variant,
				       plan->cases[i].config);

		string_list_add(&out->cases, name);
		free(name);
	}
	source_words_add_arguments(&out->sources, request->sweep);
	out->settings = &request->sweep->settings;
	out->backend = BACKEND_CUDA;
	plan_free(plan);
	kernel_file_free(files);
	return rc;
}

/* ---- the tool ---- */

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

static bool find_tool_in_folder(struct text *path, const char *folder, size_t length,
				const char *tool)
{
	text_clear(path);
	text_add_bytes(path, folder, length);
	text_addf(path, "/%s", tool);
	return access(path->data, X_OK) == 0;
}

static bool find_tool_by_pattern(struct text *path, const char *folder, const char *tool)
{
	char *pattern = xasprintf("%s/%s", folder, tool);
	glob_t found = {0};
	bool any = false;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = found.gl_pathc; i > 0 && !any; i--) {
			any = access(found.gl_pathv[i - 1], X_OK) == 0;
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

/* Path of "ncu" or "nsys". PL_EUNSUPPORTED with the remedy when it is not installed. */
static int nsight_find(struct text *path, const char *tool, struct error *err)
{
	const char *cuda_home = getenv("CUDA_HOME"), *rest = getenv("PATH");

	while (rest && *rest) {
		size_t length = strcspn(rest, ":");

		if (length && find_tool_in_folder(path, rest, length, tool))
			return 0;
		rest += length + (rest[length] == ':');
	}
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

/* ---- its command line ---- */

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

static void add_number_option(struct string_list *argv, const char *option, uint64_t value,
			      const char *unit)
{
	char *text = xasprintf("%" PRIu64 "%s", value, unit);

	string_list_add(argv, option);
	string_list_add(argv, text);
	free(text);
}

/* The command line of the tool, which runs a sweep with a temporary database. */
static int nsight_arguments(struct string_list *argv, const struct nsight_request *request,
			    const struct profiled *profiled, const char *tool, const char *db,
			    struct error *err)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length < 0)
		return error_set(err, PL_EIO, "cannot find this program's own path: %s",
				 strerror(errno));
	program[length] = '\0';
	string_list_add(argv, tool);
	if (is_systems(request)) {
		add_words(argv, (const char *const[]){"profile", "-t", "cuda,nvtx",
						      "--force-overwrite", "true", NULL});
	} else {
		add_words(argv, (const char *const[]){"--clock-control", "none", "--nvtx", NULL});
		for (size_t i = 0; i < profiled->cases.count; i++) {
			struct text range = TEXT_INIT;

			add_profile_range(&range, profiled->cases.items[i]);
			string_list_add(argv, "--nvtx-include");
			string_list_add(argv, range.data);
			text_release(&range);
		}
		add_words(argv, (const char *const[]){"--target-processes", "all",
						      "--force-overwrite", NULL});
	}
	string_list_add(argv, "-o");
	string_list_add(argv, request->file);
	for (size_t i = 0; i < request->extra->count; i++)
		string_list_add(argv, request->extra->items[i]);
	string_list_add(argv, program);
	string_list_add(argv, "sweep");
	for (size_t i = 0; i < profiled->sources.count; i++)
		string_list_add(argv, profiled->sources.items[i]);
	for (size_t i = 0; i < profiled->cases.count; i++)
		string_list_add(argv, profiled->cases.items[i]);
	add_words(argv, (const char *const[]){"--metrics", "none", "--rounds", "1", "--ceilings",
					      "never", "--quiet", "--backend", profiled->backend,
					      "--db", db, NULL});
	add_number_option(argv, "--seed", profiled->settings->seed, "");
	add_number_option(argv, "--timeout", (uint64_t)profiled->settings->timeout_ns, "ns");
	add_number_option(argv, "--device", (uint64_t)profiled->settings->device, "");
	add_words(argv, (const char *const[]){
				"--cache", profiled->settings->cache == CACHE_HOT ? "hot" : "cold",
				NULL});
	return 0;
}

int nsight_command(struct string_list *argv, const struct nsight_request *request,
		   struct error *err)
{
	struct text path = TEXT_INIT;
	struct profiled profiled = {0};
	int rc = load_profiled(&profiled, request, err);

	if (!rc) {
		/* without the tool the command line can still be read, or run elsewhere */
		const bool found = nsight_find(&path, request->tool, NULL) == 0;

		rc = nsight_arguments(argv, request, &profiled, found ? path.data : request->tool,
				      "perflab-nsight.db", err);
	}
	text_release(&path);
	profiled_release(&profiled);
	return rc;
}

/* ---- running it ---- */

static int run_tool(struct nsight_result *out, const struct nsight_request *request,
		    const char *tool, const struct string_list *argv, struct error *err)
{
	char **arguments = xcalloc(argv->count + 1, sizeof(*arguments));
	const char *ending = is_systems(request) ? ".nsys-rep" : ".ncu-rep";
	/* the tool adds its ending unless it was given */
	char *path = has_suffix(request->file, ending) ? xstrdup(request->file)
						       : xasprintf("%s%s", request->file, ending);
	int rc = db_path_check_output(path, err);

	memcpy(arguments, argv->items, argv->count * sizeof(*arguments));
	if (!rc) {
		unlink(path); /* an older report must not pass for this one */
		rc = process_run(&out->exit_code, arguments, err);
	}
	if (!rc && access(path, F_OK) == 0)
		out->report = xstrdup(path);
	else if (!rc && out->exit_code == 0)
		rc = error_set(err, PL_EIO,
			       "%s succeeded but wrote no %s; check its messages, and whether the "
			       "folder exists",
			       tool, path);
	free(path);
	free(arguments);
	return rc;
}

static int run_in_folder(struct nsight_result *out, const struct nsight_request *request,
			 const struct profiled *profiled, const char *tool, struct error *err)
{
	struct string_list argv = {0};
	char *folder, *db;
	int rc = temporary_folder_make(&folder, "perflab-nsight", err);

	if (rc)
		return rc;
	db = xasprintf("%s/run.db", folder);
	rc = nsight_arguments(&argv, request, profiled, tool, db, err);
	if (!rc)
		rc = run_tool(out, request, tool, &argv, err);
	folder_remove(folder);
	string_list_release(&argv);
	free(db);
	free(folder);
	return rc;
}

int nsight_run(struct nsight_result *out, const struct nsight_request *request, struct error *err)
{
	struct text path = TEXT_INIT;
	struct profiled profiled = {0};
	int rc = load_profiled(&profiled, request, err);

	out->viewer = is_systems(request) ? "nsys-ui" : "ncu-ui";
	if (!rc)
		rc = nsight_find(&path, request->tool, err);
	if (!rc)
		rc = run_in_folder(out, request, &profiled, path.data, err);
	text_release(&path);
	profiled_release(&profiled);
	return rc;
}

void nsight_result_release(struct nsight_result *result)
{
	free(result->report);
	*result = (struct nsight_result){0};
}
