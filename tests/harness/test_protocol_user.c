/* Encodes and decodes what only the cases of users have, and refuses malformed ones. */
#include "protocol_support.h"
#include "support.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define TEXTURE_ARG 12
#define TENSOR_ARG 13
#define LAST_ARG 14 /* a struct of 20 bytes, with two addresses and 3 bytes that are not 0 */

/* One argument of each kind that has a size. */
static void set_args(struct case_launch *launch)
{
	static const struct case_arg args[] = {
		{.kind = ARG_BUFFER, .integer = 1, .addend = 8},
		{.kind = ARG_I8, .integer = INT8_MIN},
		{.kind = ARG_U8, .integer = 255},
		{.kind = ARG_I16, .integer = INT16_MIN},
		{.kind = ARG_U16, .integer = 65535},
		{.kind = ARG_I32, .integer = INT32_MIN},
		{.kind = ARG_I64, .integer = 5},
		{.kind = ARG_U64, .integer = INT64_MAX},
		{.kind = ARG_F16, .real = -65504},
		{.kind = ARG_BF16, .real = 1e38},
		{.kind = ARG_F64, .real = DBL_MAX},
		{.kind = ARG_F32, .real = 0.1},
		{.kind = ARG_TEXTURE, .integer = 1},
		{.kind = ARG_TENSOR_MAP, .integer = 0},
		{.kind = ARG_BYTES, .integer = 20},
	};
	static const struct case_texture texture = {
		.reading = {.cube = true,
			    .linear = true,
			    .channels = 1,
			    .address = {TEXTURE_ADDRESS_WRAP, TEXTURE_ADDRESS_BORDER,
					TEXTURE_ADDRESS_MIRROR}},
		.sizes = {1, 1, 1},
		.dimensions = 2,
	};
	static const struct tensor_map map = {
		.type = TENSOR_BF16,
		.rank = 3,
		.sizes = {1, 2, 3},
		.strides = {0, 16, 32},
		.box = {8, 256, 7},
		.steps = {1, 2, 8},
		.interleave = 16,
		.swizzle = SWIZZLE_64B,
		.promotion = 128,
		.fills_nan = true,
	};
	static const unsigned char bytes[20] = {0x00, 0xa9, 0xff};
	static const struct arg_address addresses[] = {{3, 1, 0}, {12, 0, 4}};

	free(launch->args);
	launch->args = xcalloc(ARRAY_SIZE(args), sizeof(args[0]));
	memcpy(launch->args, args, sizeof(args));
	launch->arg_count = ARRAY_SIZE(args);
	launch->args[TEXTURE_ARG].texture = xmalloc(sizeof(texture));
	*launch->args[TEXTURE_ARG].texture = texture;
	launch->args[TENSOR_ARG].tensor = xmalloc(sizeof(map));
	*launch->args[TENSOR_ARG].tensor = map;
	launch->args[LAST_ARG].bytes = xcalloc(sizeof(bytes), 1);
	memcpy(launch->args[LAST_ARG].bytes, bytes, sizeof(bytes));
	launch->args[LAST_ARG].addresses = xcalloc(2, sizeof(addresses[0]));
	memcpy(launch->args[LAST_ARG].addresses, addresses, sizeof(addresses));
	launch->args[LAST_ARG].address_count = 2;
}

static void assert_same_map(const struct tensor_map *a, const struct tensor_map *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->rank, b->rank);
	assert_memory_equal(a->sizes, b->sizes, sizeof(a->sizes));
	assert_memory_equal(a->strides, b->strides, sizeof(a->strides));
	assert_memory_equal(a->box, b->box, sizeof(a->box));
	assert_memory_equal(a->steps, b->steps, sizeof(a->steps));
	assert_int_equal(a->interleave, b->interleave);
	assert_int_equal(a->swizzle, b->swizzle);
	assert_int_equal(a->promotion, b->promotion);
	assert_int_equal(a->fills_nan, b->fills_nan);
	assert_int_equal(a->im2col, b->im2col);
	assert_int_equal(a->channels, b->channels);
	assert_int_equal(a->pixels, b->pixels);
	assert_memory_equal(a->lower, b->lower, sizeof(a->lower));
	assert_memory_equal(a->upper, b->upper, sizeof(a->upper));
}

