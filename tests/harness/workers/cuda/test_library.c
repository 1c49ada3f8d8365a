/* Library operations instead of device code, on a device of host memory. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/libraries/library.h"
#include "harness/workers/cuda/libraries/library_cublas.h"
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HEADERS_ARE_HERE
#endif

static struct operation loaded(struct bench *bench, const struct launch_case *work)
{
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, true, &err))
		fail_msg("%s", err.text);
	assert_string_equal(skip.data, "");
	return operation;
}

static const void *host_data(CUdeviceptr data)
{
	return (const void *)(uintptr_t)data;
}

/* The column-major products of cuBLAS are the row-major products of the oracle. */
static void test_products(void **context)
{
	static const char *const variants[] = {"cublas_f32", "cublas_tf32", "cublas_f16",
					       "cublas_bf16"};
	enum { N = 24 };

	for (size_t v = 0; v < ARRAY_SIZE(variants); v++) {
		struct launch_case *work = bench_case("matmul", variants[v], 256, N);
		struct operation operation = loaded(*context, work);
		struct launch_facts facts = launch_facts_unknown;
		const float *result = host_data(operation.buffers[2].data);
		const float *expected = host_data(operation.buffers[2].expected->data);
		struct error err = {0};

		assert_int_equal(operation_enqueue(&operation, &err), 0);
		for (int i = 0; i < N * N; i++)
			if (!(fabsf(result[i] - expected[i]) <= 1e-6f * expected[i]))
				fail_msg("%s: [%d] is %g, expected %g", variants[v], i,
					 (double)result[i], (double)expected[i]);
		assert_int_equal(operation_facts(&operation, &facts, &err), 0);
		assert_string_equal(facts.code_kind, "cuBLAS 13.2");
		assert_int_equal(strlen(facts.code_hash), HASH_TEXT_BYTES - 1);
		assert_int_equal(facts.registers_per_thread, -1);
		operation_release(&operation);
		launch_case_free(work);
	}
}

static void test_copy(void **context)
{
	struct launch_case *work = bench_case("stream", "copy_memcpy", 256, 1000);
	struct operation operation = loaded(*context, work);
	struct error err = {0};

	assert_int_equal(operation_enqueue(&operation, &err), 0);
	assert_memory_equal(host_data(operation.buffers[0].data),
			    host_data(operation.buffers[1].data), 4000);
	/* The estimate of commands keeps a batch within the driver's queue. */
	assert_true(operation_command_count(&operation) > 1);
	operation_release(&operation);
	launch_case_free(work);
}

/* Cases of another build, or untrusted ones, are refused. */
static void test_what_no_library_has(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("stream", "copy_memcpy", 256, 1000);
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};

	free(work->launches[0].entry);
	work->launches[0].entry = xstrdup("move");
	assert_int_equal(operation_load(&operation, &bench->resources, work, &skip, &err),
			 PL_EPROTOCOL);
	assert_non_null(strstr(err.text, "'move' of library 'cuda'"));
	free(work->launches[0].entry);
	work->launches[0].entry = xstrdup("copy");
	strcpy(work->launches[0].library, "cudnn");
	assert_int_equal(operation_load(&operation, &bench->resources, work, &skip, &err),
			 PL_EPROTOCOL);
	strcpy(work->launches[0].library, "cuda");
	work->launches[0].arg_count = 2;
	assert_int_equal(operation_load(&operation, &bench->resources, work, &skip, &err),
			 PL_EPROTOCOL);
	assert_non_null(strstr(err.text, "do not match"));
	work->launches[0].arg_count = 3;
	work->launches[0].args[2].kind = ARG_F32;
	assert_int_equal(operation_load(&operation, &bench->resources, work, &skip, &err),
			 PL_EPROTOCOL);
	assert_null(operation.launches);
	launch_case_free(work);
}

/* Each kernel that names a library names one of its operations. */
static void test_every_row_is_known(void **context)
{
	size_t count, rows = 0;
	const struct kernel *const *all = kernel_all(&count);

	(void)context;
	for (size_t k = 0; k < count; k++)
		for (size_t v = 0; v < all[k]->variant_count; v++)
			for (size_t l = 0; l < all[k]->variants[v].launch_count; l++) {
				const struct kernel_launch *launch =
					&all[k]->variants[v].launches[l];
				const struct library_operation *operation;

				if (!launch->library)
					continue;
				operation = library_find_operation(launch->library, launch->entry);
				if (!operation || strlen(operation->arguments) != launch->arg_count)
					fail_msg("%s/%s", all[k]->name, all[k]->variants[v].name);
				rows++;
			}
	assert_true(rows >= 6);
	assert_null(library_find_operation("cublas", "gemm"));
	assert_null(library_find_operation("", ""));
}

/* The build compiles CUB if the toolkit has it. Opening it needs no GPU. */
static void test_cub_opens_or_fails_with_a_reason(void **context)
{
	struct bench *bench = *context;
	char version[LIBRARY_VERSION] = "";
	struct error err = {0};
	void *cub = NULL;
	int rc = library_cub.open(&cub, version, &bench->device, &bench->resources.memory, &err);

	if (rc) {
		assert_int_equal(rc, PL_EUNSUPPORTED);
		assert_non_null(strstr(err.text, "CUB"));
		return;
	}
	assert_int_equal(strncmp(version, "CUB ", 4), 0);
	library_cub.close(cub);
}

/* Without the library, every case is skipped with the same reason. */
static void test_a_missing_library_is_a_reason(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("matmul", "cublas_f32", 256, 8);
	struct library_set set = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};
	struct library_call call;
	union argument_value values[4] = {{0}};

	set.libraries[0].tried = true;
	strcpy(set.libraries[0].why_not.text, "none is here");
	for (int again = 0; again < 2; again++) {
		text_clear(&skip);
		assert_int_equal(library_prepare(&call, &set, &bench->device,
						 &bench->resources.memory, &work->launches[0],
						 values, &skip, &err),
				 0);
		assert_string_equal(skip.data, "none is here");
	}
	text_release(&skip);
	launch_case_free(work);
}

static void test_numbers_are_those_of_the_headers(void **context)
{
	(void)context;
#ifdef HEADERS_ARE_HERE
	assert_int_equal(CUBLAS_SUCCESS, CUBLAS_STATUS_SUCCESS);
	assert_int_equal(CUBLAS_ALLOCATION_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
	assert_int_equal(CUBLAS_AS_IT_IS, CUBLAS_OP_N);
	assert_int_equal(CUBLAS_TRANSPOSED, CUBLAS_OP_T);
	assert_int_equal(CUBLAS_TYPE_F32, CUDA_R_32F);
	assert_int_equal(CUBLAS_TYPE_F16, CUDA_R_16F);
	assert_int_equal(CUBLAS_TYPE_BF16, CUDA_R_16BF);
	assert_int_equal(CUBLAS_COMPUTES_F32, CUBLAS_COMPUTE_32F);
	assert_int_equal(CUBLAS_COMPUTES_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
	assert_int_equal(CUBLAS_DEFAULT_ALGORITHM, CUBLAS_GEMM_DEFAULT);
#else
	skip();
#endif
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_products),
		TEST(test_copy),
		TEST(test_what_no_library_has),
		TEST(test_every_row_is_known),
		TEST(test_cub_opens_or_fails_with_a_reason),
		TEST(test_a_missing_library_is_a_reason),
		cmocka_unit_test(test_numbers_are_those_of_the_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
