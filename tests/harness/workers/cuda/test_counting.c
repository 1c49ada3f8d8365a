/* Counting many cases with a stand-in for libcupti (fake_cupti.c) on a device of host memory: each
 * case gets its own counters, also while others are evaluated or fail. */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/protocol/protocol.h"
#include "harness/workers/cuda/backend.h"
#include "metrics/settings.h"

/* Three groups, of which the last is not full; each goes through its passes together. */
#define CASES 300
#define TOGETHER 128
#define N 1024

/* What came over the socket. A thread reads it, because the socket holds less. */
struct replies {
	int fd;
	size_t phases, counted[CASES];
	double first_counter[CASES];
	bool bad;
};

struct count_test {
	struct bench *bench;
	struct cupti_plan *plan;
	struct launch_case *work;
	struct launch_case *unable; /* cannot be launched */
	struct count_item items[CASES];
	struct replies replies;
	struct error err;
};

static void take_reply(struct replies *replies, const json_t *reply)
{
	const char *name = json_string_value(json_object_get(reply, "reply"));
	const json_int_t id = json_integer_value(json_object_get(reply, "id"));
	struct counter_list counters = {0};
	struct error err = {0};

	replies->phases += !strcmp(name, "phase");
	if (strcmp(name, "counters") != 0)
		return;
	replies->bad |= id < 0 || id >= CASES ||
			counters_from_json(&counters, json_object_get(reply, "counters"), &err);
	if (!replies->bad) {
		replies->counted[id]++;
		replies->first_counter[id] = counter_list_find(&counters, "dram_read_bytes")->value;
	}
	counter_list_release(&counters);
}

static void *read_replies(void *context)
{
	struct replies *replies = context;
	struct channel channel;
	json_t *reply = NULL;

	channel_init(&channel, replies->fd, NULL);
	while (channel_receive(&channel, &reply, -1, NULL) == CHANNEL_OK) {
		take_reply(replies, reply);
		json_decref(reply);
	}
	channel_release(&channel);
	return NULL;
}

static void set_up(struct count_test *test, void *bench)
{
	struct string_list wanted = {0};

	*test = (struct count_test){.bench = bench};
	setenv("PERFLAB_CUPTI", FAKE_CUPTI, 1);
	unsetenv("FAKE_CUPTI_FAIL");
	string_list_add(&wanted, "dram_write_bytes");
	string_list_add(&wanted, "dram_read_bytes");
	string_list_add(&wanted, "gpu_time_ns");
	if (cupti_plan_create(&test->plan, "GH100", &wanted, NULL, &test->err))
		fail_msg("%s", test->err.text);
	string_list_release(&wanted);
	test->work = bench_case("stream", "copy_scalar", 256, N);
	test->unable = bench_case("stream", "copy_scalar", 1024, N);
	for (int i = 0; i < CASES; i++)
		test->items[i] = (struct count_item){.id = i, .work = test->work};
}

static int count(struct count_test *test)
{
	const struct measure_settings settings = {.cache = CACHE_HOT};
	struct nvtx_ranges *ranges = nvtx_open();
	struct channel channel;
	struct worker_reply reply = {.channel = &channel};
	pthread_t reader;
	int ends[2], rc;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	channel_init(&channel, ends[0], NULL);
	test->replies.fd = ends[1];
	assert_int_equal(pthread_create(&reader, NULL, read_replies, &test->replies), 0);
	rc = count_cases(&test->bench->resources, ranges, test->plan, &settings, test->items, CASES,
			 &reply, &test->err);
	channel_release(&channel);
	nvtx_close(ranges);
	pthread_join(reader, NULL);
	assert_false(test->replies.bad);
	return rc;
}

static void tear_down(struct count_test *test)
{
	launch_case_free(test->work);
	launch_case_free(test->unable);
	cupti_plan_free(test->plan);
	unsetenv("FAKE_CUPTI_FAIL");
}

static void test_each_case_of_several_groups_gets_its_counters(void **context)
{
	struct count_test test;

	set_up(&test, *context);
	assert_int_equal(count(&test), 0);
	assert_int_equal(test.replies.phases, 2 * CASES);
	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(test.replies.counted[i], 1);
		/* the stand-in counts by the place in the group */
		assert_true(test.replies.first_counter[i] == 100.0 * (double)(i % TOGETHER + 1));
	}
	tear_down(&test);
}

/* The groups before have their counters; the others have none. */
static void test_a_group_that_fails_leaves_those_before_it(void **context)
{
	struct count_test test;

	set_up(&test, *context);
	test.bench->stub.max_threads = 512;
	test.items[TOGETHER + 5].work = test.unable;
	assert_int_equal(count(&test), PL_EPROTOCOL);
	assert_non_null(strstr(test.err.text, "counters of a case that cannot run"));
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(test.replies.counted[i], i < TOGETHER);
	test.bench->stub.max_threads = 1024;
	tear_down(&test);
}

static void test_an_evaluation_that_fails_says_why(void **context)
{
	struct count_test test;

	set_up(&test, *context);
	setenv("FAKE_CUPTI_FAIL", "cuptiProfilerHostEvaluateToGpuValues=7", 1);
	assert_int_equal(count(&test), PL_EDEVICE);
	assert_non_null(strstr(test.err.text, "cuptiProfilerHostEvaluateToGpuValues"));
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(test.replies.counted[i], 0);
	tear_down(&test);
}

#define COUNT_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNT_TEST(test_each_case_of_several_groups_gets_its_counters),
		COUNT_TEST(test_a_group_that_fails_leaves_those_before_it),
		COUNT_TEST(test_an_evaluation_that_fails_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
