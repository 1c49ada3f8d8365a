/*
 * The protocol's contract with a device: a built-in case is opened, measured or emulated, counted
 * and inspected.
 */
#include "conformance_support.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/settings.h"

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

/* Sampled, then counted, then one profile, which says why if one of both was not possible. */
static void profile_once(struct answers *a, const struct launch_case *work)
{
	struct profile *profile = NULL;
	struct error err = {0};
	int64_t last_pass = -1;
	bool *own = NULL;
	json_t *reply;
	size_t i;

	ask_json(a, json_pack("{s:s, s:i, s:[{s:i, s:f, s:o}]}", "request", "profile", "budget_ns",
			      0, "cases", "id", 7, "time_ns", 1e4, "case", case_to_json(work)));
	assert_string_equal(a->status, "ok");
	assert_int_equal(replies_of(a, "profile"), 1);
	json_array_foreach(a->replies, i, reply)
	{
		const int64_t pass = json_integer_value(json_object_get(reply, "pass"));

		assert_int_equal(json_integer_value(json_object_get(reply, "id")), 7);
		if (json_object_get(reply, "profile")) {
			assert_int_equal(i, json_array_size(a->replies) - 1);
			if (profile_from_json(&profile, &own, json_object_get(reply, "profile"),
					      &err))
				fail_msg("%s", err.text);
			continue;
		}
		assert_string_equal(json_string_value(json_object_get(reply, "phase")), "profile");
		assert_true(pass > last_pass && pass <= 2);
		last_pass = pass;
	}
	assert_true(profile->samples > 0 || profile->why_no_samples);
	assert_true((profile->instruction_count && profile->instructions[0].executed > 0) ||
		    profile->samples > 0 || profile->why_no_counts);
	profile_free(profile);
	free(own);
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

#define READY "{\"request\":\"ready\",\"device\":0,\"check_counters\":true}"

void test_a_case_on_a_ready_device(void **context)
{
	ask(*context, READY);
	test_a_case_on_the_device(context);
}

void test_a_case_on_the_device(void **context)
{
	struct answers *a = *context;
	struct launch_case *work, *larger;
	struct session_info info = {0};
	const char *request;
	bool untimed, by_launch, profiles;

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
	profiles = info.profiles;
	assert_false(untimed && profiles);
	assert_int_equal(info.traits.emulated, untimed);
	assert_int_equal(info.traits.warp_size, 32);
	session_info_release(&info);
	ask_json(a, json_pack("{s:s}", "request", "wake"));
	assert_string_equal(a->status, "ok");
	assert_int_equal(json_array_size(a->replies), replies_of(a, "woken"));
	request = untimed ? "emulate" : "measure";
	open_device(a);
	assert_string_equal(a->status, "failed"); /* only one open succeeds */
	ask(a, READY);
	assert_string_equal(a->status, "failed"); /* it comes before */

	inspect_both(a, work, larger, by_launch);
	if (untimed) {
		emulate_once(a, work);
	} else {
		measure_once(a, work, NULL);
		measure_once(a, work, work);
	}
	if (profiles)
		profile_once(a, work);
	/* A backend either measures or emulates. */
	ask_json(a, json_pack("{s:s, s:i, s:i, s:o}", "request", untimed ? "measure" : "emulate",
			      "id", 7, "round", 0, "case", case_to_json(work)));
	assert_string_equal(a->status, "failed");

	work->launches[0].args[0].integer = 99; /* no such buffer */
	ask_json(a, json_pack("{s:s, s:i, s:i, s:o}", "request", request, "id", 7, "round", 1,
			      "case", case_to_json(work)));
	assert_string_equal(a->status, "failed");
	assert_refused(a, "{\"request\": \"count\", \"cases\": []}");
	ask_json(a, json_pack("{s:s, s:[{s:i, s:o}], s:[i]}", "request", "count", "cases", "id", 7,
			      "case", case_to_json(work), "metrics", 7));
	assert_string_equal(a->status, "failed");
	assert_refused(a, "{\"request\": \"profile\", \"budget_ns\": -1, \"cases\": []}");
	assert_refused(a, "{\"request\": \"profile\", \"budget_ns\": 0, \"cases\": [7]}");
	assert_serves(a);
	launch_case_free(larger);
	launch_case_free(work);
}
