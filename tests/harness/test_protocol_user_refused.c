/* Refuses malformed messages of what only the cases of users have. */
#include "protocol_support.h"
#include "support.h"
#include "user_case.h"

#include <stdlib.h>
#include <string.h>

static void must_refuse(json_t *json, const char *what, const char *message)
{
	struct launch_case *back = NULL;
	struct error err = {0};

	if (case_from_json(&back, json, &err) != PL_EPROTOCOL)
		fail_msg("%s was accepted", what);
	assert_null(back);
	if (!strstr(err.text, message))
		fail_msg("%s: %s", what, err.text);
	json_decref(json);
}

#define ARG(kind, value) "{\"kind\": \"" kind "\", \"value\": " value "}"
/* A struct of 16 bytes. */
#define ADDRESSES(list) ARG("bytes", "\"00112233445566778899aabbccddeeff\", \"addresses\": " list)
#define AT(offset, buffer) "{\"offset\": " offset ", \"buffer\": " buffer "}"
/* A tensor map of the buffer 1, which has one element. */
#define MAP(type, swizzle, numbers)                                                  \
	ARG("tensormap", "1, \"tensor\": {\"type\": " type ", \"swizzle\": " swizzle \
			 ", \"promotion\": 0, \"nan\": false, \"numbers\": " numbers "}")
/* A tensor map in an interleaved layout, whose one slice is larger than the buffer. */
#define SLICES(interleave)                                                               \
	ARG("tensormap", "1, \"tensor\": {\"type\": \"f32\", \"swizzle\": 0, "           \
			 "\"promotion\": 0, \"nan\": false, \"interleave\": " interleave \
			 ", \"numbers\": [1, 0, 4, 1, 1, 16, 1, 1, 1, 16, 1, 1]}")
/* A tensor map in im2col mode: 4 channels, 1 wide, 2 images. */
#define IMAGES(im2col)                                                         \
	ARG("tensormap", "1, \"tensor\": {\"type\": \"f32\", \"swizzle\": 0, " \
			 "\"promotion\": 0, \"nan\": false, \"numbers\": "     \
			 "[4, 0, 0, 1, 1, 16, 0, 1, 2, 16, 0, 1], \"im2col\": " im2col "}")
/* A texture of the buffer 1, which has one element. */
#define TEXTURE(channels, sizes, address)                                                 \
	ARG("texture",                                                                    \
	    "1, \"texture\": {\"surface\": false, \"fetch\": false, "                     \
	    "\"layered\": false, \"cube\": false, \"linear\": false, "                    \
	    "\"normalized\": false, \"normalized_float\": false, \"channels\": " channels \
	    ", \"sizes\": " sizes ", \"address\": " address "}")
#define CLAMPED "[\"clamp\", \"clamp\", \"clamp\"]"
#define CHECK(kind, launches, image, items, command)                             \
	"{\"kind\": \"" kind "\", \"launches\": " launches ", \"image\": " image \
	", \"items\": " items ", \"command\": " command "}"

