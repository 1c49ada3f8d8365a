/* Tensor copies in im2col mode: which pixels they move, and what is wrong. */
#include "support_machine.h"

/* 3 images, 5 wide and 4 high, of 8 channels. */
#define CHANNELS 8
#define WIDTH 5
#define HEIGHT 4
#define IMAGES 3
#define IN_WORDS (CHANNELS * WIDTH * HEIGHT * IMAGES)

static const struct tensor_map images = {
	.type = TENSOR_U32,
	.rank = 4,
	.sizes = {CHANNELS, WIDTH, HEIGHT, IMAGES},
	.strides = {0, 4 * CHANNELS, 4 * CHANNELS *WIDTH, 4 * CHANNELS *WIDTH *HEIGHT},
	.steps = {1, 1, 1, 1},
	.im2col = true,
	.channels = CHANNELS,
	.pixels = 16,
};

static uint32_t input[IN_WORDS];

/* The channel c of the pixel (w, h) of image n; 0 outside. */
static uint32_t element(int n, int h, int w, int c)
{
	if (n < 0 || n >= IMAGES || h < 0 || h >= HEIGHT || w < 0 || w >= WIDTH || c < 0 ||
	    c >= CHANNELS)
		return 0;
	return (uint32_t)(1000 * n + 100 * h + 10 * w + c + 1);
}

static int paint(void **state)
{
	(void)state;
	for (int i = 0; i < IN_WORDS; i++)
		input[i] = element(i / (CHANNELS * WIDTH * HEIGHT), i / (CHANNELS * WIDTH) % HEIGHT,
				   i / CHANNELS % WIDTH, i % CHANNELS);
	return 0;
}

/* 8 KiB of shared memory at %r19, and an mbarrier at %r20. One thread runs. */
#define AREA                                                                  \
	".shared .align 1024 .b8 area[8192];\n.shared .align 8 .b8 bar[8];\n" \
	"mov.u32 %r19, area;\nmov.u32 %r20, bar;\nmbarrier.init.shared.b64 [%r20], 1;\n"
#define LOAD_IMAGE(rank) \
	"cp.async.bulk.tensor." rank ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
/* Loads `bytes` bytes and copies them to out. */
#define LOAD_PIXELS(rank, at, offsets, bytes)                                                   \
	MACHINE_MAP_KERNEL(                                                                     \
		AREA "mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n" LOAD_IMAGE( \
			rank) " [%r19], [%rd9, {" at "}], [%r20], {" offsets "};\n"             \
			      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n"    \
			      "@!%p2 bra WAIT;\nmov.u32 %r5, 0;\nAGAIN:\nld.shared.u32 %r4, "   \
			      "[%r19];\n"                                                       \
			      "st.global.u32 [%rd1], %r4;\nadd.u32 %r19, %r19, 4;\n"            \
			      "add.s64 %rd1, %rd1, 4;\nadd.u32 %r5, %r5, 4;\nsetp.lt.u32 %p3, " \
			      "%r5, " bytes ";\n@%p3 bra AGAIN;\nret;\n")

static struct machine_result run(const char *ptx, const struct tensor_map *map)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .in = input,
						  .in_words = IN_WORDS,
						  .out_words = tensor_map_box_bytes(map) / 4,
						  .map = map,
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx, const struct tensor_map *map)
{
	struct machine_result result = run(ptx, map);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static void assert_told(const char *ptx, const struct tensor_map *map, enum finding_kind kind,
			const char *words)
{
	struct machine_result result = run(ptx, map);

	assert_finding(&result, kind, 0, words);
	machine_release(&result);
}

/* ---- pixels ---- */

/*
 * A convolution with a filter of 3 x 3 and a padding of 1 has as many results as the images have
 * pixels. The element (r, s) of the filter meets the pixel at (h + r - 1, w + s - 1).
 */
static void offsets_choose_an_element_of_a_filter(void **state)
{
	static const struct {
		int r, s;
		const char *ptx;
	} filters[] = {
		{0, 0, LOAD_PIXELS("4d", "0, -1, -1, 0", "0, 0", "1920")},
		{0, 2, LOAD_PIXELS("4d", "0, -1, -1, 0", "2, 0", "1920")},
		{1, 1, LOAD_PIXELS("4d", "0, -1, -1, 0", "1, 1", "1920")},
		{2, 0, LOAD_PIXELS("4d", "0, -1, -1, 0", "0, 2", "1920")},
	};
	struct tensor_map map = images;

	(void)state;
	map.pixels = WIDTH * HEIGHT * IMAGES;
	map.lower[0] = map.lower[1] = -1;
	map.upper[0] = map.upper[1] = -1;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct machine_result result = run_clean(filters[i].ptx, &map);

		for (int p = 0; p < WIDTH * HEIGHT * IMAGES; p++)
			for (int c = 0; c < CHANNELS; c++)
				assert_int_equal(result.out[p * CHANNELS + c],
						 element(p / (WIDTH * HEIGHT),
							 p / WIDTH % HEIGHT + filters[i].r - 1,
							 p % WIDTH + filters[i].s - 1, c));
		machine_release(&result);
	}
}

