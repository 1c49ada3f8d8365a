/* Runs a program under the recorder. */
#include "harness/session/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/process.h"
#include "capture/capture.h"
#include "harness/session/record_ends.h"
#include "harness/session/record_folder.h"
#include "perflab_config.h"

#define INJECTION "CUDA_INJECTION64_PATH"
#define FOLDER_VARIABLE "PERFLAB_RECORD"
#define FOLDER_SUFFIX ".recording"
#define DEFAULT_NAME "perflab"
#define DEFAULT_NAME_MOST 64
/* File systems take 255 bytes; "-12345678.capture.part-12345678-12345678" follows. */
#define CAPTURE_NAME_MOST 200

static void record_say(const struct record_observer *observer, const char *line)
{
	observer->notice(observer->context, line);
}

/* ---- before the program runs ---- */

static int refuse_other_tool(struct error *err)
{
	const char *tool = getenv(INJECTION), *folder = getenv(FOLDER_VARIABLE);

	if (!tool || !*tool)
		return 0;
	if (folder && *folder)
		return error_set(err, PL_EUNSUPPORTED,
				 "the recorder is attached already, by the variables of \"perflab "
				 "record --env\": run \"unset " INJECTION " " FOLDER_VARIABLE
				 "\" first");
	return error_set(err, PL_EUNSUPPORTED,
			 INJECTION " is set to %s: another tool is attached, and CUPTI serves only "
				   "one; run perflab without it",
			 tool);
}

/* "at::native::*softmax*" becomes "at_native_softmax". */
static char *name_of_pattern(const char *pattern)
{
	struct text name = TEXT_INIT;
	bool gap = false;

	for (; *pattern && name.length < DEFAULT_NAME_MOST; pattern++) {
		const bool plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789_",
					  *pattern) != NULL;

		if (plain && gap && name.length)
			text_add_char(&name, '_');
		if (plain)
			text_add_char(&name, *pattern);
		gap = !plain;
	}
	if (!name.length)
		text_add(&name, DEFAULT_NAME);
	return text_detach(&name);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/* A folder is none. */
static bool is_capture_name(const char *name)
{
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strlen(name) <= CAPTURE_NAME_MOST;
}

/* The absolute path of the captures without their suffix, malloc'd. The folder must exist. */
static int captures_prefix(char **out, const struct record_request *request, struct error *err)
{
	char *name = request->output ? xstrdup(request->output)
		     : request->lists || !request->patterns->count
			     ? xstrdup(DEFAULT_NAME)
			     : name_of_pattern(request->patterns->items[0]);
	char *slash = strrchr(name, '/'), folder[PATH_MAX];
	int rc = 0;

	*out = NULL;
	if (has_suffix(name, CAPTURE_SUFFIX))
		name[strlen(name) - strlen(CAPTURE_SUFFIX)] = '\0';
	if (!is_capture_name(slash ? slash + 1 : name) || !is_printable(name)) {
		rc = error_set(err, PL_EUSAGE,
			       "'%.80s' is no name for a capture: -o takes a path without "
			       ".capture, such as softmax or runs/softmax, whose name has at most "
			       "%d bytes",
			       request->output ? request->output : name, CAPTURE_NAME_MOST);
	} else {
		if (slash)
			*slash = '\0';
		if (!realpath(!slash          ? "."
			      : slash == name ? "/"
					      : name,
			      folder) ||
		    access(folder, W_OK))
			rc = error_set(err, PL_EIO, "cannot write captures in %s: %s",
				       slash ? name : ".", strerror(errno));
		else
			*out = xasprintf("%s/%s", strcmp(folder, "/") ? folder : "",
					 slash ? slash + 1 : name);
	}
	free(name);
	return rc;
}

static char *command_text(const struct string_list *command)
{
	struct text text = TEXT_INIT;

	for (size_t i = 0; i < command->count; i++) {
		if (i)
			text_add_char(&text, ' ');
		shell_word(&text, command->items[i]);
	}
	return text_detach(&text);
}

