/* Tensor maps: their bytes, and the rules of the driver. */
#include "support_machine.h"

#include <string.h>

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map plain = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

static void a_map_survives_its_bytes(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_BF16,
		.rank = 5,
		.address = 0x7f0000001230,
		.sizes = {UINT64_C(1) << 32, 2, 3, 4, 5},
		.strides = {0, 32, (UINT64_C(1) << 40) - 16, 16, 48},
		.box = {8, 256, 1, 7, 9},
		.steps = {1, 8, 1, 2, 3},
		.swizzle = SWIZZLE_64B,
		.fills_nan = true,
	};
	unsigned char bytes[TENSOR_MAP_BYTES];
	struct tensor_map back = {0};
	struct error err;

	(void)state;
	assert_int_equal(tensor_map_encode(bytes, &map, &err), 0);
	assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
	assert_int_equal(back.type, map.type);
	assert_int_equal(back.rank, map.rank);
	assert_int_equal(back.address, map.address);
	assert_memory_equal(back.sizes, map.sizes, sizeof(map.sizes));
	assert_memory_equal(back.strides, map.strides, sizeof(map.strides));
	assert_memory_equal(back.box, map.box, sizeof(map.box));
	assert_memory_equal(back.steps, map.steps, sizeof(map.steps));
	assert_int_equal(back.swizzle, map.swizzle);
	assert_true(back.fills_nan);
}

static void an_im2col_map_survives_its_bytes(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_F16,
		.rank = 4,
		.address = 0x1230,
		.sizes = {64, 9, 14, 3},
		.strides = {0, 128, 1152, 16128},
		.steps = {1, 2, 3, 1},
		.im2col = true,
		.channels = 256,
		.pixels = 1024,
		.lower = {-128, 127},
		.upper = {-7, 126},
	};
	unsigned char bytes[TENSOR_MAP_BYTES];
	struct tensor_map back = {0};
	struct error err;

	(void)state;
	assert_int_equal(tensor_map_encode(bytes, &map, &err), 0);
	assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
	assert_true(back.im2col);
	assert_int_equal(back.channels, map.channels);
	assert_int_equal(back.pixels, map.pixels);
	assert_memory_equal(back.lower, map.lower, sizeof(map.lower));
	assert_memory_equal(back.upper, map.upper, sizeof(map.upper));
	assert_memory_equal(back.sizes, map.sizes, sizeof(map.sizes));
	assert_memory_equal(back.steps, map.steps, sizeof(map.steps));
	assert_int_equal(tensor_map_row_bytes(&back), 512);
	assert_int_equal(tensor_map_box_bytes(&back), 512 * 1024);
}

static void im2col_maps_that_the_driver_refuses_are_refused(void **state)
{
	/* 16 channels of u32, 9 wide, 14 high, 3 images. */
	const struct tensor_map good = {
		.type = TENSOR_U32,
		.rank = 4,
		.sizes = {16, 9, 14, 3},
		.strides = {0, 64, 576, 8064},
		.steps = {1, 1, 1, 1},
		.im2col = true,
		.channels = 8,
		.pixels = 16,
		.lower = {-1, -1},
		.upper = {-1, -1},
	};
	struct tensor_map flat = good, many = good, none = good, pixels = good, empty = good;
	struct tensor_map low = good, high = good, row = good, span = good;
	const struct {
		struct tensor_map *map;
		const char *words;
	} refused[] = {
		{&flat, "3 to 5 dimensions (channels, width, …, images), not 2"},
		{&many, "moves 257 channels of a pixel; it moves 1 to 256"},
		{&none, "moves 0 channels"},
		{&pixels, "moves 1025 pixels; it moves 1 to 1024"},
		{&empty, "is empty in dimension 2: from 3 to 2"},
		{&low, "corners -129 and -1 of an im2col map in dimension 1; with 4 dimensions "
		       "corners are -128 to 127"},
		{&high, "corners -1 and 16 of an im2col map in dimension 1; with 5 dimensions "
			"corners are -16 to 15"},
		{&row, "a pixel of a tensor map has 24 bytes (6 elements of u32); it must have a "
		       "multiple of 16 bytes"},
		{&span, "a pixel of a tensor map has 48 bytes; with a swizzle of 32 bytes"},
	};
	unsigned char bytes[TENSOR_MAP_BYTES];
	struct error err;

	(void)state;
	assert_int_equal(tensor_map_encode(bytes, &good, &err), 0);
	flat.rank = 2;
	many.channels = 257;
	none.channels = 0;
	pixels.pixels = 1025;
	empty.lower[1] = 3;
	empty.upper[1] = -11;
	low.lower[0] = -129;
	high.rank = 5;
	high.sizes[4] = high.steps[4] = 1;
	high.upper[0] = 16;
	row.channels = 6;
	span.channels = 12;
	span.swizzle = SWIZZLE_32B;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (tensor_map_encode(bytes, refused[i].map, &err) != PL_EUSAGE ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].words, err.text);
	}
}

