/*
 * A CUDA driver of plain host memory, for the parts of the worker that only
 * talk to the driver: allocations are malloc'd (so sanitizers see them), copies
 * and fills happen at once, launches are counted, times are told by the test.
 */
#ifndef TESTS_HARNESS_WORKERS_CUDA_STUB_DRIVER_H
#define TESTS_HARNESS_WORKERS_CUDA_STUB_DRIVER_H

#include "harness/workers/cuda/device.h"

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STUB_MAX_ALLOCATIONS 64
#define STUB_MAX_FUNCTIONS 16

struct stub_driver {
	size_t memory_bytes; /* what fits at once */
	size_t used_bytes;
	struct {
		void *data;
		size_t bytes;
	} allocations[STUB_MAX_ALLOCATIONS];
	bool fills_fail; /* the next cuMemsetD8Async and all after it */

	/* Attributes of every function. */
	int registers, max_threads, shared_static, local_bytes, shared_dynamic_max;
	int resident_blocks; /* what the occupancy calculator of the driver says */

	char names[STUB_MAX_FUNCTIONS][64]; /* of the functions that were asked for */
	/* What a launch does; NULL: nothing. Its own state is `context`. */
	void (*execute)(struct stub_driver *stub, const char *name, void **arguments);
	void *context;
	size_t launches, flushes;           /* flushes: launches of flush_by_reading */
	double (*elapsed_ns)(size_t index); /* of the index-th interval that is asked for */
	size_t intervals;
};

/* The stub serves `device` from now on; one at a time. */
void stub_driver_install(struct stub_driver *stub, struct device *device);
/* Fails the test when something is still allocated. */
void stub_driver_assert_empty(const struct stub_driver *stub);

#endif
