/*
 * Times an operation with device timestamps (CUDA events), and decides when a round has enough
 * samples. Between the two timestamps of a sample the device executes only the operation.
 *
 * The host queues samples in batches behind a gate: the stream waits for a word
 * in host memory, which the host sets after it has queued the whole batch. So
 * the device never waits for the host inside a sample, even if the operation is
 * shorter than the launch of the next one. With a cold cache, the worker
 * flushes the L2 before each sample. Before each cold sample of a user's kernel
 * it also resets persisting lines, so a batch of them has a gate per sample.
 *
 * Samples are taken while the clocks of the device are up: if it may have been
 * idle for over a second, the worker first warms it up.
 */
#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/operation.h"
#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdlib.h>

enum {
	BATCH_MAX_SAMPLES = 64,
	/* The driver's queue holds about 1000 commands. A batch behind a closed gate must fit. */
	BATCH_MAX_COMMANDS = 320,
	COMMANDS_PER_SAMPLE = 3, /* flush and two events */
	/* The last samples of a queue are faster, by 4 % at 11 us on an H200, unless this many
	 * kernels wait behind them: docs/results/log.md. */
	KERNELS_BEHIND_BATCH = 20,
	WARM_UP_NS = 100 * 1000 * 1000,
	/* A device that is idle for longer lowers its clocks. */
	IDLE_NS = 1000 * 1000 * 1000,
	ROUND_MAX_SAMPLES = 2000,
	/* A round of few samples has fewer placements, because a move takes as long as some
	 * samples.
	 */
	SAMPLES_PER_PLACEMENT = 5,
	/* Beyond its share, a round moves the data once for this many samples, and at least once.
	 */
	SAMPLES_PER_MOVE = 8,
	/* A move costs an execution, which is too much for longer samples. */
	MOVED_SAMPLE_MOST_NS = 500 * 1000,
	/* On an H200, event times are multiples of 32 ns, plus or minus rounding. */
	EVENT_STEP_NS = 33,
};

struct timer {
	struct cuda_resources *resources;
	CUevent starts[BATCH_MAX_SAMPLES], stops[BATCH_MAX_SAMPLES];
	size_t events;  /* number of pairs created */
	CUevent begin;  /* of a batch */
	bool untimed;   /* the executions of the batch are no samples */
	uint32_t *gate; /* host memory that the stream waits for; NULL: there is no gate */
	CUdeviceptr gate_on_device;
	uint32_t gate_value; /* opens the gate of the latest batch */
	int64_t busy_ns;     /* when the device last worked for long */
};

static int make_gate(struct timer *timer, struct error *err)
{
	const struct cuda_driver *driver = &timer->resources->device->driver;
	void *host = NULL;
	int rc = cuda_check(
		driver,
		driver->cuMemHostAlloc(&host, sizeof(*timer->gate), CU_MEMHOSTALLOC_DEVICEMAP), err,
		"allocating the gate");

	if (rc)
		return rc;
	timer->gate = host;
	__atomic_store_n(timer->gate, 0, __ATOMIC_SEQ_CST);
	return cuda_check(driver,
			  driver->cuMemHostGetDevicePointer(&timer->gate_on_device, host, 0), err,
			  "mapping the gate");
}

int timer_open(struct timer **out, struct cuda_resources *resources, bool gated, struct error *err)
{
	const struct cuda_driver *driver = &resources->device->driver;
	struct timer *timer = xcalloc(1, sizeof(*timer));
	int rc = 0;

	timer->resources = resources;
	timer->busy_ns = monotonic_ns();
	for (; timer->events < BATCH_MAX_SAMPLES && rc == 0; timer->events++) {
		rc = cuda_check(
			driver,
			driver->cuEventCreate(&timer->starts[timer->events], CU_EVENT_DEFAULT), err,
			"cuEventCreate");
		if (rc == 0)
			rc = cuda_check(driver,
					driver->cuEventCreate(&timer->stops[timer->events],
							      CU_EVENT_DEFAULT),
					err, "cuEventCreate");
	}
	if (rc == 0)
		rc = cuda_check(driver, driver->cuEventCreate(&timer->begin, CU_EVENT_DEFAULT), err,
				"cuEventCreate");
	if (rc == 0 && gated)
		rc = make_gate(timer, err);
	if (rc == 0)
		*out = timer;
	else
		timer_close(timer);
	return rc;
}

