/* Loads or skips, prepares and verifies one case on a device of host memory. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/workers/tolerance.h"

/* ---- loading ---- */

static void load(struct bench *bench, struct operation *operation, const struct launch_case *work)
{
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (operation_load(operation, &bench->resources, work, &skip, &err))
		fail_msg("%s", err.text);
	assert_string_equal(skip.data, "");
}

static void assert_skips(struct bench *bench, const struct launch_case *work, const char *reason)
{
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct error err = {0};

	assert_int_equal(operation_load(&operation, &bench->resources, work, &skip, &err), 0);
	assert_null(operation.launches);
	assert_string_equal(skip.data, reason);
	text_release(&skip);
}

static void test_registers_may_not_allow_a_block(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("fault", "none", 1024, 4096);

	bench->stub.registers = 80;
	bench->stub.max_threads = 768;
	assert_skips(bench, work,
		     "fault_none uses 80 registers per thread, so a block has at most 768 threads, "
		     "not 1024");
	launch_case_free(work);
}

static void test_shared_memory_may_not_do(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};

	bench->stub.shared_static = 1000;
	work->launches[0].shared_bytes = 232448 - 999;
	assert_skips(bench, work,
		     "fault_none needs 232449 bytes of shared memory per block; the device has "
		     "232448");
	work->launches[0].shared_bytes--;
	load(bench, &operation, work);
	assert_int_equal(bench->stub.shared_dynamic_max, 232448 - 1000);
	operation_release(&operation);
	/* The limit is never lowered, because launches of an operation may share a function. */
	work->launches[0].shared_bytes = 64;
	load(bench, &operation, work);
	assert_int_equal(bench->stub.shared_dynamic_max, 232448 - 1000);
	operation_release(&operation);
	launch_case_free(work);
}

/* A built-in image is the file that perflab made for the device, else the PTX of the installation.
 */
static void test_an_image_is_named_by_its_kind(void **context)
{
	static const char cubin[] = "/tmp/test_operation.cubin";
	static const struct {
		const char *image, *file, *arch, *kind;
	} rows[] = {
		{"fault/none", NULL, "", "ptx"},
		{"fault/none", cubin, "sm_90", "cubin sm_90"},
		{"ceilings/tensor_f16_wgmma", cubin, "sm_90a", "cubin sm_90a"},
		{cubin, NULL, "", "cubin"},
	};
	struct bench *bench = *context;
	struct error err = {0};

	if (system("cp tests/fuzz/corpus/cubin/small_cubin /tmp/test_operation.cubin"))
		fail();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cuda_image_cache cache;
		const struct cuda_image *image = NULL;

		cuda_image_cache_init(&cache, &bench->device);
		if (cuda_image_load(&cache, rows[i].image, rows[i].file, rows[i].arch, &image,
				    &err))
			fail_msg("%s", err.text);
		assert_string_equal(image->code_kind, rows[i].kind);
		cuda_image_cache_release(&cache);
	}
	unlink(cubin);
}

static void test_a_missing_image_is_named(void **context)
{
	struct bench *bench = *context;
	struct cuda_image_cache cache;
	const struct cuda_image *image = NULL;
	struct error err = {0};

	cuda_image_cache_init(&cache, &bench->device);
	assert_int_equal(cuda_image_load(&cache, "fault/nothing", NULL, "", &image, &err),
			 PL_ENOENT);
	assert_non_null(strstr(err.text, "share/perflab/ptx/fault/nothing.ptx"));
	cuda_image_cache_release(&cache);
}

/* ---- verifying ---- */

/* What the test's kernel does to its `n` results. */
struct deed {
	float value; /* written everywhere */
	int64_t from, to;
	int64_t wrong; /* index of a result that is 1 too large; -1: none */
	float seen;    /* the first result before the launch */
};

/* Has the layout of struct element_check in support.cu. */
static void compare(void **arguments)
{
	const float *result = *(const float **)arguments[0];
	const float *expected = *(const float **)arguments[1];
	unsigned long long *out = *(unsigned long long **)arguments[6];
	double *largest = (double *)(out + 2);

	for (unsigned long long i = 0; i < *(unsigned long long *)arguments[2]; i++) {
		largest[0] = fmax(largest[0], fabs((double)result[i] - (double)expected[i]));
		largest[1] = fmax(largest[1], fabs((double)expected[i]));
		if (within_tolerance((double)result[i], (double)expected[i],
				     *(double *)arguments[3], *(double *)arguments[4]))
			continue;
		out[0]++;
		out[1] = i < out[1] ? i : out[1];
	}
}

static void execute(struct stub_driver *stub, const char *name, void **arguments)
{
	struct deed *deed = stub->context;
	float *out = *(float **)arguments[0];

	if (!strcmp(name, "compare_f32"))
		compare(arguments);
	if (strcmp(name, "fault_none"))
		return;
	deed->seen = out[0];
	for (int64_t i = deed->from; i < deed->to; i++)
		out[i] = deed->value + (float)(i == deed->wrong);
}

