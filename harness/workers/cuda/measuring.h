/*
 * measuring: one round of one case, from loading it to the replies with its
 * samples. operation.h loads, executes and verifies, beside.h adds the base
 * case, and timing.h times. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_MEASURING_H
#define HARNESS_WORKERS_CUDA_MEASURING_H

#include "harness/workers/cuda/profiler.h"
#include "harness/workers/cuda/resources.h"
#include "harness/workers/cuda/timing.h"
#include "harness/workers/worker_loop.h"

/* What all cases of a session are measured with. Borrowed. */
struct measuring {
	struct cuda_resources *resources;
	struct timer *timer;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	const char
		*unmoved; /* why the data of no case is moved, though it should be; NULL: it is */
	bool under_ncu;   /* ncu measures: the case is executed once, and not timed */
};

struct measured_case {
	int64_t id;
	int round;
	const struct launch_case *work;
	const struct launch_case *base; /* beside which it is timed; NULL: alone */
};

/* Sends the replies to `measure` but the first phase. Errors, *status and *reason are those of
 * struct backend_ops. */
int measure_case(const struct measuring *measuring, const struct measured_case *asked,
		 struct worker_reply *reply, enum trial_status *status, struct text *reason,
		 struct error *err);

#endif
