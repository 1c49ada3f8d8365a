/*
 * operation: one case on the device, with its code, its buffers and its
 * launches. Only operation_enqueue() queues the operation: all its launches and
 * the allocations that belong to it. So the worker verifies, times and counts
 * the same work. Internal to harness/workers/cuda.
 *
 * The order of calls is load, prepare, then any number of verify, or restore and
 * enqueue, then release.
 */
#ifndef HARNESS_WORKERS_CUDA_OPERATION_H
#define HARNESS_WORKERS_CUDA_OPERATION_H

#include "harness/workers/case_buffers.h"
#include "harness/workers/cuda/device_memory.h"
#include "harness/workers/cuda/resources.h"
#include "metrics/settings.h"

struct operation_buffer {
	struct memory_block *block; /* NULL for PER_CALL */
	/* The contents before each execution, of INOUT buffers, and of all inputs of a user's
	 * kernel, which may write them. */
	struct memory_block *pristine;
	struct memory_block *expected; /* OUT, INOUT: the expected result */
	/* The pointer that the launches get, and where a result is: that of the block, or of the
	 * variable that is a result or memory of a capture. */
	CUdeviceptr data;
};

#define OPERATION_STRUCT_ALIGN 64 /* which a tensor map needs */

struct operation_launch {
	CUfunction function; /* NULL: `call` is executed instead */
	struct library_call call;
	union argument_value *values; /* of scalars and buffers */
	unsigned char *structs;       /* the bytes of all structs and tensor maps, each aligned */
	unsigned char *structs_memory;
	void **pointers; /* to the value or the struct of each argument */
};

struct operation {
	struct cuda_resources *resources;
	const struct launch_case *work;
	const struct cuda_image *image; /* NULL: a library executes all launches */
	struct operation_buffer buffers[KERNEL_MAX_BUFFERS];
	struct operation_launch *launches;
	struct case_capture *capture; /* NULL: the case has none, or is not prepared */
	struct placed_memory *placed; /* NULL: none */
	bool allocates;               /* has PER_CALL buffers: queueing it waits for the device */
	enum case_execution execution;
	struct text *blind; /* gets what the check cannot find; NULL: nobody asks */
	bool watched;       /* operation_watch_samples() was called */
	int watch_place;
};

/*
 * Loads the code of a case. If the device cannot launch the case (the block
 * needs too many registers or too much shared memory), appends the reason to
 * *skip and leaves *out unchanged.
 */
int operation_load(struct operation *out, struct cuda_resources *resources,
		   const struct launch_case *work, struct text *skip, struct error *err);
/* Returns the facts of the launch with the most threads. */
int operation_facts(const struct operation *operation, struct launch_facts *out, struct error *err);
/* True for kernels of users. They may write their inputs, and may keep something from one execution
 * to the next. */
bool operation_is_distrusted(const struct launch_case *work);
/* True if the kernel may have made lines of the L2 persist: kernels of users may, on devices of
 * compute capability 8.0 and later. Their machine code does not tell. */
bool operation_may_persist(const struct operation *operation);
/* Fills the inputs and, if the operation will be verified, computes the expected results. Both stay
 * on the device for later cases. */
int operation_prepare(struct operation *operation, bool verified, struct error *err);
/*
 * Restores INOUT buffers and symbols, before every execution and outside of the
 * timed or counted part. Poisons the other buffers of a user's kernel, so that
 * no execution finds what an earlier one left.
 */
int operation_restore(const struct operation *operation, struct error *err);
/*
 * Brings inputs and caches to the state that a timed execution finds, and waits for the device: an
 * empty L2, or one that an execution before has filled.
 */
int operation_make_ready(struct operation *operation, enum cache_mode cache,
			 enum flush_purpose purpose, struct error *err);
/* Poisons results and scratch memory. A case with the same sizes may have left right values there.
 */
int operation_poison(const struct operation *operation, struct error *err);
/* Queues the operation. */
int operation_enqueue(struct operation *operation, struct error *err);
/*
 * Compares the results that the latest execution left with the expected ones, if
 * the case has a check. *mismatch stays empty if every result is within the
 * tolerance, every guard zone is intact and no input changed; otherwise it
 * describes the differences. The device must be idle.
 */
int operation_compare(struct operation *operation, struct text *mismatch,
		      struct case_accuracy *accuracy, struct error *err);
