/*
 * CUB, which is C++ and made of templates, behind functions of C: the shared
 * library that harness/workers/cuda/library_cub.c opens. Each returns 0 or a
 * cudaError_t. With `temporary` NULL it tells how many bytes of temporary
 * memory it needs; else it queues its work in `stream`, of the primary context.
 */
#ifndef HARNESS_WORKERS_CUDA_LIBRARIES_CUB_H
#define HARNESS_WORKERS_CUDA_LIBRARIES_CUB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all else of the library is hidden */

/* 100000 times the major version and so on, as CUB_VERSION. */
int perflab_cub_version(void);
int perflab_cub_sum(void *temporary, size_t *temporary_bytes, const float *x, float *sum,
		    long long n, void *stream);
/* counts[v] of the `bins` values v that elements of x may have; x[i] >= bins are left out. */
int perflab_cub_histogram(void *temporary, size_t *temporary_bytes, const unsigned *x,
			  unsigned *counts, long long n, long long bins, void *stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
