/* Waits in a thread of its own, because the driver's wait has no time limit. See idle.h. */
#include "record/idle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* Shared by the thread that waits and the one that waits for it; freed by the last of the two. */
struct waiting {
	const struct record_driver *driver;
	CUcontext context;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done, abandoned;
	CUresult result;
};

static void free_waiting(struct waiting *waiting)
{
	pthread_cond_destroy(&waiting->changed);
	pthread_mutex_destroy(&waiting->lock);
	free(waiting);
}

static void *wait_for_context(void *argument)
{
	struct waiting *waiting = argument;
	CUresult result = waiting->driver->cuCtxSetCurrent(waiting->context);
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	bool abandoned;

	waiting->driver->cuThreadExchangeStreamCaptureMode(&mode);
	if (result == CUDA_SUCCESS)
		result = waiting->driver->cuCtxSynchronize();
	pthread_mutex_lock(&waiting->lock);
	waiting->result = result;
	waiting->done = true;
	abandoned = waiting->abandoned;
	pthread_cond_signal(&waiting->changed);
	pthread_mutex_unlock(&waiting->lock);
	if (abandoned)
		free_waiting(waiting);
	return NULL;
}

/* Returns whether it was done in time. */
static bool await_done(struct waiting *waiting, int64_t limit_ns, CUresult *result)
{
	struct timespec end;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += limit_ns / 1000000000;
	pthread_mutex_lock(&waiting->lock);
	while (!waiting->done &&
	       pthread_cond_timedwait(&waiting->changed, &waiting->lock, &end) != ETIMEDOUT)
		;
	done = waiting->done;
	waiting->abandoned = !done;
	*result = waiting->result;
	pthread_mutex_unlock(&waiting->lock);
	return done;
}

int device_wait_idle(const struct record_driver *driver, int64_t limit_ns, struct error *err)
{
	struct waiting *waiting = xcalloc(1, sizeof(*waiting));
	pthread_condattr_t clock;
	pthread_t thread;
	sigset_t signals, all_signals;
	CUresult result;
	int failed;

	waiting->driver = driver;
	driver->cuCtxGetCurrent(&waiting->context);
	pthread_mutex_init(&waiting->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&waiting->changed, &clock);
	pthread_condattr_destroy(&clock);
	/* The thread inherits the mask: handlers of the program are made for its own threads. */
	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &signals);
	failed = pthread_create(&thread, NULL, wait_for_context, waiting);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	if (failed) {
		free_waiting(waiting);
		return error_set(err, PL_EIO, "the program can have no more threads");
	}
	pthread_detach(thread);
	if (!await_done(waiting, limit_ns, &result))
		return error_set(err, PL_EUNSUPPORTED,
				 "the GPU was not idle after %.0f s: a kernel may wait for another "
				 "one; record another launch",
				 (double)limit_ns / 1e9);
	free_waiting(waiting);
	return record_driver_check(driver, result, err, "waiting for the GPU");
}
