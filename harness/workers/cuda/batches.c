/* Queues samples in batches, and reads their times. */
#include "harness/workers/cuda/batches.h"

#include <stdlib.h>

#include "harness/workers/cuda/backend.h"
#include "metrics/analysis/statistics.h"

enum {
	/* The driver's queue holds about 1000 commands. Two batches must fit, with the kernels
	 * behind them. */
	BATCH_MAX_COMMANDS = 320,
	/*
	 * After a flush, one launch of four takes 0.7 us longer on an H200, and which one follows
	 * from the number of launches before it; the one behind the flush may be 0.3 us faster.
	 * Likely the driver keeps what four launches need in one place of memory, which the flush
	 * evicts. With some empty kernels between the flush and the operation, three of four
	 * samples take the same time, and with one more before every second sample, samples come
	 * in all four places, whatever the operation launches: docs/results/clocks.md.
	 */
	KERNELS_BEHIND_FLUSH = 3,
	COMMANDS_PER_SAMPLE = KERNELS_BEHIND_FLUSH + 4, /* with a flush and two events */
	/* The last samples of a queue are faster, by 4 % at 11 us on an H200, unless this many
	 * kernels wait behind them: docs/results/log.md. */
	KERNELS_BEHIND_BATCH = 20,
};

/* ---- a timer ---- */

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

static int make_events(struct batch *batch, const struct cuda_driver *driver, struct error *err)
{
	CUresult result = driver->cuEventCreate(&batch->begin, CU_EVENT_DEFAULT);

	for (size_t i = 0; i < BATCH_MAX_SAMPLES && result == CUDA_SUCCESS; i++) {
		result = driver->cuEventCreate(&batch->starts[i], CU_EVENT_DEFAULT);
		if (result == CUDA_SUCCESS)
			result = driver->cuEventCreate(&batch->stops[i], CU_EVENT_DEFAULT);
	}
	return cuda_check(driver, result, err, "cuEventCreate");
}

static void destroy_event(const struct cuda_driver *driver, CUevent event)
{
	if (event)
		driver->cuEventDestroy(event);
}

int timer_open(struct timer **out, struct cuda_resources *resources, bool gated, struct error *err)
{
	struct timer *timer = xcalloc(1, sizeof(*timer));
	int rc = 0;

	timer->resources = resources;
	timer->busy_ns = monotonic_ns();
	for (size_t i = 0; i < ARRAY_SIZE(timer->batches) && rc == 0; i++)
		rc = make_events(&timer->batches[i], &resources->device->driver, err);
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
	const struct cuda_driver *driver;

	if (!timer)
		return;
	driver = &timer->resources->device->driver;
	for (size_t b = 0; b < ARRAY_SIZE(timer->batches); b++) {
		destroy_event(driver, timer->batches[b].begin);
		for (size_t i = 0; i < BATCH_MAX_SAMPLES; i++) {
			destroy_event(driver, timer->batches[b].starts[i]);
			destroy_event(driver, timer->batches[b].stops[i]);
		}
	}
	if (timer->gate)
		driver->cuMemFreeHost(timer->gate);
	free(timer);
}

int batch_gate_close(struct timer *timer, struct error *err)
{
	const struct device *device = timer->resources->device;

	if (!timer->gate)
		return 0;
	timer->gate_value++;
	return cuda_check(&device->driver,
			  device->driver.cuStreamWaitValue32(device->stream, timer->gate_on_device,
							     timer->gate_value,
							     CU_STREAM_WAIT_VALUE_GEQ),
			  err, "closing the gate");
}

void batch_gate_open(struct timer *timer)
{
	if (timer->gate)
		__atomic_store_n(timer->gate, timer->gate_value, __ATOMIC_SEQ_CST);
}

/* ---- batches ---- */

static int record_event(const struct device *device, CUevent event, struct error *err)
{
	return cuda_check(&device->driver, device->driver.cuEventRecord(event, device->stream), err,
			  "cuEventRecord");
}

