/* Encodes and decodes devices, data, facts and results, and refuses malformed input. */
#include "kernels/data_key.h"
#include "protocol_support.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_device(void **context)
{
	const struct device_info device = {
		.name = "NVIDIA H200",
		.uuid = "GPU-1",
		.chip = "GH100",
		.cc_major = 9,
		.sm_count = 132,
		.memory_bytes = INT64_C(150120955904),
		.sm_clock_max_hz = 0,
		.driver = "580.1",
	};
	struct device_info back;
	json_t *json = transmit(device_to_json(&device));

	(void)context;
	assert_true(json_is_null(json_object_get(json, "sm_clock_max_hz")));
	assert_int_equal(device_from_json(&back, json, NULL), 0);
	assert_string_equal(back.name, device.name);
	assert_int_equal(back.memory_bytes, device.memory_bytes);
	assert_int_equal(back.sm_clock_max_hz, 0);
	json_object_set_new(json, "cc_major", json_null());
	assert_int_equal(device_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_object_set_new(json, "cc_major", json_integer(9));
	json_object_set_new(json, "sm_count", json_integer(-1));
	assert_int_equal(device_from_json(&back, json, NULL), PL_EPROTOCOL);
	json_decref(json);
}

static void test_shared_ranges(void **context)
{
	static const char good[] = "[{'key': '0123456789abcdef0123456789abcdef"
				   "0123456789abcdef0123456789abcdef', 'offset': 65536, "
				   "'bytes': 7, 'fill': true}]";
	static const struct {
		const char *path, *value, *says;
	} bad[] = {
		{"0/key", "7", "key"},
		{"0/key", "''", "key"},
		{"0/key", "'0123456789abcdef0123456789abcde'", "64 hexadecimal digits"},
		{"0/key", "'0123456789abcdef0123456789abcdef0'", "key"},
		{"0/key", "'0123456789ABCDEF0123456789ABCDEF'", "64 hexadecimal digits"},
		{"0/key", "'../../456789abcdef0123456789abcd'", "64 hexadecimal digits"},
		{"0/offset", "-65536", "offset"},
		{"0/offset", "1", "'offset' is no multiple of"},
		{"0/offset", "9223372036854775807", "offset"},
		{"0/offset", "1.5", "offset"},
		{"0/bytes", "0", "bytes"},
		{"0/bytes", "-1", "bytes"},
		{"0/bytes", "9223372036854775807", "bytes"},
		{"0/fill", "1", "fill"},
		{"0/fill", "null", "fill"},
		{"0", "null", "element 0 of 'data'"},
		{"0", "'x'", "element 0 of 'data'"},
	};
	struct data_range *ranges = NULL;
	struct error err = {0};
	size_t count = 7;
	json_t *request = json_pack("{}");

	(void)context;
	assert_int_equal(ranges_from_json(&ranges, &count, request, NULL), 0);
	assert_null(ranges);
	assert_int_equal(count, 0);
	json_object_set_new(request, "data", json_null());
	assert_int_equal(ranges_from_json(&ranges, &count, request, NULL), PL_EPROTOCOL);
	json_object_set_new(request, "data", parse_quoted(good));
	assert_int_equal(ranges_from_json(&ranges, &count, request, NULL), 0);
	assert_int_equal(count, 1);
	assert_string_equal(ranges[0].key, "0123456789abcdef0123456789abcdef"
					   "0123456789abcdef0123456789abcdef");
	assert_int_equal(ranges[0].offset, 65536);
	assert_int_equal(ranges[0].bytes, 7);
	assert_true(ranges[0].fill);
	json_object_set_new(request, "data", json_pack("[o]", transmit(range_to_json(&ranges[0]))));
	free(ranges);
	assert_int_equal(ranges_from_json(&ranges, &count, request, NULL), 0);
	assert_int_equal(ranges[0].offset, 65536);
	free(ranges);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char path[64];
		char *value = xstrdup(bad[i].value);

		for (char *c = value; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		snprintf(path, sizeof(path), "data/%s", bad[i].path);
		json_object_set_new(request, "data", parse_quoted(good));
		replace(request, path, value);
		err = (struct error){0};
		if (ranges_from_json(&ranges, &count, request, &err) != PL_EPROTOCOL ||
		    !strstr(err.text, bad[i].says))
			fail_msg("%s %s: %s", path, value, err.text);
		assert_null(ranges);
		free(value);
	}
	json_decref(request);
}

/* A worker finds shared data by a key that it makes from the case that it got. */
static void test_keys_of_data_survive_the_protocol(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256), *back = NULL;
	json_t *json;

	(void)context;
	work->buffers[0].fill_low = 0.1;
	work->buffers[0].fill_high = 1e300 / 3;
	work->buffers[0].has_fill_bits = true;
	work->buffers[0].fill_bits = 5;
	for (int kind = 0; kind < 2; kind++) {
		char *sent, *got;

		if (kind) {
			work->oracle[0] = '\0';
			work->check.kind = CHECK_EXPRESSION;
			work->check.items = xcalloc(1, sizeof(*work->check.items));
			work->check.items[0] =
				(struct case_check_item){1, xstrdup("n * x[0]"), false};
			work->check.item_count = 1;
		}
		json = transmit(case_to_json(work));
		assert_int_equal(case_from_json(&back, json, NULL), 0);
		json_decref(json);
		sent = case_expected_key(work, 1, UINT64_MAX);
		got = case_expected_key(back, 1, UINT64_MAX);
		assert_string_equal(sent, got);
		free(sent);
		free(got);
		launch_case_free(back);
	}
	launch_case_free(work);
}