/* Corners that differ: a filter 3 wide and 2 high without padding has 3 x 3 results. */
static void the_first_corner_is_that_of_the_width(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.pixels = 9;
	map.upper[0] = -2;
	map.upper[1] = -1;
	result = run_clean(LOAD_PIXELS("4d", "0, 0, 0, 1", "2, 1", "288"), &map);
	for (int p = 0; p < 9; p++)
		for (int c = 0; c < CHANNELS; c++)
			assert_int_equal(result.out[p * CHANNELS + c],
					 element(1, p / 3 + 1, p % 3 + 2, c));
	machine_release(&result);
}

/* From the middle of an image to behind the last one. */
static void a_copy_goes_on_in_the_next_image(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.pixels = 32;
	result = run_clean(LOAD_PIXELS("4d", "0, 3, 2, 1", "0, 0", "1024"), &map);
	for (int i = 0; i < 32; i++) {
		const int p = 1 * WIDTH * HEIGHT + 2 * WIDTH + 3 + i;

		assert_int_equal(result.out[i * CHANNELS + 5],
				 element(p / (WIDTH * HEIGHT), p / WIDTH % HEIGHT, p % WIDTH, 5));
	}
	assert_int_equal(result.out[26 * CHANNELS], 2341); /* the last pixel of all */
	assert_int_equal(result.out[27 * CHANNELS], 0);
	machine_release(&result);
}

/* Strides of a convolution: 2 along the width, 3 along the height, with a padding of 1. Each image
 * has 3 x 2 results. */
static void traversal_strides_skip_pixels(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.pixels = 12;
	map.lower[0] = map.lower[1] = -1;
	map.upper[0] = map.upper[1] = -1;
	map.steps[1] = 2;
	map.steps[2] = 3;
	result = run_clean(LOAD_PIXELS("4d", "0, -1, -1, 0", "1, 2", "384"), &map);
	for (int p = 0; p < 12; p++)
		for (int c = 0; c < CHANNELS; c++)
			assert_int_equal(
				result.out[p * CHANNELS + c],
				element(p / 6, p / 3 % 2 * 3 - 1 + 2, p % 3 * 2 - 1 + 1, c));
	machine_release(&result);
}

/* The images 0 and 2, and then outside. */
static void a_stride_skips_images(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.pixels = 48;
	map.steps[3] = 2;
	result = run_clean(LOAD_PIXELS("4d", "0, 0, 0, 0", "0, 0", "1536"), &map);
	for (int i = 0; i < 48; i++) {
		const int p = i % (WIDTH * HEIGHT), n = i / (WIDTH * HEIGHT);

		assert_int_equal(result.out[i * CHANNELS + 5],
				 element(2 * n, p / WIDTH, p % WIDTH, 5));
	}
	machine_release(&result);
}

