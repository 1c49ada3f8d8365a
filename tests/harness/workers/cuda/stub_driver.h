/*
 * stub_driver: a CUDA driver on host memory, for tests without a GPU.
 * Allocations use malloc(), so that sanitizers check them. Physical memory is a
 * file, so that two addresses can have the same. Copies and fills happen immediately. Launches are
 * counted, and the test sets the times.
 */
#ifndef TESTS_HARNESS_WORKERS_CUDA_STUB_DRIVER_H
#define TESTS_HARNESS_WORKERS_CUDA_STUB_DRIVER_H

#include "harness/workers/cuda/device.h"

/* cmocka.h needs these headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STUB_MAX_ALLOCATIONS 64
#define STUB_GRANULE ((size_t)2 << 20)
/* As the driver of an H200: other addresses are no hint. */
#define STUB_HINT ((size_t)32 << 20)
#define STUB_MAX_FUNCTIONS 16
#define STUB_MAX_PAGES 128

struct stub_driver {
	size_t memory_bytes; /* capacity */
	size_t used_bytes;
	struct {
		void *data;
		size_t bytes;
	} allocations[STUB_MAX_ALLOCATIONS];
	bool fills_fail; /* cuMemsetD8Async() returns an error */
	void *variable;  /* what every name of a variable means; NULL: there are no variables */
	size_t variable_bytes;
	bool moves;      /* cuMemAddressReserve() never gives the address that is asked for */
	bool maps_fail;  /* cuMemMap() returns an error */
	bool cannot_map; /* the device has no virtual memory management */
	/* The call of a function for virtual memory that returns an error: 1 is the next one; 0:
	 * none. With fails_on, all later calls fail, too, but nothing that frees. */
	size_t fails_at;
	bool fails_on;
	size_t reserved_bytes, mapped_bytes;
	size_t handles; /* of cuMemCreate() that were not released */
	size_t created; /* calls of cuMemCreate() that succeeded */
	/* Physical memory, with a file each. It is there while it has a handle or is mapped. */
	struct {
		int file;
		size_t bytes;
		bool held;
		size_t mappings;
	} pages[STUB_MAX_PAGES];
	struct {
		CUdeviceptr address; /* 0: free */
		size_t pages;        /* index of what is mapped there */
	} mappings[STUB_MAX_PAGES];

	/* The attributes of the last cuLaunchKernelEx(). */
	CUlaunchAttribute attributes[4];
	unsigned attribute_count;
	int nonportable_clusters; /* the attribute of every function */

	/* Attributes of every function. */
	int registers, max_threads, shared_static, local_bytes, shared_dynamic_max;
	int resident_blocks; /* the result of the driver's occupancy function */

	char names[STUB_MAX_FUNCTIONS][64]; /* of the functions that were looked up */
	/* Executes a launch; may be NULL. `context` is for its use. */
	void (*execute)(struct stub_driver *stub, const char *name, void **arguments);
	void *context;
	/* Calls of cuTensorMapEncodeTiled() and cuTensorMapEncodeIm2col(), each of which writes its
	 * arguments into the map. */
	size_t maps;
	bool maps_refused;
	size_t launches, flushes;           /* flushes: launches of flush_by_reading */
	size_t idle_kernels;                /* launches of it that read nothing */
	size_t resets;                      /* calls of cuCtxResetPersistingL2Cache() */
	bool cannot_capture;                /* cuStreamBeginCapture() returns an error */
	bool flush_was_reset;               /* the latest flush followed a reset */
	bool is_reset;                      /* no flush followed the latest one */
	double (*elapsed_ns)(size_t index); /* the time of the index-th sample */
	size_t intervals;
	/* What two events around idle kernels read, and each idle kernel between them adds. */
	double event_ns, idle_ns;
	size_t records; /* of events */
	/* Calls of cuEventSynchronize(), and how many found that nothing was queued behind the
	 * event. */
	size_t waits, waits_for_all;
};

/* Makes the stub the driver of `device`. Only one stub can be installed. */
void stub_driver_install(struct stub_driver *stub, struct device *device);
/* Fails the test if memory is still allocated, or addresses are reserved. */
void stub_driver_assert_empty(const struct stub_driver *stub);

#endif
