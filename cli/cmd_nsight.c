/* perflab nsight: runs cases of a stored run again under ncu or nsys. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "cli/nsight.h"
#include "db/db.h"
#include "harness/session/judge.h"

struct nsight_options {
	const char *output, *run, *db;
	bool print;
};

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

static int load_profiled_run(struct run *run, const struct nsight_options *options,
			     const struct string_list *cases, struct error *err)
{
	struct db *db = NULL;
	int64_t id = 0;
	int rc = db_open(&db, options->db ? options->db : db_default_path(), DB_READ, err);

	if (!rc)
		rc = db_run_resolve(db, options->run ? options->run : "last", &id, err);
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
	for (size_t i = 0; i < cases->count && !rc; i++)
		rc = check_run_case(run, cases->items[i], err);
	db_close(db);
	return rc;
}

/* The path of the report: the tool adds its ending unless it was given. */
static char *report_path(const struct nsight_request *request)
{
	const char *ending = request->systems ? ".nsys-rep" : ".ncu-rep";
	size_t length = strlen(request->file), ending_length = strlen(ending);

	if (length > ending_length && strcmp(request->file + length - ending_length, ending) == 0)
		return xstrdup(request->file);
	return xasprintf("%s%s", request->file, ending);
}

static void print_shell_words(const struct string_list *argv)
{
	struct text line = TEXT_INIT;

	for (size_t i = 0; i < argv->count; i++) {
		if (i)
			text_add_char(&line, ' ');
		shell_word(&line, argv->items[i]);
	}
	puts(line.data);
	text_release(&line);
}

static int run_tool(struct invocation *call, const struct nsight_request *request,
		    const struct string_list *argv, struct error *err)
{
	char **arguments = xcalloc(argv->count + 1, sizeof(*arguments));
	char *path = report_path(request);
	int rc;

	memcpy(arguments, argv->items, argv->count * sizeof(*arguments));
	unlink(path); /* an older report must not pass for this one */
	rc = process_run(&call->exit_code, arguments, err);
	if (!rc && access(path, F_OK) == 0)
		say("open it with: %s %s", request->systems ? "nsys-ui" : "ncu-ui", path);
	else if (!rc && call->exit_code == 0)
		rc = error_set(err, PL_EIO,
			       "%s succeeded but wrote no %s; check its messages, and whether the "
			       "folder exists",
			       request->tool, path);
	free(path);
	free(arguments);
	return rc;
}

/* Removes the temporary database of the sweep under the tool. */
static void remove_database(const char *folder, const char *db)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *path = xasprintf("%s%s", db, endings[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
}

static int run_in_folder(struct invocation *call, struct nsight_request *request, struct error *err)
{
	const char *base = getenv("TMPDIR");
	char *folder = xasprintf("%s/perflab-nsight-XXXXXX", base && *base ? base : "/tmp");
	char *db = NULL;
	struct string_list argv = {0};
	int rc = 0;

	if (!mkdtemp(folder)) {
		rc = error_set(err, PL_EIO,
			       "cannot make a folder %s: %s; set TMPDIR to one that can be written",
			       folder, strerror(errno));
		goto out;
	}
	db = xasprintf("%s/run.db", folder);
	request->db = db;
	rc = nsight_arguments(&argv, request, err);
	if (!rc)
		rc = run_tool(call, request, &argv, err);
	remove_database(folder, db);
out:
	string_list_release(&argv);
	free(db);
	free(folder);
	return rc;
}

static int print_only(struct nsight_request *request, struct error *err)
{
	struct string_list argv = {0};
	int rc;

	request->db = "perflab-nsight.db";
	rc = nsight_arguments(&argv, request, err);
	if (!rc)
		print_shell_words(&argv);
	string_list_release(&argv);
	return rc;
}

static int run_nsight(struct invocation *call, struct error *err)
{
	const struct nsight_options *options = call->options;
	const char *tool = call->operands.items[0];
	struct string_list cases = {0};
	struct nsight_request request = {.cases = &cases, .extra = &call->rest};
	struct text path = TEXT_INIT;
	struct run run = {0};
	int rc;

	if (strcmp(tool, "ncu") != 0 && strcmp(tool, "nsys") != 0)
		return error_set(err, PL_EUSAGE, "unknown tool \"%s\"; one of: ncu, nsys", tool);
	if (!options->output || !*options->output)
		return error_set(err, PL_EUSAGE, "nsight: name the report with -o FILE");
	for (size_t i = 1; i < call->operands.count; i++)
		string_list_add(&cases, call->operands.items[i]);
	rc = load_profiled_run(&run, options, &cases, err);
	if (rc)
		goto out;
	rc = nsight_find(&path, tool, err);
	if (rc && options->print) {
		/* the command line can still be read, or run elsewhere */
		text_clear(&path);
		text_add(&path, tool);
		rc = 0;
	}
	if (rc)
		goto out;
	request.systems = strcmp(tool, "nsys") == 0;
	request.tool = path.data;
	request.file = options->output;
	request.backend = run.backend;
	request.settings = &run.settings;
	rc = options->print ? print_only(&request, err) : run_in_folder(call, &request, err);
out:
	text_release(&path);
	string_list_release(&cases);
	run_release(&run);
	return rc;
}

#define FIELD(name) offsetof(struct nsight_options, name)

static const struct option_row rows[] = {
	{"output", 'o', OPTION_TEXT, FIELD(output), "FILE",
	 "the report to write; .ncu-rep or .nsys-rep is added", NULL, 0},
	{"run", 'r', OPTION_TEXT, FIELD(run), "RUN", "the run that has the cases (default: last)",
	 NULL, 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"print", 'p', OPTION_FLAG, FIELD(print), NULL,
	 "print the command line instead of running it", NULL, 0},
};

static const char *const tool_words[] = {"ncu", "nsys", NULL};

static const struct example examples[] = {
	{"perflab nsight ncu reduce/shuffle/block=256,n=16777216 -o shuffle",
	 "Nsight Compute on one case of the newest run"},
	{"perflab nsight nsys reduce/shuffle/block=256,n=16777216 -o timeline --run 12",
	 "a timeline, with NVTX ranges for kernel, variant, axes and phase"},
	{"perflab nsight ncu stream/copy_float4/block=256,n=16777216 -o copy -- --set full",
	 "further options of the tool follow --"},
};

const struct command command_nsight = {
	.name = "nsight",
	.summary = "profile cases of a stored run with Nsight Compute or Nsight Systems",
	.operands = "ncu|nsys CASE ... [-- TOOL-OPTION ...]",
	.description =
		"Runs these cases again under the tool, with the seed and cache mode of the run, "
		"and leaves a report to open. A case is written as in a report: "
		"reduce/shuffle/block=256,n=16777216. Nothing is added to the database.\n\n"
		"The tool is looked for in PATH, CUDA_HOME and the usual folders.",
	.exit_status = "The exit status of the tool, if it ran.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct nsight_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_WORDS,
	.operand_words = tool_words,
	.operands_least = 2,
	.operands_most = SIZE_MAX,
	.takes_rest = true,
	.run = run_nsight,
};
