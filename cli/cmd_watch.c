/* perflab watch: measures the kernels of files again whenever one of them is saved. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure_options.h"
#include "cli/watch_block.h"
#include "harness/client/client.h"
#include "harness/watch/watch.h"

#define BEST_NAMED 3 /* cases that the last message names */

/* One round, and a short limit for a kernel that hangs: a person is waiting. */
#define WATCH_ROUNDS 1
#define WATCH_TIMEOUT_NS (INT64_C(10) * 1000000000)

struct watch_options {
	struct measure_options common;
	struct case_options cases;
	const char *label, *note;
	int64_t times; /* 0: until it is interrupted */
};

/* What the loop needs. */
struct watch_loop {
	struct invocation *call;
	struct watch *watch;
	struct progress progress;
	const volatile int *stop;
	int64_t measured; /* measurements that were begun */
};

static void watch_defaults(void *context)
{
	struct watch_options *options = context;

	measure_options_init(&options->common);
	case_options_init(&options->cases);
	options->common.backend = BACKEND_AUTO;
	options->common.rounds = WATCH_ROUNDS;
	options->common.timeout_ns = WATCH_TIMEOUT_NS;
	options->label = WATCH_LABEL;
}

static int make_watch_request(struct sweep_request *request, const struct invocation *call,
			      struct error *err)
{
	const struct watch_options *options = call->options;
	int rc;

	measure_request(request, call, &options->common);
	request->label = options->label;
	request->base_variant = BASE_VARIANT_NONE; /* one round judges no pair, and takes longer */
	request->note = options->note;
	rc = case_options_apply(request, call, &options->cases, err);
	if (!rc && !request->files.count)
		rc = error_set(
			err, PL_EUSAGE,
			"perflab watch needs a file that may change: a .cu, .cuh, .ptx, .cubin or "
			".capture; the built-in kernels do not change");
	return rc;
}

/* ---- messages ---- */

static void say_remote_files(struct watch_loop *loop, const struct sweep_request *request)
{
	for (size_t i = 0; i < request->files.count; i++) {
		const char *kind = watch_file_is_remote(request->files.items[i]);

		if (kind)
			progress_say(&loop->progress,
				     "%s is on a network file system (%s): what another machine "
				     "saves there is not noticed",
				     request->files.items[i], kind);
	}
}

static void add_step_time(struct text *out, const char *name, int64_t took_ns)
{
	char shown[32];

	if (took_ns < 1000000)
		return;
	format_duration(shown, (double)took_ns);
	text_addf(out, "%s%s %s", out->length ? ", " : "", name, shown);
}

static void say_times(struct watch_loop *loop, const struct watch_report *report)
{
	const struct sweep_times *times = &report->times;
	struct text parts = TEXT_INIT;
	char all[32];

	if (loop->progress.quiet)
		return;
	add_step_time(&parts, "start a worker", times->open_ns);
	add_step_time(&parts, "compile", times->compile_ns);
	add_step_time(&parts, "inspect", times->inspect_ns);
	add_step_time(&parts, report->run->traits.timed ? "verify and time" : "emulate",
		      times->measure_ns);
	add_step_time(&parts, "count", times->count_ns);
	format_duration(all, (double)report->took_ns);
	progress_say(&loop->progress, "took %s%s%s%s", all, parts.length ? " (" : "", parts.data,
		     parts.length ? ")" : "");
	text_release(&parts);
}

static void say_saved(struct watch_loop *loop, const struct string_list *saved)
{
	char *here = getcwd(NULL, 0);
	const size_t length = here ? strlen(here) : 0;
	const char *path = saved->items[0];

	if (length && !strncmp(path, here, length) && path[length] == '/')
		path += length + 1;
	if (saved->count > 1)
		progress_say(&loop->progress, "%s and %zu more have changed", path,
			     saved->count - 1);
	else
		progress_say(&loop->progress, "%s %s", path,
			     access(path, F_OK) ? "is gone" : "was saved");
	free(here);
}

static void say_stored_runs(const struct watch_loop *loop, const char *db_path)
{
	const size_t runs = watch_run_count(loop->watch);
	struct text best = TEXT_INIT;
	const struct watch_result *result;
	const char *name;
	size_t count = 0;

	for (; (result = watch_best(loop->watch, count, &name)); count++) {
		char time[32];

		if (count >= BEST_NAMED)
			continue;
		format_duration(time, result->trial->summary.median_ns);
		text_addf(&best, "; best of %s: %s in run %lld", name, time,
			  (long long)result->run->id);
	}
	if (count > BEST_NAMED)
		text_addf(&best, "; and of %zu more cases", count - BEST_NAMED);
	if (runs)
		say("%zu %s stored in %s%s", runs, runs == 1 ? "run is" : "runs are", db_path,
		    best.data);
	else
		say("no run is stored");
	text_release(&best);
}

/* ---- the loop ---- */

static int measure_once(struct watch_loop *loop, struct error *err)
{
	const struct sweep_observer observer = progress_observer(&loop->progress);
	struct watch_report report = {0};
	struct error cause = {0};
	int rc;

	loop->measured++;
	rc = watch_measure(loop->watch, &observer, loop->stop, &report, &cause);
	progress_end(&loop->progress);
	/* A mistake in a file can be corrected in it, and a file that was saved meanwhile is
	 * measured again. Any other error of the first measurement is one of the command line or
	 * of the machine. */
	if (rc == PL_EINTERRUPTED || (rc && rc != PL_EPARSE && loop->measured == 1))
		return error_set(err, rc, "%s", cause.text);
	if (rc) {
		progress_say(&loop->progress, "%s", cause.text);
		return 0;
	}
	rc = watch_block_print(loop->call, &report, err);
	if (!rc)
		say_times(loop, &report);
	watch_report_release(&report);
	return rc;
}

