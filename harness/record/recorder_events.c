/* Takes the events of the recorder into the log. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "harness/protocol/protocol.h"
#include "harness/record/recording_log.h"

#define TEXT_MOST 65536
#define LOST_MOST 256
#define NOTES_MOST 16         /* shown of a recording */
#define PHRASE_KERNEL_MOST 60 /* characters of a kernel's name in a message */

/* ---- texts of a foreign process ---- */

/* Bytes of an invisible character that moves or hides text on a terminal; 0: another character. */
static size_t hidden_character(const unsigned char *at)
{
	if (at[0] < 0x20 || at[0] == 0x7f)
		return 1;
	if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
		return 2;
	if (at[0] == 0xe2 && at[1] == 0x80 &&
	    ((at[2] >= 0x8b && at[2] <= 0x8f) || (at[2] >= 0xa8 && at[2] <= 0xae)))
		return 3;
	if (at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)
		return 3;
	return at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf ? 3 : 0;
}

char *recorder_text_copy(const char *text)
{
	struct text copy = TEXT_INIT;

	while (*text) {
		const size_t hidden = hidden_character((const unsigned char *)text);

		text_add_char(&copy, hidden ? '?' : *text);
		text += hidden ? hidden : 1;
	}
	return text_detach(&copy);
}

/* *out is a safe copy. `needed`: it may not be missing or empty. */
static int event_text(char **out, const json_t *json, const char *name, bool needed,
		      struct error *err)
{
	const char *text = NULL;
	int rc;

	if (!needed && !json_object_get(json, name))
		return 0;
	rc = member_borrow(&text, json, name, !needed, err);
	if (rc || !text)
		return rc;
	if ((needed && !*text) || strlen(text) > TEXT_MOST)
		return error_set(err, PL_EPARSE, "%s is empty or too long", name);
	free(*out);
	*out = recorder_text_copy(text);
	return 0;
}

/* Reads numbers: pairs of a name and an address, and NULL. */
static int __attribute__((sentinel)) event_numbers(const json_t *json, struct error *err, ...)
{
	const char *name;
	va_list pairs;
	int rc = 0;

	va_start(pairs, err);
	while (!rc && (name = va_arg(pairs, const char *)))
		rc = member_int64(va_arg(pairs, int64_t *), json, name, 0, INT64_MAX, err);
	va_end(pairs);
	return rc;
}

static int event_dimensions(int64_t out[3], const json_t *json, const char *name, struct error *err)
{
	json_t *array;
	int rc = member_array(&array, json, name, 3, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < 3; i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_integer(value) || json_integer_value(value) < 1)
			return error_set(err, PL_EPARSE, "%s is not three numbers", name);
		out[i] = json_integer_value(value);
	}
	return 0;
}

void recording_log_say(const struct recording_log *log, const char *format, ...)
{
	va_list arguments;
	char line[2048];

	if (!log->notice)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	log->notice(log->context, line);
}

/* "launch 3 of softmax_kernel", with the process if there are several. */
static void add_launch_phrase(struct text *out, const struct recording_log *log, int64_t pid,
			      int64_t launch, const char *name)
{
	struct text readable = TEXT_INIT;

	mangled_readable(&readable, name);
	text_addf(out, "launch %" PRId64 " of ", launch);
	readable_shorten(out, readable.data, PHRASE_KERNEL_MOST);
	if (log->process_count > 1)
		text_addf(out, " in process %" PRId64, pid);
	text_release(&readable);
}

/* ---- the events ---- */

static int take_attached(struct recording_log *log, struct log_process *process, const json_t *json,
			 struct error *err)
{
	process->attached = true;
	return event_text(&recording_process(&log->recording, process->pid)->program, json,
			  "program", false, err);
}

static int take_refused(struct recording_log *log, struct log_process *process, const json_t *json,
			struct error *err)
{
	struct recorded_process *row = recording_process(&log->recording, process->pid);
	int rc = event_text(&row->why_not, json, "why", true, err);

	process->refused = !rc;
	return rc;
}

static int take_begun(struct recording_log *log, struct log_process *process, const json_t *json,
		      struct error *err)
{
	int64_t launch, bytes, memory;
	struct text line = TEXT_INIT;
	char *name = NULL, size[32];
	int rc = event_text(&name, json, "kernel", true, err);

	if (!rc)
		rc = event_numbers(json, err, "launch", &launch, "bytes", &bytes, "memory", &memory,
				   NULL);
	if (!rc) {
		add_launch_phrase(&line, log, process->pid, launch, name);
		format_bytes(size, (double)bytes);
		recording_log_say(log, "%s: recording %s in %" PRId64 " %s", line.data, size,
				  memory, memory == 1 ? "allocation" : "allocations");
	}
	text_release(&line);
	free(name);
	return rc;
}