/* A case with all that a user's kernel can have, but for its check. */
static struct launch_case *make_user_case(void)
{
	struct launch_case *work = make_case("mine", "own", 256);

	free(work->image);
	work->image = xstrdup("/cache/../k.cubin");
	work->oracle[0] = '\0';
	work->buffers[0].type = ELEMENT_U64;
	work->buffers[0].fill = FILL_FILE;
	work->buffers[0].fill_file = xstrdup("/data/x.npy");
	work->buffers[0].symbol = xstrdup("lab::filter");
	work->buffers[0].variable = xstrdup("_ZN3lab6filterE");
	work->buffers[0].check_variable = xstrdup("_ZN4slow3lab6filterE");
	work->buffers[1].has_compared = true;
	work->buffers[1].compared = ELEMENT_BF16;
	work->buffers[1].fill = FILL_UNIFORM;
	work->buffers[1].has_fill_bits = true;
	set_args(&work->launches[0]);
	work->launches[0].cluster[0] = 2;
	work->launches[0].cluster[2] = 3;
	work->launches[1].cooperative = true;
	work->launches[1].has_carveout = true;
	work->check.kind = CHECK_NONE;
	work->is_replacement = true;
	return work;
}

/* Decodes what encoding gives. The JSON of both must be equal. */
static struct launch_case *round_trip(const struct launch_case *work)
{
	json_t *json = transmit(case_to_json(work)), *again;
	struct launch_case *back = NULL;
	struct error err = {0};

	if (case_from_json(&back, json, &err))
		fail_msg("%s", err.text);
	again = case_to_json(back);
	assert_true(json_equal(json, again));
	json_decref(json);
	json_decref(again);
	return back;
}

static void test_every_member_arrives(void **context)
{
	struct launch_case *work = make_user_case();
	struct launch_case *back = round_trip(work);

	(void)context;
	assert_string_equal(back->image, "/cache/../k.cubin");
	assert_true(back->is_replacement);
	assert_string_equal(back->oracle, "");
	assert_int_equal(back->buffers[0].type, ELEMENT_U64);
	assert_int_equal(back->buffers[0].fill, FILL_FILE);
	assert_string_equal(back->buffers[0].fill_file, "/data/x.npy");
	assert_string_equal(back->buffers[0].symbol, "lab::filter");
	assert_string_equal(back->buffers[0].variable, "_ZN3lab6filterE");
	assert_string_equal(back->buffers[0].check_variable, "_ZN4slow3lab6filterE");
	assert_null(back->buffers[1].fill_file);
	assert_false(back->buffers[0].has_fill_bits);
	assert_true(back->buffers[1].has_fill_bits);
	assert_int_equal(back->buffers[1].fill_bits, 0);
	assert_null(back->buffers[1].symbol);
	assert_false(back->buffers[0].has_compared);
	assert_true(back->buffers[1].has_compared);
	assert_int_equal(back->buffers[1].compared, ELEMENT_BF16);
	assert_false(back->launches[0].has_carveout);
	assert_true(back->launches[1].has_carveout);
	assert_int_equal(back->launches[1].carveout, 0);
	assert_memory_equal(back->launches[0].cluster, work->launches[0].cluster,
			    sizeof(work->launches[0].cluster));
	assert_int_equal(back->launches[1].cluster[0], 1);
	assert_false(back->launches[0].cooperative);
	assert_true(back->launches[1].cooperative);
	assert_int_equal(back->launches[0].arg_count, LAST_ARG + 1);
	for (size_t i = 0; i <= LAST_ARG; i++) {
		assert_int_equal(back->launches[0].args[i].kind, work->launches[0].args[i].kind);
		assert_true(back->launches[0].args[i].integer == work->launches[0].args[i].integer);
		assert_true(back->launches[0].args[i].addend == work->launches[0].args[i].addend);
		assert_true(back->launches[0].args[i].real == work->launches[0].args[i].real);
	}
	assert_null(back->launches[0].args[0].texture);
	assert_memory_equal(&back->launches[0].args[TEXTURE_ARG].texture->reading.address,
			    &work->launches[0].args[TEXTURE_ARG].texture->reading.address,
			    3 * sizeof(enum texture_address));
	assert_true(back->launches[0].args[TEXTURE_ARG].texture->reading.cube);
	assert_true(back->launches[0].args[TEXTURE_ARG].texture->reading.linear);
	assert_false(back->launches[0].args[TEXTURE_ARG].texture->reading.surface);
	assert_int_equal(back->launches[0].args[TEXTURE_ARG].texture->dimensions, 2);
	assert_same_map(back->launches[0].args[TENSOR_ARG].tensor,
			work->launches[0].args[TENSOR_ARG].tensor);
	assert_memory_equal(back->launches[0].args[LAST_ARG].bytes, "\x00\xa9\xff\x00", 4);
	assert_int_equal(back->launches[0].args[LAST_ARG].address_count, 2);
	assert_memory_equal(back->launches[0].args[LAST_ARG].addresses,
			    work->launches[0].args[LAST_ARG].addresses,
			    2 * sizeof(struct arg_address));
	assert_int_equal(back->check.kind, CHECK_NONE);
	launch_case_free(back);
	launch_case_free(work);
}