/* Verifies fault/none, which has 4096 results of 0. The kernel does `deed`. */
static char *verified(struct bench *bench, struct deed deed)
{
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};

	bench->stub.execute = execute;
	bench->stub.context = &deed;
	load(bench, &operation, work);
	if (operation_prepare(&operation, true, &err) ||
	    operation_verify(&operation, &mismatch, &accuracy, &err))
		fail_msg("%s", err.text);
	/* The results are poisoned, so that values of an earlier case fail. */
	assert_true(isnan(deed.seen));
	operation_release(&operation);
	launch_case_free(work);
	return text_detach(&mismatch);
}

static void test_verdicts(void **context)
{
	static const struct {
		struct deed deed;
		const char *verdict;
	} verdicts[] = {
		{{0, 0, 4096, -1, 0}, ""},
		{{0, 0, 4096, 77, 0},
		 "1 of 4096 elements of 'out' differ from the CPU oracle; the first, [77], is 1, "
		 "expected 0"},
		{{0, 2, 4096, -1, 0},
		 "2 of 4096 elements of 'out' differ from the CPU oracle; the first, [0], was "
		 "never written, "
		 "expected 0"},
		{{0, 0, 4097, -1, 0}, "the kernel wrote outside of 'out'"},
		{{0, -1, 4096, -1, 0}, "the kernel wrote outside of 'out'"},
		{{0, 0, 4096, -1, 0}, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		char *verdict = verified(*context, verdicts[i].deed);

		assert_string_equal(verdict, verdicts[i].verdict);
		free(verdict);
	}
}

/* ---- accuracy ---- */

/* Sets every sum to `context`. */
static void execute_sum(struct stub_driver *stub, const char *name, void **arguments)
{
	if (!strcmp(name, "compare_f32"))
		compare(arguments);
	if (!strcmp(name, "reduce_finish"))
		**(float **)arguments[1] = *(const float *)stub->context;
}

static void test_accuracy_is_of_the_largest_element(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("reduce", "shuffle", 64, 4096);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};
	float expected = 0, computed;

	load(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].role == BUFFER_OUT)
			expected = *(const float *)(uintptr_t)operation.buffers[b].expected->data;
	computed = nextafterf(expected, 0.0f);
	bench->stub.execute = execute_sum;
	bench->stub.context = &computed;
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, &err), 0);
	assert_string_equal(mismatch.data, "");
	assert_true(accuracy.relative_error ==
		    ((double)expected - (double)computed) / (double)expected);
	assert_null(accuracy.reason);
	computed = expected;
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, &err), 0);
	assert_true(accuracy.relative_error == 0);
	operation_release(&operation);
	text_release(&mismatch);
	launch_case_free(work);
}

static void test_whole_numbers_have_no_accuracy(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};

	for (size_t b = 0; b < work->buffer_count; b++)
		work->buffers[b].type = ELEMENT_I32;
	load(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, &err), 0);
	assert_true(isnan(accuracy.relative_error));
	assert_string_equal(accuracy.reason, "no result has a floating-point type");
	operation_release(&operation);
	text_release(&mismatch);
	launch_case_free(work);
}

/* Partial sums of an earlier case in scratch memory must not make a result right. */
static void test_scratch_is_poisoned(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("reduce", "shuffle", 64, 4096);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};
	size_t seen = 0;

	load(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].role == BUFFER_SCRATCH)
			memset((void *)(uintptr_t)operation.buffers[b].data, 0,
			       operation.buffers[b].block->bytes);
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, &err), 0);
	for (size_t b = 0; b < work->buffer_count; b++) {
		if (work->buffers[b].role != BUFFER_SCRATCH)
			continue;
		assert_true(isnan(*(const float *)(uintptr_t)operation.buffers[b].data));
		seen++;
	}
	assert_true(seen > 0);
	operation_release(&operation);
	text_release(&mismatch);
	launch_case_free(work);
}

/* ---- preparing ---- */

static size_t blocks_with_keys(const struct bench *bench)
{
	size_t count = 0;

	for (size_t i = 0; i < bench->resources.memory.count; i++)
		count += bench->resources.memory.blocks[i]->key != NULL;
	return count;
}

static void prepare(struct bench *bench, struct operation *operation,
		    const struct launch_case *work)
{
	struct error err = {0};

	load(bench, operation, work);
	if (operation_prepare(operation, true, &err))
		fail_msg("%s", err.text);
}