static void some_channels_are_copied(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.type = TENSOR_F32;
	map.fills_nan = true;
	result = run_clean(LOAD_PIXELS("4d", "4, 1, 0, 0", "0, 0", "512"), &map);
	for (int c = 0; c < CHANNELS; c++)
		if (c < 4)
			assert_int_equal(result.out[c], element(0, 0, 1, c + 4));
		else
			assert_int_equal(result.out[c], 0x7ff77ff7);
	machine_release(&result);
}

static void images_have_one_to_three_dimensions(void **state)
{
	/* The words of `images` as 12 images, 5 wide, and as 2 of 3 x 2 x 5. */
	struct tensor_map three = images, five = images;
	struct machine_result result;

	(void)state;
	three.rank = 3;
	three.sizes[2] = 12;
	three.lower[0] = -1;
	result = run_clean(LOAD_PIXELS("3d", "0, -1, 2", "1", "512"), &three);
	for (int p = 0; p < 16; p++) /* 6 positions in each */
		assert_int_equal(result.out[p * CHANNELS],
				 p % 6 == 5 ? 0
					    : element((2 + p / 6) / 4, (2 + p / 6) % 4, p % 6, 0));
	machine_release(&result);

	five.rank = 5;
	five.sizes[2] = 2;
	five.sizes[3] = 3;
	five.sizes[4] = 2;
	five.strides[3] = five.strides[2] * 2;
	five.strides[4] = five.strides[2] * 6;
	five.steps[4] = 1;
	five.upper[2] = -1;
	result = run_clean(LOAD_PIXELS("5d", "0, 0, 1, 1, 0", "0, 0, 1", "512"), &five);
	for (int p = 0; p < 16; p++) {
		/* the rest of the last depth of the box, then the next volume */
		const int row = p < 5 ? 2 * 2 + 1 : 6 + 1 * 2 + (p - 5) / 5;

		assert_int_equal(result.out[p * CHANNELS],
				 p == 15 ? element(2, 2, 0, 0)
					 : element(row / 4, row % 4, p % 5, 0));
	}
	machine_release(&result);
}

/* Without a swizzle, row p begins at byte 32 p. With 32 bytes, bit 7 exchanges its halves. */
static void pixels_are_swizzled(void **state)
{
	struct machine_result result;
	struct tensor_map map = images;

	(void)state;
	map.swizzle = SWIZZLE_32B;
	result = run_clean(LOAD_PIXELS("4d", "0, 0, 0, 0", "0, 0", "512"), &map);
	for (int p = 0; p < 16; p++)
		for (int c = 0; c < CHANNELS; c++)
			assert_int_equal(result.out[p * CHANNELS + (c ^ (p & 4))],
					 element(0, p / WIDTH, p % WIDTH, c));
	machine_release(&result);
}

/* NC/4HWC4: the slices of 4 channels are apart, and a copy moves one of them. */
static void interleaved_images_have_slices_of_channels(void **state)
{
	static const char ptx[] = LOAD_PIXELS("4d", "-1, -1, 1, 0", "2, 0", "960");
	static uint32_t slices[IN_WORDS];
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 4,
		.sizes = {WIDTH, HEIGHT, CHANNELS / 4, IMAGES},
		.strides = {0, 16 * WIDTH, 16 * WIDTH * HEIGHT, 4 * CHANNELS * WIDTH * HEIGHT},
		.steps = {1, 1, 1, 1},
		.im2col = true,
		.interleave = 16,
		.channels = CHANNELS,
		.pixels = WIDTH * HEIGHT * IMAGES,
		.lower = {-1, -1},
		.upper = {-1, -1},
	};
	struct machine_result result;

	(void)state;
	for (int i = 0; i < IN_WORDS; i++)
		slices[i] = element(i / (CHANNELS * WIDTH * HEIGHT), i / (4 * WIDTH) % HEIGHT,
				    i / 4 % WIDTH, i / (4 * WIDTH * HEIGHT) % 2 * 4 + i % 4);
	result = machine_run(&(struct machine_case){.ptx = ptx,
						    .in = slices,
						    .in_words = IN_WORDS,
						    .out_words = 240,
						    .map = &map,
						    .checked_blocks = -1,
						    .check_global = true});
	assert_int_equal(result.findings.count, 0);
	for (int p = 0; p < WIDTH * HEIGHT * IMAGES; p++)
		for (int c = 0; c < 4; c++)
			assert_int_equal(result.out[p * 4 + c],
					 element(p / (WIDTH * HEIGHT), p / WIDTH % HEIGHT - 1,
						 p % WIDTH + 1, 4 + c));
	machine_release(&result);
}