static void test_im2col_maps(void **context)
{
	struct launch_case *work = make_user_case(), *back;
	struct tensor_map *map = work->launches[0].args[TENSOR_ARG].tensor;

	(void)context;
	*map = (struct tensor_map){
		.type = TENSOR_BF16,
		.rank = 5,
		.sizes = {8, 1, 1, 1, 1},
		.strides = {0, 16, 16, 32, 48},
		.steps = {1, 2, 3, 4, 5},
		.im2col = true,
		.channels = 256,
		.pixels = 1024,
		.lower = {-1, -2, -3},
		.upper = {3, 2, 1},
	};
	back = round_trip(work);
	assert_same_map(back->launches[0].args[TENSOR_ARG].tensor, map);
	launch_case_free(back);
	launch_case_free(work);
}

static void test_types_and_fills(void **context)
{
	struct launch_case *work = make_case("mine", "own", 256), *back;

	(void)context;
	for (int type = 0; type < ELEMENT_TYPES; type++) {
		work->buffers[0].type = (enum element_type)type;
		back = round_trip(work);
		assert_int_equal(back->buffers[0].type, type);
		launch_case_free(back);
	}
	for (int fill = FILL_NONE; fill <= FILL_INTEGERS; fill++) {
		if (fill == FILL_FILE) /* which test_every_member_arrives() has */
			continue;
		work->buffers[0].fill = (enum buffer_fill)fill;
		back = round_trip(work);
		assert_int_equal(back->buffers[0].fill, fill);
		assert_null(back->buffers[0].fill_expression);
		launch_case_free(back);
	}
	work->buffers[0].fill = FILL_EXPRESSION;
	work->buffers[0].fill_expression = xstrdup("i < 8 ? \"\\é\" : random(0, 7)");
	back = round_trip(work);
	assert_int_equal(back->buffers[0].fill, FILL_EXPRESSION);
	assert_string_equal(back->buffers[0].fill_expression, work->buffers[0].fill_expression);
	launch_case_free(back);
	free(work->buffers[0].fill_expression);
	work->buffers[0].fill_expression = NULL;
	work->buffers[0].fill = FILL_CAPTURE;
	work->buffers[0].fill_file = xstrdup("/data/a.capture");
	work->buffers[0].fill_index = UINT32_MAX;
	back = round_trip(work);
	assert_int_equal(back->buffers[0].fill, FILL_CAPTURE);
	assert_string_equal(back->buffers[0].fill_file, "/data/a.capture");
	assert_int_equal(back->buffers[0].fill_index, UINT32_MAX);
	launch_case_free(back);
	launch_case_free(work);
}

