/* Encodes and decodes sessions, settings and the times of requests, and refuses malformed input. */
#include "metrics/settings.h"
#include "protocol_support.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *member, *value;
} bad_traits[] = {

	{"timed", "1"},        {"timed", "true"},        {"emulated", "0"},
	{"emulated", "false"}, {"vendor", "null"},       {"vendor", "7"},
	{"warp_size", "-1"},   {"warp_size", "1000000"}, {"warp_size", "\"32\""},
};

static void test_session(void **context)
{
	struct session_info info = {.traits = {.emulated = true, .vendor = "ACME", .warp_size = 64},
				    .profiler = "ncu",
				    .counters_busy = true,
				    .passes = 12,
				    .inspects_by_launch = true,
				    .loads_code = true,
				    .profiles = true},
			    back = {0};
	json_t *json;

	(void)context;
	key_value_set(&info.environment, "persistence_mode", "on");
	info.counters_reason = xstrdup("ncu has them");
	json = transmit(session_to_json(&info));
	assert_int_equal(session_from_json(&back, json, NULL), 0);
	assert_string_equal(back.profiler, "ncu");
	assert_string_equal(back.counters_reason, "ncu has them");
	assert_string_equal(key_value_get(&back.environment, "persistence_mode"), "on");
	assert_int_equal(back.passes, 12);
	assert_true(back.inspects_by_launch && back.loads_code && back.profiles);
	assert_true(back.counters_busy);
	assert_true(back.traits.emulated && !back.traits.timed);
	assert_string_equal(back.traits.vendor, "ACME");
	assert_int_equal(back.traits.warp_size, 64);
	session_info_release(&back);
	for (size_t i = 0; i < ARRAY_SIZE(bad_traits); i++) {
		json_t *bad = json_deep_copy(json);

		replace(bad, bad_traits[i].member, bad_traits[i].value);
		if (session_from_json(&back, bad, NULL) != PL_EPROTOCOL)
			fail_msg("%s = %s was taken", bad_traits[i].member, bad_traits[i].value);
		json_object_del(bad, bad_traits[i].member);
		assert_int_equal(session_from_json(&back, bad, NULL), PL_EPROTOCOL);
		json_decref(bad);
	}
	json_object_set_new(json, "counters_busy", json_string("yes"));
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_object_del(json, "counters_busy"); /* a worker of another program */
	json_object_del(json, "inspects_by_launch");
	json_object_del(json, "loads_code");
	json_object_set_new(json, "profiles", json_integer(1));
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_object_del(json, "profiles");
	assert_int_equal(session_from_json(&back, json, NULL), 0);
	assert_false(back.inspects_by_launch || back.loads_code || back.profiles);
	assert_false(back.counters_busy);
	session_info_release(&back);
	json_object_set_new(json, "inspects_by_launch", json_integer(1));
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_object_del(json, "inspects_by_launch");
	replace(json, "environment/persistence_mode", "3");
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	session_info_release(&info);
	json_decref(json);
}