void timer_close(struct timer *timer)
{
	if (!timer)
		return;
	for (size_t i = 0; i < timer->events; i++) {
		timer->resources->device->driver.cuEventDestroy(timer->starts[i]);
		if (timer->stops[i])
			timer->resources->device->driver.cuEventDestroy(timer->stops[i]);
	}
	if (timer->begin)
		timer->resources->device->driver.cuEventDestroy(timer->begin);
	if (timer->gate)
		timer->resources->device->driver.cuMemFreeHost(timer->gate);
	free(timer);
}

int timer_warm_up(struct timer *timer, struct error *err)
{
	int64_t end_ns = monotonic_ns() + WARM_UP_NS;
	int rc = 0;

	while (rc == 0 && monotonic_ns() < end_ns) {
		for (int i = 0; i < 16 && rc == 0; i++)
			rc = cuda_flush_l2(timer->resources, FLUSH_TO_TIME, err);
		if (rc == 0)
			rc = device_synchronise(timer->resources->device, err, "warming up");
	}
	timer->busy_ns = monotonic_ns();
	return rc;
}

int timer_warm_up_since(struct timer *timer, int64_t busy_ns, struct error *err)
{
	timer->busy_ns = busy_ns;
	return timer_stay_warm(timer, err);
}

int timer_stay_warm(struct timer *timer, struct error *err)
{
	return monotonic_ns() - timer->busy_ns > IDLE_NS ? timer_warm_up(timer, err) : 0;
}

static int close_gate(struct timer *timer, struct error *err)
{
	const struct device *device = timer->resources->device;

	timer->gate_value++;
	return cuda_check(&device->driver,
			  device->driver.cuStreamWaitValue32(device->stream, timer->gate_on_device,
							     timer->gate_value,
							     CU_STREAM_WAIT_VALUE_GEQ),
			  err, "closing the gate");
}

/* One sample to take. */
struct turn {
	struct operation *operation;
	double *time_ns; /* where it goes */
};

/* How the samples of a batch are taken. */
struct manner {
	bool cold; /* the L2 is flushed before each */
	/* Each follows an untimed execution of the same operation, because another operation came
	 * before. Otherwise the previous sample is that execution. */
	bool warmed;
};

static int record_event(const struct device *device, CUevent event, struct error *err)
{
	return cuda_check(&device->driver, device->driver.cuEventRecord(event, device->stream), err,
			  "cuEventRecord");
}

static int enqueue_sample(struct timer *timer, struct operation *operation, size_t index,
			  struct manner manner, struct error *err)
{
	const struct device *device = timer->resources->device;
	int rc = operation_restore(operation, err);

	if (rc == 0 && manner.warmed)
		rc = operation_enqueue(operation, err);
	if (rc == 0 && manner.warmed)
		rc = operation_restore(operation, err);
	if (rc == 0 && manner.cold)
		rc = cuda_flush_l2(timer->resources, FLUSH_TO_TIME, err);
	/* The host's time for allocating belongs to the sample, so it must not overlap the flush.
	 */
	if (rc == 0 && operation->allocates)
		rc = device_synchronise(device, err, "before an operation that allocates");
	if (rc == 0)
		rc = record_event(device, timer->starts[index], err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = record_event(device, timer->stops[index], err);
	return rc ? rc : operation_compare_sample(operation, err);
}

static int read_times(const struct timer *timer, const struct turn *turns, size_t count,
		      struct error *err)
{
	const struct device *device = timer->resources->device;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		float milliseconds = 0;

		rc = cuda_check(&device->driver,
				device->driver.cuEventElapsedTime(&milliseconds, timer->starts[i],
								  timer->stops[i]),
				err, "cuEventElapsedTime");
		*turns[i].time_ns = 1e6 * (double)milliseconds;
	}
	return rc;
}

/* Tells the meter how long the device worked on the samples of a batch, and between them. */
static int meter_batch(const struct timer *timer, const struct turn *turns, size_t count,
		       struct error *err)
{
	const struct device *device = timer->resources->device;
	struct meter *meter = &timer->resources->meter;
	float milliseconds = 0;
	double samples_ns = 0;
	int rc = cuda_check(&device->driver,
			    device->driver.cuEventElapsedTime(&milliseconds, timer->begin,
							      timer->stops[count - 1]),
			    err, "cuEventElapsedTime");

	for (size_t i = 0; i < count; i++)
		samples_ns += timer->untimed ? 0 : *turns[i].time_ns;
	if (rc || !meter->since_ns)
		return rc;
	meter_read(meter);
	meter_move(meter, RUN_PART_TIMING, RUN_PART_SAMPLES, (int64_t)samples_ns);
	meter_move(meter, RUN_PART_TIMING, RUN_PART_FLUSHES,
		   (int64_t)(1e6 * (double)milliseconds - samples_ns));
	return 0;
}

