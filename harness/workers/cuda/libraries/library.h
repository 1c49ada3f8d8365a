/*
 * library: the library baselines. A launch may name an operation of a vendor's
 * library instead of device code, so that hand-written variants can be compared
 * with it. A library is opened for the first case that needs it; the worker
 * starts without any. If the library is not available, its cases are skipped
 * with a reason.
 *
 * A new operation is a row in the table of its library's file. A new library is
 * a file with such a table and a row in library.c. Internal to
 * harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_LIBRARIES_LIBRARY_H
#define HARNESS_WORKERS_CUDA_LIBRARIES_LIBRARY_H

#include "harness/workers/cuda/device_memory.h"
#include "kernels/kernels.h"

#define LIBRARY_VERSION 48 /* bytes for a library's name and version */

/* The value of a launch argument. */
union argument_value {
	CUdeviceptr buffer;
	int64_t i64;
	unsigned char bytes[8]; /* of any other type */
};

/* Device memory for the operation's own use. */
struct library_scratch {
	CUdeviceptr data;
	size_t bytes;
};

struct library_operation {
	const char *name;
	const char *arguments; /* one letter per argument: b buffer, n 64-bit integer */
	/* Returns the bytes of scratch memory; NULL: it needs none. The integers among the values
	 * are set, the buffers are not. */
	int (*scratch_bytes)(void *library, const union argument_value *values, size_t *bytes,
			     struct error *err);
	/* Queues the operation. It must not wait for the device. */
	int (*enqueue)(void *library, const union argument_value *values,
		       const struct library_scratch *scratch, struct error *err);
};

struct library {
	const char *name; /* "cublas" */
	/* Returns PL_EUNSUPPORTED, with the reason, if this machine lacks the library. Sets
	 * `version` to "cuBLAS 13.0", for example. */
	int (*open)(void **library, char version[LIBRARY_VERSION], const struct device *device,
		    struct memory *memory, struct error *err);
	void (*close)(void *library);
	const struct library_operation *operations;
	size_t operation_count;
};
extern const struct library library_cublas, library_cub, library_cuda;

/* Returns NULL if the worker does not know the library or the operation. */
const struct library_operation *library_find_operation(const char *library, const char *operation);

/* The state of each library in this worker. */
#define LIBRARY_COUNT 3
struct library_set {
	struct {
		void *opened;
		char version[LIBRARY_VERSION];
		bool tried;           /* open() was called once */
		struct error why_not; /* why it failed */
	} libraries[LIBRARY_COUNT];
};
void library_set_close(struct library_set *set);

/* An operation with everything that is needed to queue it. */
struct library_call {
	const struct library_operation *operation;
	void *library;
	const char *version;
	struct library_scratch scratch;
};
/*
 * Opens the library of a launch and reserves scratch memory. Appends a reason to
 * *skip if the library is not available. Returns PL_EPROTOCOL if the operation
 * is unknown or its arguments do not match. The scratch memory belongs to the
 * case until memory_unpin_all().
 */
int library_prepare(struct library_call *out, struct library_set *set, const struct device *device,
		    struct memory *memory, const struct case_launch *launch,
		    const union argument_value *values, struct text *skip, struct error *err);
int library_enqueue(const struct library_call *call, const union argument_value *values,
		    struct error *err);

#endif
