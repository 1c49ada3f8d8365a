/*
 * timeline: the times of all kernels of a program, from CUPTI's activity
 * records, for `perflab record --list`. CUPTI delivers them in a thread of its
 * own. Internal to record/.
 */
#ifndef RECORD_TIMELINE_H
#define RECORD_TIMELINE_H

#include <pthread.h>

#include "record/cupti.h"
#include "record/events.h"

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

struct timeline {
	const struct record_cupti *cupti;
	pthread_mutex_t lock;
	struct timed_kernel *kernels;
	size_t kernel_count, kernel_capacity;
	uint64_t launches, dropped;
	int64_t own_ns; /* processor time of the recorder */
};

void timeline_init(struct timeline *timeline, const struct record_cupti *cupti);
/* Makes CUPTI deliver. `request` and `complete` are its two callbacks. PL_EUNSUPPORTED. */
int timeline_start(struct timeline *timeline, CUpti_BuffersCallbackRequestFunc request,
		   CUpti_BuffersCallbackCompleteFunc complete, struct error *err);
void timeline_buffer_request(uint8_t **buffer, size_t *size, size_t *most_records);
/* Adds the records of a buffer, and frees it. */
void timeline_buffer_add(struct timeline *timeline, CUcontext context, uint32_t stream,
			 uint8_t *buffer, size_t bytes);
/* Asks CUPTI for what it still has, and reports each kernel as an event. */
void timeline_end(struct timeline *timeline, const struct events *events);

#endif