/* Takes `count` samples, at most BATCH_MAX_SAMPLES. Sets *state to the device's state during them.
 */
static int run_batch(struct timer *timer, const struct turn *turns, size_t count,
		     struct manner manner, struct device_state *state, struct error *err)
{
	const struct device *device = timer->resources->device;
	bool gated = timer->gate != NULL, resets = false;
	size_t part;
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		/* An operation that allocates waits for the device when it is queued. Behind a
		 * closed gate it would wait forever. */
		gated = gated && !turns[i].operation->allocates;
		/* Lines that persist would survive the flush, and the host can reset them only
		 * while the device is idle. So each cold sample of such an operation has a gate of
		 * its own. */
		resets = resets || (manner.cold && operation_may_persist(turns[i].operation));
	}
	part = resets ? 1 : count;
	for (size_t first = 0; first < count && rc == 0; first += part) {
		if (resets)
			rc = cuda_reset_persisting_lines(timer->resources, err);
		if (rc == 0 && gated)
			rc = close_gate(timer, err);
		if (rc == 0 && first == 0)
			rc = record_event(device, timer->begin, err);
		for (size_t i = first; i < first + part && rc == 0; i++)
			rc = enqueue_sample(timer, turns[i].operation, i, manner, err);
		if (rc == 0 && gated && !resets && !timer->untimed)
			rc = cuda_queue_idle_kernels(timer->resources, KERNELS_BEHIND_BATCH, err);
		if (gated) /* opens it */
			__atomic_store_n(timer->gate, timer->gate_value, __ATOMIC_SEQ_CST);
	}
	/* The device is busy now, so these are the clocks of the samples. */
	*state = nvml_device_state(device->nvml);
	if (rc == 0)
		rc = device_synchronise(device, err, "executing the kernel");
	if (rc == 0)
		rc = read_times(timer, turns, count, err);
	return rc ? rc : meter_batch(timer, turns, count, err);
}

/* How many samples, or pairs of them, fit into a batch. */
static size_t batch_limit(const struct operation *operation, const struct operation *base,
			  struct manner manner)
{
	const size_t executions = manner.warmed ? 2 : 1;
	const size_t most = BATCH_MAX_SAMPLES / (base ? 2 : 1);
	size_t commands = operation_command_count(operation) * executions + COMMANDS_PER_SAMPLE;
	size_t limit;

	if (base)
		commands += operation_command_count(base) * executions + COMMANDS_PER_SAMPLE;
	limit = BATCH_MAX_COMMANDS / commands;
	return limit < 1 ? 1 : limit < most ? limit : most;
}

static size_t smaller_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Takes `count` samples or pairs, the first of which is number `taken` of the round. */
static int take_samples(struct timer *timer, struct operation *operation, struct operation *base,
			struct manner manner, struct round_result *out, size_t taken, size_t count,
			struct error *err)
{
	struct turn turns[BATCH_MAX_SAMPLES];
	size_t used = 0;

	for (size_t i = taken; i < taken + count; i++) {
		/* rounds begin with one and the other in turn */
		const bool base_first = base && (i + (size_t)out->round) % 2;

		if (base_first)
			turns[used++] = (struct turn){base, &out->base_ns[i]};
		turns[used++] = (struct turn){operation, &out->time_ns[i]};
		if (base && !base_first)
			turns[used++] = (struct turn){base, &out->base_ns[i]};
	}
	return run_batch(timer, turns, used, manner, &out->state, err);
}

int timer_take(struct timer *timer, struct operation *operation,
	       const struct measure_settings *settings, double *time_ns, struct error *err)
{
	const bool cold = settings->cache == CACHE_COLD;
	const struct turn turn = {operation, time_ns};
	struct device_state state;
	int rc = timer_stay_warm(timer, err);

	return rc ? rc : run_batch(timer, &turn, 1, (struct manner){cold, !cold}, &state, err);
}

/* ---- a round ---- */

/* What a round takes its samples with. */
struct timed_round {
	struct timer *timer;
	struct operation *operation, *base; /* base NULL: there is none */
	struct manner manner;
	size_t batch_limit;
	bool stays; /* the data is not moved any more */
};

/*
 * Executes each operation once. A hot sample needs an execution before it, because the cache has
 * the data that the verification read, and a cold sample after a move, because the device does not
 * know the new addresses yet. Another cold sample needs none: the flush removes that data.
 */
static int execute_untimed(const struct timed_round *round, struct device_state *state,
			   struct error *err)
{
	double unused[2];
	const struct turn turns[] = {{round->operation, &unused[0]}, {round->base, &unused[1]}};
	int rc;

