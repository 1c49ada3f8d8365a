/*
 * gate: every launch of the program passes it, and a thread that records closes
 * it: then no launch of another thread is between its beginning and its end.
 * Passing an open gate takes no lock. Internal to record/.
 */
#ifndef RECORD_GATE_H
#define RECORD_GATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct gate {
	_Atomic int inside; /* launches that have begun and not ended */
	_Atomic bool closed;
	pthread_mutex_t lock; /* held while the gate is closed */
};

void gate_init(struct gate *gate);
/* A launch begins. Waits while the gate is closed. */
void gate_enter(struct gate *gate);
/* The launch has ended. */
void gate_leave(struct gate *gate);
/* Keeps launches out until gate_open(), without waiting for those that are inside. Waits for
 * another thread that has closed the gate. */
void gate_close(struct gate *gate);
/* As gate_close(). False: another thread has closed the gate. */
bool gate_try_close(struct gate *gate);
/* Waits until no launch is inside the closed gate. The launch of the caller must not be inside.
 * PL_EUNSUPPORTED: one was still inside after limit_ns. The gate stays closed in any case. */
int gate_await_empty(struct gate *gate, int64_t limit_ns, struct error *err);
void gate_open(struct gate *gate);

#endif
