/* What the results of a case are compared with, also by a program of the user. */
#include "harness/workers/expected.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/protocol/messages.h"
#include "harness/workers/case_buffers.h"
#include "kernels/check_expression.h"
#include "kernels/npy.h"

/* How much of the program's output is kept for a message. */
#define OUTPUT_KEPT 4096

struct check_folders {
	char *root, *inputs, *results;
	int lock;
};

/* ---- the end of the worker ---- */

/* perflab asks a worker to end by SIGTERM. Its program and its folders must not outlive it. */
static volatile int end_asked;

static void ask_for_end(int signal)
{
	(void)signal;
	end_asked = 1;
}

/* ---- the folders ---- */

static int folders_make(struct check_folders *out, struct error *err)
{
	int rc = held_folder_make(&out->root, &out->lock, WORKER_CHECK_FOLDER, err);

	if (rc)
		return rc;
	out->inputs = xasprintf("%s/inputs", out->root);
	out->results = xasprintf("%s/results", out->root);
	if (mkdir(out->inputs, 0700) || mkdir(out->results, 0700))
		return error_set(err, PL_EIO, "cannot make a folder in %s: %s", out->root,
				 strerror(errno));
	return 0;
}

static void folders_remove(struct check_folders *folders)
{
	if (folders->root)
		folder_remove(folders->root);
	if (folders->lock >= 0)
		close(folders->lock);
	free(folders->inputs);
	free(folders->results);
	free(folders->root);
}

static int write_inputs(const struct check_folders *folders, const struct launch_case *work,
			const struct host_buffers *inputs, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0 && !end_asked; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		char *path;

		if (!case_buffer_is_input(buffer))
			continue;
		path = xasprintf("%s/%s.npy", folders->inputs, buffer->name);
		rc = npy_write(path, buffer->type, inputs->data[b], buffer->length, err);
		free(path);
	}
	return rc;
}

static int read_results(const struct check_folders *folders, const struct launch_case *work,
			struct host_buffers *expected, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0 && !end_asked; b++) {
		const struct case_buffer *buffer = &work->buffers[b];
		char *path;

		if (!case_buffer_is_result(buffer) || case_check_item(&work->check, b))
			continue;
		path = xasprintf("%s/%s.npy", folders->results, buffer->name);
		rc = npy_load(expected->data[b], buffer->type, buffer->length, path, err);
		if (rc == PL_ENOENT)
			rc = error_set(err, PL_EUSAGE,
				       "it wrote no %s.npy into the folder $PERFLAB_RESULTS",
				       buffer->name);
		free(path);
	}
	return rc;
}

/* ---- the program ---- */

static void variable_add(struct string_list *out, const char *name, const char *value)
{
	char *variable = xasprintf("%s=%s", name, value);

	string_list_add(out, variable);
	free(variable);
}

/* What the program knows of the case, besides the files. */
static void variables_make(struct string_list *out, const struct check_folders *folders,
			   const struct launch_case *work)
{
	struct text config = TEXT_INIT;

	axes_text(&config, work->axes, work->axis_count);
	variable_add(out, "PERFLAB_INPUTS", folders->inputs);
	variable_add(out, "PERFLAB_RESULTS", folders->results);
	variable_add(out, "PERFLAB_KERNEL", work->kernel);
	variable_add(out, "PERFLAB_VARIANT", work->variant);
	variable_add(out, "PERFLAB_CONFIG", config.data ? config.data : "");
	for (size_t i = 0; i < work->axis_count; i++) {
		char *name = xasprintf("PERFLAB_AXIS_%s", work->axes[i].name);
		char *value = xasprintf("%" PRId64, work->axes[i].value);

		variable_add(out, name, value);
		free(name);
		free(value);
	}
	text_release(&config);
}

/* The last line that is not empty. */
static const char *last_line(struct text *kept)
{
	const char *line;

	while (kept->length && strchr(" \n\r\t", kept->data[kept->length - 1]))
		kept->data[--kept->length] = '\0';
	if (!kept->length)
		return "it printed nothing";
	line = strrchr(kept->data, '\n');
	return line ? line + 1 : kept->data;
}