static int describe_recording(struct recording *recording, const struct record_request *request,
			      struct error *err)
{
	struct utsname host;

	recording->started_ns = wall_time_ns();
	recording->label = request->label ? xstrdup(request->label) : NULL;
	recording->version = xstrdup(PERFLAB_VERSION);
	if (request->command)
		recording->command = command_text(request->command);
	if (uname(&host) == 0)
		recording->host = xstrdup(host.nodename);
	return uid_make(recording->uid, err);
}

/* Borrowed from record_command(), except the path of the recorder. */
struct attachment {
	const char *folder, *prefix;
	struct text recorder;
};

static int write_request(const struct attachment *attachment, const struct record_request *request,
			 const struct recording *recording, bool announce,
			 const struct chosen_launch *chosen, size_t chosen_count, struct error *err)
{
	struct text cupti = TEXT_INIT;
	const struct folder_request folder = {
		.request = request,
		.prefix = attachment->prefix,
		.cupti = cupti_find(&cupti) ? cupti.data : NULL,
		.announce = announce,
		.chosen = chosen,
		.chosen_count = chosen_count,
	};
	int rc = record_folder_write(attachment->folder, &folder, recording, err);

	text_release(&cupti);
	return rc;
}

/* ---- one run of the program ---- */

struct poll {
	struct recording_log *log;
	const char *folder;
};

static void poll_events(void *context)
{
	const struct poll *poll = context;

	record_folder_poll(poll->log, poll->folder);
}

static int run_watched(struct watched_end *end, const struct record_request *request,
		       const struct string_list *variables, const struct poll *poll,
		       struct error *err)
{
	char **argv = xcalloc(request->command->count + 1, sizeof(*argv));
	struct poll copy = poll ? *poll : (struct poll){0};
	const struct watched_program program = {.argv = argv,
						.variables = variables,
						.look = poll ? poll_events : NULL,
						.context = &copy};
	int rc;

	memcpy(argv, request->command->items, request->command->count * sizeof(*argv));
	rc = process_watched(end, &program, err);
	free(argv);
	return rc;
}

/* Runs the program with the recorder. The log gets what it left. */
static int run_attached(struct record_result *out, struct recording_log *log,
			const struct record_request *request, const struct attachment *attachment,
			struct error *err)
{
	struct string_list variables = {0};
	const struct poll poll = {log, attachment->folder};
	char *injection = xasprintf(INJECTION "=%s", attachment->recorder.data);
	char *folder = xasprintf(FOLDER_VARIABLE "=%s", attachment->folder);
	struct watched_end end;
	int rc;

	string_list_add(&variables, injection);
	string_list_add(&variables, folder);
	rc = run_watched(&end, request, &variables, &poll, err);
	out->exit_code = end.exit_code;
	out->signal = end.signal;
	log->recording.exit_code = rc ? -1 : end.exit_code;
	log->recording.wall_ns = rc ? -1 : end.wall_ns;
	recording_log_finish(log);
	free(injection);
	free(folder);
	string_list_release(&variables);
	return rc;
}

/* Once more, without the recorder. */
static int run_bare(struct record_result *out, const struct record_request *request,
		    const struct record_observer *observer, struct error *err)
{
	struct watched_end end;
	int rc;

	record_say(observer, "running the command again without the recorder");
	rc = run_watched(&end, request, NULL, NULL, err);
	if (!rc && end.exit_code == out->exit_code)
		out->recording.bare_wall_ns = end.wall_ns;
	else if (!rc)
		record_say(observer, "the command ended in another way without the recorder, so "
				     "its overhead is not known");
	return rc;
}

/* ---- recording ---- */

