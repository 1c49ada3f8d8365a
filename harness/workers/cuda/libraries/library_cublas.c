/*
 * cuBLAS: the library baselines of matmul. matmul has row-major matrices and
 * cuBLAS column-major ones, so this file computes the transpose of C by swapping
 * the operands. The functions are declared here, because the headers of cuBLAS
 * are a separate package that a build may lack. If they are installed,
 * tests/harness/workers/cuda/test_library.c compares the constants with them.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/toolkit_version.h"
#include "harness/workers/cuda/libraries/library.h"
#include "harness/workers/cuda/libraries/library_cublas.h"

/* The size that cuBLAS recommends for Hopper. With it, cuBLAS allocates no memory itself. */
#define WORKSPACE_BYTES ((size_t)32 << 20)

typedef void *handle_type; /* cublasHandle_t */

struct cublas {
	int (*create)(handle_type *handle);
	int (*destroy)(handle_type handle);
	int (*set_stream)(handle_type handle, CUstream stream);
	int (*set_workspace)(handle_type handle, void *workspace, size_t bytes);
	int (*get_version)(handle_type handle, int *version);
	int (*gemm)(handle_type handle, int transpose_a, int transpose_b, int m, int n, int k,
		    const void *alpha, const void *a, int a_type, int a_step, const void *b,
		    int b_type, int b_step, const void *beta, void *c, int c_type, int c_step,
		    int compute_type, int algorithm);
	handle_type handle;
};

static int cublas_check(int status, const char *what, struct error *err)
{
	int code = status == CUBLAS_SUCCESS             ? 0
		   : status == CUBLAS_ALLOCATION_FAILED ? PL_ENOMEM
							: PL_EDEVICE;

	return code ? error_set(err, code, "cuBLAS, %s: status %d", what, status) : 0;
}

static void *open_in_folder(const char *folder, const char *suffix)
{
	char *path = xasprintf("%slibcublasLt.so%s", folder, suffix);
	void *library;

	/* stays open, because the library needs it */
	dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	path = xasprintf("%slibcublas.so%s", folder, suffix);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return library;
}

/* Searches the loader's path, $CUDA_HOME, $CUDA_PATH and the usual folders of toolkits, first with
 * the suffix of the toolkit's major version and then without. NULL: it is not found. */
static void *open_cublas_library(void)
{
	static const char *const places[] = {"lib64/", "lib/", "targets/x86_64-linux/lib/",
					     "targets/sbsa-linux/lib/"};
	const char *const toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
					"/opt/cuda"};
	char suffix[16];
	void *library;

	snprintf(suffix, sizeof(suffix), ".%d", atoi(PERFLAB_TOOLKIT_VERSION));
	library = open_in_folder("", suffix);
	for (size_t t = 0; t < ARRAY_SIZE(toolkits) && !library; t++)
		for (size_t p = 0; p < ARRAY_SIZE(places) && !library; p++) {
			char *folder;

			if (!toolkits[t] || !*toolkits[t])
				continue;
			folder = xasprintf("%s/%s", toolkits[t], places[p]);
			library = open_in_folder(folder, suffix);
			free(folder);
		}
	return library ? library : open_in_folder("", "");
}

