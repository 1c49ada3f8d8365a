/*
 * counting: reads the hardware counters of many cases in one CUPTI session.
 * Each pass executes all cases, each case in a range of its own. Timed
 * executions are never counted. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_COUNTING_H
#define HARNESS_WORKERS_CUDA_COUNTING_H

#include <pthread.h>

#include "harness/workers/cuda/operation.h"
#include "harness/workers/cuda/profiler.h"
#include "harness/workers/worker_loop.h"
#include "metrics/cupti/cupti_session.h"
#include "metrics/settings.h"

/*
 * Counts every item and replies its counters. `settings` has the cache mode and,
 * optionally, the folder for counter-data images. Every item must have been
 * measured before: an item that cannot be loaded fails the whole batch.
 */
int count_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges,
		const struct cupti_plan *plan, const struct measure_settings *settings,
		const struct count_item *items, size_t count, struct worker_reply *reply,
		struct error *err);

/*
 * ---- access to the counters ----
 *
 * Finds out whether this process can read counters, and plans which. That takes CUPTI about 200 ms,
 * so it runs in a thread beside the opening of the device.
 */

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
