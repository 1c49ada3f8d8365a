#include "user_case.h"
#include "support.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

void set_user_args(struct case_launch *launch)
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
	static const struct arg_address addresses[] = {{3, 1, 0, NULL}, {12, 0, 4, NULL}};

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

struct launch_case *make_user_case(void)
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
	set_user_args(&work->launches[0]);
	work->launches[0].cluster[0] = 2;
	work->launches[0].cluster[2] = 3;
	work->launches[1].cooperative = true;
	work->launches[1].has_carveout = true;
	work->check.kind = CHECK_NONE;
	work->is_replacement = true;
	return work;
}
