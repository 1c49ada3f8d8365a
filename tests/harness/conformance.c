/*
 * Checks that a worker program of any backend follows docs/worker-protocol.md.
 * If `open` succeeds, requests that need a device are tested too. Otherwise the
 * worker must refuse `open` with a reason. Usage: conformance WORKER
 */
#include "metrics/settings.h"
#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/protocol/protocol.h"
#include "harness/session/data_file.h"
#include "harness/session/worker_process.h"
#include "kernels/data_key.h"

#define ANSWER_TIMEOUT_NS (INT64_C(60) * 1000000000)

static const char *worker_path;

struct answers {
	struct worker_process worker;
	json_t *replies; /* to the last request, without `done` */
	char status[32];
	bool has_reason, unsupported, usage;
};

static void answers_read(struct answers *a)
{
	bool done = false;

	json_decref(a->replies);
	a->replies = json_array();
	while (!done) {
		json_t *message = NULL;
		struct error err = {0};
		const char *name = NULL;

		if (channel_receive(&a->worker.channel, &message,
				    monotonic_ns() + ANSWER_TIMEOUT_NS, &err) != CHANNEL_OK)
			fail_msg("no `done` came: %s", err.text);
		assert_int_equal(member_borrow(&name, message, "reply", false, NULL), 0);
		done = !strcmp(name, "done");
		if (done) {
			const char *reason = NULL;
			enum trial_status status;

			assert_int_equal(member_string(a->status, sizeof(a->status), message,
						       "status", NULL),
					 0);
			assert_true(trial_status_parse(&status, a->status));
			assert_int_equal(member_borrow(&reason, message, "reason", true, NULL), 0);
			a->has_reason = reason && *reason;
			/* Every status except ok has a reason. */
			assert_int_equal(status == TRIAL_OK, reason == NULL);
			a->unsupported = json_is_true(json_object_get(message, "unsupported"));
			a->usage = json_is_true(json_object_get(message, "usage"));
		} else {
			json_array_append(a->replies, message);
		}
		json_decref(message);
	}
}

/* Sends a line unchanged and reads the replies up to `done`. */
static void ask(struct answers *a, const char *line)
{
	size_t length = strlen(line);

	assert_int_equal(send(a->worker.channel.fd, line, length, MSG_NOSIGNAL), (ssize_t)length);
	assert_int_equal(send(a->worker.channel.fd, "\n", 1, MSG_NOSIGNAL), 1);
	answers_read(a);
}

static void ask_json(struct answers *a, json_t *request)
{
	assert_int_equal(channel_send(&a->worker.channel, request, -1, NULL), CHANNEL_OK);
	json_decref(request);
	answers_read(a);
}

static size_t replies_of(const struct answers *a, const char *name)
{
	size_t count = 0;
	size_t i;
	json_t *reply;

	json_array_foreach(a->replies, i, reply) count +=
		!strcmp(json_string_value(json_object_get(reply, "reply")), name);
	return count;
}

static void assert_refused(struct answers *a, const char *line)
{
	ask(a, line);
	if (strcmp(a->status, "failed"))
		fail_msg("%s: %s", line, a->status);
	assert_int_equal(json_array_size(a->replies), 0);
}

static void assert_serves(struct answers *a)
{
	ask(a, "{\"request\": \"hello\", \"protocol\": 3}");
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "hello"), 1);
}

static void show_line(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "%s\n", line);
}

static struct worker_output printed = {.line = show_line};

static int set_up(void **context)
{
	struct answers *a = calloc(1, sizeof(*a));
	struct error err = {0};

	if (worker_start(&a->worker, worker_path, &printed, NULL, ANSWER_TIMEOUT_NS, &err))
		fail_msg("%s", err.text);
	*context = a;
	return 0;
}

static int tear_down(void **context)
{
	struct answers *a = *context;

	worker_kill(&a->worker);
	json_decref(a->replies);
	free(a);
	return 0;
}

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
	assert_serves(a);
	launch_case_free(work);
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

	data_key_hash(range.key, key);
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
	work->check.items[0] = (struct case_check_item){1, xstrdup("2 * x[9]")};
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

/* ---- with a device ---- */

static void open_device(struct answers *a)
{
	struct measure_settings settings = measure_settings_default;

	settings.min_samples = 3;
	settings.max_time_ns = 10000000;
	ask_json(a, json_pack("{s:s, s:o}", "request", "open", "settings",
			      settings_to_json(&settings)));
}

