/* perflab nsight: runs cases of a stored run again under ncu or nsys. */
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "cli/command.h"
#include "db/db.h"
#include "harness/session/nsight.h"

struct nsight_options {
	const char *output, *run, *db;
	bool print;
};

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

static int print_command(const struct nsight_request *request, struct error *err)
{
	struct string_list argv = {0};
	int rc = nsight_command(&argv, request, err);

	if (!rc)
		print_shell_words(&argv);
	string_list_release(&argv);
	return rc;
}

static int run_and_say(struct invocation *call, const struct nsight_request *request,
		       struct error *err)
{
	struct nsight_result result = {0};
	int rc = nsight_run(&result, request, err);

	call->exit_code = result.exit_code;
	if (result.report)
		say("open it with: %s %s", result.viewer, result.report);
	nsight_result_release(&result);
	return rc;
}

static int run_nsight(struct invocation *call, struct error *err)
{
	const struct nsight_options *options = call->options;
	struct string_list cases = {0};
	const struct nsight_request request = {
		.tool = call->operands.items[0],
		.file = options->output,
		.db_path = options->db ? options->db : db_default_path(),
		.run = options->run ? options->run : "last",
		.cases = &cases,
		.extra = &call->rest,
	};
	int rc;

	if (strcmp(request.tool, NSIGHT_COMPUTE) != 0 && strcmp(request.tool, NSIGHT_SYSTEMS) != 0)
		return error_set(err, PL_EUSAGE, "unknown tool \"%s\"; one of: ncu, nsys",
				 request.tool);
	if (!options->output || !*options->output)
		return error_set(err, PL_EUSAGE, "nsight: name the report with -o FILE");
	for (size_t i = 1; i < call->operands.count; i++)
		string_list_add(&cases, call->operands.items[i]);
	rc = options->print ? print_command(&request, err) : run_and_say(call, &request, err);
	string_list_release(&cases);
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

static const char *const tool_words[] = {NSIGHT_COMPUTE, NSIGHT_SYSTEMS, NULL};

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
		"The files of a run of your own kernels are given to the tool as they were given "
		"to `perflab sweep`, with their annotations and flags, so run this command in the "
		"same folder. A file that changed since the run is refused: sweep it again.\n\n"
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
