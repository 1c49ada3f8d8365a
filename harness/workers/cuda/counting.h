/*
 * counting: reads the hardware counters of many cases in one CUPTI session.
 * Each pass executes all cases, each case in a range of its own. Timed
 * executions are never counted. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_COUNTING_H
#define HARNESS_WORKERS_CUDA_COUNTING_H

#include "harness/workers/cuda/nvtx_ranges.h"
#include "harness/workers/cuda/operation.h"
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

#endif
