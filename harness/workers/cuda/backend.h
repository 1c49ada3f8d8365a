/*
 * backend: what backend.c consists of: profilers, timing, measuring and counting of cases,
 * and the doctor. operation.h has the case on the device. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_BACKEND_H
#define HARNESS_WORKERS_CUDA_BACKEND_H

#include "harness/workers/cuda/operation.h"
#include "harness/workers/cuda/resources.h"
#include "harness/workers/worker_loop.h"
#include "kernels/kernels.h"
#include "metrics/cupti/cupti_session.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"
#include <pthread.h>

/* ---- profilers that are attached to this process, and ranges for Nsight: profiler.c ---- */

enum profiler { PROFILER_NONE, PROFILER_NCU, PROFILER_NSYS, PROFILER_OTHER };

/* Looks for the environment variables that profilers set for the programs that they start. */
enum profiler profiler_attached(void);
const char *profiler_name(enum profiler tool); /* "", "ncu", "nsys", "other" */

/*
 * NVTX ranges in the domain "perflab". They are nested: kernel > variant > one per axis value
 * ("block=256") > phase. They are push/pop ranges, because the filter of Nsight Compute reads
 * slashes as nesting: perflab@reduce/shuffle/block=256/. The names contain no character with a
 * special meaning in that filter. Without a profiler the ranges cost nothing.
 */
struct nvtx_ranges;
struct nvtx_ranges *nvtx_open(void);
void nvtx_close(struct nvtx_ranges *ranges);
/* Enters the ranges of kernel, variant and axes. The innermost has `id` as its payload. */
void nvtx_enter_case(struct nvtx_ranges *ranges, const struct launch_case *work, int64_t id);
void nvtx_leave_case(struct nvtx_ranges *ranges, const struct launch_case *work);
void nvtx_enter_phase(struct nvtx_ranges *ranges, const char *phase);
void nvtx_leave_phase(struct nvtx_ranges *ranges);

/* ---- samples of an operation: timing.c ---- */

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

/* ---- other clocks: clocks.c ---- */

/* Whether the metrics ask for them. */
bool clocks_are_wanted(const struct measure_settings *settings);
/* Measures a case, whose samples are `timed`, by all clocks, and adds what they read to *out, or
 * why one read nothing. PL_EDEVICE. */
int clocks_measure(struct timer *timer, struct operation *operation,
		   const struct measure_settings *settings, const struct round_result *timed,
		   struct counter_list *out, struct error *err);

/* ---- one round of one case, from loading it to the replies with its samples: measuring.c ---- */

/* What all cases of a session are measured with. Borrowed. */
struct measuring {
	struct cuda_resources *resources;
	struct timer *timer;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	/* why the data of no case is moved, though it should be; NULL: it is */
	const char *unmoved;
	bool under_ncu; /* ncu measures: the case is executed once, and not timed */
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

/*
 * ---- hardware counters: counting.c ----
 *
 * Many cases are counted in one CUPTI session. Each pass executes all cases, each case in a range
 * of its own. Timed executions are never counted.
 */

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
 * ---- instructions: profiling.c ----
 *
 * Samples and counts the instructions of every item, and replies their profiles, which say what the
 * device, CUPTI or a case does not allow. Every item must have been measured before. `chip`: as
 * CUPTI names it. Nothing may be timed in this process afterwards. PL_EDEVICE, PL_EIO.
 */
int profile_cases(struct cuda_resources *resources, struct nvtx_ranges *ranges, const char *chip,
		  const struct measure_settings *settings, const struct profile_items *items,
		  struct worker_reply *reply, struct error *err);

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
	struct string_list metrics;
	int rc;
	struct error why;
};

/* Hooks CUPTI into the driver, which must be open, in a thread. Needs no context, and may run while
 * one is made. */
void counter_access_hook(struct counter_access *access);
/* Plans the metrics in a thread. Others may use the device meanwhile, but not time anything. The
 * device must be valid until counter_access_open() or counter_access_close(). */
void counter_access_begin(struct counter_access *access, const struct device *device,
			  const struct string_list *metrics);
/* Waits for the thread; if none was begun, or for other metrics, does its work. After a failure it
 * may be called again, and tries again. Error: why counters are off. */
int counter_access_open(struct counter_access *access, const struct device *device,
			const struct string_list *metrics, struct error *err);
void counter_access_close(struct counter_access *access);

/* ---- what this machine can do: doctor.c. Operations of the worker loop. ---- */

/* Replies one check per row of `perflab doctor`, on a machine without a device too. */
int cuda_doctor(void *backend, struct worker_reply *reply, struct error *err);
/* Replies one device per GPU. */
int cuda_devices(void *backend, struct worker_reply *reply, struct error *err);
/*
 * The hardware metrics of a chip. chip NULL: that of device 0, or GH100. PL_EUSAGE: the named chip
 * is unknown; PL_EUNSUPPORTED: CUPTI does not know the chip of the device.
 */

/* Replies the metrics whose names match the pattern; NULL: all. */
int cuda_metrics(void *backend, const char *chip, const char *pattern, struct worker_reply *reply,
		 struct error *err);
/* Counts the passes that `wanted` needs. Adds what the chip lacks to *missing. */
int cuda_passes(void *backend, const char *chip, const struct string_list *wanted, int64_t *passes,
		struct string_list *missing, struct error *err);

#endif
