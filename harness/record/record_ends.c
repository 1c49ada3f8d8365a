/* Judges what the processes of a recording left. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "base/process.h"
#include "harness/record/record_steps.h"

#define NAMES_SHOWN 5
#define NAME_MOST 60

/* ---- losses ---- */

static const char *program_of(const struct recording_log *log, int64_t pid)
{
	for (size_t i = 0; i < log->recording.process_count; i++)
		if (log->recording.processes[i].pid == pid && log->recording.processes[i].program)
			return log->recording.processes[i].program;
	return "unknown program";
}

bool record_say_losses(const struct recording_log *log, const char *folder)
{
	const int64_t dropped = recording_dropped(&log->recording);
	struct text quoted = TEXT_INIT;
	bool any_lives = false;

	shell_word(&quoted, folder);
	for (size_t i = 0; i < log->recording.process_count; i++) {
		const struct recorded_process *process = &log->recording.processes[i];

		if (process->why_not && log->recording.process_count > 1)
			recording_log_say(log, "process %" PRId64 " (%.80s) was not recorded: %s",
					  process->pid, program_of(log, process->pid),
					  process->why_not);
	}
	for (size_t i = 0; i < log->process_count; i++) {
		const struct log_process *process = &log->processes[i];
		const char *program = program_of(log, process->pid);

		if (!process->attached || process->refused || process->ended)
			continue;
		if (record_process_lives(process->pid)) {
			any_lives = true;
			recording_log_say(log,
					  "process %" PRId64
					  " (%.80s) still runs: when it has ended, "
					  "\"perflab record --from %s\" reads what it leaves",
					  process->pid, program, quoted.data);
		} else {
			recording_log_say(
				log,
				"process %" PRId64 " (%.80s) ended without its last report: it "
				"crashed, was killed, or called _exit(); its kernels are not known",
				process->pid, program);
		}
	}
	if (dropped > 0)
		recording_log_say(log,
				  "CUPTI dropped %" PRId64 " launches: the table lacks their times",
				  dropped);
	if (log->unread)
		recording_log_say(
			log, "%zu %s of the recorder could not be read; the first is of %s",
			log->unread, log->unread == 1 ? "line" : "lines", log->first_unread);
	text_release(&quoted);
	return any_lives;
}

/* ---- what is missing ---- */

static bool matches_any(const struct record_request *request, const char *name)
{
	for (size_t i = 0; i < request->patterns->count; i++)
		if (mangled_matches(request->patterns->items[i], name))
			return true;
	return false;
}

static void add_kernel_name(struct text *out, const struct recorded_kernel *kernel)
{
	if (out->length)
		text_add(out, ", ");
	readable_shorten(out, kernel->readable, NAME_MOST);
}

/* Rows that match in another case come first; then the most frequent ones. */
static void no_name_matches(struct error *missing, const struct record_request *request,
			    const struct recorded_kernel *rows, size_t count)
{
	struct text near = TEXT_INIT, frequent = TEXT_INIT;
	size_t shown = 0;

	for (size_t i = 0; i < count; i++) {
		bool nearly = false; /* it would match if upper and lower case were the same */

		for (size_t p = 0; p < request->patterns->count; p++)
			nearly |= pattern_matches(request->patterns->items[p], rows[i].readable);
		if (nearly && shown++ < NAMES_SHOWN)
			add_kernel_name(&near, &rows[i]);
		if (i < NAMES_SHOWN)
			add_kernel_name(&frequent, &rows[i]);
	}
	if (near.length)
		error_set(missing, PL_ENOENT, "no kernel matches, and case matters: there is %s",
			  near.data);
	else if (count == 1)
		error_set(missing, PL_ENOENT, "no kernel matches; the only one is %s",
			  frequent.data);
	else
		error_set(missing, PL_ENOENT,
			  "no kernel matches; the most frequent of %zu are %s; \"perflab record "
			  "--list\" lists all of them",
			  count, frequent.data);
	text_release(&near);
	text_release(&frequent);
}

/* Kernels match, but none of their launches was due. */
static void no_launch_matches(struct error *missing, const struct record_request *request,
			      const struct recorded_kernel *kernel)
{
	struct text name = TEXT_INIT;

	readable_shorten(&name, kernel->readable, NAME_MOST);
	if (!kernel->launches && kernel->graph_launches)
		error_set(missing, PL_ENOENT,
			  "%s is only launched by CUDA graphs, of which perflab records no nodes: "
			  "disable graphs in the program",
			  name.data);
	else if (request->slowest)
		error_set(missing, PL_ENOENT,
			  "%s did not reach its slowest launch of the first run: the runs of the "
			  "program differ",
			  name.data);
	else
		error_set(missing, PL_ENOENT,
			  "%s was launched only %" PRId64 " %s, so there is no launch %" PRId64,
			  name.data, kernel->launches, kernel->launches == 1 ? "time" : "times",
			  request->every ? request->every : request->launch);
	text_release(&name);
}

