/* Encodes and decodes a case, and refuses malformed ones. */
#include "protocol_support.h"
#include "support.h"

#include <string.h>

static void test_case(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256);
	struct launch_case *back = NULL;
	struct error err = {0};
	json_t *json;

	(void)context;
	strcpy(work->launches[1].library, "cublas");
	work->code = xstrdup("/cache/k.cubin");
	strcpy(work->code_arch, "sm_90a");
	json = transmit(case_to_json(work));
	if (case_from_json(&back, json, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(back->axes, work->axes, sizeof(work->axes));
	assert_string_equal(back->image, "reduce/shuffle");
	assert_string_equal(back->code, "/cache/k.cubin");
	assert_string_equal(back->code_arch, "sm_90a");
	assert_string_equal(back->oracle, "reduce/oracle");
	assert_int_equal(back->axis_count, 2);
	assert_int_equal(back->axes[1].value, (INT64_C(1) << 53) + 1);
	assert_int_equal(back->buffer_count, 2);
	assert_string_equal(back->buffers[0].name, "x");
	assert_int_equal(back->buffers[0].fill, FILL_UNIFORM);
	assert_true(back->buffers[0].fill_low == -1);
	assert_int_equal(back->buffers[1].type, ELEMENT_F64);
	assert_int_equal(back->buffers[1].role, BUFFER_OUT);
	assert_int_equal(back->launch_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct case_launch *a = &work->launches[i], *b = &back->launches[i];

		assert_string_equal(a->entry, b->entry);
		assert_string_equal(a->library, b->library);
		assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
		assert_memory_equal(a->block, b->block, sizeof(a->block));
		assert_int_equal(a->shared_bytes, b->shared_bytes);
		assert_int_equal(a->arg_count, b->arg_count);
		for (size_t j = 0; j < a->arg_count; j++) {
			assert_int_equal(a->args[j].kind, b->args[j].kind);
			assert_int_equal(a->args[j].integer, b->args[j].integer);
			assert_true(a->args[j].real == b->args[j].real);
		}
	}
	assert_true(back->tolerance_rel == 0.1);
	assert_true(back->has_flop);
	assert_int_equal(back->flop, INT64_MAX);
	launch_case_free(back);
	json_decref(json);

	work->has_flop = false;
	json = transmit(case_to_json(work));
	assert_true(json_is_null(json_object_get(json, "flop")));
	assert_int_equal(case_from_json(&back, json, &err), 0);
	assert_false(back->has_flop);
	launch_case_free(back);
	launch_case_free(work);
	json_decref(json);
}

static void test_axes_are_sorted_again(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256);
	struct launch_case *back = NULL;
	json_t *json = case_to_json(work);

	(void)context;
	json_object_set_new(json, "axes", parse("{\"n\": 1, \"ways\": 0, \"block\": 2}"));
	assert_int_equal(case_from_json(&back, json, NULL), 0);
	assert_string_equal(back->axes[0].name, "block");
	assert_string_equal(back->axes[1].name, "n");
	assert_string_equal(back->axes[2].name, "ways");
	assert_int_equal(back->axes[2].value, 0);
	launch_case_free(back);
	launch_case_free(work);
	json_decref(json);
}

