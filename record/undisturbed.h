/*
 * undisturbed: preserves errno, signals and cancellation of the program's thread, in which the
 * recorder works. errno keeps its value. The thread is not cancelled while the recorder holds
 * locks. A pipe without a reader and the limit of file sizes are errors for the recorder, and no
 * signals for the program. Internal to record/.
 */
#ifndef RECORD_UNDISTURBED_H
#define RECORD_UNDISTURBED_H

#include <signal.h>
#include <stdbool.h>

struct undisturbed {
	sigset_t mask, pending; /* before */
	int cancel_state;
	int error_number;
};

void undisturbed_begin(struct undisturbed *out);
void undisturbed_end(const struct undisturbed *before);

#endif