/* ---- the whole ---- */

static int run_program(const struct check_folders *folders, const struct launch_case *work,
		       int64_t end_ns, struct error *err)
{
	char *argv[] = {"/bin/sh", "-c", (char *)work->check.command, NULL};
	const char *folder = work->check.folder;
	const int64_t begin_ns = monotonic_ns();
	struct string_list variables = {0};
	const struct limited_program program = {.argv = argv,
						.folder = folder,
						.variables = &variables,
						.end_ns = end_ns,
						.stop = &end_asked,
						.output_limit = OUTPUT_KEPT,
						.keep_last = true};
	struct text said = TEXT_INIT;
	char allowed[32];
	int status, rc = 0;

	variables_make(&variables, folders, work);
	switch (process_limited(&said, &status, &program)) {
	case PROGRAM_NOT_STARTED:
		rc = error_set(err, PL_EUSAGE, "cannot start /bin/sh in the folder %s: %s",
			       folder ? folder : ".", strerror(status));
		break;
	case PROGRAM_LATE:
	case PROGRAM_STOPPED:
		format_duration(allowed, end_ns > begin_ns ? (double)(end_ns - begin_ns) : 0);
		rc = error_set(
			err, PL_EUSAGE,
			"it ran longer than %s: a program and what its phase did before have "
			"5/6 of --timeout, 50 s at most",
			allowed);
		break;
	case PROGRAM_EXITED:
		if (WIFSIGNALED(status))
			rc = error_set(err, PL_EUSAGE, "signal %d ended it: %s", WTERMSIG(status),
				       last_line(&said));
		else if (WEXITSTATUS(status))
			rc = error_set(err, PL_EUSAGE, "it ended with %d: %s", WEXITSTATUS(status),
				       last_line(&said));
		break;
	}
	string_list_release(&variables);
	text_release(&said);
	return rc;
}

int check_command_run(const struct launch_case *work, const struct host_buffers *inputs,
		      struct host_buffers *expected, int64_t end_ns, struct error *err)
{
	struct sigaction action = {.sa_handler = ask_for_end}, old;
	struct check_folders folders = {.lock = -1};
	int rc;

	sigemptyset(&action.sa_mask);
	end_asked = 0;
	sigaction(SIGTERM, &action, &old);
	/* a program that kills its guard leaves its processes to this one, which has no others */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = folders_make(&folders, err);
	if (rc == 0)
		rc = write_inputs(&folders, work, inputs, err);
	if (rc == 0)
		rc = run_program(&folders, work, end_ns, err);
	process_children_end();
	if (rc == 0)
		rc = read_results(&folders, work, expected, err);
	folders_remove(&folders);
	/* ends this process as the signal would have done, if it came */
	sigaction(SIGTERM, &old, NULL);
	if (end_asked)
		raise(SIGTERM);
	return error_context(err, rc, "verify by %s", work->check.command);
}

/* The longest that a program that verifies may run. */
#define PROGRAM_MOST_NS INT64_C(50000000000)

/* ---- kinds of checks ---- */

bool case_is_checked(const struct launch_case *work)
{
	return work->check.kind != CHECK_NONE;
}

bool case_check_follows_inputs(const struct launch_case *work)
{
	return case_is_checked(work) && !case_check_has_file(&work->check);
}

const char *case_wrong_again(const struct launch_case *work)
{
	return case_check_follows_inputs(work) ? "right for the first inputs, but wrong for others"
					       : "right in the first execution, but wrong in the "
						 "second with the same inputs";
}

enum trial_status case_unverified(const struct launch_case *work, struct text *reason)
{
	text_add(reason, case_captured_buffer(work)
				 ? "the recorded launch changed no memory, so nothing shows that "
				   "the replay is right: record another launch (perflab record "
				   "--launch)"
				 : "verify none: the result was not compared with anything");
	return TRIAL_UNVERIFIED;
}

bool case_has_reference(const struct launch_case *work)
{
	return work->check.kind == CHECK_LAUNCHES;
}

struct launch_case case_reference(const struct launch_case *work)
{
	struct launch_case reference = *work;

