/* perflab record: lists the kernels of a running program, or takes them out of it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process.h"
#include "capture/capture.h"
#include "cli/output.h"
#include "cli/recording_table.h"
#include "db/db.h"
#include "harness/record/record.h"

struct record_options {
	struct string_list kernels;
	int64_t launch, every, most, top;
	const char *limit, *output, *from, *show, *db, *label;
	int format;
	bool list, slowest, env, no_preload, overhead, shapes, everything;
};

static void show_record_notice(void *context, const char *line)
{
	(void)context;
	say("%s", line);
}

static const struct record_observer observer = {NULL, show_record_notice};

static const char *recordings_path(const struct record_options *options)
{
	return options->db ? options->db : db_default_path();
}

static struct recording_view view_of(const struct record_options *options, bool with_output)
{
	return (struct recording_view){
		.format = (enum report_format)options->format,
		.top = options->top,
		.shapes = options->shapes,
		.long_names = options->everything,
		.output = with_output && options->list ? options->output : NULL,
	};
}

/* ---- what the options ask for ---- */

/* Refuses options that have no effect on what is asked for. `of` is the option that decides. */
static int check_useless(const struct invocation *call, const char *of, const char *const *useful,
			 struct error *err)
{
	const char *name = option_given_beside(call, of, useful);

	return name ? error_set(err, PL_EUSAGE, "record: --%s has no effect with --%s", name, of)
		    : 0;
}

static int check_which(const struct record_options *options, const struct invocation *call,
		       struct error *err)
{
	if (option_given(call, "launch") + option_given(call, "every") + options->slowest > 1)
		return error_set(err, PL_EUSAGE,
				 "record: give one of --launch, --every and --slowest");
	if (options->slowest && options->env)
		return error_set(err, PL_EUSAGE,
				 "record: --slowest runs the command twice, which --env cannot");
	for (size_t i = 0; i < options->kernels.count; i++)
		if (!*options->kernels.items[i])
			return error_set(err, PL_EUSAGE,
					 "record: an empty pattern selects every "
					 "kernel: write '*'");
	return 0;
}

static int check_command(const struct invocation *call, struct error *err)
{
	const struct record_options *options = call->options;

	if (call->operands.count)
		return error_set(err, PL_EUSAGE,
				 "record: unexpected \"%s\"; write -- before the command",
				 call->operands.items[0]);
	if (options->env || options->from || options->show)
		return call->rest.count ? error_set(err, PL_EUSAGE, "record: --%s runs no command",
						    options->env    ? "env"
						    : options->from ? "from"
								    : "show")
					: 0;
	return call->rest.count
		       ? 0
		       : error_set(err, PL_EUSAGE,
				   "record: give the command after --: perflab record --list -- "
				   "./app");
}

static int check_record_options(const struct invocation *call, struct error *err)
{
	static const char *const of_list[] = {"db",       "label",  "top", "format",
					      "long",     "shapes", "env", "output",
					      "overhead", "from",   NULL};
	static const char *const of_show[] = {"db", "top", "format", "long", "shapes", NULL};
	static const char *const of_from[] = {"list", "db",     "label",  "top", "format",
					      "long", "shapes", "output", NULL};
	static const char *const of_kernel[] = {"launch", "every",  "slowest", "most",
						"limit",  "output", "env",     "no-preload",
						"db",     "label",  NULL};
	static const char *const of_env[] = {"list",    "kernel",     "launch", "every",
					     "slowest", "most",       "limit",  "output",
					     "label",   "no-preload", NULL};
	const struct record_options *options = call->options;
	int rc = check_command(call, err);

	if (!rc && options->env)
		rc = check_useless(call, "env", of_env, err);
	if (rc)
		return rc;
	if (options->show)
		return check_useless(call, "show", of_show, err);
	if (options->from)
		return check_useless(call, "from", of_from, err);
	if (options->list)
		return check_useless(call, "list", of_list, err);
	if (!options->kernels.count)
		return error_set(err, PL_EUSAGE,
				 "record: give --list, or -k PATTERN for the kernels to record");
	rc = check_useless(call, "kernel", of_kernel, err);
	return rc ? rc : check_which(options, call, err);
}

static int request_of(struct record_request *out, const struct invocation *call, struct error *err)
{
	const struct record_options *options = call->options;
	int rc = 0;

	*out = (struct record_request){
		.lists = options->list,
		.patterns = &options->kernels,
		.launch = options->launch,
		.every = options->every,
		.slowest = options->slowest,
		.most = options->most,
		.limit_bytes = RECORD_LIMIT_BYTES,
		.output = options->list && !options->env ? NULL : options->output,
		.label = options->label,
		.no_preload = options->no_preload,
		.overhead = options->overhead,
		.command = &call->rest,
	};
	if (options->limit)
		rc = error_context(err, parse_size(&out->limit_bytes, options->limit, err),
				   "--limit");
	if (!rc && out->limit_bytes < 1)
		rc = error_set(err, PL_EUSAGE, "--limit: give at least 1 byte");
	return rc;
}

