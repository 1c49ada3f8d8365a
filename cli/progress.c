/* Progress on stderr, and Ctrl-C. */
#include "cli/progress.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"

#define REWRITE_EVERY_NS INT64_C(100000000)
#define LINE_EVERY_NS INT64_C(10000000000)

void progress_init(struct progress *progress, const struct terminal *terminal, bool quiet)
{
	*progress = (struct progress){
		.quiet = quiet, .rewrites = terminal->err_rewrites, .width = terminal->err_width};
}

static void add_sweep_state(struct text *line, const struct sweep_progress *state)
{
	char left[32];

	text_addf(line, "%zu/%zu", state->done, state->total);
	if (state->left_ns >= 0) { /* before the name, whose end a narrow terminal cuts */
		format_duration(left, (double)state->left_ns);
		text_addf(line, "  %s left", left);
	}
	if (state->current) {
		text_addf(line, "  %s/%s/%s", state->current->kernel, state->current->variant,
			  state->current->config);
		if (state->phase)
			text_addf(line, "  %s", state->phase);
	} else if (state->phase) {
		text_addf(line, "  %s", state->phase);
	}
}

/* The bytes of visible text in `columns` columns. A line as wide as the terminal would wrap. */
static int bytes_in_columns(const char *text, int columns)
{
	const char *end = text;
	uint32_t point;

	for (; *end && columns > 0; columns--)
		end += utf8_next(end, &point);
	return (int)(end - text);
}

static void rewrite_line(struct progress *progress, const char *line)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, line);
	fprintf(stderr, "\r\033[K%.*s", bytes_in_columns(shown.data, progress->width - 1),
		shown.data);
	fflush(stderr);
	progress->shown = true;
	text_release(&shown);
}

static bool is_due(struct progress *progress)
{
	int64_t now_ns = monotonic_ns();
	int64_t every_ns = progress->rewrites ? REWRITE_EVERY_NS : LINE_EVERY_NS;

	if (progress->quiet || (progress->last_ns && now_ns - progress->last_ns < every_ns))
		return false;
	progress->last_ns = now_ns;
	return true;
}

void progress_line(struct progress *progress, const char *format, ...)
{
	va_list args;
	char *line;

	if (!is_due(progress))
		return;
	va_start(args, format);
	line = xvasprintf(format, args);
	va_end(args);
	if (progress->rewrites)
		rewrite_line(progress, line);
	else
		say("%s", line);
	free(line);
}

static void show_state(void *context, const struct sweep_progress *state)
{
	struct progress *progress = context;
	struct text line = TEXT_INIT;

	if (!state->total)
		return;
	add_sweep_state(&line, state);
	progress_line(progress, "%s", line.data);
	text_release(&line);
}

void progress_end(struct progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->shown = false;
}

void progress_say(struct progress *progress, const char *format, ...)
{
	va_list args;
	char *line;

	progress_end(progress);
	va_start(args, format);
	line = xvasprintf(format, args);
	va_end(args);
	say("%s", line);
	free(line);
}

static void show_notice(void *context, enum notice_kind kind, const char *line)
{
	struct progress *progress = context;

	if (kind == NOTICE_WARNING || !progress->quiet)
		progress_say(progress, "%s", line);
}

struct sweep_observer progress_observer(struct progress *progress)
{
	return (struct sweep_observer){
		.context = progress, .notice = show_notice, .progress = show_state};
}

/*
 * One request to stop can arrive as several signals: timeout(1) signals the program and then its
 * process group, and a terminal that closes sends SIGHUP as well. A signal this soon after the
 * first is no second request.
 */
#define SAME_REQUEST_NS INT64_C(500000000)

/* A signal handler has no context argument, so these are static. */
static volatile int requested;
static int64_t requested_ns;

/* The signals block one another, so calls of this never nest. */
static void request_stop(int signal_number)
{
	if (!requested) {
		requested_ns = monotonic_ns();
		requested = 1;
	} else if (monotonic_ns() - requested_ns > SAME_REQUEST_NS) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
}

const volatile int *interruption_catch(void)
{
	struct sigaction action = {.sa_handler = request_stop}, before;

	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup ignores SIGHUP: keep it ignored */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return &requested;
}
