/* Kernels that compute the expected results of others, and kernels that are wrong in one sample
 * only, on a device of host memory. */
#include "bench.h"
#include "metrics/settings.h"

#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/backend.h"

static void load_kernel(struct bench *bench, struct operation *operation,
			const struct launch_case *work)
{
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (operation_load(operation, &bench->resources, work, &skip, &err))
		fail_msg("%s", err.text);
	assert_string_equal(skip.data, "");
}

/* As the comparison of support.cu, for integers of `bytes` bytes without a tolerance. */
static void compare_integers(void **arguments, size_t bytes)
{
	const unsigned char *result = *(const unsigned char **)arguments[0];
	const unsigned char *expected = *(const unsigned char **)arguments[1];
	unsigned long long *out = *(unsigned long long **)arguments[6];

	for (unsigned long long i = 0; i < *(unsigned long long *)arguments[2]; i++) {
		if (!memcmp(result + i * bytes, expected + i * bytes, bytes))
			continue;
		out[0]++;
		out[1] = i < out[1] ? i : out[1];
	}
}

#define ELEMENTS 4096

/* What the kernel and its reference did. */
struct reference_deed {
	size_t executions; /* of the kernel */
	size_t reference_executions;
	size_t wrong_at;       /* in this execution the kernel writes another value; 0: never */
	int64_t kernel_end;    /* the kernel writes the elements before it */
	int64_t reference_end; /* as kernel_end, of the reference
				*/
	unsigned char seen_by_kernel, seen_by_reference; /* in the result, before they write */
};

static void execute_both(struct stub_driver *stub, const char *name, void **arguments)
{
	struct reference_deed *deed = stub->context;
	unsigned char *out = *(unsigned char **)arguments[0];

	if (!strcmp(name, "compare_u8") || !strcmp(name, "compare_i32"))
		compare_integers(arguments, name[8] == 'u' ? 1 : 4);
	if (!strcmp(name, "fault_none")) {
		deed->seen_by_kernel = *out;
		memset(out, ++deed->executions == deed->wrong_at ? 8 : 7,
		       sizeof(int32_t) * (size_t)deed->kernel_end);
	}
	if (!strcmp(name, "slow")) {
		deed->reference_executions++;
		deed->seen_by_reference = *out;
		memset(out, 7, sizeof(int32_t) * (size_t)deed->reference_end);
	}
}

/* fault/none with integer results, which `slow` verifies. The caller ends it with the operation. */
static struct launch_case *case_with_reference(struct case_launch *slow)
{
	struct launch_case *work = bench_case("fault", "none", 256, ELEMENTS);

	*slow = work->launches[0];
	slow->entry = (char *)"slow";
	for (size_t b = 0; b < work->buffer_count; b++)
		work->buffers[b].type = ELEMENT_I32;
	work->check = (struct case_check){CHECK_LAUNCHES, .launches = slow, .launch_count = 1};
	return work;
}

static void end_case_with_reference(struct launch_case *work)
{
	work->check = (struct case_check){CHECK_ORACLE, .launches = NULL};
	launch_case_free(work);
}

/* Integers have no value that is always wrong. */
static void test_what_neither_kernel_writes_differs(void **context)
{
	struct bench *bench = *context;
	struct reference_deed deed = {.reference_end = 0};
	struct case_launch slow;
	struct launch_case *work = case_with_reference(&slow);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};

	bench->stub.execute = execute_both;
	bench->stub.context = &deed;
	load_kernel(bench, &operation, work);
	if (operation_prepare(&operation, true, &err) ||
	    operation_verify(&operation, &mismatch, &accuracy, &err))
		fail_msg("%s", err.text);
	assert_int_not_equal(deed.seen_by_kernel, deed.seen_by_reference);
	assert_string_equal(mismatch.data,
			    "4096 of 4096 elements of 'out' differ from the results of the kernel "
			    "slow; the first, [0], is -1 as before the launch, so probably "
			    "never written, expected -1515870811");
	operation_release(&operation);
	text_release(&mismatch);
	end_case_with_reference(work);
}

static void test_a_reference_that_writes_elsewhere_is_named(void **context)
{
	struct bench *bench = *context;
	struct reference_deed deed = {.reference_end = ELEMENTS + 1};
	struct case_launch slow;
	struct launch_case *work = case_with_reference(&slow);
	struct operation operation = {0};
	struct error err = {0};

	bench->stub.execute = execute_both;
	bench->stub.context = &deed;
	load_kernel(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), PL_EUSAGE);
	assert_string_equal(err.text, "verify: the kernel slow wrote outside of 'out'");
	/* The guard zone is whole again: the kernel is not blamed. */
	deed.reference_end = ELEMENTS;
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	operation_release(&operation);
	end_case_with_reference(work);
}

/* How often the check was announced, and the executions of the reference before. */
struct announcement {
	size_t count;
	const struct reference_deed *deed;
	bool before, refuses;
};

