/*
 * Times an operation with device timestamps (CUDA events), and decides when a round has enough
 * samples. Between the two timestamps of a sample the device executes only the operation. While the
 * device takes the samples of one batch, the host queues the next, so the device does not wait for
 * it.
 *
 * A pair of events reads about 2 us more than the device takes for the operation. The worker
 * measures how much, with an empty kernel, and takes it off each sample.
 *
 * Samples are taken while the clocks of the device are up: if it may have been
 * idle for over a second, the worker first warms it up.
 */
#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/batches.h"
#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

/* The cost of the events is measured again after this time. */
#define EVENT_COST_VALID_NS (5 * INT64_C(1000000000))
/* The least share of an empty kernel in what two events around it read: 0.45 on an H200. */
#define LAUNCH_LEAST 0.25

enum {
	/* The device waits for the first batch, so it is small. The host queues a sample in less
	 * time than a cold one takes, so each batch may be twice as large as the one before. */
	BATCH_FIRST_SAMPLES = 8,
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
	/* A move costs an execution, which is too much for longer samples. Shorter ones than the
	 * least do not differ between the places of a round (docs/results/clocks.md), and the next
	 * round has another place. */
	MOVED_SAMPLE_LEAST_NS = 50 * 1000,
	MOVED_SAMPLE_MOST_NS = 500 * 1000,
	/* So many empty kernels are in a row that tells how long one takes. */
	EMPTY_ROW = 9,
	/* On an H200, event times are multiples of 32 ns, plus or minus rounding. */
	EVENT_STEP_NS = 33,
};

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

int timer_take(struct timer *timer, struct operation *operation,
	       const struct measure_settings *settings, double *time_ns, struct error *err)
{
	const bool cold = settings->cache == CACHE_COLD;
	struct batch *batch = &timer->batches[0];
	int rc = timer_stay_warm(timer, err);

	batch->turns[0] = (struct turn){operation, time_ns};
	batch->count = 1;
	if (rc == 0)
		rc = batch_queue(timer, batch, (struct manner){cold, !cold}, false, err);
	if (rc == 0)
		rc = batch_finish(timer, batch, err);
	batch->count = 0;
	return rc ? rc : device_synchronise(timer->resources->device, err, "executing the kernel");
}

/* What a round takes its samples with. */
struct timed_round {
	struct timer *timer;
	struct operation *operation, *base; /* base NULL: there is none */
	struct manner manner;
	size_t batch_limit;
	bool stays;  /* the data is not moved any more */
	bool others; /* the case has other rounds */
	/*
	 * Each operation is executed before the next sample. A hot sample needs it, because the
	 * cache has the data that the verification read, and a cold sample after a move, because
	 * the device does not know the new addresses yet. Another cold sample does not: the flush
	 * removes that data.
	 */
	bool untimed;
};

/* ---- what the events of a sample cost ---- */

/*
 * An empty kernel takes what each further one of a row adds. What two events around one of them
 * read beyond that is the cost of the events. What is left agrees on an H200 with
 * gpu__time_duration of ncu within about 0.2 us: docs/results/clocks.md. Without a gate the host's
 * time may be in a sample, so nothing is known.
 */
static int measure_event_cost(struct timer *timer, enum cache_mode cache, struct error *err)
{
	struct event_cost *cost = &timer->costs[cache];
	double row_ns = 0, hot_ns = 0, one_ns = 0, launch_ns;
	int rc;

	if (cost->measured_ns && monotonic_ns() - cost->measured_ns < EVENT_COST_VALID_NS)
		return 0;
	*cost = (struct event_cost){NAN, NAN, monotonic_ns()};
	if (!timer->gate)
		return 0;
	rc = batch_time_empty_rows(timer, CACHE_HOT, EMPTY_ROW, EMPTY_ROWS_MOST / 3, &row_ns, err);
	if (rc == 0)
		rc = batch_time_empty_rows(timer, CACHE_HOT, 1, EMPTY_ROWS_MOST, &hot_ns, err);
	one_ns = hot_ns;
	if (rc == 0 && cache == CACHE_COLD)
		rc = batch_time_empty_rows(timer, CACHE_COLD, 1, EMPTY_ROWS_MOST, &one_ns, err);
	launch_ns = (row_ns - hot_ns) / (EMPTY_ROW - 1);
	/* something else was in the way of one of them */
	if (rc || launch_ns < LAUNCH_LEAST * hot_ns || launch_ns > hot_ns)
		return rc;
	cost->launch_ns = launch_ns;
	cost->event_ns = fmax(one_ns - launch_ns, 0);
	return 0;
}

/* Takes the cost of the events off the samples, unless it is not known, or a sample is no longer:
 * then all samples of the round stay what the events read. */
static void take_off_events(const struct event_cost *cost, const struct timed_round *round,
			    struct round_result *out)
{
	bool known = isfinite(cost->event_ns) && !round->operation->allocates &&
		     !(round->base && round->base->allocates);

