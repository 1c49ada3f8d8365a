/*
 * launch_gate: every launch of the program passes it, and a thread that records closes
 * it: then no launch of another thread is between its beginning and its end.
 * Passing an open gate takes no lock. Internal to record/.
 */
#ifndef RECORD_LAUNCH_GATE_H
#define RECORD_LAUNCH_GATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct launch_gate {
	_Atomic int inside; /* launches that have begun and not ended */
	_Atomic bool closed;
	pthread_mutex_t lock; /* held while the gate is closed */
};

void launch_gate_init(struct launch_gate *gate);
/* A launch begins. Waits while the gate is closed. */
void launch_gate_enter(struct launch_gate *gate);
/* The launch has ended. */
void launch_gate_leave(struct launch_gate *gate);
/* Keeps launches out until launch_gate_open(), without waiting for those that are inside. Waits for
 * another thread that has closed the gate. */
void launch_gate_close(struct launch_gate *gate);
/* As launch_gate_close(). False: another thread has closed the gate. */
bool launch_gate_try_close(struct launch_gate *gate);
/* Waits until no launch is inside the closed gate. The launch of the caller must not be inside.
 * PL_EUNSUPPORTED: one was still inside after limit_ns. The gate stays closed in any case. */
int launch_gate_await_empty(struct launch_gate *gate, int64_t limit_ns, struct error *err);
void launch_gate_open(struct launch_gate *gate);

#endif
