/*
 * Checks that a worker program of any backend follows docs/worker-protocol.md.
 * If `open` succeeds, requests that need a device are tested too. Otherwise the
 * worker must refuse `open` with a reason. Usage: conformance WORKER
 */
#include "conformance_support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/client/client.h"
#include "kernels/data_key.h"
#include "metrics/settings.h"

/* ---- without a device ---- */

static void test_hello(void **context)
{
	struct answers *a = *context;
	const json_t *hello;

	assert_serves(a);
	hello = json_array_get(a->replies, 0);
	assert_int_equal(json_integer_value(json_object_get(hello, "protocol")),
			 WORKER_PROTOCOL_VERSION);
	assert_true(json_is_string(json_object_get(hello, "backend")));
	assert_true(json_is_string(json_object_get(hello, "version")));
	/* A worker of another version replies its own version, so that perflab can report both, and
	 * then refuses. */
	ask(a, "{\"request\": \"hello\", \"protocol\": 1}");
	assert_string_equal(a->status, "failed");
	assert_int_equal(replies_of(a, "hello"), 1);
}

static void test_unknown_members_are_ignored(void **context)
{
	ask(*context, "{\"request\": \"hello\", \"protocol\": 3, \"mood\": [{\"good\": true}]}");
	assert_string_equal(((struct answers *)*context)->status, "ok");
}

static void test_nonsense_is_refused_and_survived(void **context)
{
	static const char *const nonsense[] = {
		"",
		"hello",
		"[]",
		"null",
		"{\"request\": 1}",
		"{}",
		"{\"request\": \"dance\"}",
		"{\"request\": \"hello\"}",
		"{\"request\": \"hello\", \"protocol\": \"1\"}",
		"{\"request\": \"hello\", \"request\": \"hello\", \"protocol\": 3}",
		"{\"request\": \"metrics\"}",
		"{\"request\": \"metrics\", \"chip\": 7, \"pattern\": null}",
		"{\"request\": \"passes\", \"chip\": null, \"metrics\": [1]}",
		"{\"request\": \"open\"}",
		"{\"request\": \"open\", \"settings\": {\"device\": \"first\"}}",
		"{\"request\": \"hello\", \"protocol\": 3",
		"{\"request\": \"\xff\"}",
	};
	struct answers *a = *context;

	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++)
		assert_refused(a, nonsense[i]);
	assert_serves(a);
}

static void test_nothing_before_open(void **context)
{
	struct answers *a = *context;
	struct launch_case *work = make_case("reduce", "shuffle", 256);
	static const char *const requests[] = {"wake", "inspect", "measure", "emulate"};

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		ask_json(a, json_pack("{s:s, s:i, s:i, s:o}", "request", requests[i], "id", 0,
				      "round", 0, "case", case_to_json(work)));
		assert_string_equal(a->status, "failed");
		assert_int_equal(json_array_size(a->replies), 0);
	}
	ask_json(a, json_pack("{s:s, s:[{s:i, s:o}]}", "request", "count", "cases", "id", 0, "case",
			      case_to_json(work)));
	assert_string_equal(a->status, "failed");
	ask_json(a, json_pack("{s:s, s:i, s:[{s:i, s:f, s:o}]}", "request", "profile", "budget_ns",
			      0, "cases", "id", 0, "time_ns", 1e4, "case", case_to_json(work)));
	assert_string_equal(a->status, "failed");
	assert_serves(a);
	launch_case_free(work);
}

/* A worker that cannot get ready says why, and does everything at `open`. */
static void test_ready(void **context)
{
	static const char *const nonsense[] = {
		"{\"request\":\"ready\"}",
		"{\"request\":\"ready\",\"device\":-1,\"check_counters\":true}",
		"{\"request\":\"ready\",\"device\":0,\"check_counters\":0}",
		"{\"request\":\"ready\",\"device\":0,\"check_counters\":true,\"uuid\":1}",
	};
	struct answers *a = *context;

	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++)
		assert_refused(a, nonsense[i]);
	ask(a, "{\"request\":\"ready\",\"device\":0,\"check_counters\":true}");
	assert_true(strcmp(a->status, "ok") == 0 || a->has_reason);
	assert_int_equal(json_array_size(a->replies), 0);
	assert_refused(a,
		       "{\"request\":\"ready\",\"device\":0,\"check_counters\":true}"); /* twice */
	assert_serves(a);
}

