/*
 * beside: a case and its base case in one worker. The base case gets the device
 * memory of the case where a buffer of it has the same name, type, length, role
 * and fill, so that the place of the data does not make the difference. Both are
 * restored, poisoned and flushed before each sample as they are alone. Internal
 * to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_BESIDE_H
#define HARNESS_WORKERS_CUDA_BESIDE_H

#include "harness/workers/cuda/operation.h"

/*
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

#endif
