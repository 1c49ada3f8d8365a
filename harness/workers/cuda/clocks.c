/*
 * Measures a case by other clocks than that of its samples, because tools differ in what they call
 * the time of a kernel: docs/clocks.md. The case has just been timed; what its executions leave is
 * not used any more.
 */
#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/batches.h"
#include "metrics/analysis/statistics.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/cupti/cupti_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORDED_EXECUTIONS = 24,
	LEAST_EXECUTIONS = 3,
	/* Executions in a row, as many as take this long together. */
	ROW_NS = 10 * 1000 * 1000,
	ROW_MOST_EXECUTIONS = 100,
	ROW_MOST_COMMANDS = 400, /* in the driver's queue */
	ROWS = 5,
};

/* No clock needs longer for a case, unless LEAST_EXECUTIONS do. */
#define CLOCK_NS (INT64_C(1000) * 1000 * 1000)

/* What the clocks need. */
struct clocked_case {
	struct timer *timer;
	struct operation *operation;
	enum cache_mode cache;
	size_t row;        /* executions in a row */
	size_t executions; /* recorded executions, or rows, at most */
};

/* Sets *out_ns to what one execution takes by a clock. */
typedef int read_clock(const struct clocked_case *clocked, double *out_ns, struct error *err);

/* ---- rows of executions ---- */

/* Executions in a row find what the ones before left. */
static int check_can_repeat(const struct operation *operation, struct error *err)
{
	if (operation->allocates)
		return error_set(err, PL_EUNSUPPORTED,
				 "the case allocates memory, which waits for the device");
	for (size_t b = 0; b < operation->work->buffer_count; b++)
		if (operation->work->buffers[b].role == BUFFER_INOUT ||
		    operation->work->buffers[b].symbol)
			return error_set(err, PL_EUNSUPPORTED,
					 "the case changes its inputs, which are restored before "
					 "each execution");
	return 0;
}

static int enqueue_row(const struct clocked_case *clocked, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < clocked->row && rc == 0; i++)
		rc = operation_enqueue(clocked->operation, err);
	return rc;
}

/* Times what `enqueue` queues, which has clocked->row executions, several times. */
static int time_rows(const struct clocked_case *clocked,
		     int (*enqueue)(const struct clocked_case *clocked, CUgraphExec graph,
				    struct error *err),
		     CUgraphExec graph, double *out_ns, struct error *err)
{
	const size_t rows = smaller_size(ROWS, clocked->executions);
	double times[ROWS];
	int rc = 0;

	for (size_t i = 0; i < rows && rc == 0; i++) {
		rc = batch_gate_close(clocked->timer, err);
		if (rc == 0)
			rc = batch_mark(clocked->timer, false, err);
		if (rc == 0)
			rc = enqueue(clocked, graph, err);
		if (rc == 0)
			rc = batch_mark(clocked->timer, true, err);
		batch_gate_open(clocked->timer);
		if (rc == 0)
			rc = batch_between_marks(clocked->timer, &times[i], err);
	}
	if (rc == 0)
		*out_ns = summarise(times, rows).median_ns / (double)clocked->row;
	return rc;
}

static int enqueue_plain_row(const struct clocked_case *clocked, CUgraphExec graph,
			     struct error *err)
{
	(void)graph;
	return enqueue_row(clocked, err);
}

static int read_row(const struct clocked_case *clocked, double *out_ns, struct error *err)
{
	int rc = check_can_repeat(clocked->operation, err);

	return rc ? rc : time_rows(clocked, enqueue_plain_row, NULL, out_ns, err);
}

static int enqueue_graph(const struct clocked_case *clocked, CUgraphExec graph, struct error *err)
{
	const struct device *device = clocked->operation->resources->device;

	return cuda_check(&device->driver, device->driver.cuGraphLaunch(graph, device->stream), err,
			  "cuGraphLaunch");
}

/* Records a row into a graph. */
static int capture_row(const struct clocked_case *clocked, CUgraph *out, struct error *err)
{
	const struct device *device = clocked->operation->resources->device;
	const struct cuda_driver *driver = &device->driver;
	struct error later = {0};
	int ended;
	int rc = cuda_check(
		driver,
		driver->cuStreamBeginCapture(device->stream, CU_STREAM_CAPTURE_MODE_RELAXED), err,
		"cuStreamBeginCapture");

	if (rc)
		return rc;
	rc = enqueue_row(clocked, err);
	ended = cuda_check(driver, driver->cuStreamEndCapture(device->stream, out),
			   rc ? &later : err, "cuStreamEndCapture");
	return rc ? rc : ended;
}

static int read_graph(const struct clocked_case *clocked, double *out_ns, struct error *err)
{
	const struct device *device = clocked->operation->resources->device;
	const struct cuda_driver *driver = &device->driver;
	CUgraph graph = NULL;
	CUgraphExec ready = NULL;
	int rc = check_can_repeat(clocked->operation, err);

	if (rc == 0)
		rc = capture_row(clocked, &graph, err);
	if (rc == 0)
		rc = cuda_check(driver, driver->cuGraphInstantiate(&ready, graph, 0), err,
				"cuGraphInstantiate");
	/* the first launch uploads it */
	if (rc == 0)
		rc = enqueue_graph(clocked, ready, err);
	if (rc == 0)
		rc = device_synchronise(device, err, "replaying a graph");
	if (rc == 0)
		rc = time_rows(clocked, enqueue_graph, ready, out_ns, err);
	if (ready)
		driver->cuGraphExecDestroy(ready);
	if (graph)
		driver->cuGraphDestroy(graph);
	return rc;
}