/* A valid case in which `value` replaces the member at `path`. */
static const struct {
	const char *path, *value, *message;
} bad_cases[] = {
	{"image", "\"/\"", "neither a .ptx nor a .cubin"},
	{"image", "\"./k.cubin\"", "neither FAMILY/NAME nor an absolute path"},
	{"image", "\"a/.hidden\"", "neither FAMILY/NAME nor an absolute path"},
	{"image", "null", "not a string"},
	{"buffers/0/fill", "\"index\"", "go together"},
	{"buffers/1/fill", "\"file\"", "go together"},
	{"buffers/0/fill_file", "null", "go together"},
	{"buffers/0/fill", "\"capture\"", "'capture' and a 'fill_index' go together"},
	{"buffers/0/fill_index", "0", "'capture' and a 'fill_index' go together"},
	{"buffers/1/compared", "\"f31\"", "'f31' is not an element type"},
	{"buffers/1/compared", "3", "not a string"},
	{"launches/0/carveout", "101", "outside of 0 to 100"},
	{"launches/0/carveout", "-1", "outside of 0 to 100"},
	{"launches/0/carveout", "null", "carveout"},
	{"launches/0/args/1", ARG("buffer", "1, \"addend\": 9"),
	 "'addend' is 9, outside of 0 to 8"},
	{"launches/0/args/1", ARG("buffer", "1, \"addend\": -1"), "'addend' is -1"},
	{"launches/0/args/1", ADDRESSES("[" AT("0", "1, \"addend\": 9") "]"),
	 "address 0: member 'addend' is 9, outside of 0 to 8"},
	{"buffers/0/fill_file", "3", "not a string"},
	{"buffers/1/fill", "\"expression\"", "'expression' and a 'fill_expression' go together"},
	{"buffers/1/fill_expression", "\"i\"", "'expression' and a 'fill_expression' go together"},
	{"buffers/1/fill_expression", "8", "not a string"},
	{"buffers/1/fill_bits", "-1", "fill_bits"},
	{"buffers/1/fill_bits", "65", "fill_bits"},
	{"buffers/1/fill_bits", "8.5", "fill_bits"},
	{"buffers/1/fill_bits", "null", "fill_bits"},
	{"buffers/0/fill_bits", "8", "belongs to a random fill"},
	{"buffers/0/symbol", "[]", "not a string"},
	{"buffers/0/symbol", "null", "a variable belongs to a 'symbol'"},
	{"buffers/0/variable", "{}", "'variable' is not a string"},
	{"buffers/0/check_variable", "3", "'check_variable' is not a string"},
	{"buffers/1/variable", "\"x\"", "a variable belongs to a 'symbol'"},
	{"buffers/1/check_variable", "\"x\"", "a variable belongs to a 'symbol'"},
	{"launches/0/cluster", "[2, 2]", "not three numbers"},
	{"launches/0/cluster", "[2, 0, 1]", "a size below 1"},
	{"launches/0/cluster", "3", "not an array"},
	{"launches/0/cooperative", "1", "true or false"},
	{"launches/0/args/1", ARG("i8", "128"), "outside of -128 to 127"},
	{"launches/0/args/1", ARG("u8", "-1"), "outside of 0 to 255"},
	{"launches/0/args/1", ARG("i16", "32768"), "outside of"},
	{"launches/0/args/1", ARG("u16", "65536"), "outside of"},
	{"launches/0/args/1", ARG("u64", "-1"), "outside of 0 to"},
	{"launches/0/args/1", ARG("f16", "65505"), "does not fit f16"},
	{"launches/0/args/1", ARG("bf16", "1e39"), "does not fit bf16"},
	{"launches/0/args/1", ARG("f64", "null"), "not a number"},
	{"launches/0/args/1", ARG("integer", "1"), "an argument of kind 'integer' has no size"},
	{"launches/0/args/1", ARG("real", "1"), "an argument of kind 'real' has no size"},
	{"launches/0/args/1", ARG("struct", "\"\""), "an argument of kind 'struct' has no size"},
	{"launches/0/args/1", ARG("tensormap", "1"), "'tensor' is missing"},
	{"launches/0/args/1", ARG("tensormap", "2, \"tensor\": {}"), "'value' is 2"},
	{"launches/0/args/1", ARG("tensormap", "1, \"tensor\": {}"), "'type' is missing"},
	{"launches/0/args/1", MAP("\"f8\"", "0", "[1, 0, 4, 1]"), "'f8' is not a type"},
	{"launches/0/args/1", MAP("\"f32\"", "4", "[1, 0, 4, 1]"), "'swizzle' is 4"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[1, 0, 4]"), "four numbers a dimension"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[]"), "1 to 5 dimensions"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[1, 0, 4294967300, 1]"), "too large"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[1, 0, \"4\", 1]"), "size 0 of the box"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[-1, 0, 4, 1]"), "sizes are 1 to 2^32"},
	{"launches/0/args/1", MAP("\"f32\"", "0", "[9, 0, 4, 1]"), "larger than its buffer"},
	{"launches/0/args/1", SLICES("33"), "'interleave' is 33, outside of 0 to 32"},
	{"launches/0/args/1", SLICES("\"16B\""), "'interleave' is not a whole number"},
	{"launches/0/args/1", SLICES("8"), "slices of 8 bytes; slices have 16 or 32"},
	{"launches/0/args/1", SLICES("32"), "16 bytes; strides are multiples of 32"},
	{"launches/0/args/1", SLICES("16"), "larger than its buffer"},
	{"launches/0/args/1", IMAGES("8"), "'im2col' is not an array"},
	{"launches/0/args/1", IMAGES("[4, 4]"), "two for each dimension of an image"},
	{"launches/0/args/1", IMAGES("[4, 4, 0, 0, 0, 0]"), "two for each dimension of an image"},
	{"launches/0/args/1", IMAGES("[4, 4, 0, 0, 0, 0, 0, 0, 0]"), "'im2col' has 9 elements"},
	{"launches/0/args/1", IMAGES("[4, 65536, 0, 0]"), "a number of an im2col map is out of"},
	{"launches/0/args/1", IMAGES("[4, -1, 0, 0]"), "moves 0 pixels"},
	{"launches/0/args/1", IMAGES("[4, \"4\", 0, 0]"), "moves 0 pixels"},
	{"launches/0/args/1", IMAGES("[4, 4, 0, -1]"), "is empty in dimension 1"},
	{"launches/0/args/1", IMAGES("[4, 4, 0, 0]"), "larger than its buffer"},
	{"launches/0/args/1", ARG("texture", "1"), "'texture' is missing"},
	{"launches/0/args/1", ARG("texture", "2, \"texture\": {}"),
	 "'value' is 2, outside of 0 to 1"},
	{"launches/0/args/1", ARG("texture", "1, \"texture\": {}"), "'channels' is missing"},
	{"launches/0/args/1", ARG("texture", "1, \"texture\": []"), "'texture' is not an object"},
	{"launches/0/args/1", TEXTURE("3", "[1]", CLAMPED), "1, 2 or 4 channels"},
	{"launches/0/args/1", TEXTURE("5", "[1]", CLAMPED), "'channels' is 5"},
	{"launches/0/args/1", TEXTURE("2", "[1]", CLAMPED), "larger than its buffer"},
	{"launches/0/args/1", TEXTURE("1", "[1, 2]", CLAMPED), "larger than its buffer"},
	{"launches/0/args/1", TEXTURE("1", "[4294967296, 4294967296]", CLAMPED),
	 "larger than its buffer"},
	{"launches/0/args/1", TEXTURE("1", "[]", CLAMPED), "1 to 3 sizes"},
	{"launches/0/args/1", TEXTURE("1", "[1, 1, 1, 1]", CLAMPED), "'sizes' has 4 elements"},
	{"launches/0/args/1", TEXTURE("1", "[0]", CLAMPED), "is not positive"},
	{"launches/0/args/1", TEXTURE("1", "[\"1\"]", CLAMPED), "is not positive"},
	{"launches/0/args/1", TEXTURE("1", "[1]", "[\"clamp\"]"), "3 addresses"},
	{"launches/0/args/1", TEXTURE("1", "[1]", "[\"clamp\", 2, \"wrap\"]"),
	 "'' is not an address mode"},
	{"launches/0/args/1", ADDRESSES("3"), "'addresses' is not an array"},
	{"launches/0/args/1", ADDRESSES("{}"), "'addresses' is not an array"},
	{"launches/0/args/1", ADDRESSES("null"), "'addresses' is not an array"},
	{"launches/0/args/1", ADDRESSES("[7]"), "address 0: "},
	{"launches/0/args/1", ADDRESSES("[{\"offset\": 0}]"), "'buffer' is missing"},
	{"launches/0/args/1", ADDRESSES("[{\"buffer\": 0}]"), "'offset' is missing"},
	{"launches/0/args/1", ADDRESSES("[" AT("-1", "0") "]"), "outside of 0 to 8"},
	{"launches/0/args/1", ADDRESSES("[" AT("9", "0") "]"), "outside of 0 to 8"},
	{"launches/0/args/1", ADDRESSES("[" AT("9223372036854775807", "0") "]"), "outside of"},
	{"launches/0/args/1", ADDRESSES("[" AT("0.5", "0") "]"), "offset"},
	{"launches/0/args/1", ADDRESSES("[" AT("0", "2") "]"), "'buffer' is 2, outside of 0 to 1"},
	{"launches/0/args/1", ADDRESSES("[" AT("0", "-1") "]"), "outside of 0 to 1"},
	{"launches/0/args/1", ADDRESSES("[" AT("0", "0") ", " AT("7", "1") "]"),
	 "address 1: member 'offset' is 7, outside of 8 to 8"},
	{"launches/0/args/1", ADDRESSES("[" AT("8", "0") ", " AT("0", "1") "]"), "address 1: "},
	{"launches/0/args/1", ARG("bytes", "\"00\", \"addresses\": [" AT("0", "0") "]"),
	 "address 0: "},
	{"launches/0/args/1", ARG("bytes", "\"\""), "is not 1 to"},
	{"launches/0/args/1", ARG("bytes", "\"abc\""), "is not 1 to"},
	{"launches/0/args/1", ARG("bytes", "\"0g\""), "bytes in hex digits"},
	{"launches/0/args/1", ARG("bytes", "7"), "not a string"},
	{"check", "3", "its parent is not an object"},
	{"check", "{}", "member 'kind' is missing"},
	{"check", CHECK("luck", "[]", "null", "[]", "null"), "'luck' is not a kind of check"},
	{"check", CHECK("launches", "[]", "null", "[]", "null"), "check: there is no launch"},
	{"check", CHECK("launches", "[{}]", "null", "[]", "null"), "check: launch 0: "},
	{"check", CHECK("command", "[]", "null", "[]", "null"), "check: there is no 'command'"},
	{"check", CHECK("command", "[]", "null", "[]", "3"), "'command' is not a string"},
	{"check", CHECK("command", "[]", "null", "[]", "\"a\", \"folder\": \"b/c\""),
	 "check: 'folder' is not an absolute path"},
	{"check", CHECK("command", "[]", "null", "[]", "\"a\", \"folder\": 1"),
	 "'folder' is not a string"},
	{"check", CHECK("none", "[]", "\"../k\"", "[]", "null"), "check: image '../k' is neither"},
	{"check", CHECK("none", "[]", "null", "{}", "null"), "'items' is not an array"},
	{"check", CHECK("file", "[]", "null", "[{\"buffer\": 2, \"text\": \"a\"}]", "null"),
	 "item 0: member 'buffer' is 2, outside of 0 to 1"},
	{"check", CHECK("file", "[]", "null", "[{\"buffer\": 1}]", "null"),
	 "item 0: member 'text' is missing"},
};