/* A worker of an older perflab reports `untimed` in place of its traits. */
static void test_session_of_an_older_worker(void **context)
{
	struct session_info info = {.traits = {.timed = true}}, back = {0};
	json_t *json = session_to_json(&info);

	(void)context;
	json_object_del(json, "timed");
	json_object_del(json, "emulated");
	json_object_del(json, "vendor");
	json_object_del(json, "warp_size");
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_object_set_new(json, "untimed", json_true());
	assert_int_equal(session_from_json(&back, json, NULL), 0);
	assert_true(back.traits.emulated && !back.traits.timed);
	session_info_release(&back);
	json_object_set_new(json, "untimed", json_false());
	assert_int_equal(session_from_json(&back, json, NULL), 0);
	assert_true(back.traits.timed && !back.traits.emulated);
	session_info_release(&back);
	json_object_set_new(json, "untimed", json_integer(1));
	assert_int_equal(session_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_decref(json);
}

static void test_settings(void **context)
{
	struct measure_settings settings = measure_settings_default, back = {0};
	struct error err = {0};
	json_t *json;
	char *text;

	(void)context;
	settings.seed = UINT64_MAX;
	settings.cache = CACHE_HOT;
	settings.precision = 0.001;
	string_list_add(&settings.metrics, "dram_bytes");
	settings.counter_dump = xstrdup("/tmp/dump");
	settings.chip = xstrdup("GA100");
	settings.all_blocks = true;
	settings.jobs = 7;
	settings.placements = 6;
	json = settings_to_json(&settings);
	text = json_dumps(json, JSON_COMPACT);
	assert_non_null(strstr(text, "\"seed\":\"18446744073709551615\""));
	assert_int_equal(settings_from_json(&back, json, &err), 0);
	assert_true(back.seed == UINT64_MAX && back.cache == CACHE_HOT);
	assert_true(back.precision == 0.001);
	assert_int_equal(back.timeout_ns, settings.timeout_ns);
	assert_int_equal(back.metrics.count, 1);
	assert_string_equal(back.counter_dump, "/tmp/dump");
	assert_string_equal(back.chip, "GA100");
	assert_true(back.all_blocks && back.jobs == 7);
	assert_int_equal(back.placements, 6);
	measure_settings_release(&back);
	measure_settings_release(&settings);
	free(text);
	json_decref(json);

	json = settings_to_json(&measure_settings_default);
	assert_int_equal(settings_from_json(&back, json, &err), 0);
	assert_null(back.counter_dump);
	assert_null(back.chip);
	assert_false(back.all_blocks || back.jobs);
	assert_int_equal(back.metrics.count, 0);
	measure_settings_release(&back);
	json_decref(json);
}

/* The settings of a run that was stored before the emulator existed. */
static void test_settings_of_an_older_run(void **context)
{
	struct measure_settings back = {0};
	json_t *json = settings_to_json(&measure_settings_default);

	(void)context;
	json_object_del(json, "chip");
	json_object_del(json, "all_blocks");
	json_object_del(json, "jobs");
	json_object_del(json, "placements");
	assert_int_equal(settings_from_json(&back, json, NULL), 0);
	assert_null(back.chip);
	assert_int_equal(back.jobs, 0);
	assert_int_equal(back.placements, 1);
	measure_settings_release(&back);
	json_decref(json);
}

static const struct {
	const char *member, *value;
} bad_settings[] = {

	{"chip", "7"},          {"jobs", "-1"},        {"jobs", "\"2\""},
	{"jobs", "4294967296"}, {"all_blocks", "1"},   {"seed", "1"},
	{"seed", "\"-1\""},     {"seed", "\"x\""},     {"cache", "\"warm\""},
	{"device", "-1"},       {"rounds", "0"},       {"precision", "0"},
	{"precision", "1"},     {"timeout_ns", "0"},   {"min_samples", "0"},
	{"max_time_ns", "0"},   {"metrics", "[1]"},    {"metrics", "{}"},
	{"counter_dump", "1"},  {"device", "1000000"}, {"placements", "0"},
	{"placements", "1001"}, {"placements", "1.5"}, {"placements", "null"},
};

static void test_bad_settings(void **context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad_settings); i++) {
		struct measure_settings back = {0};
		json_t *json = settings_to_json(&measure_settings_default);

		replace(json, bad_settings[i].member, bad_settings[i].value);
		if (settings_from_json(&back, json, NULL) != PL_EPROTOCOL)
			fail_msg("%s = %s was accepted", bad_settings[i].member,
				 bad_settings[i].value);
		assert_int_equal(back.rounds, 0);
		json_decref(json);
	}
}

/* ---- what the parts of a request took ---- */

static void test_times(void **context)
{
	struct meter meter = {.ns = {[RUN_PART_SAMPLES] = INT64_MAX, [RUN_PART_OTHER] = 1}};
	struct meter back = {.ns = {7, 7, 7}, .since_ns = 7};
	json_t *json = transmit(json_pack("{s:o}", "parts", meter_to_json(&meter)));

	(void)context;
	assert_int_equal(json_object_size(json_object_get(json, "parts")), 2);
	/* of a newer worker */
	json_object_set_new(json_object_get(json, "parts"), "idling", json_integer(5));
	assert_int_equal(meter_from_json(&back, json, NULL), 0);
	assert_memory_equal(&back, &meter, sizeof(meter));
	json_decref(json);
}

static void test_bad_times(void **context)
{
	static const char *const bad[] = {
		"{}",
		"{\"parts\": null}",
		"{\"parts\": [1]}",
		"{\"parts\": {\"samples\": -1}}",
		"{\"parts\": {\"samples\": 1.5}}",
		"{\"parts\": {\"samples\": 1e300}}",
		"{\"parts\": {\"samples\": \"1\"}}",
		"{\"parts\": {\"samples\": null}}",
		"{\"parts\": {\"flushes\": 1, \"samples\": -9223372036854775808}}",
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct meter back = {.since_ns = 7};
		json_t *json = json_loads(bad[i], 0, NULL);

		assert_non_null(json);
		if (meter_from_json(&back, json, NULL) != PL_EPROTOCOL)
			fail_msg("%s was accepted", bad[i]);
		assert_int_equal(back.since_ns, 7);
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_session_of_an_older_worker),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_settings_of_an_older_run),
		cmocka_unit_test(test_bad_settings),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_bad_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