	out->state.event_ns = out->state.launch_ns = NAN;
	for (size_t i = 0; i < out->count && known; i++)
		known = out->time_ns[i] > cost->event_ns &&
			(!round->base || out->base_ns[i] > cost->event_ns);
	if (!known)
		return;
	for (size_t i = 0; i < out->count; i++) {
		out->time_ns[i] -= cost->event_ns;
		if (round->base)
			out->base_ns[i] -= cost->event_ns;
	}
	out->state.event_ns = cost->event_ns;
	out->state.launch_ns = cost->launch_ns;
}

/* ---- a round ---- */

/* Sets the turns of a batch: `count` samples or pairs, the first of which is number `taken` of the
 * round. */
static void fill_batch(struct batch *batch, const struct timed_round *round,
		       const struct round_result *out, size_t taken, size_t count)
{
	batch->count = 0;
	for (size_t i = taken; i < taken + count; i++) {
		/* rounds begin with one and the other in turn */
		const bool base_first = round->base && (i + (size_t)out->round) % 2;
		const struct turn own = {round->operation, &out->time_ns[i]};

		if (base_first)
			batch->turns[batch->count++] = (struct turn){round->base, &out->base_ns[i]};
		batch->turns[batch->count++] = own;
		if (round->base && !base_first)
			batch->turns[batch->count++] = (struct turn){round->base, &out->base_ns[i]};
	}
}

/* Takes samples until the round has `end`. The device works on one batch while the host queues the
 * next. */
static int take_batches(struct timed_round *round, struct round_result *out, size_t end,
			struct error *err)
{
	struct timer *timer = round->timer;
	size_t size = BATCH_FIRST_SAMPLES;
	int rc = 0;

	for (size_t turn = 0; out->count < end && rc == 0; turn++) {
		const size_t most = smaller_size(size, round->batch_limit);
		const size_t count = smaller_size(end - out->count, most);
		struct batch *batch = &timer->batches[turn % 2];

		fill_batch(batch, round, out, out->count, count);
		rc = batch_queue(timer, batch, round->manner, round->untimed, err);
		round->untimed = false;
		out->count += count;
		size *= 2;
		if (out->count == end) /* the device is busy, so these are the clocks of samples */
			out->state = nvml_device_state(timer->resources->device->nvml);
		if (rc == 0)
			rc = batch_finish(timer, &timer->batches[(turn + 1) % 2], err);
		if (rc == 0 && out->count == end)
			rc = batch_finish(timer, batch, err);
	}
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

		if (out->count && !round->stays) {
			const double median_ns = summarise(out->time_ns, out->count).median_ns;

			round->stays = median_ns > MOVED_SAMPLE_MOST_NS ||
				       (round->others && median_ns < MOVED_SAMPLE_LEAST_NS);
		}
		if (out->count && !round->stays) {
			enum placement_result result = PLACEMENT_FIXED;

			rc = placement_change(round->operation, round->base, &result, err);
			round->stays = result != PLACEMENT_CHANGED;
			out->scarce = result == PLACEMENT_SCARCE;
			out->placements += result == PLACEMENT_CHANGED;
			round->untimed = true;
		}
		if (rc == 0)
			rc = take_batches(round, out, end, err);
	}
	return rc;
}

/* Whether a round has enough samples: the interval is narrow enough, or as narrow as the resolution
 * of events allows, and the speed-up over a base is known to half of the precision or resolution.
 */
static bool is_enough(const struct round_result *timed, double event_ns, double precision)
{
	struct sample_interval of = sample_interval(timed->time_ns, timed->count);
	const double half_ns = (of.high_ns - of.low_ns) / 2;
	double reach;

	/* the samples still have the cost of the events */
	if (event_ns < of.median_ns)
		of.median_ns -= event_ns;
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
	struct timed_round round = {
		.timer = timer,
		.operation = operation,
		.base = base,
		.manner = {.cold = cold, .warmed = !cold && base},
		.stays = placements<2, .others = rounds> 1,
		.untimed = !cold && !base,
	};
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
	if (rc == 0)
		rc = measure_event_cost(timer, settings->cache, err);
	begun_ns = monotonic_ns();
	while (rc == 0 && timed.count < wanted) {
		size_t more;

		rc = take_parts(&round, &timed, wanted, parts, err);
		if (rc || monotonic_ns() - begun_ns >= limit_ns ||
		    is_enough(&timed, timer->costs[settings->cache].event_ns, precision))
			break;
		/* Grows by half, which limits both the number of checks and the excess samples. */
		more = smaller_size(timed.count / 2 + 4, ROUND_MAX_SAMPLES - timed.count);
		wanted = timed.count + more;
		parts = smaller_size(more / SAMPLES_PER_MOVE + (more < SAMPLES_PER_MOVE),
				     placements);
	}
	if (rc == 0)
		rc = device_synchronise(timer->resources->device, err, "executing the kernel");
	if (rc) {
		timer->batches[0].count = timer->batches[1].count = 0;
		free(timed.time_ns);
		free(timed.base_ns);
		return rc;
	}
	timer->busy_ns = monotonic_ns();
	take_off_events(&timer->costs[settings->cache], &round, &timed);
	*out = timed;
	return 0;
}
