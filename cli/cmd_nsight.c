/* perflab nsight: runs cases of a stored run, or of files of the user, under ncu or nsys. */
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "cli/measure_options.h"
#include "db/db.h"
#include "harness/nsight/nsight.h"

struct nsight_options {
	struct case_options cases;
	const char *output, *run, *db;
	bool print;
};

/* A script gets the words as they are; a terminal gets no control bytes of a stored run. */
static int print_command(const struct invocation *call, const struct nsight_request *request,
			 struct error *err)
{
	struct text line = TEXT_INIT, shown = TEXT_INIT;
	struct string_list argv = {0};
	int rc = nsight_command(&argv, request, err);

	for (size_t i = 0; i < argv.count; i++) {
		if (i)
			text_add_char(&line, ' ');
		shell_word(&line, argv.items[i]);
	}
	text_add_escaped(&shown, line.data);
	if (!rc)
		puts(call->terminal.out_width > 0 ? shown.data : line.data);
	text_release(&shown);
	text_release(&line);
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

static bool has_files(const struct string_list *operands)
{
	for (size_t i = 0; i < operands->count; i++)
		if (is_kernel_file(operands->items[i]))
			return true;
	return false;
}

/* Cases of a stored run are named in full, so options that choose cases would have no effect. */
static int check_nsight_options(const struct invocation *call, bool files, struct error *err)
{
	static const struct option_row of_cases[] = {ROWS_CASES(nsight_options)};
	static const char *const of_run[] = {"run", "db"};

	for (size_t i = 0; i < ARRAY_SIZE(of_run) && files; i++)
		if (option_given(call, of_run[i]))
			return error_set(err, PL_EUSAGE,
					 "a file is profiled without a stored run, so --%s has no "
					 "effect",
					 of_run[i]);
	for (size_t i = 0; i < ARRAY_SIZE(of_cases) && !files; i++)
		if (option_given(call, of_cases[i].name))
			return error_set(err, PL_EUSAGE,
					 "--%s works only with a file; cases of a stored run are "
					 "named in full",
					 of_cases[i].name);
	return 0;
}

static int profile(struct invocation *call, const struct nsight_request *request, struct error *err)
{
	const struct nsight_options *options = call->options;

	return options->print ? print_command(call, request, err) : run_and_say(call, request, err);
}

static int profile_files(struct invocation *call, const struct invocation *operands,
			 struct nsight_request request, struct error *err)
{
	const struct nsight_options *options = call->options;
	struct sweep_request sweep;
	int rc;

	sweep_request_init(&sweep);
	rc = case_options_apply(&sweep, operands, &options->cases, err);
	request.sweep = &sweep;
	if (!rc)
		rc = profile(call, &request, err);
	sweep_request_release(&sweep);
	return rc;
}

static int run_nsight(struct invocation *call, struct error *err)
{
	const struct nsight_options *options = call->options;
	struct invocation operands = *call; /* without the name of the tool */
	const struct nsight_request request = {
		.tool = call->operands.items[0],
		.file = options->output,
		.db_path = options->db ? options->db : db_default_path(),
		.run = options->run ? options->run : "last",
		.cases = &operands.operands,
		.extra = &call->rest,
	};
	bool files;
	int rc;

	if (strcmp(request.tool, NSIGHT_COMPUTE) != 0 && strcmp(request.tool, NSIGHT_SYSTEMS) != 0)
		return error_set(err, PL_EUSAGE, "unknown tool \"%s\"; one of: ncu, nsys",
				 request.tool);
	if (!options->output || !*options->output)
		return error_set(err, PL_EUSAGE, "nsight: name the report with -o FILE");
	operands.operands.items++;
	operands.operands.count--;
	files = has_files(&operands.operands);
	rc = check_nsight_options(call, files, err);
	if (rc)
		return rc;
	return files ? profile_files(call, &operands, request, err) : profile(call, &request, err);
}

static const struct option_row nsight_rows[] = {
	ROWS_CASES(nsight_options),
	TEXT_ROW("output", 'o', nsight_options, output, "FILE",
		 "the report to write; .ncu-rep or .nsys-rep is added"),
	TEXT_ROW("run", 'r', nsight_options, run, "RUN",
		 "the run that has the cases (default: last)"),
	TEXT_ROW("db", 0, nsight_options, db, "FILE",
		 "the database (default: $PERFLAB_DB, else perflab.db)"),
	FLAG_ROW("print", 'p', nsight_options, print,
		 "print the command line instead of running it"),
};

static void nsight_defaults(void *context)
{
	struct nsight_options *options = context;

	case_options_init(&options->cases);
}

static const char *const tool_words[] = {NSIGHT_COMPUTE, NSIGHT_SYSTEMS, NULL};

static const struct example nsight_examples[] = {
	{"perflab nsight ncu reduce/shuffle/block=256,n=16777216 -o shuffle",
	 "Nsight Compute on one case of the newest run"},
	{"perflab nsight nsys reduce/shuffle/block=256,n=16777216 -o timeline --run 12",
	 "a timeline, with NVTX ranges for kernel, variant, axes and phase"},
	{"perflab nsight ncu saxpy.cu --block-sizes 256 -o saxpy", "a kernel of your own"},
	{"perflab nsight ncu stream/copy_float4/block=256,n=16777216 -o copy -- --set full",
	 "further options of the tool follow --"},
};

const struct command command_nsight = {
	.name = "nsight",
	.summary = "profile cases of a stored run, or your own files, with Nsight Compute or "
		   "Nsight Systems",
	.operands = "ncu|nsys CASE ...|FILE ... [-- TOOL-OPTION ...]",
	.description =
		"Runs these cases again under the tool, with the seed and cache mode of the run, "
		"and leaves a report to open. A case is written as in a report: "
		"reduce/shuffle/block=256,n=16777216. Nothing is added to the database.\n\n"
		"With FILEs (.cu, .cuh, .ptx, .cubin, .capture) it profiles their cases as "
		"`perflab sweep` would run them, with the same options and selectors, and needs no "
		"stored run.\n\n"
		"The files of a stored run of your own kernels are given to the tool as they were "
		"given to `perflab sweep`, with their annotations and flags, so run this command "
		"in the same folder. A file that changed since the run is refused: sweep it "
		"again.\n\n"
		"The tool is looked for in PATH, CUDA_HOME and the usual folders.",
	.exit_status = "The exit status of the tool, if it ran.",
	OPTIONS_AND_EXAMPLES(nsight_options, nsight_rows, nsight_examples),
	.defaults = nsight_defaults,
	.operand_kind = OPERANDS_WORDS,
	.operand_words = tool_words,
	.operands_least = 2,
	.operands_most = SIZE_MAX,
	.takes_rest = true,
	.run = run_nsight,
};