/* A folder is kept for processes that still run. */
static int record_in_folder(struct record_result *out, const struct record_request *request,
			    const struct attachment *attachment, const struct chosen_launch *chosen,
			    size_t chosen_count, const struct record_observer *observer, bool *keep,
			    struct error *err)
{
	struct recording_log log;
	int rc;

	recording_log_init(&log, request->lists, observer->notice, observer->context);
	rc = describe_recording(&log.recording, request, err);
	if (!rc)
		rc = write_request(attachment, request, &log.recording, false, chosen, chosen_count,
				   err);
	if (!rc)
		rc = run_attached(out, &log, request, attachment, err);
	if (!rc) {
		*keep = record_say_losses(&log, attachment->folder);
		record_remove_parts(&log, attachment->prefix);
		record_find_missing(&out->missing, &log, request);
		out->recording = log.recording;
		recording_init(&log.recording);
	}
	recording_log_release(&log);
	return rc;
}

/* Finds the slowest launches in a first run, whose recording is not kept. */
static int find_slowest(struct record_result *out, const struct record_request *request,
			const struct attachment *attachment, const struct record_observer *observer,
			struct recording_log *log, struct chosen_launch **chosen,
			size_t *chosen_count, struct error *err)
{
	struct record_request first = *request;
	int rc;

	first.lists = true;
	record_say(observer, "the command runs twice: now to find the slowest launches, then to "
			     "record them");
	recording_log_init(log, true, observer->notice, observer->context);
	rc = describe_recording(&log->recording, &first, err);
	if (!rc)
		rc = write_request(attachment, &first, &log->recording, false, NULL, 0, err);
	if (!rc)
		rc = run_attached(out, log, &first, attachment, err);
	if (rc)
		return rc;
	(void)record_say_losses(log, attachment->folder);
	*chosen_count = record_choose_slowest(chosen, log, request);
	if (*chosen_count || out->exit_code)
		return 0;
	record_find_missing(&out->missing, log, request);
	if (!out->missing.code) {
		log->recording.lists = false; /* to learn why no kernel was chosen */
		record_find_missing(&out->missing, log, request);
		log->recording.lists = true;
	}
	return 0;
}

static int record_slowest(struct record_result *out, const struct record_request *request,
			  const struct attachment *attachment,
			  const struct record_observer *observer, bool *keep, struct error *err)
{
	struct attachment second = *attachment;
	struct chosen_launch *chosen = NULL;
	struct recording_log log = {0};
	size_t count = 0;
	char *folder = NULL;
	int rc = find_slowest(out, request, attachment, observer, &log, &chosen, &count, err);

	if (!rc && out->exit_code)
		record_say(observer, "the first run failed, so there is no second one");
	else if (!rc && count) {
		rc = temporary_folder_make(&folder, "perflab-record", err);
		second.folder = folder;
		record_say(observer, "running the command again to record them");
		if (!rc)
			rc = record_in_folder(out, request, &second, chosen, count, observer, keep,
					      err);
		if (!*keep && folder)
			folder_remove(folder);
		*keep = false; /* the first folder has nothing to keep */
	}
	free(folder);
	free(chosen);
	recording_log_release(&log);
	return rc;
}

int record_command(struct record_result *out, const struct record_request *request,
		   const struct record_observer *observer, struct error *err)
{
	struct attachment attachment = {.recorder = TEXT_INIT};
	char *folder = NULL, *prefix = NULL;
	bool keep = false;
	int rc;

	*out = (struct record_result){0};
	recording_init(&out->recording);
	rc = refuse_other_tool(err);
	if (!rc)
		rc = recorder_find(&attachment.recorder, err);
	if (!rc)
		rc = cupti_check(err);
	if (!rc)
		rc = captures_prefix(&prefix, request, err);
	if (!rc)
		rc = temporary_folder_make(&folder, "perflab-record", err);
	attachment.folder = folder;
	attachment.prefix = prefix;
	if (!rc && request->slowest)
		rc = record_slowest(out, request, &attachment, observer, &keep, err);
	else if (!rc)
		rc = record_in_folder(out, request, &attachment, NULL, 0, observer, &keep, err);
	if (!rc && request->overhead && !out->signal)
		rc = run_bare(out, request, observer, err);
	if (folder && !keep)
		folder_remove(folder);
	free(folder);
	free(prefix);
	text_release(&attachment.recorder);
	return rc;
}

