#include "record/program_threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* ---- the gate ---- */

/* How long the launch of another thread may take. It waits while the queue of the GPU is full. */
#define LAUNCH_LIMIT_S 60
/* Launches take microseconds, unless the queue of the GPU is full. */
#define POLL_NS 20000

static _Atomic int inside; /* launches that have begun and not ended */
static _Atomic bool closed;
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER; /* held while the gate is closed */

/* The launch and the thread that closes the gate each write first, and then read what the other has
 * written, in one order for all threads: either the launch sees that the gate is closed, or the
 * thread that closes it sees the launch. */
void launch_gate_enter(void)
{
	atomic_fetch_add(&inside, 1);
	while (atomic_load(&closed)) {
		atomic_fetch_sub(&inside, 1);
		pthread_mutex_lock(&closing);
		pthread_mutex_unlock(&closing);
		atomic_fetch_add(&inside, 1);
	}
}

void launch_gate_leave(void)
{
	atomic_fetch_sub(&inside, 1);
}

void launch_gate_close(void)
{
	pthread_mutex_lock(&closing);
	atomic_store(&closed, true);
}

int launch_gate_await_empty(struct error *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	const int64_t end_ns = monotonic_ns() + INT64_C(1000000000) * LAUNCH_LIMIT_S;

	while (atomic_load(&inside)) {
		if (monotonic_ns() >= end_ns)
			return error_set(err, PL_EUNSUPPORTED,
					 "another thread was in the middle of a launch for %d s; "
					 "record another launch",
					 LAUNCH_LIMIT_S);
		nanosleep(&pause, NULL);
	}
	return 0;
}

bool launch_gate_try_close(void)
{
	if (pthread_mutex_trylock(&closing) != 0)
		return false;
	atomic_store(&closed, true);
	return true;
}

void launch_gate_open(void)
{
	atomic_store(&closed, false);
	pthread_mutex_unlock(&closing);
}

/* ---- undisturbed threads ---- */

static const int signals_of_files[] = {SIGPIPE, SIGXFSZ};

void undisturbed_begin(struct undisturbed *out)
{
	sigset_t blocked;

	out->error_number = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &out->cancel_state);
	sigemptyset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(signals_of_files); i++)
		sigaddset(&blocked, signals_of_files[i]);
	sigpending(&out->pending);
	pthread_sigmask(SIG_BLOCK, &blocked, &out->mask);
}

void undisturbed_end(const struct undisturbed *before)
{
	const struct timespec none = {0};

	/* A signal that was pending before is the program's. */
	for (size_t i = 0; i < ARRAY_SIZE(signals_of_files); i++) {
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, signals_of_files[i]);
		if (!sigismember(&before->pending, signals_of_files[i]))
			sigtimedwait(&one, NULL, &none);
	}
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	pthread_setcancelstate(before->cancel_state, NULL);
	errno = before->error_number;
}