/* A built-in case that every backend can execute. */
static struct launch_case *real_case(const struct answers *a, const char *selector)
{
	const struct plan_request request = {.selectors = &selector, .selector_count = 1};
	struct session_info info = {0};
	struct device_limits limits;
	struct plan *plan = NULL;
	struct launch_case *work;
	struct error err = {0};

	assert_int_equal(session_from_json(&info, json_array_get(a->replies, 0), NULL), 0);
	device_limits_of(&limits, &info.device);
	session_info_release(&info);
	if (plan_build(&plan, &request, &limits, &err))
		fail_msg("%s", err.text);
	work = plan->cases[0].launch;
	plan->cases[0].launch = NULL;
	plan_free(plan);
	assert_non_null(work);
	return work;
}

/* The samples of a reply. */
static size_t count_samples(const json_t *reply, const char *name)
{
	double *samples = NULL;
	size_t count = 0;

	assert_int_equal(samples_from_json(&samples, &count, json_object_get(reply, name), NULL),
			 0);
	free(samples);
	return count;
}

/* The parts of a request cannot take longer than the request. */
static void assert_times(const json_t *reply, int64_t request_ns)
{
	struct meter meter;
	int64_t sum_ns = 0;

	assert_int_equal(meter_from_json(&meter, reply, NULL), 0);
	for (int part = 0; part < RUN_PART_COUNT; part++)
		sum_ns += meter.ns[part];
	assert_true(sum_ns > 0 && sum_ns <= request_ns);
	assert_true(meter.ns[RUN_PART_SAMPLES] > 0);
}

/* Alone, or beside a base case: then with as many samples of that. */
static void measure_once(struct answers *a, const struct launch_case *work,
			 const struct launch_case *base)
{
	json_t *request = json_pack("{s:s, s:i, s:i, s:o}", "request", "measure", "id", 7, "round",
				    1, "case", case_to_json(work));
	int64_t request_ns = -monotonic_ns();
	int last_phase = -1;
	size_t samples = 0, beside = 0, i;
	json_t *reply;

	if (base)
		json_object_set_new(request, "beside", case_to_json(base));
	ask_json(a, request);
	request_ns += monotonic_ns();
	assert_string_equal(a->status, "ok");
	json_array_foreach(a->replies, i, reply)
	{
		const char *name = json_string_value(json_object_get(reply, "reply"));
		enum worker_phase phase;

		assert_int_equal(json_integer_value(json_object_get(reply, "id")), 7);
		if (!strcmp(name, "phase")) {
			assert_true(worker_phase_parse(
				&phase, json_string_value(json_object_get(reply, "phase"))));
			assert_true((int)phase > last_phase);
			last_phase = (int)phase;
			continue;
		}
		if (!strcmp(name, "times")) {
			assert_times(reply, request_ns);
			continue;
		}
		assert_int_equal(json_integer_value(json_object_get(reply, "round")), 1);
		if (!strcmp(name, "samples")) {
			assert_int_equal(last_phase, WORKER_PHASE_TIME);
			samples += count_samples(reply, "time_ns");
		}
		if (!strcmp(name, "beside")) {
			assert_true(json_is_null(json_object_get(reply, "reason")));
			assert_true(json_is_boolean(json_object_get(reply, "same_buffers")));
			beside += count_samples(reply, "base_ns");
		}
	}
	assert_true(samples > 0);
	assert_true(replies_of(a, "times") <= 1);
	assert_int_equal(beside, base ? samples : 0);
}

/* Each phase once, then the counters, then the lines; no times. */
static void emulate_once(struct answers *a, const struct launch_case *work)
{
	struct counter_list counters = {0};
	struct line_count_list lines = {0};
	bool announced[WORKER_PHASE_EMULATE + 1] = {false};
	size_t i;
	json_t *reply;

	ask_json(a, json_pack("{s:s, s:i, s:o}", "request", "emulate", "id", 7, "case",
			      case_to_json(work)));
	assert_string_equal(a->status, "ok");
	json_array_foreach(a->replies, i, reply)
	{
		const char *name = json_string_value(json_object_get(reply, "reply"));
		enum worker_phase phase;

		assert_int_equal(json_integer_value(json_object_get(reply, "id")), 7);
		if (!strcmp(name, "phase")) {
			assert_true(worker_phase_parse(
				&phase, json_string_value(json_object_get(reply, "phase"))));
			assert_true(phase != WORKER_PHASE_TIME && phase != WORKER_PHASE_COUNT);
			assert_false(announced[phase]);
			announced[phase] = true;
		} else if (!strcmp(name, "counters")) {
			assert_int_equal(counters.count, 0);
			assert_int_equal(counters_from_json(&counters,
							    json_object_get(reply, "counters"),
							    NULL),
					 0);
		} else {
			assert_string_equal(name, "lines");
			assert_int_equal(
				lines_from_json(&lines, json_object_get(reply, "lines"), NULL), 0);
		}
	}
	assert_true(announced[WORKER_PHASE_EMULATE]);
	assert_true(counters.count > 0);
	for (i = 0; i < counters.count; i++)
		assert_true(!strncmp(counters.items[i].metric, "ptx_", 4));
	assert_true(lines.count > 0);
	counter_list_release(&counters);
	line_count_list_release(&lines);
}

