/*
 * Progress on stderr, and interruption: on a terminal one line that is rewritten, elsewhere a line
 * every ten seconds. Messages in between go through progress_say(), so that the two never mix.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/command.h"
#include "harness/sweep/sweep.h"

struct progress {
	bool quiet, rewrites;
	int width;
	bool shown; /* a rewritten line is on the terminal */
	int64_t last_ns;
};
void progress_init(struct progress *progress, const struct terminal *terminal, bool quiet);
/* Shows a line if enough time has passed since the last one. */
void progress_line(struct progress *progress, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints a message. */
void progress_say(struct progress *progress, const char *format, ...) PRINTF_LIKE(2, 3);
/* Removes the rewritten line. */
void progress_end(struct progress *progress);
/* Shows notices and progress of a session; remarks unless quiet. Borrows `progress`. */
struct sweep_observer progress_observer(struct progress *progress);

/* From now on the first Ctrl-C, SIGTERM or SIGHUP only makes *result non-zero, so that the work in
 * progress can end cleanly. A signal more than half a second later ends the program immediately.
 * (timeout(1) sends two signals.) */
const volatile int *interruption_catch(void);

#endif
