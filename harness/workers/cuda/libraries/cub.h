/*
 * cub: C functions that call CUB, a library of C++ templates. They are compiled
 * into the shared library that harness/workers/cuda/libraries/library_cub.c opens. Each
 * returns 0 or a cudaError_t. If `temporary` is NULL, it only sets the bytes of
 * temporary memory that it needs. Otherwise it queues its work in `stream`,
 * which belongs to the primary context.
 */
#ifndef HARNESS_WORKERS_CUDA_LIBRARIES_CUB_H
#define HARNESS_WORKERS_CUDA_LIBRARIES_CUB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* the library hides all other symbols */

/* CUB_VERSION: 100000 * major + 100 * minor + subminor. */
int perflab_cub_version(void);
int perflab_cub_sum(void *temporary, size_t *temporary_bytes, const float *x, float *sum,
		    long long n, void *stream);
/* counts[v] is the number of elements of x that equal v, for 0 <= v < bins. Ignores x[i] >= bins.
 */
int perflab_cub_histogram(void *temporary, size_t *temporary_bytes, const unsigned *x,
			  unsigned *counts, long long n, long long bins, void *stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