static int take_lost(char **out, const json_t *json, struct error *err)
{
	struct string_list phrases = {0};
	struct text lines = TEXT_INIT;
	int rc = json_object_get(json, "lost")
			 ? member_strings(&phrases, json, "lost", LOST_MOST, err)
			 : 0;

	for (size_t i = 0; i < phrases.count && !rc; i++) {
		char *phrase = recorder_text_copy(phrases.items[i]);

		text_addf(&lines, "%s%s", i ? "\n" : "", phrase);
		free(phrase);
	}
	if (!rc && lines.length)
		*out = text_detach(&lines);
	text_release(&lines);
	string_list_release(&phrases);
	return rc;
}

static int take_captured(struct recording_log *log, struct log_process *process, const json_t *json,
			 struct error *err)
{
	struct recorded_capture taken = {.pid = process->pid};
	struct string_list phrases = {0};
	struct text readable = TEXT_INIT;
	char size[32], time[32];
	int rc = log->recording.capture_count < RECORDING_ROWS_MOST
			 ? event_text(&taken.path, json, "path", true, err)
			 : error_set(err, PL_EPARSE, "there are too many captures");

	if (!rc)
		rc = event_text(&taken.name, json, "kernel", true, err);
	if (!rc)
		rc = event_numbers(json, err, "launch", &taken.launch, "bytes", &taken.bytes,
				   "file_bytes", &taken.file_bytes, NULL);
	if (!rc)
		rc = member_real(&taken.seconds, json, "seconds", err);
	if (!rc)
		rc = take_lost(&taken.lost, json, err);
	if (rc) {
		free(taken.path);
		free(taken.name);
		return rc;
	}
	mangled_readable(&readable, taken.name);
	taken.readable = text_detach(&readable);
	*recording_add_capture(&log->recording, process->pid) = taken;
	format_bytes(size, (double)taken.file_bytes);
	format_duration(time, taken.seconds * 1e9);
	recording_log_say(log, "wrote %s: %s in %s", taken.path, size, time);
	if (taken.lost)
		string_list_split(&phrases, taken.lost, '\n');
	for (size_t i = 0; i < phrases.count; i++)
		recording_log_say(log, "%s may lack something: %s", taken.path, phrases.items[i]);
	string_list_release(&phrases);
	return 0;
}

static int take_failed(struct recording_log *log, struct log_process *process, const json_t *json,
		       struct error *err)
{
	char *name = NULL, *why = NULL;
	struct text line = TEXT_INIT;
	int64_t launch;
	int rc = event_text(&name, json, "kernel", true, err);

	if (!rc)
		rc = event_text(&why, json, "why", true, err);
	if (!rc)
		rc = event_numbers(json, err, "launch", &launch, NULL);
	if (!rc) {
		add_launch_phrase(&line, log, process->pid, launch, name);
		recording_log_say(log, "%s was not recorded: %s", line.data, why);
		log->failures++;
	}
	text_release(&line);
	free(name);
	free(why);
	return rc;
}

/* Several processes of one program say the same. */
static int take_note(struct recording_log *log, struct log_process *process, const json_t *json,
		     struct error *err)
{
	char *why = NULL;
	int rc = event_text(&why, json, "why", true, err);

	(void)process;
	if (!rc && log->notes.count < NOTES_MOST && !string_list_has(&log->notes, why)) {
		string_list_add(&log->notes, why);
		recording_log_say(log, "%s", why);
	}
	free(why);
	return rc;
}

/* Moves the row to the recording if `rc` is 0. */
static int keep_kernel(struct recording_log *log, struct recorded_kernel *kernel, int64_t ordinal,
		       int rc, struct error *err)
{
	const int64_t ns = kernel->total_ns > 0 ? kernel->total_ns : 0;
	struct text readable = TEXT_INIT;
	int64_t total_ns = 0, launches = 0;

	if (!rc && log->recording.kernel_count >= RECORDING_ROWS_MOST)
		rc = error_set(err, PL_EPARSE, "there are too many kernels");
	/* sums are taken in 64 bits, here and by SQL, where one that overflows is an error */
	if (!rc && (__builtin_add_overflow(log->total_ns, ns, &total_ns) ||
		    __builtin_add_overflow(log->launches, kernel->launches, &launches) ||
		    __builtin_add_overflow(launches, kernel->graph_launches, &launches)))
		rc = error_set(err, PL_EPARSE, "the sum of all kernels is too large");
	if (rc) {
		free(kernel->name);
		return rc;
	}
	log->total_ns = total_ns;
	log->launches = launches;
	mangled_readable(&readable, kernel->name);
	kernel->readable = text_detach(&readable);
	*recording_add_kernel(&log->recording, kernel->pid) = *kernel;
	log->ordinals = xgrow(log->ordinals, &log->ordinal_capacity, log->recording.kernel_count,
			      sizeof(*log->ordinals));
	log->ordinals[log->recording.kernel_count - 1] = ordinal;
	return 0;
}

