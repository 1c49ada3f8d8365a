/*
 * fake_cublas: a cuBLAS on host memory. It multiplies column-major matrices as
 * the reference of cuBLAS specifies, for the types that the worker uses. The
 * test opens it as a shared library instead of the real one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasGetVersion_v2(void *handle, int *version);
int cublasGemmEx(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		 const void *alpha, const void *a, int a_type, int a_step, const void *b,
		 int b_type, int b_step, const void *beta, void *c, int c_type, int c_step,
		 int compute_type, int algorithm);

struct context {
	int streams, workspaces;
};

int cublasCreate_v2(void **handle)
{
	*handle = calloc(1, sizeof(struct context));
	return *handle ? 0 : 3;
}

int cublasDestroy_v2(void *handle)
{
	free(handle);
	return 0;
}

int cublasSetStream_v2(void *handle, void *stream)
{
	struct context *context = handle;

	(void)stream;
	context->streams++;
	context->workspaces = 0; /* setting the stream resets the workspace */
	return 0;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
	memset(workspace, 0, bytes);
	((struct context *)handle)->workspaces++;
	return 0;
}

int cublasGetVersion_v2(void *handle, int *version)
{
	(void)handle;
	*version = 130200;
	return 0;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* type 0: float, 2: half (normal numbers and 0 only), 14: bfloat16. */
static float element(const void *data, int type, int64_t index)
{
	uint16_t narrow = type == 0 ? 0 : ((const uint16_t *)data)[index];

	if (type == 0)
		return ((const float *)data)[index];
	if (type == 14)
		return float_of((uint32_t)narrow << 16);
	return narrow ? float_of(((uint32_t)narrow << 13) + (UINT32_C(112) << 23)) : 0.0f;
}

int cublasGemmEx(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		 const void *alpha, const void *a, int a_type, int a_step, const void *b,
		 int b_type, int b_step, const void *beta, void *c, int c_type, int c_step,
		 int compute_type, int algorithm)
{
	const struct context *context = handle;

	/* Refuses a handle without stream and workspace, and arguments that the fake does not
	 * support. */
	if (context->streams != 1 || context->workspaces != 1 || c_type != 0 || algorithm != -1 ||
	    *(const float *)beta != 0.0f || (compute_type != 68 && compute_type != 77))
		return 7;
	for (int column = 0; column < n; column++)
		for (int row = 0; row < m; row++) {
			double sum = 0.0;

			for (int i = 0; i < k; i++) {
				int64_t at_a = transpose_a ? (int64_t)row * a_step + i
							   : (int64_t)i * a_step + row;
				int64_t at_b = transpose_b ? (int64_t)i * b_step + column
							   : (int64_t)column * b_step + i;

				sum += (double)element(a, a_type, at_a) *
				       (double)element(b, b_type, at_b);
			}
			((float *)c)[(int64_t)column * c_step + row] =
				*(const float *)alpha * (float)sum;
		}
	return 0;
}