static void interleaved_maps_have_rules_of_their_own(void **state)
{
	const struct tensor_map good = {
		.type = TENSOR_F16,
		.rank = 4,
		.address = 0x1020,
		.sizes = {9, 14, 4, 3},
		.strides = {0, 288, 4032, 16128},
		.box = {8, 2, 256, 3},
		.steps = {3, 1, 8, 1},
		.interleave = 32,
		.swizzle = SWIZZLE_64B,
	};
	struct tensor_map flat = good, slices = good, address = good, stride = good, row = good;
	struct tensor_map images = good, channels, corner, back = {0};
	const struct {
		struct tensor_map *map;
		int rc;
		const char *words;
	} refused[] = {
		{&flat, PL_EUSAGE, "an interleaved tensor map has 3 to 5 dimensions, not 2"},
		{&slices, PL_EUSAGE, "slices of 64 bytes; slices have 16 or 32"},
		{&address, PL_EUSAGE, "begins at 0x1010, which is not a multiple of 32"},
		{&stride, PL_EUSAGE,
		 "dimension 1 of a tensor map is 272 bytes; strides are "
		 "multiples of 32"},
		{&row, PL_EUSAGE,
		 "is 12 in dimension 0, and so many elements of f16 have 24 bytes"},
		{&channels, PL_EUSAGE,
		 "has 12 channels of a pixel, and so many elements of f16 have 24 bytes"},
		{&corner, PL_EUSAGE,
		 "the bounding box of an im2col map is empty in dimension 0: from 0 to -1"},
	};
	unsigned char bytes[TENSOR_MAP_BYTES];
	struct error err;

	(void)state;
	assert_int_equal(tensor_map_encode(bytes, &good, &err), 0);
	assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
	assert_int_equal(back.interleave, 32);
	for (unsigned i = 0; i < 3; i++) {
		assert_null(tensor_map_replace(bytes, FIELD_INTERLEAVE, 0, i));
		assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
		assert_int_equal(back.interleave, 16 * i);
	}
	/* A copy does not demand what the driver demands of the box. */
	assert_null(tensor_map_replace(bytes, FIELD_BOX, 0, 12));
	assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
	assert_int_equal(back.box[0], 12);
	/* 3 slices of dimension 0, and one of the channels. */
	assert_int_equal(tensor_map_row_bytes(&good), 3 * 32);
	assert_int_equal(tensor_map_box_bytes(&good), 3 * 32 * 2 * 3);
	assert_int_equal(tensor_map_extent(&good), 2 * 16128 + 3 * 4032 + 13 * 288 + 9 * 32);
	flat.rank = 2;
	slices.interleave = 64;
	address.address = 0x1010;
	stride.strides[1] = 272;
	row.box[0] = 12;
	images.im2col = true;
	images.channels = 256;
	images.pixels = 8;
	memset(images.box, 0, sizeof(images.box));
	images.lower[0] = -2;
	images.lower[1] = 3;
	images.upper[1] = -2;
	channels = corner = images;
	channels.channels = 12;
	corner.lower[0] = 0;
	corner.upper[0] = -9;
	/* A pixel is one slice. */
	assert_int_equal(tensor_map_encode(bytes, &images, &err), 0);
	assert_int_equal(tensor_map_decode(&back, bytes, &err), 0);
	assert_memory_equal(&back, &images, sizeof(back));
	assert_int_equal(tensor_map_row_bytes(&images), 32);
	assert_int_equal(tensor_map_box_bytes(&images), 8 * 32);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (tensor_map_encode(bytes, refused[i].map, &err) != refused[i].rc ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].words, err.text);
	}
}

