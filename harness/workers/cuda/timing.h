/*
 * Timing: device timestamps around the operation, nothing else between them.
 *
 * Samples are queued in batches behind a gate, a wait on a word of host memory
 * that the stream passes once the whole batch is queued: so the device never
 * waits for the host inside a sample, not even where the operation is shorter
 * than the launch of the next one. With a cold cache every sample follows a
 * read of several times the L2. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_TIMING_H
#define HARNESS_WORKERS_CUDA_TIMING_H

#include "harness/workers/cuda/operation.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

struct timer;
/* `gated` false: under a tool that serialises kernels the gate would wait for ever. */
int timer_open(struct timer **out, struct cuda_resources *resources, bool gated, struct error *err);
void timer_close(struct timer *timer);
/* Keeps the device busy until its clocks have come up. */
int timer_warm_up(struct timer *timer, struct error *err);

/*
 * Times an operation that was prepared and verified. out->time_ns is malloc'd, out->state the
 * device's while the last samples ran; out->round is left alone. Stops when this round's share of
 * min_samples is there and the interval of its median is so narrow that all rounds together can be
 * expected within settings->precision (the width falls with the root of the count), or when the
 * round's share of max_time_ns is spent.
 */
int timer_run(struct timer *timer, struct operation *operation,
	      const struct measure_settings *settings, struct round_result *out, struct error *err);

#endif