static void test_bad_members(void **context)
{
	struct launch_case *work = make_user_case();

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		json_t *json = case_to_json(work);

		replace(json, bad_cases[i].path, bad_cases[i].value);
		must_refuse(json, bad_cases[i].value, bad_cases[i].message);
	}
	launch_case_free(work);
}

/* `count` nulls. */
static json_t *nulls(size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_null());
	return array;
}

/* `count` letters. */
static json_t *letters(size_t count)
{
	char *text = xcalloc(count + 1, 1);
	json_t *json;

	memset(text, 'a', count);
	json = json_string(text);
	free(text);
	return json;
}

static void test_too_much(void **context)
{
	struct launch_case *work = make_user_case();
	json_t *json = case_to_json(work);

	(void)context;
	json_object_set_new(json, "buffers", nulls(KERNEL_MAX_BUFFERS + 1));
	must_refuse(json, "257 buffers", "has 257 elements; the limit is 256");
	json = case_to_json(work);
	json_object_set_new(json_array_get(json_object_get(json, "launches"), 0), "args",
			    nulls(PROTOCOL_MAX_ARGS + 1));
	must_refuse(json, "4097 arguments", "has 4097 elements; the limit is 4096");
	json = case_to_json(work);
	json_object_set_new(json, "launches", nulls(PROTOCOL_MAX_LAUNCHES + 1));
	must_refuse(json, "65537 launches", "has 65537 elements; the limit is 65536");
	json = case_to_json(work);
	json_object_set_new(json_array_get(json_object_get(json, "launches"), 0), "entry",
			    letters(65537));
	must_refuse(json, "a long entry", "'entry' has more than 65536 bytes");
	json = case_to_json(work);
	json_object_set_new(json, "image", letters(4097));
	must_refuse(json, "a long image", "'image' has more than 4096 bytes");
	json = case_to_json(work);
	json_object_set_new(json_object_get(json, "check"), "items", nulls(KERNEL_MAX_BUFFERS + 1));
	must_refuse(json, "257 items", "has 257 elements; the limit is 256");
	json = case_to_json(work);
	json_array_set_new(
		json_object_get(json_array_get(json_object_get(json, "launches"), 0), "args"), 0,
		json_pack("{s:s, s:o}", "kind", "bytes", "value", letters(2 * ARG_MOST_BYTES + 2)));
	must_refuse(json, "a large struct", "is not 1 to 32764 bytes");
	json = case_to_json(work);
	json_object_set_new(
		json_array_get(json_object_get(json_array_get(json_object_get(json, "launches"), 0),
					       "args"),
			       LAST_ARG),
		"addresses", nulls(4096));
	must_refuse(json, "4096 addresses", "has 4096 elements; the limit is 4095");
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_members),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