/*
 * Adds to *found which inputs `who` ("the kernel") changed, and around which
 * buffers it wrote. Restores the guard zones. The device must be idle.
 */
int operation_check_writes(const struct operation *operation, const char *who, struct text *found,
			   struct error *err);
/*
 * From here on, operation_compare_sample() queues a comparison of the results
 * with the expected ones, whose mismatches the device adds up. Without this
 * call it does nothing. operation_watched_samples() waits for the device and
 * describes in *mismatch what differed in any sample. Samples have no numbers:
 * it tells that one was wrong, not which. Two operations that are timed in turn
 * are watched at place 0 and 1.
 */
int operation_watch_samples(struct operation *operation, int place, struct error *err);
int operation_compare_sample(const struct operation *operation, struct error *err);
int operation_watched_samples(const struct operation *operation, struct text *mismatch,
			      struct error *err);
/* Executes the operation once, waits for the device and compares the results. */
int operation_verify(struct operation *operation, struct text *mismatch,
		     struct case_accuracy *accuracy, struct error *err);
/* Adds to *reason that the check accepts the results of other inputs, if it does. `other` has them:
 * the same case, with what it expects for its inputs. */
int operation_find_blind_to(const struct operation *operation, const struct operation *other,
			    struct text *reason, struct error *err);
/* Adds to *reason what the check accepts instead of the expected results (blind_check.h). */
int operation_find_blind(const struct operation *operation, struct text *reason, struct error *err);
/* Counts the bytes in which data differ from a block of their size, and finds the first. */
int operation_compare_bytes(const struct cuda_resources *resources, CUdeviceptr data,
			    const struct memory_block *with, uint64_t *differing, uint64_t *first,
			    struct error *err);
/* Waits for the device and copies its memory, also memory of the host that it has mapped, to `out`.
 */
int operation_read(const struct device *device, void *out, CUdeviceptr data, size_t bytes,
		   struct error *err);
/* Returns how many commands operation_restore(), operation_enqueue() and operation_compare_sample()
 * put into the stream. */
size_t operation_command_count(const struct operation *operation);
/* Frees the operation, but leaves its blocks to another operation that shares them. */
void operation_forget(struct operation *operation);
/* Frees the operation. Later cases may reuse its blocks. */
void operation_release(struct operation *operation);

/* ---- a second replay of a capture: replay_again.c ---- */

/*
 * Completes the mismatch that operation_verify() has just found, if the case is a
 * replay. Two replays that agree tell that something is missing. Two that differ
 * tell that the kernel is not deterministic, and perhaps how a comparison allows
 * for it. If there is no memory for a second replay, nothing is said about it.
 */
int replay_again(struct operation *operation, struct text *mismatch, struct error *err);

/* ---- the memory of a case and of its base case: measuring.c ---- */

/*
 * A case and its base case are in one worker. The base case gets the device memory of the case
 * where a buffer of it has the same name, type, length, role and fill, so that the place of the
 * data does not make the difference. Both are restored, poisoned and flushed before each sample as
 * they are alone.
 *
 * Loads, prepares and verifies the base case beside a prepared operation. If it
 * cannot be measured, appends the reason to *why and leaves *out empty; then the
 * operation must be prepared again, because its memory is no longer pinned and a
 * wrong kernel may have written anywhere. PL_EDEVICE: the device is lost. After
 * success, operation_forget() releases *out.
 */
int beside_prepare(struct operation *out, const struct operation *operation,
		   const struct launch_case *base, struct text *why, struct error *err);
/* Whether both use the same memory, apart from at most 1 % of the bytes of either. */
bool beside_same_buffers(const struct operation *a, const struct operation *b);

/* ---- where the data lie in physical memory: placement.c ---- */

enum placement_result {
	PLACEMENT_CHANGED,
	PLACEMENT_FIXED, /* there is nothing that can be moved */
	PLACEMENT_SCARCE /* something stayed, because memory is scarce */
};

/*
 * Waits for the device, and moves what the launches of both operations read and
 * write to other physical pages, at the same addresses. `base` may be NULL. What
 * only restores or verifies stays: no sample reads it. So does memory of a capture
 * at its old addresses, because several of its buffers can share pages, and
 * variables of an image. Errors as memory_replace_pages().
 */
int placement_change(const struct operation *operation, const struct operation *base,
		     enum placement_result *result, struct error *err);

#endif
