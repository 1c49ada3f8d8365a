/*
 * counter_access: finds out whether this process can read counters, and plans
 * which. That takes CUPTI about 200 ms, so it runs in a thread beside the opening
 * of the device. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_COUNTER_ACCESS_H
#define HARNESS_WORKERS_CUDA_COUNTER_ACCESS_H

#include "harness/workers/cuda/device.h"
#include "metrics/cupti/cupti_session.h"
#include "metrics/settings.h"

#include <pthread.h>

/* All zeroes: nothing was done yet. */
struct counter_access {
	struct cupti_plan *plan; /* NULL: not planned yet, or counters are off */
	char cupti[16], chip[16];
	/* of the thread */
	pthread_t thread;
	bool running;
	const struct device *device;
	const struct string_list *metrics;
	int rc;
	struct error why;
};

/* Hooks CUPTI into the driver, which must be open, in a thread. Needs no context, and may run while
 * one is made. */
void counter_access_hook(struct counter_access *access);
/* Plans the metrics in a thread. Others may use the device meanwhile, but not time anything. Both
 * pointers must be valid until counter_access_open() or counter_access_close(). */
void counter_access_begin(struct counter_access *access, const struct device *device,
			  const struct string_list *metrics);
/* Waits for the thread; if none was begun, does its work. After a failure it may be called again,
 * and tries again. Error: why counters are off. */
int counter_access_open(struct counter_access *access, const struct device *device,
			const struct string_list *metrics, struct error *err);
void counter_access_close(struct counter_access *access);

#endif