/* ---- after the program ---- */

/* What cannot be stored is printed all the same: the program may have run for hours. */
static int store_and_print(struct invocation *call, struct db *db, struct record_result *result,
			   struct error *err)
{
	const struct recording_view view = view_of(call->options, true);
	struct recording *recording = &result->recording;
	struct error unstored = {0};
	int rc = 0;

	if (recording->process_count)
		db_recording_store(db, recording, &unstored);
	if (recording->lists && recording->kernel_count)
		rc = recording_print(call, recording, &view, err);
	if (rc && unstored.code)
		say("the recording is not stored: %s", unstored.text);
	else if (unstored.code)
		rc = error_set(err, unstored.code, "the recording is not stored: %s",
			       unstored.text);
	return rc;
}

static void say_end(const struct record_result *result)
{
	const struct recording *recording = &result->recording;

	if (result->signal)
		say("the command was ended by signal %d (%s)", result->signal,
		    strsignal(result->signal));
	else if (result->exit_code)
		say("the command ended with %d", result->exit_code);
	if (recording->capture_count) {
		struct text path = TEXT_INIT;

		shell_word(&path, recording->captures[0].path);
		say("%zu %s; \"perflab sweep %s\" replays %s", recording->capture_count,
		    recording->capture_count == 1 ? "capture" : "captures", path.data,
		    recording->capture_count == 1 ? "it" : "the first");
		text_release(&path);
	}
}

/* Stores, prints and says what there is. The code of the program goes before perflab's own. */
static int conclude_recording(struct invocation *call, struct db *db, struct record_result *result,
			      struct error *err)
{
	int rc = store_and_print(call, db, result, err);

	say_end(result);
	call->exit_code = result->exit_code;
	if (rc && result->missing.code)
		say("%s", result->missing.text);
	else if (result->missing.code)
		rc = error_set(err, result->missing.code, "%s", result->missing.text);
	if (!rc || !result->exit_code)
		return rc;
	say("%s", err->text);
	return 0;
}

/* ---- the ways to use it ---- */