static void test_cases_share_inputs_and_results(void **context)
{
	struct bench *bench = *context;
	struct launch_case *scalar = bench_case("stream", "copy_scalar", 64, 4096);
	struct launch_case *vectors = bench_case("stream", "copy_float4", 256, 4096);
	struct launch_case *longer = bench_case("stream", "copy_scalar", 64, 8192);
	struct operation operation = {0};
	const float *a, *expected;

	prepare(bench, &operation, scalar);
	a = (const float *)(uintptr_t)operation.buffers[0].data;
	expected = (const float *)(uintptr_t)operation.buffers[1].expected->data;
	assert_memory_equal(a, expected, 4096 * sizeof(*a)); /* the kernel copies */
	assert_true(a[0] != a[1]);
	assert_int_equal(blocks_with_keys(bench), 2);
	operation_release(&operation);

	prepare(bench, &operation, vectors);
	assert_ptr_equal((const float *)(uintptr_t)operation.buffers[0].data, a);
	operation_release(&operation);
	assert_int_equal(blocks_with_keys(bench), 2);

	prepare(bench, &operation, longer);
	assert_ptr_not_equal((const float *)(uintptr_t)operation.buffers[0].data, a);
	operation_release(&operation);
	assert_int_equal(blocks_with_keys(bench), 4);
	launch_case_free(scalar);
	launch_case_free(vectors);
	launch_case_free(longer);
}

/* An expression fills the device as it does the emulator; one that cannot leaves nothing there. */
static void test_inputs_by_expression(void **context)
{
	enum { COUNT = 4096 };
	struct bench *bench = *context;
	struct launch_case *work = bench_case("stream", "copy_scalar", 64, COUNT);
	struct operation operation = {0};
	struct error err = {0};
	const float *device;
	float wanted[COUNT];

	work->buffers[0].fill = FILL_EXPRESSION;
	work->buffers[0].fill_expression = xstrdup("8 * i + random(0, 7)");
	assert_int_equal(kernel_fill(wanted, &work->buffers[0], bench->resources.seed, NULL), 0);
	prepare(bench, &operation, work);
	device = (const float *)(uintptr_t)operation.buffers[0].data;
	assert_memory_equal(device, wanted, sizeof(wanted));
	operation_release(&operation);

	bench->resources.mixed = true;
	prepare(bench, &operation, work);
	bench->resources.mixed = false;
	device = (const float *)(uintptr_t)operation.buffers[0].data;
	/* all are new but the first two */
	assert_memory_equal(device, wanted, 2 * sizeof(*wanted));
	assert_memory_not_equal(device + 2, wanted + 2, sizeof(wanted) / 2);
	assert_memory_not_equal(device + COUNT / 2, wanted + COUNT / 2, sizeof(wanted) / 2);
	operation_release(&operation);
	assert_int_equal(blocks_with_keys(bench), 4);

	free(work->buffers[0].fill_expression);
	work->buffers[0].fill_expression = xstrdup("1 / (i - 4000)");
	load(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "for element 4000: an integer is divided by zero"));
	operation_release(&operation);
	assert_int_equal(blocks_with_keys(bench), 4);
	launch_case_free(work);
}

static void test_too_large_costs_only_the_case(void **context)
{
	struct bench *bench = *context;
	struct launch_case *large = bench_case("stream", "copy_scalar", 64, 1 << 24);
	struct launch_case *small = bench_case("stream", "copy_scalar", 64, 4096);
	struct operation operation = {0};
	struct error err = {0};

	bench->stub.memory_bytes = bench->stub.used_bytes + ((size_t)160 << 20);
	load(bench, &operation, large);
	assert_int_equal(operation_prepare(&operation, true, &err), PL_ENOMEM);
	assert_non_null(strstr(err.text, "allocating 64.0 MiB on the device"));
	operation_release(&operation);
	assert_int_equal(blocks_with_keys(bench),
			 0); /* no case can find a block that was not filled */
	prepare(bench, &operation, small);
	operation_release(&operation);
	launch_case_free(large);
	launch_case_free(small);
}

/* A wrong kernel may have written anywhere: the next case gets new inputs. */
static void test_mismatch_costs_what_was_kept(void **context)
{
	struct bench *bench = *context;
	struct launch_case *work = bench_case("stream", "copy_scalar", 64, 4096);
	struct operation operation = {0};
	float *a;

	prepare(bench, &operation, work);
	a = (float *)(uintptr_t)operation.buffers[0].data;
	operation_release(&operation);
	a[0] = 1e9F;
	free(verified(bench, (struct deed){0, 0, 4096, 77, 0}));
	prepare(bench, &operation, work);
	assert_true(((const float *)(uintptr_t)operation.buffers[0].data)[0] < 1e9F);
	operation_release(&operation);
	launch_case_free(work);
}

int main(void)
{
#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_registers_may_not_allow_a_block),
		BENCH_TEST(test_shared_memory_may_not_do),
		BENCH_TEST(test_an_image_is_named_by_its_kind),
		BENCH_TEST(test_a_missing_image_is_named),
		BENCH_TEST(test_verdicts),
		BENCH_TEST(test_scratch_is_poisoned),
		BENCH_TEST(test_accuracy_is_of_the_largest_element),
		BENCH_TEST(test_whole_numbers_have_no_accuracy),
		BENCH_TEST(test_cases_share_inputs_and_results),
		BENCH_TEST(test_inputs_by_expression),
		BENCH_TEST(test_too_large_costs_only_the_case),
		BENCH_TEST(test_mismatch_costs_what_was_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