/* ---- records of CUPTI ---- */

/* Executes the case between two idle kernels, in the cache state of its samples. */
static int execute_marked(const struct clocked_case *clocked, struct error *err)
{
	struct operation *operation = clocked->operation;
	const struct cuda_resources *resources = operation->resources;
	int rc = operation_make_ready(operation, clocked->cache, FLUSH_TO_TIME, err);

	if (rc == 0)
		rc = cuda_queue_idle_kernels(resources, 1, err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = cuda_queue_idle_kernels(resources, 1, err);
	return rc ? rc : device_synchronise(resources->device, err, "executing the kernel");
}

/* The marks are kernels of the flush. Those of an execution are, after a flush if there is one, one
 * before it and one behind it. The time of an execution is from its first start to its last end. */
static int median_of_records(const struct device_record *records, size_t count, size_t marks,
			     size_t wanted, double *out_ns, struct error *err)
{
	double times[RECORDED_EXECUTIONS];
	size_t mark = 0, executions = 0;
	int64_t start_ns = 0, end_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(records[i].name, "flush_by_reading") == 0) {
			if (mark % marks == marks - 1 && end_ns > start_ns && executions < wanted)
				times[executions++] = (double)(end_ns - start_ns);
			start_ns = end_ns = 0;
			mark++;
		} else if (mark % marks == marks - 1) {
			start_ns = start_ns ? start_ns : records[i].start_ns;
			end_ns = records[i].end_ns > end_ns ? records[i].end_ns : end_ns;
		}
	}
	if (executions < wanted || mark != marks * wanted)
		return error_set(err, PL_EUNSUPPORTED,
				 "CUPTI recorded %zu of %zu executions, and %zu of %zu kernels "
				 "between them",
				 executions, wanted, mark, marks * wanted);
	*out_ns = summarise(times, executions).median_ns;
	return 0;
}

static int read_records(const struct clocked_case *clocked, double *out_ns, struct error *err)
{
	const size_t marks = clocked->cache == CACHE_COLD ? 3 : 2;
	struct device_record *records = NULL;
	struct error later = {0};
	size_t count = 0;
	int ended, rc = cupti_records_begin(err);

	if (rc)
		return rc;
	for (size_t i = 0; i < clocked->executions && rc == 0; i++)
		rc = execute_marked(clocked, err);
	ended = cupti_records_end(&records, &count, rc ? &later : err);
	rc = rc ? rc : ended;
	if (rc == 0)
		rc = median_of_records(records, count, marks, clocked->executions, out_ns, err);
	free(records);
	return rc;
}

/* ---- all clocks ---- */

static const struct {
	const char *metric;
	read_clock *read;
} other_clocks[] = {
	{"clock_records_ns", read_records},
	{"clock_row_ns", read_row},
	{"clock_graph_ns", read_graph},
};
#define EVENTS_CLOCK "clock_events_ns"

bool clocks_are_wanted(const struct measure_settings *settings)
{
	bool wanted = string_list_has(&settings->metrics, EVENTS_CLOCK);

	for (size_t i = 0; i < ARRAY_SIZE(other_clocks); i++)
		wanted |= string_list_has(&settings->metrics, other_clocks[i].metric);
	return wanted;
}

/* Reads a clock in the state that the samples had. */
static int read_one(const struct clocked_case *clocked, read_clock *read, double *out_ns,
		    struct error *err)
{
	int rc = timer_stay_warm(clocked->timer, err);

	if (rc == 0)
		rc = operation_make_ready(clocked->operation, clocked->cache, FLUSH_TO_TIME, err);
	return rc ? rc : read(clocked, out_ns, err);
}

int clocks_measure(struct timer *timer, struct operation *operation,
		   const struct measure_settings *settings, const struct round_result *timed,
		   struct counter_list *out, struct error *err)
{
	const double median_ns = summarise(timed->time_ns, timed->count).median_ns;
	const double events_ns = timed->state.event_ns > 0 ? timed->state.event_ns : 0;
	size_t most = ROW_MOST_COMMANDS / (operation_command_count(operation) + 1);
	struct clocked_case clocked = {timer, operation, settings->cache, 1, RECORDED_EXECUTIONS};
	const struct metric *metric = metric_find(EVENTS_CLOCK);

	most = smaller_size(most > 1 ? most : 1, ROW_MOST_EXECUTIONS);
	while (clocked.row < most && (double)clocked.row * median_ns < ROW_NS)
		clocked.row++;
	while (clocked.executions > LEAST_EXECUTIONS &&
	       (double)clocked.executions * median_ns > CLOCK_NS)
		clocked.executions--;
	counter_list_set(out, metric->name, metric->unit, metric->formula, median_ns + events_ns);
	for (size_t i = 0; i < ARRAY_SIZE(other_clocks); i++) {
		struct error why = {0};
		double time_ns = NAN;
		int rc = read_one(&clocked, other_clocks[i].read, &time_ns, &why);

		/* The case was measured. Only a device that is lost ends it. */
		if (rc)
			rc = device_synchronise(operation->resources->device, err,
						"after a clock that failed");
		if (rc)
			return rc;
		metric = metric_find(other_clocks[i].metric);
		if (isfinite(time_ns))
			counter_list_set(out, metric->name, metric->unit, metric->formula, time_ns);
		else
			counter_list_set_missing(out, metric->name, metric->unit, metric->formula,
						 why.text);
	}
	return 0;
}