	round->timer->untimed = true;
	rc = run_batch(round->timer, turns, round->base ? 2 : 1, round->manner, state, err);
	round->timer->untimed = false;
	return rc;
}

/* Takes samples until the round has `wanted`, in `parts` parts. Each but the first of the round
 * begins on another placement. */
static int take_parts(struct timed_round *round, struct round_result *out, size_t wanted,
		      size_t parts, struct error *err)
{
	const size_t begin = out->count;
	int rc = 0;

	for (size_t part = 0; part < parts && rc == 0; part++) {
		const size_t end = begin + (wanted - begin) * (part + 1) / parts;

		if (out->count && !round->stays)
			round->stays = summarise(out->time_ns, out->count).median_ns >
				       MOVED_SAMPLE_MOST_NS;
		if (out->count && !round->stays) {
			enum placement_result result = PLACEMENT_FIXED;

			rc = placement_change(round->operation, round->base, &result, err);
			round->stays = result != PLACEMENT_CHANGED;
			out->scarce = result == PLACEMENT_SCARCE;
			out->placements += result == PLACEMENT_CHANGED;
			if (rc == 0)
				rc = execute_untimed(round, &out->state, err);
		}
		while (rc == 0 && out->count < end) {
			const size_t batch = smaller_size(end - out->count, round->batch_limit);

			rc = take_samples(round->timer, round->operation, round->base,
					  round->manner, out, out->count, batch, err);
			out->count += batch;
		}
	}
	return rc;
}

/* Whether a round has enough samples: the interval is narrow enough, or as narrow as the resolution
 * of events allows, and the speed-up over a base is known to half of the precision or resolution.
 */
static bool is_enough(const struct round_result *timed, double precision)
{
	const struct sample_interval of = sample_interval(timed->time_ns, timed->count);
	const double half_ns = (of.high_ns - of.low_ns) / 2;
	double reach;

	/* the interval may be NAN */
	if (!(half_ns <= precision * of.median_ns) && !(half_ns <= EVENT_STEP_NS))
		return false;
	if (!timed->base_ns)
		return true;
	reach = round_speedup_of(timed->time_ns, timed->base_ns, timed->count).reach;
	return reach <= precision / 2 || reach * of.median_ns <= EVENT_STEP_NS / 2.0;
}

int timer_run(struct timer *timer, struct operation *operation, struct operation *base,
	      const struct measure_settings *settings, struct round_result *out, struct error *err)
{
	const size_t rounds = (size_t)settings->rounds;
	const size_t placements = settings->placements > 1 ? (size_t)settings->placements : 1;
	const double precision = settings->precision * sqrt((double)rounds);
	const bool cold = settings->cache == CACHE_COLD;
	struct timed_round round = {timer, operation,     base, {cold, !cold && base},
				    0,     placements < 2};
	struct round_result timed = *out;
	size_t wanted = ((size_t)settings->min_samples + rounds - 1) / rounds;
	const int64_t limit_ns = settings->max_time_ns / settings->rounds;
	int64_t begun_ns;
	size_t parts;
	int rc = timer_stay_warm(timer, err);

	round.batch_limit = batch_limit(operation, base, round.manner);
	wanted = wanted < 1 ? 1 : smaller_size(wanted, ROUND_MAX_SAMPLES);
	parts = smaller_size((wanted + SAMPLES_PER_PLACEMENT - 1) / SAMPLES_PER_PLACEMENT,
			     placements);
	timed.time_ns = xcalloc(ROUND_MAX_SAMPLES + 1, sizeof(*timed.time_ns));
	timed.base_ns = base ? xcalloc(ROUND_MAX_SAMPLES + 1, sizeof(*timed.base_ns)) : NULL;
	timed.count = 0;
	timed.placements = 1;
	begun_ns = monotonic_ns();
	if (rc == 0 && !cold && !base)
		rc = execute_untimed(&round, &timed.state, err);
	while (rc == 0 && timed.count < wanted) {
		size_t more;

		rc = take_parts(&round, &timed, wanted, parts, err);
		if (rc || monotonic_ns() - begun_ns >= limit_ns || is_enough(&timed, precision))
			break;
		/* Grows by half, which limits both the number of checks and the excess samples. */
		more = smaller_size(timed.count / 2 + 4, ROUND_MAX_SAMPLES - timed.count);
		wanted = timed.count + more;
		parts = smaller_size(more / SAMPLES_PER_MOVE + (more < SAMPLES_PER_MOVE),
				     placements);
	}
	if (rc) {
		free(timed.time_ns);
		free(timed.base_ns);
		return rc;
	}
	timer->busy_ns = monotonic_ns();
	*out = timed;
	return 0;
}