	reference.launches = work->check.launches;
	reference.launch_count = work->check.launch_count;
	if (work->check.image)
		reference.image = work->check.image;
	reference.check = (struct case_check){.kind = CHECK_NONE};
	return reference;
}

/* ---- computing ---- */

static int compute_by_oracle(const struct launch_case *work, const struct host_buffers *inputs,
			     struct host_buffers *expected, struct error *err)
{
	const struct kernel_oracle *oracle = kernel_find_oracle(work->oracle);

	if (!oracle)
		return error_set(err, PL_ENOENT,
				 "this worker has no oracle '%s': use perflab and the worker of "
				 "one installation",
				 work->oracle);
	return kernel_oracle_compute(oracle, work, inputs, expected, err);
}

static int compute_by_expression(const struct launch_case *work, const struct case_check_item *item,
				 const struct host_buffers *inputs, struct host_buffers *expected,
				 struct error *err)
{
	struct check_buffer_name buffers[KERNEL_MAX_BUFFERS];
	const char *axes[KERNEL_MAX_CASE_AXES];
	const struct check_names names = {buffers, work->buffer_count, axes, work->axis_count,
					  false};
	struct check_expression *expression = NULL;
	struct text shown = TEXT_INIT;
	int rc;

	for (size_t b = 0; b < work->buffer_count; b++)
		buffers[b] = (struct check_buffer_name){
			work->buffers[b].name, work->buffers[b].type, work->buffers[b].role};
	for (size_t a = 0; a < work->axis_count; a++)
		axes[a] = work->axes[a].name;
	rc = check_expression_parse(&expression, item->text, &names, err);
	if (rc == 0)
		rc = check_expression_compute(expression, work, inputs, item->buffer,
					      expected->data[item->buffer], err);
	check_expression_free(expression);
	case_add_beginning(&shown, item->text);
	error_context(err, rc, "verify %s = %s", work->buffers[item->buffer].name, shown.data);
	text_release(&shown);
	return rc;
}

/* A result that no item describes cannot be compared. */
static int check_all_described(const struct launch_case *work, struct error *err)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (case_buffer_is_result(&work->buffers[b]) && !case_check_item(&work->check, b))
			return error_set(
				err, PL_EUSAGE,
				"nothing verifies the result '%s': add a line verify %s = …",
				work->buffers[b].name, work->buffers[b].name);
	return 0;
}

int case_expected_items(const struct launch_case *work, const struct case_capture *from,
			const struct host_buffers *inputs, struct host_buffers *expected,
			struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < work->check.item_count && rc == 0; i++) {
		const struct case_check_item *item = &work->check.items[i];

		if (!case_check_item_is_file(&work->check, i))
			rc = compute_by_expression(work, item, inputs, expected, err);
		else if (case_result_is_recorded(work, item->buffer))
			rc = case_capture_read(from, item->buffer, CAPTURE_AFTER,
					       expected->data[item->buffer], err);
		else
			rc = npy_load(expected->data[item->buffer],
				      work->buffers[item->buffer].type,
				      work->buffers[item->buffer].length, item->text, err);
	}
	return rc;
}

int64_t case_check_end_ns(int64_t timeout_ns)
{
	const int64_t share_ns = timeout_ns - timeout_ns / 6;

	return monotonic_ns() + (share_ns < PROGRAM_MOST_NS ? share_ns : PROGRAM_MOST_NS);
}

int case_expected_compute(const struct launch_case *work, const struct case_capture *from,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  int64_t command_end_ns, struct error *err)
{
	int rc;

	switch (work->check.kind) {
	case CHECK_ORACLE:
		return compute_by_oracle(work, inputs, expected, err);
	case CHECK_EXPRESSION:
	case CHECK_FILE:
		rc = check_all_described(work, err);
		return rc ? rc : case_expected_items(work, from, inputs, expected, err);
	case CHECK_COMMAND:
		rc = check_command_run(work, inputs, expected, command_end_ns, err);
		return rc ? rc : case_expected_items(work, from, inputs, expected, err);
	case CHECK_LAUNCHES:
	case CHECK_NONE:
		break;
	}
	return error_set(err, PL_EUSAGE, "this check is not computed on the host");
}