static int take_launches(struct recorded_kernel *out, const json_t *json, struct error *err)
{
	int rc = event_text(&out->name, json, "kernel", true, err);

	return rc ? rc
		  : event_numbers(json, err, "launches", &out->launches, "graph_launches",
				  &out->graph_launches, NULL);
}

static int take_seen(struct recording_log *log, struct log_process *process, const json_t *json,
		     struct error *err)
{
	struct recorded_kernel kernel = recorded_kernel_unknown;
	int rc = take_launches(&kernel, json, err);

	kernel.pid = process->pid;
	return keep_kernel(log, &kernel, -1, rc, err);
}

static int take_kernel_event(struct recording_log *log, struct log_process *process,
			     const json_t *json, struct error *err)
{
	struct recorded_kernel kernel = recorded_kernel_unknown;
	int64_t ordinal = -1;
	int rc = take_launches(&kernel, json, err);

	if (!rc)
		rc = event_numbers(json, err, "shared_bytes", &kernel.shared_bytes, "registers",
				   &kernel.registers, "total_ns", &kernel.total_ns, "median_ns",
				   &kernel.median_ns, "min_ns", &kernel.min_ns, "max_ns",
				   &kernel.max_ns, NULL);
	if (!rc)
		rc = event_dimensions(kernel.grid, json, "grid", err);
	if (!rc)
		rc = event_dimensions(kernel.block, json, "block", err);
	if (!rc)
		rc = event_numbers(json, err, "device", &ordinal, NULL);
	kernel.pid = process->pid;
	return keep_kernel(log, &kernel, ordinal, rc, err);
}

static int take_device(struct recording_log *log, struct log_process *process, const json_t *json,
		       struct error *err)
{
	struct log_device device = {.pid = process->pid};
	int rc = log->device_count < RECORDING_ROWS_MOST
			 ? event_numbers(json, err, "ordinal", &device.ordinal, NULL)
			 : error_set(err, PL_EPARSE, "there are too many devices");

	if (!rc)
		rc = event_text(&device.name, json, "name", true, err);
	if (!rc)
		rc = event_text(&device.uuid, json, "uuid", false, err);
	if (rc) {
		free(device.name);
		return rc;
	}
	log->devices = xgrow(log->devices, &log->device_capacity, log->device_count + 1,
			     sizeof(*log->devices));
	log->devices[log->device_count++] = device;
	return 0;
}

static int take_slowest(struct recording_log *log, struct log_process *process, const json_t *json,
			struct error *err)
{
	struct log_slowest slowest = {.pid = process->pid};
	int rc = log->slowest_count < RECORDING_ROWS_MOST
			 ? event_numbers(json, err, "launch", &slowest.launch, "ns", &slowest.ns,
					 NULL)
			 : error_set(err, PL_EPARSE, "there are too many kernels");

	if (!rc)
		rc = event_text(&slowest.name, json, "kernel", true, err);
	if (rc)
		return rc;
	log->slowest = xgrow(log->slowest, &log->slowest_capacity, log->slowest_count + 1,
			     sizeof(*log->slowest));
	log->slowest[log->slowest_count++] = slowest;
	return 0;
}

static int take_exit(struct recording_log *log, struct log_process *process, const json_t *json,
		     struct error *err)
{
	struct recorded_process read = {0}, *row = recording_process(&log->recording, process->pid);
	int rc = event_numbers(json, err, "launches", &read.launches, "dropped", &read.dropped,
			       "own_ns", &read.own_ns, "wall_ns", &read.wall_ns, NULL);

	if (rc)
		return rc;
	row->launches = read.launches;
	row->dropped = read.dropped;
	row->own_ns = read.own_ns;
	row->wall_ns = read.wall_ns;
	process->ended = true;
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct recording_log *log, struct log_process *process, const json_t *json,
		    struct error *err);
} events[] = {
	{"attached", take_attached},   {"refused", take_refused}, {"begun", take_begun},
	{"captured", take_captured},   {"failed", take_failed},   {"seen", take_seen},
	{"kernel", take_kernel_event}, {"device", take_device},   {"slowest", take_slowest},
	{"note", take_note},           {"exit", take_exit},
};

int recorder_event_take(struct recording_log *log, struct log_process *process, const json_t *json,
			struct error *err)
{
	const char *name = NULL;
	int rc = member_borrow(&name, json, "event", false, err);

	for (size_t i = 0; i < ARRAY_SIZE(events) && !rc; i++)
		if (strcmp(events[i].name, name) == 0)
			return error_context(err, events[i].take(log, process, json, err), "%s",
					     name);
	return rc;
}
