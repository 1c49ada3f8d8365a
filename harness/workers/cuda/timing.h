/*
 * timing: times an operation with device timestamps (CUDA events). Between the
 * two timestamps of a sample the device executes only the operation.
 *
 * The host queues samples in batches behind a gate: the stream waits for a word
 * in host memory, which the host sets after it has queued the whole batch. So
 * the device never waits for the host inside a sample, even if the operation is
 * shorter than the launch of the next one. With a cold cache, the worker
 * flushes the L2 before each sample. Before each cold sample of a user's kernel
 * it also resets persisting lines, so a batch of them has a gate per sample.
 *
 * Samples are taken while the clocks of the device are up: if it may have been
 * idle for over a second, the worker first warms it up. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_TIMING_H
#define HARNESS_WORKERS_CUDA_TIMING_H

#include "harness/workers/cuda/operation.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

struct timer;
/* `gated` must be false under a profiler that serialises kernels: the gate would never open. */
int timer_open(struct timer **out, struct cuda_resources *resources, bool gated, struct error *err);
void timer_close(struct timer *timer);
/* Keeps the device busy for 100 ms, so that its clocks rise. */
int timer_warm_up(struct timer *timer, struct error *err);
/* Warms up, unless the device was busy at `busy_ns`, by monotonic_ns(), and not long ago. */
int timer_warm_up_since(struct timer *timer, int64_t busy_ns, struct error *err);
/* Warms up if the device may have been idle for over a second: a worker may be opened long before
 * its first case, and the host may need long for the expected results of a case. timer_run() and
 * timer_take() call it. */
int timer_stay_warm(struct timer *timer, struct error *err);

/*
 * Times a prepared and verified operation for one round; with `base` not NULL, both in turn. The
 * caller frees out->time_ns and out->base_ns, which have room for one more sample. out->state is
 * the state of the device during the last samples, and out->placements the number of placements
 * over which the samples are spread. out->round says which round it is; it and out->same_buffers
 * are left unchanged.
 *
 * A round ends when it has its share of min_samples and the confidence interval
 * of its median is narrow enough, or when its share of max_time_ns is spent. The
 * width of the interval falls with the square root of the number of samples, so
 * a round may be wider than settings->precision by the square root of the number
 * of rounds. Beside a base, the interval of the speed-up must also be narrow
 * enough: half as wide, because small differences are what is looked for.
 *
 * The least number of samples is spread over settings->placements placements of the data in
 * physical memory. Where more samples are needed, each further part of them begins on another one,
 * unless they are long. Both samples of a pair have the same placement. Where the data cannot be
 * moved, because memory is scarce or its blocks are small, the round goes on with the placement
 * that it has. A round whose samples take over 0.5 ms keeps its placement, too.
 *
 * Pairs begin with the base and with the operation in turn (A B B A), so that each comes as often
 * after itself as after the other, and linear drift cancels. With a hot cache, each
 * sample of a pair follows an execution of the same operation, as it does alone.
 */
int timer_run(struct timer *timer, struct operation *operation, struct operation *base,
	      const struct measure_settings *settings, struct round_result *out, struct error *err);
/* Takes one more sample, as those of a pair are taken. */
int timer_take(struct timer *timer, struct operation *operation,
	       const struct measure_settings *settings, double *time_ns, struct error *err);

#endif