static void test_checks(void **context)
{
	struct launch_case *work = make_user_case(), *back;
	struct case_check *check = &work->check;

	(void)context;
	check->kind = CHECK_LAUNCHES;
	check->launches = xcalloc(1, sizeof(check->launches[0]));
	check->launch_count = 1;
	check->launches[0] = (struct case_launch){.entry = xstrdup("slow"),
						  .grid = {1, 2, 3},
						  .block = {4, 5, 6},
						  .cluster = {1, 1, 1}};
	set_args(&check->launches[0]);
	check->image = xstrdup("/cache/slow.ptx");
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_LAUNCHES);
	assert_int_equal(back->check.launch_count, 1);
	assert_string_equal(back->check.launches[0].entry, "slow");
	assert_int_equal(back->check.launches[0].block[2], 6);
	assert_int_equal(back->check.launches[0].arg_count, LAST_ARG + 1);
	assert_string_equal(back->check.image, "/cache/slow.ptx");
	launch_case_free(back);

	check->kind = CHECK_EXPRESSION;
	check->items = xcalloc(1, sizeof(check->items[0]));
	check->items[0] = (struct case_check_item){1, xstrdup("sum(x) \"\\\n")};
	check->item_count = 1;
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_EXPRESSION);
	assert_int_equal(back->check.item_count, 1);
	assert_int_equal(back->check.items[0].buffer, 1);
	assert_string_equal(back->check.items[0].text, "sum(x) \"\\\n");
	assert_null(back->check.command);
	launch_case_free(back);

	check->kind = CHECK_FILE;
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_FILE);
	launch_case_free(back);

	check->kind = CHECK_COMMAND;
	check->command = xstrdup("python3 check.py | cat");
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_COMMAND);
	assert_string_equal(back->check.command, "python3 check.py | cat");
	assert_null(back->check.folder);
	launch_case_free(back);
	check->folder = xstrdup("/home/me/my kernels");
	back = round_trip(work);
	assert_string_equal(back->check.folder, "/home/me/my kernels");
	launch_case_free(back);
	launch_case_free(work);
}

/* A built-in case has none of these members, so that its JSON is as short as before. */
static void test_a_built_in_case_says_nothing_new(void **context)
{
	struct launch_case *work = make_case("reduce", "shuffle", 256);
	json_t *json = case_to_json(work);
	const json_t *launch = json_array_get(json_object_get(json, "launches"), 0);
	const json_t *buffer = json_array_get(json_object_get(json, "buffers"), 0);

	(void)context;
	assert_null(json_object_get(json, "check"));
	assert_null(json_object_get(launch, "cluster"));
	assert_null(json_object_get(launch, "cooperative"));
	assert_null(json_object_get(launch, "carveout"));
	assert_null(json_object_get(buffer, "fill_index"));
	assert_null(json_object_get(buffer, "compared"));
	assert_null(json_object_get(json_array_get(json_object_get(launch, "args"), 0), "addend"));
	assert_null(json_object_get(buffer, "symbol"));
	assert_null(json_object_get(buffer, "variable"));
	assert_null(json_object_get(buffer, "check_variable"));
	assert_null(json_object_get(buffer, "fill_file"));
	assert_null(json_object_get(buffer, "fill_bits"));
	assert_null(json_object_get(buffer, "fill_expression"));
	assert_null(
		json_object_get(json_array_get(json_object_get(launch, "args"), 0), "addresses"));
	json_decref(json);
	launch_case_free(work);
}

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
/* The same in an interleaved layout, whose one slice is larger than the buffer. */
#define SLICES(interleave)                                                               \
	ARG("tensormap", "1, \"tensor\": {\"type\": \"f32\", \"swizzle\": 0, "           \
			 "\"promotion\": 0, \"nan\": false, \"interleave\": " interleave \
			 ", \"numbers\": [1, 0, 4, 1, 1, 16, 1, 1, 1, 16, 1, 1]}")
/* The same in im2col mode: 4 channels, 1 wide, 2 images. */
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
		cmocka_unit_test(test_every_member_arrives),
		cmocka_unit_test(test_im2col_maps),
		cmocka_unit_test(test_types_and_fills),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_a_built_in_case_says_nothing_new),
		cmocka_unit_test(test_bad_members),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