static void other_bytes_are_no_map(void **state)
{
	unsigned char bytes[TENSOR_MAP_BYTES] = {0}, good[TENSOR_MAP_BYTES];
	struct tensor_map back = {.rank = 77};
	struct error err;

	(void)state;
	assert_int_equal(tensor_map_decode(&back, bytes, &err), PL_EPARSE);
	assert_int_equal(tensor_map_encode(good, &plain, &err), 0);
	/* Whatever a byte becomes, a map that is read obeys the rules. */
	for (size_t i = 0; i < sizeof(good); i++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(bytes, good, sizeof(bytes));
			bytes[i] = (unsigned char)value;
			if (!tensor_map_decode(&back, bytes, &err))
				assert_int_equal(tensor_map_encode(bytes, &back, &err), 0);
			else
				assert_true(i < sizeof(good) - 1);
		}
	good[0] ^= 1;
	back.rank = 77;
	assert_int_equal(tensor_map_decode(&back, good, &err), PL_EPARSE);
	assert_int_equal(back.rank, 77);
}

static void maps_that_the_driver_refuses_are_refused(void **state)
{
	struct tensor_map rank = plain, address = plain, size = plain, large = plain, box = plain;
	struct tensor_map empty = plain, step = plain, stride = plain, far = plain, row = plain;
	struct tensor_map span = plain, fill = plain, many = plain;
	const struct {
		struct tensor_map *map;
		const char *words;
	} refused[] = {
		{&rank, "1 to 5 dimensions, not 0"},
		{&many, "1 to 5 dimensions, not 6"},
		{&address, "begins at 0x1008, which is not a multiple of 16"},
		{&size, "size 1 of a tensor map is 0; sizes are 1 to 2^32"},
		{&large, "size 0 of a tensor map is 4294967297; sizes are 1 to 2^32"},
		{&box, "size 1 of the box of a tensor map is 257; these sizes are 1 to 256"},
		{&empty, "size 0 of the box of a tensor map is 0"},
		{&step, "element stride 1 of a tensor map is 9; element strides are 1 to 8"},
		{&stride, "the stride of dimension 1 of a tensor map is 100 bytes; strides are "
			  "multiples of 16 below 2^40"},
		{&far, "is 1099511627776 bytes"},
		{&row, "has 24 bytes (6 elements of u32); it must have a multiple of 16 bytes"},
		{&span, "has 48 bytes; with a swizzle of 32 bytes it has at most 32"},
		{&fill, "fills with NaN, but its elements are u32"},
	};
	unsigned char bytes[TENSOR_MAP_BYTES];

	(void)state;
	rank.rank = 0;
	many.rank = 6;
	address.address = 0x1008;
	size.sizes[1] = 0;
	large.sizes[0] = (UINT64_C(1) << 32) + 1;
	box.box[1] = 257;
	empty.box[0] = 0;
	step.steps[1] = 9;
	stride.strides[1] = 100;
	far.strides[1] = UINT64_C(1) << 40;
	row.box[0] = 6;
	span.box[0] = 12;
	span.swizzle = SWIZZLE_32B;
	fill.fills_nan = true;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct error err = {0};

		if (tensor_map_encode(bytes, refused[i].map, &err) != PL_EUSAGE ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].words, err.text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_survives_its_bytes),
		cmocka_unit_test(an_im2col_map_survives_its_bytes),
		cmocka_unit_test(other_bytes_are_no_map),
		cmocka_unit_test(maps_that_the_driver_refuses_are_refused),
		cmocka_unit_test(im2col_maps_that_the_driver_refuses_are_refused),
		cmocka_unit_test(interleaved_maps_have_rules_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