static int wait_for_save(struct watch_loop *loop, struct error *err)
{
	struct string_list saved = {0};
	int rc;

	if (!loop->progress.quiet && loop->measured == 1)
		progress_say(&loop->progress, "waiting until a file is saved; Ctrl-C ends");
	rc = watch_await(loop->watch, loop->stop, &saved, err);
	if (!rc && !loop->progress.quiet)
		say_saved(loop, &saved);
	string_list_release(&saved);
	return rc;
}

static int run_loop(struct watch_loop *loop, struct error *err)
{
	const struct watch_options *options = loop->call->options;
	int rc = 0;

	while (!rc) {
		rc = measure_once(loop, err);
		if (!rc && options->times && loop->measured >= options->times)
			break;
		if (!rc)
			rc = wait_for_save(loop, err);
	}
	return rc == PL_EINTERRUPTED ? 0 : rc;
}

static int run_watch(struct invocation *call, struct error *err)
{
	const struct watch_options *options = call->options;
	struct watch_loop loop = {.call = call, .stop = interruption_catch()};
	struct sweep_request request;
	int rc = make_watch_request(&request, call, err);

	progress_init(&loop.progress, &call->terminal, options->common.quiet);
	if (!rc)
		rc = watch_open(&loop.watch, &request, err);
	if (!rc) {
		say_remote_files(&loop, &request);
		rc = run_loop(&loop, err);
		progress_end(&loop.progress);
		if (!rc)
			rc = watch_check_stored(loop.watch, err);
		if (!rc)
			say_stored_runs(&loop, request.db_path);
	}
	watch_close(loop.watch);
	sweep_request_release(&request);
	return rc;
}

/* ---- the command ---- */

static const struct option_row watch_rows[] = {
	ROWS_CASES(watch_options),
	ROW_METRICS(watch_options),
	TEXT_ROW("label", 'l', watch_options, label, "TEXT", "a name for the runs"),
	TEXT_ROW("note", 0, watch_options, note, "TEXT", "a remark to store with the runs"),
	COUNT_ROW("times", 0, watch_options, times, "NUMBER", 0,
		  "end after so many measurements; 0: when it is interrupted"),
	ROW_DB(watch_options),
	ROW_SEED(watch_options),
	ROWS_SAMPLES(watch_options),
	ROWS_CACHE_AND_CEILINGS(watch_options),
	ROWS_ROUNDS(watch_options),
	ROW_DEVICE(watch_options),
	ROW_BACKEND(watch_options, "auto|cuda|ptx", BACKEND_OF_CASES),
	ROWS_EMULATOR(watch_options),
	ROW_JOBS(watch_options),
	ROW_QUIET(watch_options),
};

static const struct example watch_examples[] = {
	{"perflab watch saxpy.cu", "measure now, and again after each save"},
	{"perflab watch saxpy.cu --size 2^24 --block-sizes 256", "one case: the fastest loop"},
	{"perflab watch saxpy.cu --block-sizes 64..1024", "a line per case"},
	{"perflab watch saxpy.cu --rounds 3", "slower, but small changes can be judged"},
	{"perflab watch saxpy.cu --backend ptx --size 2^16", "results and counts, without a GPU"},
};

const struct command command_watch = {
	.name = "watch",
	.summary = "measure a kernel of your own again whenever its file is saved",
	.operands = "FILE ... [KERNEL[/VARIANT[/CONFIG]] ...]",
	.description =
		"Measures the cases of the files as perflab sweep does, prints the result, and "
		"waits. When a file, its sidecar, a header that the compiler read or a data file "
		"is saved, it measures again and prints what changed against the last run and "
		"against the best one: the time, the limiter, the registers, the occupancy and the "
		"counters that moved.\n\n"
		"The last run is the newest one of this watch in which the case has a result. The "
		"best is the fastest verified one of this watch that does the same work. A wrong "
		"or unverified kernel is never the best. A case is measured in one round, which "
		"cannot prove a small change: a difference of less than 2.5 % is within noise. "
		"With --rounds 3 a change is judged as by perflab regress. Variants of several "
		"files are not measured beside each other: perflab sweep does that.\n\n"
		"Each measurement is a run in the database, with the label watch. A save during a "
		"measurement does not interrupt it. Such a run counts neither as the last nor as "
		"the best, and is followed by another. What the compiler says about an error goes "
		"to standard error, and the watch waits for the next save.\n\n"
		"While it waits, a worker with an open GPU context is ready for the next "
		"measurement. Ceilings are measured before the first measurement only. Ctrl-C ends "
		"the watch.",
	.exit_status = "0 also when the last kernel was wrong. Other codes: the first measurement "
		       "could not be made for a reason that is not in the files.",
	OPTIONS_AND_EXAMPLES(watch_options, watch_rows, watch_examples),
	.defaults = watch_defaults,
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = SIZE_MAX,
	.run = run_watch,
};