static void test_text_that_is_not_utf8(void **context)
{
	struct device_info device = {.name = "bad \xff name"};
	struct device_info back;
	json_t *json = transmit(device_to_json(&device));

	(void)context;
	assert_int_equal(device_from_json(&back, json, NULL), 0);
	assert_string_equal(back.name, "bad ? name");
	json_decref(json);
}

static void test_facts_and_state(void **context)
{
	struct launch_facts facts = launch_facts_unknown, facts_back;
	struct device_state state = {NAN, 1e9, NAN, 300.5, -1, 2100, NAN}, state_back;
	json_t *json = transmit(facts_to_json(&facts));

	(void)context;
	assert_true(json_is_null(json_object_get(json, "registers_per_thread")));
	assert_true(json_is_null(json_object_get(json, "theoretical_occupancy_pct")));
	assert_int_equal(facts_from_json(&facts_back, json, NULL), 0);
	assert_int_equal(facts_back.registers_per_thread, -1);
	assert_true(isnan(facts_back.theoretical_occupancy_pct));
	json_decref(json);

	facts.registers_per_thread = 0;
	facts.theoretical_occupancy_pct = 62.5;
	json = transmit(facts_to_json(&facts));
	assert_int_equal(facts_from_json(&facts_back, json, NULL), 0);
	assert_int_equal(facts_back.registers_per_thread, 0);
	assert_true(facts_back.theoretical_occupancy_pct == 62.5);
	json_object_set_new(json, "registers_per_thread", json_integer(-1));
	assert_int_equal(facts_from_json(&facts_back, json, NULL), PL_EPROTOCOL);
	json_decref(json);

	json = transmit(state_to_json(&state));
	assert_int_equal(state_from_json(&state_back, json, NULL), 0);
	assert_true(isnan(state_back.sm_clock_hz) && state_back.power_w == 300.5);
	assert_int_equal(state_back.throttle_reasons, -1);
	json_decref(json);
}

static void test_samples(void **context)
{
	static const char *const bad[] = {"[]", "[null]", "[-1]",     "[\"1\"]",
					  "{}", "1",      "[1, true]"};
	const double times[] = {0, 74.25, 1e12};
	double *back = NULL;
	size_t count = 0;
	json_t *json = transmit(samples_to_json(times, 3));

	(void)context;
	assert_int_equal(samples_from_json(&back, &count, json, NULL), 0);
	assert_int_equal(count, 3);
	assert_memory_equal(back, times, sizeof(times));
	free(back);
	json_decref(json);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json = parse(bad[i][0] == '1' ? "[1]" : bad[i]);
		assert_int_equal(
			samples_from_json(&back, &count,
					  bad[i][0] == '1' ? json_array_get(json, 0) : json, NULL),
			PL_EPROTOCOL);
		json_decref(json);
	}
	assert_int_equal(samples_from_json(&back, &count, NULL, NULL), PL_EPROTOCOL);
}

