/*
 * program_threads: what the recorder does to the threads of the program. Every
 * launch passes a gate, which a thread that records closes: then no launch of
 * another thread is between its beginning and its end. And while the recorder
 * works in a thread, that keeps errno, its signals and its cancellation.
 * Internal to record/.
 */
#ifndef RECORD_PROGRAM_THREADS_H
#define RECORD_PROGRAM_THREADS_H

#include <signal.h>

#include "base/base.h"

/* A launch begins. Waits while the gate is closed; passing an open gate takes no lock. */
void launch_gate_enter(void);
/* The launch has ended. */
void launch_gate_leave(void);
/* Keeps launches out until launch_gate_open(), without waiting for those that are inside. Waits for
 * another thread that has closed the gate. */
void launch_gate_close(void);
/* As launch_gate_close(). False: another thread has closed the gate. */
bool launch_gate_try_close(void);
/* Waits until no launch is inside the closed gate. The launch of the caller must not be inside.
 * PL_EUNSUPPORTED: one was still inside after a minute. The gate stays closed in any case. */
int launch_gate_await_empty(struct error *err);
void launch_gate_open(void);

struct undisturbed {
	sigset_t mask, pending; /* before */
	int cancel_state;
	int error_number;
};

/* Until undisturbed_end(), the thread is not cancelled, because the recorder holds locks. A pipe
 * without a reader and the limit of file sizes are errors for the recorder, and no signals for the
 * program. */
void undisturbed_begin(struct undisturbed *out);
void undisturbed_end(const struct undisturbed *before);

#endif