static int note_check(void *context)
{
	struct announcement *announcement = context;

	announcement->count++;
	announcement->before = !announcement->deed->reference_executions;
	return announcement->refuses ? PL_EIO : 0;
}

/* The time of a slow check belongs to the phase verify, which begins before it. */
static void test_a_check_is_announced_before_it_runs(void **context)
{
	struct bench *bench = *context;
	struct reference_deed deed = {.reference_end = ELEMENTS};
	struct announcement announcement = {.deed = &deed, .refuses = true};
	struct case_launch slow;
	struct launch_case *work = case_with_reference(&slow);
	struct operation operation = {0};
	struct error err = {0};

	bench->stub.execute = execute_both;
	bench->stub.context = &deed;
	bench->resources.announce_check = note_check;
	bench->resources.announce_context = &announcement;
	load_kernel(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), PL_EIO);
	assert_int_equal(deed.reference_executions, 0);
	announcement = (struct announcement){.deed = &deed};
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	assert_int_equal(announcement.count, 1);
	assert_true(announcement.before);
	assert_int_equal(deed.reference_executions, 1);
	/* the results are on the device: nothing is computed */
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	assert_int_equal(announcement.count, 1);
	operation_release(&operation);
	end_case_with_reference(work);
}

/* The reference may come from another file, which lacks variables of the kernel's. */
static void test_a_reference_may_lack_a_variable(void **context)
{
	struct bench *bench = *context;
	struct reference_deed deed = {.reference_end = ELEMENTS};
	struct case_launch slow;
	struct launch_case *work = case_with_reference(&slow);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct error err = {0};

	bench->stub.execute = execute_both;
	bench->stub.context = &deed;
	work->buffers[0].symbol = xstrdup("scale");
	load_kernel(bench, &operation, work);
	assert_int_equal(operation_prepare(&operation, true, &err), 0);
	assert_int_equal(operation_verify(&operation, &mismatch, &accuracy, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "scale"));
	operation_release(&operation);
	text_release(&mismatch);
	end_case_with_reference(work);
}

static double same_time(size_t index)
{
	(void)index;
	return 100000;
}

/* Times a kernel that is wrong in its execution `wrong_at`, and returns what its samples showed. */
static char *watched(struct bench *bench, size_t wrong_at)
{
	const struct measure_settings settings = {.cache = CACHE_COLD,
						  .min_samples = 40,
						  .rounds = 1,
						  .precision = 0.5,
						  .max_time_ns = INT64_MAX};
	struct reference_deed deed = {
		.wrong_at = wrong_at, .kernel_end = ELEMENTS, .reference_end = ELEMENTS};
	struct case_launch slow;
	struct launch_case *work = case_with_reference(&slow);
	struct operation operation = {0};
	struct text mismatch = TEXT_INIT;
	struct case_accuracy accuracy;
	struct round_result result = {0};
	struct timer *timer = NULL;
	struct error err = {0};

	bench->stub.execute = execute_both;
	bench->stub.context = &deed;
	bench->stub.elapsed_ns = same_time;
	bench->stub.resets = bench->stub.flushes = 0;
	load_kernel(bench, &operation, work);
	if (operation_prepare(&operation, true, &err) ||
	    operation_verify(&operation, &mismatch, &accuracy, &err) ||
	    operation_watch_samples(&operation, 1, &err) ||
	    timer_open(&timer, &bench->resources, true, &err) ||
	    timer_run(timer, &operation, NULL, &settings, &result, &err) ||
	    operation_compare(&operation, &mismatch, &accuracy, &err))
		fail_msg("%s", err.text);
	/* the first execution and the last sample are right */
	assert_string_equal(mismatch.data, "");
	assert_int_equal(deed.executions, 41);
	assert_int_equal(operation_watched_samples(&operation, &mismatch, &err), 0);
	timer_close(timer);
	free(result.time_ns);
	operation_release(&operation);
	end_case_with_reference(work);
	return text_detach(&mismatch);
}

static void test_one_wrong_sample_is_found(void **context)
{
	static const size_t executions[] = {2, 20, 40};
	char *found;

	for (size_t i = 0; i < ARRAY_SIZE(executions); i++) {
		found = watched(*context, executions[i]);
		assert_string_equal(found,
				    "4096 elements of 'out' in all samples together differ from "
				    "the results of the kernel slow; the lowest index is 0");
		free(found);
	}
	/* What one operation showed is not left to the next. */
	found = watched(*context, 0);
	assert_string_equal(found, "");
	free(found);
}

int main(void)
{
#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_what_neither_kernel_writes_differs),
		BENCH_TEST(test_a_reference_that_writes_elsewhere_is_named),
		BENCH_TEST(test_a_check_is_announced_before_it_runs),
		BENCH_TEST(test_a_reference_may_lack_a_variable),
		BENCH_TEST(test_one_wrong_sample_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