static void a_copy_is_counted_with_its_bytes(void **state)
{
	struct machine_result result =
		run_clean(LOAD_PIXELS("4d", "0, 0, 0, 0", "0, 0", "512"), &images);

	(void)state;
	assert_int_equal(result.counts.bulk_copies, 1);
	assert_int_equal(result.counts.bulk_bytes, 512);
	machine_release(&result);
}

/* ---- stores ---- */

#define STORE_PIXELS(operation)                                                          \
	MACHINE_MAP_KERNEL(".shared .align 128 .b8 area[64];\nmov.u32 %r19, area;\n"     \
			   "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\n"             \
			   "add.u32 %r6, %r1, 1;\nst.shared.u32 [%r5], %r6;\n"           \
			   "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n" \
			   "@%p1 cp." operation                                          \
			   ".im2col_no_offs.bulk_group [%rd9, {0, 1, 0}], [%r19];\n"     \
			   "@%p1 cp.async.bulk.commit_group;\n"                          \
			   "@%p1 cp.async.bulk.wait_group 0;\nret;\n")

/* 4 pixels of 4 channels to images 3 wide; the box is one narrower. */
static const struct tensor_map stored = {
	.type = TENSOR_U32,
	.rank = 3,
	.sizes = {4, 3, 2},
	.strides = {0, 16, 48},
	.steps = {1, 1, 1},
	.im2col = true,
	.channels = 4,
	.pixels = 4,
	.upper = {-1},
};

static struct machine_result store(const char *ptx, const struct tensor_map *map)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .out_words = 24,
						  .block = {16, 1, 1},
						  .map = map,
						  .map_of_out = true,
						  .checked_blocks = -1,
						  .check_global = true});
}

/* The walk is (1, 0), (0, 1), (1, 1), and then outside. */
static void assert_stored(const struct machine_result *result, uint32_t times)
{
	static const int pixel[6] = {-1, 0, -1, 1, 2, -1};

	for (size_t i = 0; i < result->findings.count; i++)
		print_message("%s\n", result->findings.items[i].text);
	assert_int_equal(result->findings.count, 0);
	for (int i = 0; i < 24; i++)
		assert_int_equal(
			result->out[i],
			pixel[i / 4] < 0 ? 0 : times * (uint32_t)(4 * pixel[i / 4] + i % 4 + 1));
}

static void pixels_are_stored_within_the_images(void **state)
{
	struct machine_result result =
		store(STORE_PIXELS("async.bulk.tensor.3d.global.shared::cta"), &stored);

	(void)state;
	assert_stored(&result, 1);
	machine_release(&result);
	result = store(STORE_PIXELS("reduce.async.bulk.tensor.3d.global.shared::cta.add"), &stored);
	assert_stored(&result, 1);
	machine_release(&result);
}