void record_result_release(struct record_result *result)
{
	recording_release(&result->recording);
}

/* ---- programs that something else starts ---- */

static void add_export(struct text *lines, const char *name, const char *value)
{
	text_addf(lines, "export %s=", name);
	shell_word(lines, value);
	text_add(lines, ";\n");
}

int record_environment(struct text *lines, const struct record_request *request, struct error *err)
{
	struct attachment attachment = {.recorder = TEXT_INIT};
	char *prefix = NULL, *folder = NULL;
	struct recording recording;
	int rc;

	recording_init(&recording);
	rc = refuse_other_tool(err);
	if (!rc)
		rc = recorder_find(&attachment.recorder, err);
	if (!rc)
		rc = cupti_check(err);
	if (!rc)
		rc = captures_prefix(&prefix, request, err);
	if (!rc)
		rc = describe_recording(&recording, request, err);
	if (!rc) {
		folder = xasprintf("%s" FOLDER_SUFFIX, prefix);
		if (mkdir(folder, 0700))
			rc = error_set(err, errno == EEXIST ? PL_EEXIST : PL_EIO,
				       "cannot make the folder %s: %s%s", folder, strerror(errno),
				       errno == EEXIST ? "; read it with \"perflab record "
							 "--from\" and remove it, or name "
							 "another one with -o"
						       : "");
	}
	if (!rc) {
		attachment.folder = folder;
		attachment.prefix = prefix;
		rc = write_request(&attachment, request, &recording, true, NULL, 0, err);
	}
	if (!rc) {
		add_export(lines, INJECTION, attachment.recorder.data);
		add_export(lines, FOLDER_VARIABLE, folder);
		text_add(lines, "# To detach it: unset " INJECTION " " FOLDER_VARIABLE "\n");
	}
	recording_release(&recording);
	text_release(&attachment.recorder);
	free(folder);
	free(prefix);
	return rc;
}

/* The programs stand for the command, and the longest of their times for that of the command. */
static void describe_programs(struct recording *recording, const char *folder)
{
	struct text command = TEXT_INIT;

	for (size_t i = 0; i < recording->process_count; i++) {
		const struct recorded_process *process = &recording->processes[i];

		if (process->wall_ns > recording->wall_ns)
			recording->wall_ns = process->wall_ns;
		if (process->program && !command.length)
			text_add(&command, process->program);
	}
	if (!command.length)
		text_add(&command, folder);
	recording->command = text_detach(&command);
}

int record_read_folder(struct record_result *out, const char *folder,
		       const struct record_observer *observer, struct error *err)
{
	struct recording_log log;
	char *prefix = NULL;
	int rc;

	*out = (struct record_result){0};
	recording_init(&out->recording);
	recording_log_init(&log, false, observer->notice, observer->context);
	rc = record_folder_read(&log.recording, &prefix, folder, err);
	if (rc == PL_ENOENT)
		rc = error_set(err, PL_ENOENT,
			       "%s is no folder of a recording: give the NAME.recording that "
			       "\"perflab record --env\" made",
			       folder);
	if (!rc) {
		record_folder_poll(&log, folder);
		recording_log_finish(&log);
		(void)record_say_losses(&log, folder);
		record_remove_parts(&log, prefix);
		record_find_missing(&out->missing, &log, NULL);
		describe_programs(&log.recording, folder);
		log.recording.version = xstrdup(PERFLAB_VERSION);
		out->recording = log.recording;
		recording_init(&log.recording);
	}
	recording_log_release(&log);
	free(prefix);
	return rc;
}
