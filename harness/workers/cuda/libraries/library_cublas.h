/* The constants of cuBLAS's interface that library_cublas.c uses. Source: cublas_api.h and
 * library_types.h of the CUDA toolkit. */
#ifndef HARNESS_WORKERS_CUDA_LIBRARIES_LIBRARY_CUBLAS_H
#define HARNESS_WORKERS_CUDA_LIBRARIES_LIBRARY_CUBLAS_H

enum {
	CUBLAS_SUCCESS = 0,
	CUBLAS_ALLOCATION_FAILED = 3,
	CUBLAS_AS_IT_IS = 0,
	CUBLAS_TRANSPOSED = 1,
	CUBLAS_TYPE_F32 = 0,
	CUBLAS_TYPE_F16 = 2,
	CUBLAS_TYPE_BF16 = 14,
	CUBLAS_COMPUTES_F32 = 68, /* uses no tensor cores if the operands are float */
	CUBLAS_COMPUTES_TF32 = 77,
	CUBLAS_DEFAULT_ALGORITHM = -1,
};

#endif