static json_t *inspect_once(struct answers *a, const struct launch_case *work)
{
	ask_json(a, json_pack("{s:s, s:i, s:o}", "request", "inspect", "id", 7, "case",
			      case_to_json(work)));
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "facts"), 1);
	return json_incref(json_array_get(a->replies, 0));
}

/* A worker that inspects by launch gives one answer about cases of different sizes. */
static void inspect_both(struct answers *a, const struct launch_case *work,
			 const struct launch_case *larger, bool by_launch)
{
	json_t *first = inspect_once(a, work), *second = inspect_once(a, larger);

	assert_int_not_equal(work->launches[0].grid[0], larger->launches[0].grid[0]);
	if (by_launch)
		assert_true(json_equal(first, second));
	json_decref(first);
	json_decref(second);
}

static void test_a_case_on_the_device(void **context)
{
	struct answers *a = *context;
	struct launch_case *work, *larger;
	struct session_info info = {0};
	const char *request;
	bool untimed, by_launch;

	open_device(a);
	if (strcmp(a->status, "ok")) {
		/* Without a device the worker refuses `open` with a reason and continues to serve.
		 */
		assert_string_equal(a->status, "failed");
		assert_true(a->unsupported);
		assert_int_equal(json_array_size(a->replies), 0);
		assert_serves(a);
		return;
	}
	assert_int_equal(replies_of(a, "opened"), 1);
	work = real_case(a, "reduce/shuffle/block=256,n=4096");
	larger = real_case(a, "reduce/shuffle/block=256,n=65536");
	assert_int_equal(session_from_json(&info, json_array_get(a->replies, 0), NULL), 0);
	untimed = !info.traits.timed;
	by_launch = info.inspects_by_launch;
	assert_int_equal(info.traits.emulated, untimed);
	assert_int_equal(info.traits.warp_size, 32);
	session_info_release(&info);
	ask_json(a, json_pack("{s:s}", "request", "wake"));
	assert_string_equal(a->status, "ok");
	assert_int_equal(json_array_size(a->replies), replies_of(a, "woken"));
	request = untimed ? "emulate" : "measure";
	open_device(a);
	assert_string_equal(a->status, "failed"); /* only one open succeeds */

	inspect_both(a, work, larger, by_launch);
	if (untimed) {
		emulate_once(a, work);
	} else {
		measure_once(a, work, NULL);
		measure_once(a, work, work);
	}
	/* A backend either measures or emulates. */
	ask_json(a, json_pack("{s:s, s:i, s:i, s:o}", "request", untimed ? "measure" : "emulate",
			      "id", 7, "round", 0, "case", case_to_json(work)));
	assert_string_equal(a->status, "failed");

	work->launches[0].args[0].integer = 99; /* no such buffer */
	ask_json(a, json_pack("{s:s, s:i, s:i, s:o}", "request", request, "id", 7, "round", 1,
			      "case", case_to_json(work)));
	assert_string_equal(a->status, "failed");
	assert_refused(a, "{\"request\": \"count\", \"cases\": []}");
	assert_serves(a);
	launch_case_free(larger);
	launch_case_free(work);
}

#define CONFORMANCE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CONFORMANCE_TEST(test_hello),
		CONFORMANCE_TEST(test_unknown_members_are_ignored),
		CONFORMANCE_TEST(test_nonsense_is_refused_and_survived),
		CONFORMANCE_TEST(test_nothing_before_open),
		CONFORMANCE_TEST(test_doctor),
		CONFORMANCE_TEST(test_devices),
		CONFORMANCE_TEST(test_metrics_and_passes),
		CONFORMANCE_TEST(test_prepare),
		CONFORMANCE_TEST(test_ends_with_its_socket),
		CONFORMANCE_TEST(test_ends_in_the_middle_of_a_line),
		CONFORMANCE_TEST(test_a_case_on_the_device),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: conformance WORKER\n");
		return 2;
	}
	worker_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
