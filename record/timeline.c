#include "record/timeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFER_BYTES ((size_t)4 << 20)
/* CUPTI wants buffers at multiples of 8. */
#define BUFFER_ALIGN 8

/* One execution. */
struct timed_launch {
	uint32_t correlation; /* ascends with the calls that launch */
	uint32_t shape;       /* index into the shapes of the kernel */
	uint64_t ns;
	bool in_graph; /* launched with a graph, not by a call of its own */
};

struct kernel_shape {
	uint32_t device;
	int32_t grid[3], block[3];
	int64_t shared_bytes;
	uint16_t registers;
	uint64_t graph_launches;
};

struct timed_kernel {
	char *name;
	struct kernel_shape *shapes;
	size_t shape_count, shape_capacity;
	struct timed_launch *launches;
	size_t launch_count, launch_capacity;
};

/* Held to use what follows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timed_kernel *kernels;
static size_t kernel_count, kernel_capacity;
static struct timeline_totals totals;

/* ---- adding ---- */

static int64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct timed_kernel *kernel_named(const char *name)
{
	struct timed_kernel *kernel;

	for (size_t i = 0; i < kernel_count; i++)
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
	kernels = xgrow(kernels, &kernel_capacity, kernel_count + 1, sizeof(*kernels));
	kernel = &kernels[kernel_count++];
	*kernel = (struct timed_kernel){.name = xstrdup(name)};
	return kernel;
}

/* Most kernels repeat the shape that they had last. */
static uint32_t shape_of(struct timed_kernel *kernel, const struct kernel_shape *shape)
{
	for (size_t i = kernel->shape_count; i--;) {
		const struct kernel_shape *there = &kernel->shapes[i];

		if (there->device == shape->device && there->shared_bytes == shape->shared_bytes &&
		    !memcmp(there->grid, shape->grid, sizeof(shape->grid)) &&
		    !memcmp(there->block, shape->block, sizeof(shape->block)))
			return (uint32_t)i;
	}
	kernel->shapes = xgrow(kernel->shapes, &kernel->shape_capacity, kernel->shape_count + 1,
			       sizeof(*kernel->shapes));
	kernel->shapes[kernel->shape_count] = *shape;
	return (uint32_t)kernel->shape_count++;
}

static void add_record(const CUpti_ActivityKernel10 *record)
{
	const struct kernel_shape shape = {
		.device = record->deviceId,
		.grid = {record->gridX, record->gridY, record->gridZ},
		.block = {record->blockX, record->blockY, record->blockZ},
		.shared_bytes = record->dynamicSharedMemory,
		.registers = record->registersPerThread,
	};
	struct timed_kernel *kernel = kernel_named(record->name ? record->name : "?");
	const uint32_t index = shape_of(kernel, &shape);

	totals.launches++;
	kernel->shapes[index].graph_launches += record->graphId != 0;
	kernel->launches = xgrow(kernel->launches, &kernel->launch_capacity,
				 kernel->launch_count + 1, sizeof(*kernel->launches));
	kernel->launches[kernel->launch_count++] = (struct timed_launch){
		.correlation = record->correlationId,
		.shape = index,
		.in_graph = record->graphId != 0,
		.ns = record->end > record->start ? record->end - record->start : 0};
}

static void CUPTIAPI on_buffer_request(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = aligned_alloc(BUFFER_ALIGN, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	*most_records = 0;
}

/* Adds the records of a buffer, and frees it. */
static void CUPTIAPI on_buffer_complete(CUcontext context, uint32_t stream, uint8_t *buffer,
					size_t size, size_t valid)
{
	const int64_t began_ns = thread_cpu_ns();
	CUpti_Activity *record = NULL;
	size_t lost = 0;

	(void)size;
	pthread_mutex_lock(&lock);
	while (cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			add_record((const CUpti_ActivityKernel10 *)(const void *)record);
	if (cupti.cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS)
		totals.dropped += (int64_t)lost;
	totals.own_ns += thread_cpu_ns() - began_ns;
	pthread_mutex_unlock(&lock);
	free(buffer);
}

int timeline_start(struct error *err)
{
	int rc;

	rc = record_cupti_check(
		cupti.cuptiActivityRegisterCallbacks(on_buffer_request, on_buffer_complete), err,
		"registering buffers");
	return rc ? rc
		  : record_cupti_check(
			    cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), err,
			    "enabling the times of kernels");
}

/* ---- reporting ---- */

static int order_by_shape_and_time(const void *left, const void *right)
{
	const struct timed_launch *a = left, *b = right;

	if (a->shape != b->shape)
		return a->shape < b->shape ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static json_t *three(const int32_t values[3])
{
	return json_pack("[i, i, i]", values[0], values[1], values[2]);
}

/* `launches` are those of one shape, by ascending time. */
static void send_shape(const struct timed_kernel *kernel, const struct timed_launch *launches,
		       size_t count)
{
	const struct kernel_shape *shape = &kernel->shapes[launches[0].shape];
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += launches[i].ns;
	events_send(
		"kernel",
		json_pack("{s:o, s:I, s:o, s:o, s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "kernel",
			  event_json(kernel->name), "device", (json_int_t)shape->device, "grid",
			  three(shape->grid), "block", three(shape->block), "shared_bytes",
			  (json_int_t)shape->shared_bytes, "registers", (int)shape->registers,
			  "launches", (json_int_t)count, "graph_launches",
			  (json_int_t)shape->graph_launches, "total_ns", (json_int_t)total,
			  "median_ns",
			  (json_int_t)((launches[(count - 1) / 2].ns + launches[count / 2].ns) / 2),
			  "min_ns", (json_int_t)launches[0].ns, "max_ns",
			  (json_int_t)launches[count - 1].ns));
}

/* Sends the slowest recordable launch; graph launches are not numbered. */
static void send_slowest(const struct timed_kernel *kernel)
{
	const struct timed_launch *slowest = NULL;
	int64_t number = 0;

	for (size_t i = 0; i < kernel->launch_count; i++)
		if (!kernel->launches[i].in_graph &&
		    (!slowest || kernel->launches[i].ns > slowest->ns))
			slowest = &kernel->launches[i];
	if (!slowest)
		return;
	for (size_t i = 0; i < kernel->launch_count; i++)
		number += !kernel->launches[i].in_graph &&
			  kernel->launches[i].correlation <= slowest->correlation;
	events_send("slowest",
		    json_pack("{s:o, s:I, s:I}", "kernel", event_json(kernel->name), "launch",
			      (json_int_t)number, "ns", (json_int_t)slowest->ns));
}

static void send_kernel(struct timed_kernel *kernel)
{
	size_t begin = 0;

	send_slowest(kernel);
	qsort(kernel->launches, kernel->launch_count, sizeof(*kernel->launches),
	      order_by_shape_and_time);
	while (begin < kernel->launch_count) {
		size_t end = begin;

		while (end < kernel->launch_count &&
		       kernel->launches[end].shape == kernel->launches[begin].shape)
			end++;
		send_shape(kernel, kernel->launches + begin, end - begin);
		begin = end;
	}
}

struct timeline_totals timeline_end(void)
{
	struct timeline_totals found;

	cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < kernel_count; i++)
		send_kernel(&kernels[i]);
	found = totals;
	pthread_mutex_unlock(&lock);
	return found;
}
