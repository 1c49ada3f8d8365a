/*
 * Counting: hardware counters of many cases in one CUPTI session, passes
 * outside, cases inside, one range a case. Never in the executions that are
 * timed. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_COUNTING_H
#define HARNESS_WORKERS_CUDA_COUNTING_H

#include "harness/workers/cuda/nvtx_ranges.h"
#include "harness/workers/cuda/operation.h"
#include "harness/workers/worker_loop.h"
#include "metrics/cupti/cupti_session.h"
#include "metrics/settings.h"

/*
 * Counts every item and replies its counters. `settings` gives the cache mode
 * and the folder for counter-data images, if any. Items must have been
 * measured before: one that cannot be loaded any more is an error of the batch.
 */
int count_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges,
		const struct cupti_plan *plan, const struct measure_settings *settings,
		const struct count_item *items, size_t count, struct worker_reply *reply,
		struct error *err);

#endif