static void test_doctor(void **context)
{
	struct answers *a = *context;
	struct worker_check check;
	size_t i;
	json_t *reply;

	ask(a, "{\"request\": \"doctor\"}");
	assert_string_equal(a->status, "ok");
	assert_true(replies_of(a, "check") > 0);
	assert_int_equal(replies_of(a, "check"), json_array_size(a->replies));
	json_array_foreach(a->replies, i, reply)
	{
		assert_int_equal(check_from_json(&check, reply, NULL), 0);
		assert_true(*check.name && *check.found);
		if (!check.ok && !*check.remedy)
			fail_msg("%s: no remedy", check.name);
	}
}

static void test_devices(void **context)
{
	struct answers *a = *context;
	size_t i;
	json_t *reply;

	ask(a, "{\"request\": \"devices\"}");
	assert_int_equal(replies_of(a, "device"), json_array_size(a->replies));
	if (!replies_of(a, "device"))
		assert_true(a->unsupported || !strcmp(a->status, "ok"));
	json_array_foreach(a->replies, i, reply)
	{
		struct device_info device;

		assert_int_equal(device_from_json(&device, json_object_get(reply, "device"), NULL),
				 0);
		assert_true(device.sm_count > 0 && *device.name);
	}
}

static void test_metrics_and_passes(void **context)
{
	struct answers *a = *context;
	struct worker_metric metric;
	size_t i;
	json_t *reply;

	ask(a, "{\"request\": \"metrics\", \"chip\": \"GH100\", \"pattern\": \"read\"}");
	if (strcmp(a->status, "ok")) {
		assert_true(a->has_reason); /* a build without counters */
		return;
	}
	assert_true(replies_of(a, "metric") > 0);
	json_array_foreach(a->replies, i, reply)
	{
		assert_int_equal(metric_from_json(&metric, reply, NULL), 0);
		assert_true(pattern_matches("read", metric.name));
	}
	ask(a, "{\"request\": \"metrics\", \"chip\": \"XX999\", \"pattern\": null}");
	assert_string_equal(a->status, "failed");
	assert_true(a->usage);
	ask(a, "{\"request\": \"passes\", \"chip\": \"GH100\", \"metrics\": []}");
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "passes"), 1);
	assert_serves(a);
}

/* ---- shared data ---- */

/* A part of the file that all workers inherit. */
static json_t *range_of(char *key, int64_t offset, int64_t bytes)
{
	struct data_range range = {.offset = offset, .bytes = bytes, .fill = true};

	hash_of(range.key, key, strlen(key));
	free(key);
	return range_to_json(&range);
}

static void ask_prepare(struct answers *a, const struct launch_case *work, json_t *data)
{
	ask_json(a, json_pack("{s:s, s:i, s:i, s:o, s:o, s:o}", "request", "prepare", "id", 7,
			      "threads", 1, "settings", settings_to_json(&measure_settings_default),
			      "case", case_to_json(work), "data", data));
}

/* Without a device, and before `open`: the input that kernel_fill() makes, and the result that
 * follows from it. */
