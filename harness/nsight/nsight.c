/* Runs cases of a stored run, or of files of the user, under ncu or nsys. */
#include "harness/nsight/nsight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/nsight/nsight_tool.h"
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

	if (!rc)
		rc = request_read_files(&files, &stored, err);
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

static int load_stored(struct profiled *out, const struct nsight_request *request,
		       struct error *err)
{
	int rc = load_profiled_run(&out->run, request, err);

	if (!rc)
		rc = load_sources(&out->sources, &out->run, err);
	for (size_t i = 0; i < request->cases->count; i++)
		string_list_add(&out->cases, request->cases->items[i]);
	out->settings = &out->run.settings;
	out->backend = out->run.backend;
	return rc;
}

/* The tool gets the names of all cases, because each has a range of its own. */
static int plan_profiled(struct profiled *out, const struct sweep_request *request,
			 struct error *err)
{
	struct kernel_file *files = NULL;
	struct plan *plan = NULL;
	int rc = request_read_files(&files, request, err);

	if (!rc)
		rc = request_plan(&plan, request, files, err);
	for (size_t i = 0; !rc && i < plan->count; i++) {
		char *name = xasprintf("%s/%s/%s", plan->cases[i].kernel, plan->cases[i].variant,
				       plan->cases[i].config);

		string_list_add(&out->cases, name);
		free(name);
	}
	source_words_add_arguments(&out->sources, request);
	out->settings = &request->settings;
	out->backend = BACKEND_CUDA;
	plan_free(plan);
	kernel_file_free(files);
	return rc;
}

static int load_profiled(struct profiled *out, const struct nsight_request *request,
			 struct error *err)
{
	return request->sweep ? plan_profiled(out, request->sweep, err)
			      : load_stored(out, request, err);
}

static struct nsight_words words_of(const struct nsight_request *request,
				    const struct profiled *profiled, const char *tool,
				    const char *db)
{
	return (struct nsight_words){
		.systems = is_systems(request),
		.tool = tool,
		.file = request->file,
		.db = db,
		.backend = profiled->backend,
		.sources = &profiled->sources,
		.cases = &profiled->cases,
		.extra = request->extra,
		.settings = profiled->settings,
	};
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
		const struct nsight_words words = words_of(
			request, &profiled, found ? path.data : request->tool, "perflab-nsight.db");

		rc = nsight_arguments(argv, &words, err);
	}
	text_release(&path);
	profiled_release(&profiled);
	return rc;
}

/* ---- the tool ---- */

/* The path of the report: the tool adds its ending unless it was given. */
static char *report_path(const struct nsight_words *words)
{
	const char *ending = words->systems ? ".nsys-rep" : ".ncu-rep";
	size_t length = strlen(words->file), ending_length = strlen(ending);

	if (length > ending_length && strcmp(words->file + length - ending_length, ending) == 0)
		return xstrdup(words->file);
	return xasprintf("%s%s", words->file, ending);
}

static int run_tool(struct nsight_result *out, const struct nsight_words *words,
		    const struct string_list *argv, struct error *err)
{
	char **arguments = xcalloc(argv->count + 1, sizeof(*arguments));
	char *path = report_path(words);
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
			       words->tool, path);
	free(path);
	free(arguments);
	return rc;
}

static int run_in_folder(struct nsight_result *out, const struct nsight_request *request,
			 const struct profiled *profiled, const char *tool, struct error *err)
{
	struct string_list argv = {0};
	struct nsight_words words;
	char *folder, *db;
	int rc = temporary_folder_make(&folder, "perflab-nsight", err);

	if (rc)
		return rc;
	db = xasprintf("%s/run.db", folder);
	words = words_of(request, profiled, tool, db);
	rc = nsight_arguments(&argv, &words, err);
	if (!rc)
		rc = run_tool(out, &words, &argv, err);
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