static int enqueue_flush(struct timer *timer, size_t index, struct error *err)
{
	int rc = cuda_flush_l2(timer->resources, FLUSH_TO_TIME, err);

	return rc ? rc
		  : cuda_queue_idle_kernels(timer->resources, KERNELS_BEHIND_FLUSH + index % 2,
					    err);
}

/* Queues what comes before the timed part of a sample. */
static int enqueue_before(struct timer *timer, struct operation *operation, size_t index,
			  struct manner manner, struct error *err)
{
	int rc = operation_restore(operation, err);

	if (rc == 0 && manner.warmed)
		rc = operation_enqueue(operation, err);
	if (rc == 0 && manner.warmed)
		rc = operation_restore(operation, err);
	if (rc == 0 && manner.cold)
		rc = enqueue_flush(timer, index, err);
	/* The host's time for allocating belongs to the sample, so it must not overlap the flush.
	 */
	if (rc == 0 && operation->allocates)
		rc = device_synchronise(timer->resources->device, err,
					"before an operation that allocates");
	return rc;
}

static int enqueue_sample(struct timer *timer, struct batch *batch, size_t index,
			  struct manner manner, struct error *err)
{
	const struct device *device = timer->resources->device;
	struct operation *operation = batch->turns[index].operation;
	int rc = enqueue_before(timer, operation, index, manner, err);

	if (rc == 0)
		rc = record_event(device, batch->starts[index], err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = record_event(device, batch->stops[index], err);
	return rc ? rc : operation_compare_sample(operation, err);
}

static int elapsed(const struct device *device, CUevent from, CUevent to, double *out_ns,
		   struct error *err)
{
	float milliseconds = 0;
	int rc = cuda_check(&device->driver,
			    device->driver.cuEventElapsedTime(&milliseconds, from, to), err,
			    "cuEventElapsedTime");

	*out_ns = 1e6 * (double)milliseconds;
	return rc;
}

/* Tells the meter how long the device worked on the samples of a batch, and between them. */
static void meter_batch(const struct timer *timer, double batch_ns, double samples_ns)
{
	struct meter *meter = &timer->resources->meter;

	if (!meter->since_ns)
		return;
	meter_read(meter);
	meter_move(meter, RUN_PART_TIMING, RUN_PART_SAMPLES, (int64_t)samples_ns);
	meter_move(meter, RUN_PART_TIMING, RUN_PART_FLUSHES, (int64_t)(batch_ns - samples_ns));
}

/* Executes each operation of a batch once before its samples, untimed. */
static int enqueue_untimed(struct timer *timer, const struct batch *batch, struct manner manner,
			   struct error *err)
{
	const struct operation *first = batch->turns[0].operation;
	int rc = 0;

	for (size_t i = 0; i < batch->count && i < 2 && rc == 0; i++) {
		if (i && batch->turns[i].operation == first)
			break;
		rc = enqueue_before(timer, batch->turns[i].operation, i, manner, err);
		if (rc == 0)
			rc = operation_enqueue(batch->turns[i].operation, err);
	}
	return rc;
}

int batch_queue(struct timer *timer, struct batch *batch, struct manner manner, bool untimed,
		struct error *err)
{
	const struct device *device = timer->resources->device;
	bool gated = timer->gate != NULL, resets = false;
	size_t part;
	int rc = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct operation *operation = batch->turns[i].operation;

		/* An operation that allocates waits for the device when it is queued. Behind a
		 * closed gate it would wait forever. */
		gated = gated && !operation->allocates;
		/* Lines that persist would survive the flush, and the host can reset them only
		 * while the device is idle. So each cold sample of such an operation has a gate of
		 * its own. */
		resets = resets || (manner.cold && operation_may_persist(operation));
	}
	part = resets ? 1 : batch->count;
	for (size_t first = 0; first < batch->count && rc == 0; first += part) {
		if (first == 0)
			rc = record_event(device, batch->begin, err);
		/* Before the gate, behind which only so many commands fit, and before the reset,
		 * because it may make lines persist. */
		if (rc == 0 && first == 0 && untimed)
			rc = enqueue_untimed(timer, batch, manner, err);
		if (rc == 0 && resets)
			rc = cuda_reset_persisting_lines(timer->resources, err);
		if (rc == 0 && gated)
			rc = batch_gate_close(timer, err);
		for (size_t i = first; i < first + part && rc == 0; i++)
			rc = enqueue_sample(timer, batch, i, manner, err);
		if (rc == 0 && gated)
			rc = cuda_queue_idle_kernels(timer->resources, KERNELS_BEHIND_BATCH, err);
		if (gated)
			batch_gate_open(timer);
	}
	return rc;
}

