/* Lets launches pass, or one thread alone. See launch_gate.h. */
#include "record/launch_gate.h"

#include <time.h>

/* Launches take microseconds, unless the queue of the GPU is full. */
#define POLL_NS 20000

void launch_gate_init(struct launch_gate *gate)
{
	*gate = (struct launch_gate){.inside = 0};
	pthread_mutex_init(&gate->lock, NULL);
}

/* Both sides write first and then read what the other has written, in one order for all threads:
 * either the launch sees that the gate is closed, or the thread that closes it sees the launch. */
void launch_gate_enter(struct launch_gate *gate)
{
	atomic_fetch_add(&gate->inside, 1);
	while (atomic_load(&gate->closed)) {
		atomic_fetch_sub(&gate->inside, 1);
		pthread_mutex_lock(&gate->lock);
		pthread_mutex_unlock(&gate->lock);
		atomic_fetch_add(&gate->inside, 1);
	}
}

void launch_gate_leave(struct launch_gate *gate)
{
	atomic_fetch_sub(&gate->inside, 1);
}

void launch_gate_close(struct launch_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	atomic_store(&gate->closed, true);
}

int launch_gate_await_empty(struct launch_gate *gate, int64_t limit_ns, struct error *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	const int64_t end_ns = monotonic_ns() + limit_ns;

	while (atomic_load(&gate->inside)) {
		if (monotonic_ns() >= end_ns)
			return error_set(err, PL_EUNSUPPORTED,
					 "another thread was in the middle of a launch for %.0f s; "
					 "record another launch",
					 (double)limit_ns / 1e9);
		nanosleep(&pause, NULL);
	}
	return 0;
}

bool launch_gate_try_close(struct launch_gate *gate)
{
	if (pthread_mutex_trylock(&gate->lock) != 0)
		return false;
	atomic_store(&gate->closed, true);
	return true;
}

void launch_gate_open(struct launch_gate *gate)
{
	atomic_store(&gate->closed, false);
	pthread_mutex_unlock(&gate->lock);
}
