/* Encodes and decodes what only the cases of users have. */
#include "protocol_support.h"
#include "support.h"
#include "user_case.h"

#include <stdlib.h>
#include <string.h>

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

static void test_maps_in_structs(void **context)
{
	struct launch_case *work = make_user_case(), *back;
	struct case_arg *arg = &work->launches[0].args[0];
	const struct tensor_map *map = work->launches[0].args[TENSOR_ARG].tensor;
	const struct arg_address *got;

	(void)context;
	case_arg_release(arg);
	arg->kind = ARG_BYTES;
	arg->integer = 256;
	arg->bytes = xcalloc(256, 1);
	arg->addresses = xcalloc(2, sizeof(arg->addresses[0]));
	arg->address_count = 2;
	arg->addresses[0] = (struct arg_address){0, 1, 0, NULL};
	arg->addresses[1].offset = 128;
	arg->addresses[1].buffer = (size_t)work->launches[0].args[TENSOR_ARG].integer;
	arg->addresses[1].tensor = xmalloc(sizeof(*map));
	*arg->addresses[1].tensor = *map;
	back = round_trip(work);
	got = back->launches[0].args[0].addresses;
	assert_int_equal(back->launches[0].args[0].address_count, 2);
	assert_null(got[0].tensor);
	assert_int_equal(got[1].offset, 128);
	assert_same_map(got[1].tensor, map);
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
	set_user_args(&check->launches[0]);
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
	check->items[0] = (struct case_check_item){1, xstrdup("sum(x) \"\\\n"), false};
	check->item_count = 1;
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_EXPRESSION);
	assert_int_equal(back->check.item_count, 1);
	assert_int_equal(back->check.items[0].buffer, 1);
	assert_string_equal(back->check.items[0].text, "sum(x) \"\\\n");
	assert_null(back->check.command);
	launch_case_free(back);

	check->items[0].is_file = true;
	back = round_trip(work);
	assert_int_equal(back->check.kind, CHECK_EXPRESSION);
	assert_true(back->check.items[0].is_file);
	launch_case_free(back);
	check->items[0].is_file = false;

	check->kind = CHECK_FILE;
	back = round_trip(work);
	assert_false(back->check.items[0].is_file);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_member_arrives),
		cmocka_unit_test(test_im2col_maps),
		cmocka_unit_test(test_maps_in_structs),
		cmocka_unit_test(test_types_and_fills),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_a_built_in_case_says_nothing_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
