/*
 * One case on the device: its code loaded, its buffers filled, its launches
 * ready to be queued. What a user counts as the operation, all its launches
 * and the allocations that belong to it, is queued by operation_enqueue() and
 * by nothing else, so it is verified, timed and counted as the same thing.
 * Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_OPERATION_H
#define HARNESS_WORKERS_CUDA_OPERATION_H

#include "harness/workers/case_buffers.h"
#include "harness/workers/cuda/resources.h"

struct operation_buffer {
	struct memory_block *block;    /* NULL for PER_CALL */
	struct memory_block *pristine; /* INOUT: what it holds before each execution */
	struct memory_block *expected; /* OUT, INOUT */
	CUdeviceptr data;              /* as the launches get it */
};

struct operation_launch {
	CUfunction function; /* NULL: `call` is what runs */
	struct library_call call;
	union argument_value values[KERNEL_MAX_ARGS];
	void *pointers[KERNEL_MAX_ARGS];
};

struct operation {
	struct cuda_resources *resources;
	const struct launch_case *work;
	const struct cuda_image *image; /* NULL: all of it is a library's */
	struct operation_buffer buffers[KERNEL_MAX_BUFFERS];
	struct operation_launch *launches;
	bool allocates; /* has PER_CALL buffers: it waits for the device while it is queued */
};

/*
 * Loads code only. *skip gets a reason, and *out stays as it was, when the
 * device cannot launch the case (too many registers or too much shared memory
 * for the block).
 */
int operation_load(struct operation *out, struct cuda_resources *resources,
		   const struct launch_case *work, struct text *skip, struct error *err);
/* Facts of the launch with the most threads. */
int operation_facts(const struct operation *operation, struct launch_facts *out, struct error *err);
/* Fills inputs and computes what is expected; both stay on the device for later cases. */
int operation_prepare(struct operation *operation, struct error *err);
/* Restores INOUT buffers. Before every execution, outside of what is timed or counted. */
int operation_restore(const struct operation *operation, struct error *err);
/* Queues the operation. */
int operation_enqueue(struct operation *operation, struct error *err);
/*
 * Executes once and compares. *mismatch is empty when every result is within
 * tolerance of the oracle and no guard zone was written; else it says what
 * differs. Waits for the device.
 */
int operation_verify(struct operation *operation, struct text *mismatch,
		     struct case_accuracy *accuracy, struct error *err);
/* Commands that operation_restore() and operation_enqueue() put into the stream. */
size_t operation_command_count(const struct operation *operation);
void operation_release(struct operation *operation); /* blocks become reusable */

#endif