static void no_capture(struct error *missing, const struct recording_log *log,
		       const struct record_request *request)
{
	struct recorded_kernel *rows;
	const struct recorded_kernel *best = NULL;
	const size_t count = recording_summarise(&rows, &log->recording, false);

	for (size_t i = 0; i < count; i++)
		if (matches_any(request, rows[i].name) &&
		    (!best || rows[i].launches > best->launches))
			best = &rows[i];
	if (!count)
		error_set(missing, PL_ENOENT, "the program launched no kernel");
	else if (best)
		no_launch_matches(missing, request, best);
	else
		no_name_matches(missing, request, rows, count);
	free(rows);
}

static bool all_ended(const struct recording_log *log)
{
	for (size_t i = 0; i < log->process_count; i++)
		if (log->processes[i].attached && !log->processes[i].ended)
			return false;
	return true;
}

void record_find_missing(struct error *missing, const struct recording_log *log,
			 const struct record_request *request)
{
	const struct recording *recording = &log->recording;
	const char *why = NULL; /* of the first process, if no process could be recorded */
	size_t refused = 0;

	for (size_t i = 0; i < recording->process_count; i++) {
		refused += recording->processes[i].why_not != NULL;
		why = why ? why : recording->processes[i].why_not;
	}
	if (!recording->process_count && log->process_count)
		error_set(missing, PL_EIO,
			  "the recorder was loaded and could not write its report: is the disk of "
			  "the temporary folder full? TMPDIR names another one");
	else if (!recording->process_count && !request)
		error_set(
			missing, PL_EUNSUPPORTED,
			"no program has loaded the recorder: none was started with the variables "
			"of this recording, or it does not use CUDA, is statically linked, or ran "
			"where they do not reach it (sudo, a container, a launcher)");
	else if (!recording->process_count)
		error_set(
			missing, PL_EUNSUPPORTED,
			"%s did not load the recorder: it does not use CUDA, there is no NVIDIA "
			"driver here (see perflab doctor), it is statically linked, or the "
			"variables did not reach the process that uses CUDA (sudo, a container, a "
			"launcher); \"perflab record --env\" prints them, to be set there",
			request->command->items[0]);
	else if (refused == recording->process_count)
		error_set(missing, PL_EUNSUPPORTED, "nothing was recorded: %s", why);
	else if (recording->lists && !recording->kernel_count)
		error_set(missing, all_ended(log) ? PL_ENOENT : PL_EIO, "%s",
			  all_ended(log) ? "the program launched no kernel"
					 : "no process reported its kernels");
	else if (recording->lists || recording->capture_count)
		return;
	else if (log->failures)
		error_set(missing, PL_EIO, "nothing was recorded: %zu %s failed", log->failures,
			  log->failures == 1 ? "launch" : "launches");
	else if (!all_ended(log))
		error_set(
			missing, PL_EIO,
			"nothing was recorded, and no process reported which kernels it launched");
	else if (request)
		no_capture(missing, log, request);
	else
		error_set(missing, PL_ENOENT, "nothing was recorded: no launch matched");
}

/* ---- the slowest launches ---- */

static int order_by_ns(const void *left, const void *right)
{
	const struct log_slowest *const *a = left, *const *b = right;

	return ((*a)->ns < (*b)->ns) - ((*a)->ns > (*b)->ns);
}

size_t record_choose_slowest(struct chosen_launch **out, const struct recording_log *log,
			     const struct record_request *request)
{
	const struct log_slowest **order = xcalloc(log->slowest_count + 1, sizeof(*order));
	struct chosen_launch *chosen = xcalloc(log->slowest_count + 1, sizeof(*chosen));
	size_t count = 0;

	for (size_t i = 0; i < log->slowest_count; i++)
		order[i] = &log->slowest[i];
	qsort(order, log->slowest_count, sizeof(*order), order_by_ns);
	for (size_t i = 0; i < log->slowest_count && (int64_t)count < request->most; i++) {
		bool is_new = order[i]->launch > 0 && matches_any(request, order[i]->name);

		for (size_t k = 0; k < count; k++)
			is_new &= strcmp(chosen[k].name, order[i]->name) != 0;
		if (is_new)
			chosen[count++] = (struct chosen_launch){order[i]->name, order[i]->launch};
	}
	free(order);
	*out = chosen;
	return count;
}