static int load_cublas(struct cublas *cublas, struct error *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} symbols[] = {
		{"cublasCreate_v2", offsetof(struct cublas, create)},
		{"cublasDestroy_v2", offsetof(struct cublas, destroy)},
		{"cublasSetStream_v2", offsetof(struct cublas, set_stream)},
		{"cublasSetWorkspace_v2", offsetof(struct cublas, set_workspace)},
		{"cublasGetVersion_v2", offsetof(struct cublas, get_version)},
		{"cublasGemmEx", offsetof(struct cublas, gemm)},
	};
	void *library = open_cublas_library();

	if (!library)
		return error_set(err, PL_EUNSUPPORTED,
				 "cuBLAS was not found: install it, or set CUDA_HOME to a toolkit "
				 "that has it");
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return error_set(err, PL_EUNSUPPORTED,
					 "cuBLAS lacks %s: install the version of the CUDA toolkit "
					 "that perflab was built with",
					 symbols[i].name);
		memcpy((char *)cublas + symbols[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

static int start_cublas(struct cublas *cublas, char version[LIBRARY_VERSION],
			const struct device *device, struct memory *memory, struct error *err)
{
	struct memory_block *workspace = NULL;
	int number = 0;
	int rc = cublas_check(cublas->create(&cublas->handle), "creating a handle", err);

	if (!rc)
		rc = memory_acquire(memory, NULL, WORKSPACE_BYTES, &workspace, NULL, err);
	if (rc)
		return rc;
	workspace->kept = true;
	/* The order matters: setting the stream resets the workspace to the library's own. */
	rc = cublas_check(cublas->set_stream(cublas->handle, device->stream), "setting the stream",
			  err);
	if (!rc)
		rc = cublas_check(cublas->set_workspace(cublas->handle,
							(void *)(uintptr_t)workspace->data,
							WORKSPACE_BYTES),
				  "setting the workspace", err);
	if (!rc)
		rc = cublas_check(cublas->get_version(cublas->handle, &number),
				  "reading the version", err);
	snprintf(version, LIBRARY_VERSION, "cuBLAS %d.%d", number / 10000, number / 100 % 100);
	return rc;
}

static void close_cublas(void *library)
{
	struct cublas *cublas = library;

	if (cublas->handle)
		cublas->destroy(cublas->handle);
	free(cublas);
}

static int open_cublas(void **out, char version[LIBRARY_VERSION], const struct device *device,
		       struct memory *memory, struct error *err)
{
	struct cublas *cublas = xcalloc(1, sizeof(*cublas));
	int rc = load_cublas(cublas, err);

	if (!rc)
		rc = start_cublas(cublas, version, device, memory, err);
	if (rc) {
		close_cublas(cublas);
		return rc;
	}
	*out = cublas;
	return 0;
}

/* values: a, b, c, n. A and C are row-major; B is column-major if `by_columns`. */
static int cublas_multiply(const struct cublas *cublas, const union argument_value *values,
			   int type, bool by_columns, int compute_type, struct error *err)
{
	const float one = 1.0f, zero = 0.0f;
	int n = (int)values[3].i64;

	if (values[3].i64 > INT32_MAX)
		return error_set(
			err, PL_EUSAGE,
			"cuBLAS multiplies matrices of at most 2^31 - 1 rows: use a smaller n");
	return cublas_check(cublas->gemm(cublas->handle,
					 by_columns ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS,
					 CUBLAS_AS_IT_IS, n, n, n, &one,
					 (const void *)(uintptr_t)values[1].buffer, type, n,
					 (const void *)(uintptr_t)values[0].buffer, type, n, &zero,
					 (void *)(uintptr_t)values[2].buffer, CUBLAS_TYPE_F32, n,
					 compute_type, CUBLAS_DEFAULT_ALGORITHM),
			    "multiplying", err);
}

#define PRODUCT(name, type, by_columns, compute_type)                                         \
	static int name(void *library, const union argument_value *values,                    \
			const struct library_scratch *scratch, struct error *err)             \
	{                                                                                     \
		(void)scratch;                                                                \
		return cublas_multiply(library, values, type, by_columns, compute_type, err); \
	}
PRODUCT(gemm_f32, CUBLAS_TYPE_F32, false, CUBLAS_COMPUTES_F32)
PRODUCT(gemm_tf32, CUBLAS_TYPE_F32, true, CUBLAS_COMPUTES_TF32)
PRODUCT(gemm_f16, CUBLAS_TYPE_F16, true, CUBLAS_COMPUTES_F32)
PRODUCT(gemm_bf16, CUBLAS_TYPE_BF16, true, CUBLAS_COMPUTES_F32)

static const struct library_operation operations[] = {
	{.name = "gemm_f32", .arguments = "bbbn", .enqueue = gemm_f32},
	{.name = "gemm_tf32", .arguments = "bbbn", .enqueue = gemm_tf32},
	{.name = "gemm_f16", .arguments = "bbbn", .enqueue = gemm_f16},
	{.name = "gemm_bf16", .arguments = "bbbn", .enqueue = gemm_bf16},
};

const struct library library_cublas = {
	.name = "cublas",
	.open = open_cublas,
	.close = close_cublas,
	.operations = operations,
	.operation_count = ARRAY_SIZE(operations),
};