/* A valid case in which `value` replaces the member at `path`. */
static const struct {
	const char *path, *value, *message;
} bad_cases[] = {
	{"kernel", "null", "member 'kernel' is not a string"},
	{"kernel", "12", "member 'kernel' is not a string"},
	{"kernel", "\"a\\nb\"", "control characters"},
	{"kernel", "\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\"",
	 "member 'kernel' has 64 bytes; the limit is 63"},
	{"image", "\"/etc/passwd\"", "neither a .ptx nor a .cubin"},
	{"image", "\"../../secret\"", "neither FAMILY/NAME"},
	{"image", "\"reduce/../x\"", "neither FAMILY/NAME"},
	{"image", "\"reduce//x\"", "neither FAMILY/NAME"},
	{"image", "\"reduce/\"", "neither FAMILY/NAME"},
	{"image", "\"\"", "neither FAMILY/NAME"},
	{"code", "3", "'code' is not an object"},
	{"code", "{\"file\": \"a/k.cubin\", \"arch\": \"\"}",
	 "code: 'file' is not an absolute path"},
	{"code", "{\"file\": \"/etc/passwd\", \"arch\": \"\"}",
	 "code: image '/etc/passwd' is neither a .ptx nor a .cubin"},
	{"code", "{\"file\": \"/k.cubin\", \"arch\": \"sm_90aaaa\"}", "member 'arch' has 9 bytes"},
	{"axes", "[]", "member 'axes' is not an object"},
	{"axes", "{\"block\": 0}", "member 'block' is 0"},
	{"axes", "{\"ways\": -1}", "member 'ways' is -1"},
	{"axes", "{\"block\": 2.5}", "not a whole number"},
	{"axes",
	 "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,"
	 "\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":1}",
	 "has 17 members; the limit is 16"},
	{"axes", "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": 1}", "empty or too long"},
	{"buffers/0/length", "0", "member 'length' is 0"},
	{"buffers/0/length", "-1", "member 'length' is -1"},
	{"buffers/0/length", "4611686018427387904", "its size in bytes overflows"},
	{"buffers/0/length", "1e3", "not a whole number"},
	{"buffers/0/type", "\"f8\"", "'f8' is not an element type"},
	{"buffers/0/role", "\"inn\"", "'inn' is not a buffer role"},
	{"buffers/0/fill", "\"random\"", "'random' is not a buffer fill"},
	{"buffers/0/fill_low", "null", "'fill_low' is not a number"},
	{"buffers/0", "3", "its parent is not an object"},
	{"launches", "[]", "a case has no launch"},
	{"launches", "{}", "not an array"},
	{"launches/0/entry", "\"\"", "'entry' is empty"},
	{"launches/0/library", "\"\"", "'library' is empty or too long"},
	{"launches/0/library", "\"llllllllllllllll\"", "'library' is empty or too long"},
	{"launches/0/library", "12", "not a string or null"},
	{"launches/0/grid", "[1, 1]", "not three numbers"},
	{"launches/0/grid", "[0, 1, 1]", "a size below 1"},
	{"launches/0/grid", "[4294967296, 1, 1]", "above 32 bits"},
	{"launches/0/grid", "[4294967295, 4294967295, 4294967295]", "overflows"},
	{"launches/0/block", "[1, 1, \"1\"]", "a size below 1"},
	{"launches/0/shared_bytes", "-4", "member 'shared_bytes' is -4"},
	{"launches/0/args/0/kind", "\"pointer\"", "'pointer' is not an argument kind"},
	{"launches/0/args/0/value", "2", "outside of 0 to 1"},
	{"launches/0/args/0/value", "-1", "outside of 0 to 1"},
	{"launches/0/args/1/value", "2147483648", "outside of"},
	{"launches/0/args/2/value", "-1", "outside of"},
	{"launches/0/args/4/value", "1e39", "does not fit f32"},
	{"launches/0/args/4/value", "\"1\"", "not a number"},
	{"tolerance_abs", "-1", "'tolerance_abs' is negative"},
	{"tolerance_rel", "null", "not a number"},
	{"flop", "-1", "member 'flop' is -1"},
	{"flop", "1.5", "not a whole number"},
	{"bytes_read", "null", "not a whole number"},
	{"bytes_written", "-8", "member 'bytes_written' is -8"},
};

static void test_bad_cases(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256);

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		json_t *json = case_to_json(work);
		struct launch_case *back = NULL;
		struct error err = {0};

		replace(json, bad_cases[i].path, bad_cases[i].value);
		if (case_from_json(&back, json, &err) != PL_EPROTOCOL)
			fail_msg("%s = %s was accepted", bad_cases[i].path, bad_cases[i].value);
		assert_null(back);
		if (!strstr(err.text, bad_cases[i].message))
			fail_msg("%s = %s: %s", bad_cases[i].path, bad_cases[i].value, err.text);
		json_decref(json);
	}
	launch_case_free(work);
}

static void test_every_member_is_required(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256);
	json_t *whole = case_to_json(work);
	const char *name;
	json_t *value;

	(void)context;
	json_object_foreach(whole, name, value)
	{
		json_t *json = json_copy(whole);
		struct launch_case *back = NULL;
		struct error err = {0};

		json_object_del(json, name);
		assert_int_equal(case_from_json(&back, json, &err), PL_EPROTOCOL);
		assert_non_null(strstr(err.text, "is missing"));
		json_decref(json);
	}
	json_decref(whole);
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_case),
		cmocka_unit_test(test_axes_are_sorted_again),
		cmocka_unit_test(test_bad_cases),
		cmocka_unit_test(test_every_member_is_required),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
