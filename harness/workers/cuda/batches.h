/*
 * batches: samples that are queued together, and read together. Internal to timing.c and
 * clocks.c.
 *
 * The host queues a batch behind a gate: the stream waits for a word in host memory, which the host
 * sets after it has queued the whole batch. So the device never waits for the host inside a sample,
 * even if the operation is shorter than the launch of the next one. With a cold cache, the worker
 * flushes the L2 before each sample. Before each cold sample of a user's kernel it also resets
 * persisting lines, so a batch of them has a gate per sample.
 */
#ifndef HARNESS_WORKERS_CUDA_BATCHES_H
#define HARNESS_WORKERS_CUDA_BATCHES_H

#include "harness/workers/cuda/operation.h"

#define BATCH_MAX_SAMPLES 64

static inline size_t smaller_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One sample to take. */
struct turn {
	struct operation *operation;
	double *time_ns; /* where it goes */
};

/* Samples that are queued together. */
struct batch {
	CUevent starts[BATCH_MAX_SAMPLES], stops[BATCH_MAX_SAMPLES];
	CUevent begin;
	struct turn turns[BATCH_MAX_SAMPLES];
	size_t count; /* 0: none is queued */
};

/* What two events add to the time of an empty kernel between them, and how long it takes. */
struct event_cost {
	double event_ns, launch_ns; /* NAN: not known */
	int64_t measured_ns;        /* when; 0: never */
};

struct timer {
	struct cuda_resources *resources;
	struct batch batches[2]; /* one is queued while the device works on the other */
	uint32_t *gate;          /* host memory that the stream waits for; NULL: there is no gate */
	CUdeviceptr gate_on_device;
	uint32_t gate_value; /* opens the gate of the latest batch */
	int64_t busy_ns;     /* when the device last worked for long */
	struct event_cost costs[CACHE_HOT + 1];
};

/* How the samples of a batch are taken. */
struct manner {
	bool cold; /* the L2 is flushed before each */
	/* Each follows an untimed execution of the same operation, because another operation came
	 * before. Otherwise the previous sample is that execution. */
	bool warmed;
};

/* Queues the turns of a batch, and opens its gate. If `untimed`, each operation is executed once
 * before them. */
int batch_queue(struct timer *timer, struct batch *batch, struct manner manner, bool untimed,
		struct error *err);
/* Waits for the samples of a batch, and reads their times. Nothing to do if none is queued. */
int batch_finish(struct timer *timer, struct batch *batch, struct error *err);
/* How many samples, or pairs of them, fit into a batch: two batches fit into the queue of the
 * driver, unless one sample alone has too many commands. At least 1. */
size_t batch_limit(const struct operation *operation, const struct operation *base,
		   struct manner manner);

/* Without a gate these do nothing. What is queued between them is executed when the gate opens. */
int batch_gate_close(struct timer *timer, struct error *err);
void batch_gate_open(struct timer *timer);
/* Queues the begin or the end of an interval, while no batch is queued; then waits for the device
 * and reads how long the interval took. */
int batch_mark(struct timer *timer, bool end, struct error *err);
int batch_between_marks(struct timer *timer, double *out_ns, struct error *err);

/*
 * Times a row of empty kernels between two events, `count` times, as samples are taken. *out_ns is
 * the mean of the middle half. There must be a gate.
 */
#define EMPTY_ROWS_MOST 192
int batch_time_empty_rows(struct timer *timer, enum cache_mode cache, size_t row, size_t count,
			  double *out_ns, struct error *err);

#endif
