/*
 * Operations of the vendor's libraries, which a case may name in place of
 * device code: the yardsticks that its variants are held against. A library is
 * opened when the first case asks for it, so the worker needs none to start; a
 * case whose library is not here is skipped, and says why.
 *
 * A new operation is a row in the table of its library's file, a new library a
 * file with such a table and a row in library.c. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_LIBRARY_H
#define HARNESS_WORKERS_CUDA_LIBRARY_H

#include "harness/workers/cuda/device_memory.h"
#include "kernels/kernels.h"

#define LIBRARY_VERSION 48 /* room for one's name and version */

/* One argument, as a launch gets it. */
union argument_value {
	CUdeviceptr buffer;
	int32_t i32;
	uint32_t u32;
	int64_t i64;
	float f32;
};

/* Device memory that an operation needs for itself. */
struct library_scratch {
	CUdeviceptr data;
	size_t bytes;
};

struct library_operation {
	const char *name;
	const char *arguments; /* a letter each: b buffer, n 64-bit integer */
	/* NULL: it needs no scratch. Integers are set among the values, buffers are not. */
	int (*scratch_bytes)(void *library, const union argument_value *values, size_t *bytes,
			     struct error *err);
	/* Queues the operation; must not wait for the device. */
	int (*enqueue)(void *library, const union argument_value *values,
		       const struct library_scratch *scratch, struct error *err);
};

struct library {
	const char *name; /* "cublas" */
	/* PL_EUNSUPPORTED: not on this machine, *err says why. `version`: "cuBLAS 13.0". */
	int (*open)(void **library, char version[LIBRARY_VERSION], const struct device *device,
		    struct memory *memory, struct error *err);
	void (*close)(void *library);
	const struct library_operation *operations;
	size_t operation_count;
};
extern const struct library library_cublas, library_cub, library_cuda;

/* NULL: this worker knows none of that name, or no such operation of it. */
const struct library_operation *library_find_operation(const char *library, const char *operation);

/* The libraries that this worker has opened; one of each. */
#define LIBRARY_COUNT 3
struct library_set {
	struct {
		void *opened;
		char version[LIBRARY_VERSION];
		bool tried;
		struct error why_not;
	} libraries[LIBRARY_COUNT];
};
void library_set_close(struct library_set *set);

/* An operation that is ready to be queued. */
struct library_call {
	const struct library_operation *operation;
	void *library;
	const char *version;
	struct library_scratch scratch;
};
/*
 * *skip gets a reason where the library is not to be had. PL_EPROTOCOL: the
 * operation is unknown, or its arguments are others. Scratch memory is the
 * case's, until memory_unpin_all().
 */
int library_prepare(struct library_call *out, struct library_set *set, const struct device *device,
		    struct memory *memory, const struct case_launch *launch,
		    const union argument_value *values, struct text *skip, struct error *err);
int library_enqueue(const struct library_call *call, const union argument_value *values,
		    struct error *err);

#endif
