/* Reads the lines of the recorder. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/record/recording_log.h"

/* ---- lines ---- */

static void count_unread(struct recording_log *log, const struct log_process *process,
			 const char *why)
{
	if (!log->unread++)
		log->first_unread = xasprintf("process %" PRId64 ": %s", process->pid, why);
}

static void take_event_line(struct recording_log *log, struct log_process *process,
			    const char *line, size_t length)
{
	struct error err = {0};
	json_error_t problem;
	json_t *json;

	if (!length)
		return;
	json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &problem);
	if (!json_is_object(json))
		error_set(&err, PL_EPARSE, "%s", json ? "no JSON object" : problem.text);
	else
		recorder_event_take(log, process, json, &err);
	if (err.code) {
		char *why = recorder_text_copy(err.text);

		count_unread(log, process, why);
		free(why);
	}
	json_decref(json);
}

void recording_log_take(struct recording_log *log, struct log_process *process, const char *bytes,
			size_t length)
{
	while (length) {
		const char *end = memchr(bytes, '\n', length);
		const size_t piece = end ? (size_t)(end - bytes) : length;

		if (!process->skips && process->line.length + piece > RECORDING_LINE_MOST) {
			count_unread(log, process, "a line is too long");
			process->skips = true;
			text_clear(&process->line);
		}
		if (!process->skips)
			text_add_bytes(&process->line, bytes, piece);
		if (!end)
			return;
		take_event_line(log, process, process->line.data, process->line.length);
		text_clear(&process->line);
		process->skips = false;
		bytes += piece + 1;
		length -= piece + 1;
	}
}

struct log_process *recording_log_find(const struct recording_log *log, int64_t pid)
{
	for (size_t i = 0; i < log->process_count; i++)
		if (log->processes[i].pid == pid)
			return &log->processes[i];
	return NULL;
}

struct log_process *recording_log_process(struct recording_log *log, int64_t pid)
{
	struct log_process *known = recording_log_find(log, pid);

	if (known || log->process_count >= RECORDING_ROWS_MOST)
		return known;
	log->processes = xgrow(log->processes, &log->process_capacity, log->process_count + 1,
			       sizeof(*log->processes));
	log->processes[log->process_count] = (struct log_process){.pid = pid, .line = TEXT_INIT};
	return &log->processes[log->process_count++];
}

/* ---- beginning and end ---- */

void recording_log_init(struct recording_log *log, bool lists,
			void (*notice)(void *context, const char *line), void *context)
{
	*log = (struct recording_log){.notice = notice, .context = context};
	recording_init(&log->recording);
	log->recording.lists = lists;
}

void recording_log_finish(struct recording_log *log)
{
	for (size_t i = 0; i < log->process_count; i++)
		if (log->processes[i].line.length) {
			count_unread(log, &log->processes[i], "the last line has no end");
			text_clear(&log->processes[i].line);
		}
	for (size_t i = 0; i < log->recording.kernel_count; i++) {
		struct recorded_kernel *kernel = &log->recording.kernels[i];

		for (size_t d = 0; d < log->device_count && !kernel->device; d++) {
			const struct log_device *device = &log->devices[d];

			if (device->pid != kernel->pid || device->ordinal != log->ordinals[i])
				continue;
			kernel->device = xstrdup(device->name);
			kernel->uuid = device->uuid ? xstrdup(device->uuid) : NULL;
		}
	}
}

void recording_log_release(struct recording_log *log)
{
	for (size_t i = 0; i < log->process_count; i++)
		text_release(&log->processes[i].line);
	for (size_t i = 0; i < log->slowest_count; i++)
		free(log->slowest[i].name);
	for (size_t i = 0; i < log->device_count; i++) {
		free(log->devices[i].name);
		free(log->devices[i].uuid);
	}
	free(log->processes);
	free(log->slowest);
	free(log->devices);
	free(log->ordinals);
	free(log->first_unread);
	string_list_release(&log->notes);
	recording_release(&log->recording);
	*log = (struct recording_log){0};
}