int batch_finish(struct timer *timer, struct batch *batch, struct error *err)
{
	const struct device *device = timer->resources->device;
	const size_t count = batch->count;
	double batch_ns = 0, samples_ns = 0;
	int rc;

	batch->count = 0;
	if (!count)
		return 0;
	rc = cuda_check(&device->driver, device->driver.cuEventSynchronize(batch->stops[count - 1]),
			err, "executing the kernel");
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = elapsed(device, batch->starts[i], batch->stops[i], batch->turns[i].time_ns,
			     err);
		samples_ns += *batch->turns[i].time_ns;
	}
	if (rc == 0)
		rc = elapsed(device, batch->begin, batch->stops[count - 1], &batch_ns, err);
	if (rc == 0)
		meter_batch(timer, batch_ns, samples_ns);
	return rc;
}

size_t batch_limit(const struct operation *operation, const struct operation *base,
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

/* ---- marks ---- */

int batch_mark(struct timer *timer, bool end, struct error *err)
{
	const struct batch *batch = &timer->batches[0];

	return record_event(timer->resources->device, end ? batch->stops[0] : batch->starts[0],
			    err);
}

int batch_between_marks(struct timer *timer, double *out_ns, struct error *err)
{
	const struct device *device = timer->resources->device;
	const struct batch *batch = &timer->batches[0];
	int rc = device_synchronise(device, err, "executing the kernel");

	return rc ? rc : elapsed(device, batch->starts[0], batch->stops[0], out_ns, err);
}

/* ---- empty kernels ---- */

/* The mean of the middle half of `count` times, which it sorts. An event counts in steps of 32 ns,
 * and so would a median. */
static double mean_of_middle(double *times, size_t count)
{
	double sum = 0;

	sort_numbers(times, count);
	for (size_t i = count / 4; i < count - count / 4; i++)
		sum += times[i];
	return sum / (double)(count - count / 4 * 2);
}

int batch_time_empty_rows(struct timer *timer, enum cache_mode cache, size_t row, size_t count,
			  double *out_ns, struct error *err)
{
	const struct device *device = timer->resources->device;
	const struct batch *batch = &timer->batches[0];
	double times[EMPTY_ROWS_MOST];
	int rc = 0;

	for (size_t taken = 0; taken < count && rc == 0;) {
		const size_t fits = BATCH_MAX_COMMANDS / (COMMANDS_PER_SAMPLE + row);
		const size_t part =
			smaller_size(count - taken, smaller_size(fits, BATCH_MAX_SAMPLES));

		rc = batch_gate_close(timer, err);
		for (size_t i = 0; i < part && rc == 0; i++) {
			if (cache == CACHE_COLD)
				rc = enqueue_flush(timer, i, err);
			if (rc == 0)
				rc = record_event(device, batch->starts[i], err);
			if (rc == 0)
				rc = cuda_queue_idle_kernels(timer->resources, row, err);
			if (rc == 0)
				rc = record_event(device, batch->stops[i], err);
		}
		if (rc == 0)
			rc = cuda_queue_idle_kernels(timer->resources, KERNELS_BEHIND_BATCH, err);
		batch_gate_open(timer);
		if (rc == 0)
			rc = device_synchronise(device, err, "timing an empty kernel");
		for (size_t i = 0; i < part && rc == 0; i++)
			rc = elapsed(device, batch->starts[i], batch->stops[i], &times[taken++],
				     err);
	}
	if (rc == 0)
		*out_ns = mean_of_middle(times, count);
	return rc;
}