/* A pipe is not tried: its reader would take that for the end. */
static int check_output(const char *path, struct error *err)
{
	struct stat status;
	struct output output;
	int rc;

	if (!path || (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 0;
	rc = output_open(&output, path, err);

	if (!rc)
		output_discard(&output);
	return rc;
}

/* What is written later is opened first: the program may run for hours. */
static int record_now(struct invocation *call, const struct record_request *request,
		      struct error *err)
{
	struct record_result result = {0};
	struct db *db = NULL;
	int rc = check_output(view_of(call->options, true).output, err);

	if (!rc)
		rc = db_open(&db, recordings_path(call->options), DB_CREATE, err);
	if (rc)
		return rc;
	rc = record_command(&result, request, &observer, err);
	if (!rc) {
		rc = conclude_recording(call, db, &result, err);
	} else if (result.exit_code) {
		/* a program that cannot be started has the exit code that a shell gives it */
		say("%s", err->text);
		call->exit_code = result.exit_code;
		rc = 0;
	}
	record_result_release(&result);
	db_close(db);
	return rc;
}

static int read_left(struct invocation *call, struct error *err)
{
	const struct record_options *options = call->options;
	struct record_result result = {0};
	struct db *db = NULL;
	int rc = db_open(&db, recordings_path(options), DB_CREATE, err);

	if (rc)
		return rc;
	rc = record_read_folder(&result, options->from, &observer, err);
	if (!rc && options->list && !result.recording.lists)
		rc = error_set(err, PL_EUSAGE, "%s was made to record kernels, not to list them",
			       options->from);
	if (!rc && options->label) {
		free(result.recording.label);
		result.recording.label = xstrdup(options->label);
	}
	if (!rc)
		rc = conclude_recording(call, db, &result, err);
	record_result_release(&result);
	db_close(db);
	return rc;
}

static int show_recording(const struct invocation *call, struct error *err)
{
	const struct record_options *options = call->options;
	const struct recording_view view = view_of(options, false);
	struct recording recording;
	struct db *db = NULL;
	int64_t id = 0;
	int rc = db_open(&db, recordings_path(options), DB_READ, err);

	recording_init(&recording);
	if (!rc)
		rc = db_recording_resolve(db, options->show, &id, err);
	if (!rc)
		rc = db_recording_load(db, id, &recording, err);
	if (!rc)
		rc = recording_print(call, &recording, &view, err);
	recording_release(&recording);
	db_close(db);
	return rc;
}

static int run_record(struct invocation *call, struct error *err)
{
	const struct record_options *options = call->options;
	struct record_request request;
	struct text lines = TEXT_INIT;
	int rc = check_record_options(call, err);

	if (!rc)
		rc = output_settle_for(call, view_of(options, true).output, err);
	if (!rc)
		rc = request_of(&request, call, err);
	if (rc)
		return rc;
	if (options->show && has_suffix(options->show, CAPTURE_SUFFIX))
		return capture_print(call, options->show, (enum report_format)options->format, err);
	if (options->show)
		return show_recording(call, err);
	if (options->from)
		return read_left(call, err);
	if (!options->env)
		return record_now(call, &request, err);
	rc = record_environment(&lines, &request, err);
	if (!rc)
		fputs(lines.data, stdout);
	text_release(&lines);
	return rc;
}

static void record_defaults(void *context)
{
	struct record_options *options = context;

	options->launch = 1;
	options->most = RECORD_MOST_CAPTURES;
}

static const struct option_row record_rows[] = {
	FLAG_ROW("list", 'l', record_options, list,
		 "list every kernel with its times, and record none"),
	LIST_ROW("kernel", 'k', record_options, kernels, "PATTERN",
		 "record kernels whose name matches; * and ? stand for parts of the whole name, "
		 "and a pattern without them matches any part of it; case matters; may be "
		 "repeated"),
	COUNT_ROW("launch", 0, record_options, launch, "N", 1,
		  "the launch of each kernel to record"),
	COUNT_ROW("every", 0, record_options, every, "N", 1,
		  "record every Nth launch of each kernel"),
	FLAG_ROW("slowest", 0, record_options, slowest,
		 "record the slowest launch of each kernel; runs the command twice"),
	COUNT_ROW("most", 0, record_options, most, "N", 1, "captures of one process at most"),
	TEXT_ROW("limit", 0, record_options, limit, "SIZE",
		 "memory of one capture at most; a larger launch is not recorded (default: 4Gi)"),
	TEXT_ROW("output", 'o', record_options, output, "NAME",
		 "write NAME.capture, then NAME-2.capture and so on, and replace no file (default: "
		 "the pattern); with --list, the file for the table"),
	COUNT_ROW("top", 'n', record_options, top, "N", 0, "show N kernels at most; 0 means all"),
	FLAG_ROW("shapes", 0, record_options, shapes,
		 "show a row for each grid, block and shared memory"),
	FLAG_ROW("long", 'L', record_options, everything, "show the names of kernels in full"),
	FLAG_ROW("no-preload", 0, record_options, no_preload,
		 "listen to CUPTI, which delays each launch, and leave LD_PRELOAD alone"),
	FLAG_ROW("overhead", 0, record_options, overhead,
		 "run the command once more without the recorder, and compare the times"),
	FLAG_ROW("env", 0, record_options, env,
		 "print variables that attach the recorder, for programs that something else "
		 "starts"),
	TEXT_ROW("from", 0, record_options, from, "FOLDER",
		 "read what these programs left in NAME.recording"),
	TEXT_ROW("show", 0, record_options, show, "NAME",
		 "show a capture (NAME.capture), or a stored recording by its id, label, uid or "
		 "\"last\""),
	TEXT_ROW("label", 0, record_options, label, "TEXT", "a label to store with the recording"),
	TEXT_ROW("db", 0, record_options, db, "FILE", HELP_DB),
	CHOICE_ROW("format", 'f', record_options, format, "FORMAT", table_format_words,
		   HELP_FORMAT),
};

static const struct example record_examples[] = {
	{"perflab record --list -- python train.py", "which kernels take the time of a program"},
	{"perflab record -k softmax -- python train.py",
	 "softmax.capture: the first launch of each kernel with \"softmax\" in it"},
	{"perflab record -k 'void at::native::*' --slowest -o slow -- python train.py",
	 "the slowest launch of each of these kernels"},
	{"perflab record --show softmax.capture", "what a capture holds"},
	{"eval \"$(perflab record --env -k gemm -o gemm)\"",
	 "attach the recorder to what this shell starts from now on"},
	{"perflab record --from gemm.recording", "read what those programs left"},
};

const struct command command_record = {
	.name = "record",
	.summary = "list the kernels of a program, or take them out of it",
	.operands = "--list|-k PATTERN [-- COMMAND ...]",
	.description = "Runs COMMAND, an unmodified CUDA program, and lists its kernels by the "
		       "time that they take, or records launches: a capture holds the machine "
		       "code, the parameters and the memory of one launch, before and after it. "
		       "`perflab sweep NAME.capture` replays it.\n\n"
		       "The program keeps its standard streams, and Ctrl-C goes to it. Lists and "
		       "captures are also stored in the database: see `perflab list recordings` "
		       "and the view program_kernels.\n\n"
		       "A capture contains data of the program. The launch that is recorded waits "
		       "for the GPU; everything else goes on as usual.",
	.exit_status = "That of COMMAND, or 128 and the number of the signal that ended it; 127 if "
		       "there is no such program, 126 if it cannot be started. If COMMAND ended "
		       "with 0: 3 if nothing was recorded, 4 if it cannot be recorded here.",
	OPTIONS_AND_EXAMPLES(record_options, record_rows, record_examples),
	.defaults = record_defaults,
	.operand_kind = OPERANDS_NONE,
	.operands_least = 0,
	.operands_most = SIZE_MAX,
	.takes_rest = true,
	.run = run_record,
};
