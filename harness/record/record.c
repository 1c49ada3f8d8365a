/* Runs a program under the recorder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process.h"
#include "harness/record/record_steps.h"
#include "perflab_config.h"

#define FOLDER_SUFFIX ".recording"

static void record_say(const struct record_observer *observer, const char *line)
{
	observer->notice(observer->context, line);
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

/* Runs the program with the recorder. The log gets what it left. `chosen` as for
 * record_write_request(). */
static int run_attached(struct record_result *out, struct recording_log *log,
			const struct record_request *request, const struct attachment *attachment,
			const struct chosen_launch *chosen, size_t chosen_count, struct error *err)
{
	struct string_list variables = {0};
	const struct poll poll = {log, attachment->folder};
	char *injection, *folder, *paths, *preload;
	struct watched_end end;
	int rc = record_describe(&log->recording, request, err);

	if (!rc)
		rc = record_write_request(attachment, request, &log->recording, false, chosen,
					  chosen_count, err);
	if (rc)
		return rc;
	injection = xasprintf(RECORD_INJECTION "=%s", attachment->recorder.data);
	folder = xasprintf(RECORD_FOLDER_VARIABLE "=%s", attachment->folder);
	paths = record_preload(request, attachment->recorder.data);
	preload = paths ? xasprintf(RECORD_PRELOAD "=%s", paths) : NULL;
	string_list_add(&variables, injection);
	string_list_add(&variables, folder);
	if (preload)
		string_list_add(&variables, preload);
	rc = run_watched(&end, request, &variables, &poll, err);
	out->exit_code = end.exit_code;
	out->signal = end.signal;
	log->recording.exit_code = rc ? -1 : end.exit_code;
	log->recording.wall_ns = rc ? -1 : end.wall_ns;
	recording_log_finish(log);
	free(injection);
	free(folder);
	free(paths);
	free(preload);
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
	rc = run_attached(out, &log, request, attachment, chosen, chosen_count, err);
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
	rc = run_attached(out, log, &first, attachment, NULL, 0, err);
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

/* Finds what is loaded into the program, and the name of the captures, malloc'd. */
static int attachment_find(struct attachment *attachment, char **prefix,
			   const struct record_request *request, struct error *err)
{
	int rc = record_refuse_other_tool(err);

	if (!rc)
		rc = recorder_find(&attachment->recorder, err);
	if (!rc)
		rc = cupti_check(err);
	return rc ? rc : record_captures_prefix(prefix, request, err);
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
	rc = attachment_find(&attachment, &prefix, request, err);
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

static void add_exports(struct text *lines, const struct record_request *request,
			const struct attachment *attachment)
{
	char *preload = record_preload(request, attachment->recorder.data);
	const char *others = getenv(RECORD_PRELOAD);

	add_export(lines, RECORD_INJECTION, attachment->recorder.data);
	add_export(lines, RECORD_FOLDER_VARIABLE, attachment->folder);
	if (preload)
		add_export(lines, RECORD_PRELOAD, preload);
	text_add(lines, "# To detach it: unset " RECORD_INJECTION " " RECORD_FOLDER_VARIABLE);
	if (preload && others && *others) {
		text_add(lines, "; export " RECORD_PRELOAD "=");
		shell_word(lines, others);
	} else if (preload) {
		text_add(lines, " " RECORD_PRELOAD);
	}
	text_add_char(lines, '\n');
	free(preload);
}

int record_environment(struct text *lines, const struct record_request *request, struct error *err)
{
	struct attachment attachment = {.recorder = TEXT_INIT};
	char *prefix = NULL, *folder = NULL;
	struct recording recording;
	int rc;

	recording_init(&recording);
	rc = attachment_find(&attachment, &prefix, request, err);
	if (!rc)
		rc = record_describe(&recording, request, err);
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
		rc = record_write_request(&attachment, request, &recording, true, NULL, 0, err);
	}
	if (!rc)
		add_exports(lines, request, &attachment);
	recording_release(&recording);
	text_release(&attachment.recorder);
	free(folder);
	free(prefix);
	return rc;
}

int record_read_folder(struct record_result *out, const char *folder,
		       const struct record_observer *observer, struct error *err)
{
	struct text command = TEXT_INIT;
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
		/* the programs stand for the command, and the longest of their times for its time
		 */
		for (size_t i = 0; i < log.recording.process_count; i++) {
			const struct recorded_process *process = &log.recording.processes[i];

			if (process->wall_ns > log.recording.wall_ns)
				log.recording.wall_ns = process->wall_ns;
			if (process->program && !command.length)
				text_add(&command, process->program);
		}
		if (!command.length)
			text_add(&command, folder);
		log.recording.command = text_detach(&command);
		log.recording.version = xstrdup(PERFLAB_VERSION);
		out->recording = log.recording;
		recording_init(&log.recording);
	}
	recording_log_release(&log);
	free(prefix);
	return rc;
}