static void test_prepare(void **context)
{
	struct answers *a = *context;
	struct launch_case *work = make_case("mine", "fast", 256);
	const uint64_t seed = measure_settings_default.seed;
	const size_t bytes = case_buffer_bytes(&work->buffers[0]);
	int64_t x_offset, sum_offset;
	char *x = malloc(bytes), *back = malloc(bytes);
	double sum;

	work->oracle[0] = '\0';
	work->check.kind = CHECK_EXPRESSION;
	work->check.items = xcalloc(1, sizeof(*work->check.items));
	work->check.items[0] = (struct case_check_item){1, xstrdup("2 * x[9]"), false};
	work->check.item_count = 1;
	assert_int_equal(kernel_fill(x, &work->buffers[0], seed, NULL), 0);
	assert_true(data_file_take(&x_offset, (int64_t)bytes));
	assert_true(data_file_take(&sum_offset, sizeof(sum)));
	ask_prepare(a, work,
		    json_pack("[o, o]",
			      range_of(case_input_key(&work->buffers[0], seed), x_offset,
				       (int64_t)bytes),
			      range_of(case_expected_key(work, 1, seed), sum_offset, sizeof(sum))));
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "filled"), 2);
	assert_int_equal(json_array_size(a->replies), 2);
	assert_int_equal(pread(data_file_fd(), back, bytes, x_offset), bytes);
	assert_memory_equal(back, x, bytes);
	assert_int_equal(pread(data_file_fd(), &sum, sizeof(sum), sum_offset), sizeof(sum));
	assert_true(sum == 2 * (double)((float *)x)[9]);
	/* nothing is wanted, or only what this case does not have */
	ask_prepare(a, work, json_array());
	assert_string_equal(a->status, "ok");
	ask_prepare(a, work, json_pack("[o]", range_of(xstrdup("other"), x_offset, 16)));
	assert_string_equal(a->status, "ok");
	assert_int_equal(json_array_size(a->replies), 0);
	/* what cannot be made has a reason */
	free(work->check.items[0].text);
	work->check.items[0].text = xstrdup("2 * x[-1]");
	ask_prepare(a, work,
		    json_pack("[o]",
			      range_of(case_expected_key(work, 1, seed), sum_offset, sizeof(sum))));
	assert_string_equal(a->status, "failed");
	assert_int_equal(json_array_size(a->replies), 0);
	assert_refused(a, "{\"request\": \"prepare\"}");
	assert_serves(a);
	launch_case_free(work);
	free(x);
	free(back);
}

/* ---- the end of a session ---- */

static void assert_ends(struct answers *a, const char *last_words)
{
	int64_t began_ns = monotonic_ns();
	int status = 0;

	assert_int_equal(send(a->worker.channel.fd, last_words, strlen(last_words), MSG_NOSIGNAL),
			 (ssize_t)strlen(last_words));
	channel_release(&a->worker.channel);
	while (!waitpid(a->worker.pid, &status, WNOHANG)) {
		if (monotonic_ns() - began_ns > ANSWER_TIMEOUT_NS)
			fail_msg("the worker still runs 60 s after its socket was closed");
		sched_yield();
	}
	a->worker.pid = 0;
	worker_pipe_free(a->worker.printed);
	assert_true(WIFEXITED(status));
	if (!*last_words)
		assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_ends_with_its_socket(void **context)
{
	assert_ends(*context, "");
}

static void test_ends_in_the_middle_of_a_line(void **context)
{
	assert_ends(*context, "{\"request\": \"hel");
}

#define CONFORMANCE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, conformance_set_up, conformance_tear_down)
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CONFORMANCE_TEST(test_hello),
		CONFORMANCE_TEST(test_unknown_members_are_ignored),
		CONFORMANCE_TEST(test_nonsense_is_refused_and_survived),
		CONFORMANCE_TEST(test_nothing_before_open),
		CONFORMANCE_TEST(test_ready),
		CONFORMANCE_TEST(test_doctor),
		CONFORMANCE_TEST(test_devices),
		CONFORMANCE_TEST(test_metrics_and_passes),
		CONFORMANCE_TEST(test_prepare),
		CONFORMANCE_TEST(test_ends_with_its_socket),
		CONFORMANCE_TEST(test_ends_in_the_middle_of_a_line),
		CONFORMANCE_TEST(test_a_case_on_the_device),
		CONFORMANCE_TEST(test_a_case_on_a_ready_device),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: conformance WORKER\n");
		return 2;
	}
	worker_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