static void test_counters(void **context)
{
	static const char *const bad[] = {
		"{}",
		"[1]",
		"[{'metric':'a','unit':'','source':'','value':1,'reason':'b'}]",
		"[{'metric':'a','unit':'','source':'','value':null,'reason':null}]",
		"[{'metric':'','unit':'','source':'','value':1,'reason':null}]",
		"[{'metric':'a','unit':null,'source':'','value':1,'reason':null}]",
		"[{'metric':'a','unit':'','source':'','value':'1','reason':null}]",
		"[{'metric':'a','unit':'','source':'','reason':null}]",
		"[{'metric':'a','unit':'','source':'','value':-1,'reason':null}]",
		"[{'metric':'a','unit':'','source':'','value':-1e-9,'reason':null}]",
	};
	struct counter_list counters = {0};
	struct counter_list back = {0};
	json_t *json;

	(void)context;
	counter_list_set(&counters, "dram_read_bytes", "byte", "dram__bytes_read.sum", 1e15);
	counter_list_set_missing(&counters, "x", "1", "", "no such counter");
	json = transmit(counters_to_json(&counters));
	assert_int_equal(counters_from_json(&back, json, NULL), 0);
	assert_int_equal(back.count, 2);
	assert_true(back.items[0].has_value && back.items[0].value == 1e15);
	assert_false(back.items[1].has_value);
	assert_string_equal(back.items[1].reason, "no such counter");
	counter_list_release(&back);
	counter_list_release(&counters);
	json_decref(json);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json = parse_quoted(bad[i]);
		assert_int_equal(counters_from_json(&back, json, NULL), PL_EPROTOCOL);
		assert_int_equal(back.count, 0);
		json_decref(json);
	}
}

#define LINE(file, line) "{'file':" file ",'line':" line ","
#define COUNTS                                                                             \
	"'instructions':9,'lanes':9,'branches':2,'divergent':1,'requests':3,'sectors':12," \
	"'shared_requests':4,'wavefronts':8,'conflicts':4}"

static void test_lines(void **context)
{
	static const char *const bad[] = {
		"{}",
		"[1]",
		"[" LINE("''", "1") COUNTS "]",
		"[" LINE("1", "1") COUNTS "]",
		"[" LINE("'a\\nb'", "1") COUNTS "]",
		"[" LINE("null", "-1") COUNTS "]",
		"[" LINE("null", "1.5") COUNTS "]",
		"[{'line':1," COUNTS "]",
		"[{'file':null,'line':1}]",
		/* not ascending */
		"[" LINE("null", "2") COUNTS "," LINE("null", "2") COUNTS "]",
		"[" LINE("'a'", "1") COUNTS "," LINE("null", "2") COUNTS "]",
		"[" LINE("'b'", "1") COUNTS "," LINE("'a'", "2") COUNTS "]",
		"[" LINE("'a'", "3") COUNTS "," LINE("'a'", "2") COUNTS "]",
	};
	struct line_count_list lines = {0}, back = {0};
	struct line_count *line;
	json_t *json;

	(void)context;
	line_count_list_add(&lines, NULL, 0)->instructions = 1;
	line_count_list_add(&lines, NULL, 9);
	line = line_count_list_add(&lines, "a.cu", 3);
	*line = (struct line_count){line->file, 3, INT64_MAX, 2, 3, 4, 5, 6, 7, 8, 9};
	line_count_list_add(&lines, "b.cu", 1);
	json = transmit(lines_to_json(&lines, 0, 3));
	assert_int_equal(lines_from_json(&back, json, NULL), 0);
	assert_int_equal(back.count, 3);
	assert_null(back.items[0].file);
	assert_int_equal(back.items[0].instructions, 1);
	assert_string_equal(back.items[2].file, "a.cu");
	assert_memory_equal(&back.items[2].line, &line->line,
			    sizeof(*line) - offsetof(struct line_count, line));
	/* Lines ascend over all replies. A refused reply leaves the earlier lines in place. */
	assert_int_equal(lines_from_json(&back, json, NULL), PL_EPROTOCOL);
	assert_int_equal(back.count, 3);
	json_decref(json);
	json = transmit(lines_to_json(&lines, 3, 1));
	assert_int_equal(lines_from_json(&back, json, NULL), 0);
	assert_string_equal(back.items[3].file, "b.cu");
	line_count_list_release(&back);
	line_count_list_release(&lines);
	json_decref(json);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json = parse_quoted(bad[i]);
		if (lines_from_json(&back, json, NULL) != PL_EPROTOCOL)
			fail_msg("%s was accepted", bad[i]);
		assert_int_equal(back.count, 0);
		json_decref(json);
		line_count_list_release(&back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_shared_ranges),
		cmocka_unit_test(test_keys_of_data_survive_the_protocol),
		cmocka_unit_test(test_text_that_is_not_utf8),
		cmocka_unit_test(test_facts_and_state),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