/* A GPU refuses them wherever they end: the last of these ends within the image. */
static void stores_beyond_the_images_are_told(void **state)
{
	static const char *const kernels[] = {
		STORE_PIXELS("async.bulk.tensor.3d.global.shared::cta"),
		STORE_PIXELS("reduce.async.bulk.tensor.3d.global.shared::cta.add"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct tensor_map map = stored;
		struct machine_result result;

		map.upper[0] = 1;
		result = store(kernels[i], &map);
		assert_finding(&result, FINDING_OUT_OF_BOUNDS, 0,
			       "an im2col copy from shared memory, with a bounding box that goes "
			       "beyond the tensor in dimension 1, with the corners 0 and 1");
		machine_release(&result);
		map.upper[0] = 0;
		map.lower[0] = -1;
		result = store(kernels[i], &map);
		assert_finding(&result, FINDING_OUT_OF_BOUNDS, 0, "with the corners -1 and 0");
		machine_release(&result);
		map.pixels = 1;
		result = store(kernels[i], &map);
		assert_finding(&result, FINDING_OUT_OF_BOUNDS, 0, "with the corners -1 and 0");
		machine_release(&result);
	}
}

/* Only the first 3 of 4 channels are inside. The fourth lies in the same chunk. */
static void the_last_chunk_of_a_pixel_is_stored_whole(void **state)
{
	struct tensor_map map = stored;
	struct machine_result result;

	(void)state;
	map.sizes[0] = 3;
	result = store(STORE_PIXELS("async.bulk.tensor.3d.global.shared::cta"), &map);
	assert_stored(&result, 1);
	machine_release(&result);
}

/* ---- findings ---- */

static void what_is_wrong_is_told(void **state)
{
	struct tensor_map tile = images, padded = images;

	(void)state;
	padded.lower[0] = -1;
	assert_told(LOAD_PIXELS("4d", "0, -2, 0, 0", "0, 0", "512"), &padded, FINDING_OUT_OF_BOUNDS,
		    "an im2col copy at coordinate -2 of dimension 1, outside of the bounding box "
		    "of the tensor map, which goes from -1 to 4");
	assert_told(LOAD_PIXELS("4d", "0, 0, 4, 0", "0, 0", "512"), &padded, FINDING_OUT_OF_BOUNDS,
		    "coordinate 4 of dimension 2, outside of the bounding box of the tensor map, "
		    "which goes from 0 to 3");
	assert_told(LOAD_PIXELS("4d", "0, 0, 0, 0", "0, 256", "512"), &images,
		    FINDING_OUT_OF_BOUNDS,
		    "the offset 256 in dimension 2; with 4 dimensions offsets are 0 to 255");
	assert_told(LOAD_PIXELS("4d", "1, 0, 0, 0", "0, 0", "512"), &images, FINDING_MISALIGNED,
		    "the first coordinate must be a multiple of 16 bytes");
	assert_told(LOAD_PIXELS("3d", "0, 0, 0", "0", "512"), &images, FINDING_BAD_MAP,
		    "a copy of 3 dimensions with a tensor map of 4");
	tile.im2col = false;
	for (int i = 0; i < 4; i++)
		tile.box[i] = 4;
	assert_told(LOAD_PIXELS("4d", "0, 0, 0, 0", "0, 0", "512"), &tile, FINDING_BAD_MAP,
		    "a copy in im2col mode with a tensor map of the tile mode");
	assert_told(MACHINE_MAP_KERNEL(
			    AREA "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
				 ".mbarrier::complete_tx::bytes [%r19], [%rd9, {0, 0, 0, 0}], "
				 "[%r20];\nret;\n"),
		    &images, FINDING_BAD_MAP,
		    "a copy in tile mode with a tensor map of the im2col mode");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_choose_an_element_of_a_filter),
		cmocka_unit_test(the_first_corner_is_that_of_the_width),
		cmocka_unit_test(a_copy_goes_on_in_the_next_image),
		cmocka_unit_test(traversal_strides_skip_pixels),
		cmocka_unit_test(a_stride_skips_images),
		cmocka_unit_test(some_channels_are_copied),
		cmocka_unit_test(images_have_one_to_three_dimensions),
		cmocka_unit_test(pixels_are_swizzled),
		cmocka_unit_test(interleaved_images_have_slices_of_channels),
		cmocka_unit_test(a_copy_is_counted_with_its_bytes),
		cmocka_unit_test(pixels_are_stored_within_the_images),
		cmocka_unit_test(stores_beyond_the_images_are_told),
		cmocka_unit_test(the_last_chunk_of_a_pixel_is_stored_whole),
		cmocka_unit_test(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, paint, NULL);
}
