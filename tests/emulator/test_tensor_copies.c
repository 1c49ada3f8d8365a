/* Tensor copies to shared memory: boxes, swizzles, elements outside, rounding, and what is wrong.
 */
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

#define LOAD(rank) \
	"cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"

/* ---- boxes ---- */

/* 4 KiB of shared memory at %r19, 1024-byte aligned, and an mbarrier at %r20. One thread runs. */
#define BOX                                                                   \
	".shared .align 1024 .b8 area[4096];\n.shared .align 8 .b8 bar[8];\n" \
	"mov.u32 %r19, area;\nmov.u32 %r20, bar;\nmbarrier.init.shared.b64 [%r20], 1;\n"
#define WAIT "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n@!%p2 bra WAIT;\n"
/* Copies `words` words from %r19 + `at` to out. */
#define DUMP(at, words)                                                                    \
	"mov.u32 %r5, 0;\nAGAIN:\nld.shared.u32 %r4, [%r19+" at                            \
	"];\nst.global.u32 [%rd1], %r4;\nadd.u32 %r19, %r19, 4;\nadd.s64 %rd1, %rd1, 4;\n" \
	"add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, " words ";\n@%p3 bra AGAIN;\nret;\n"
#define ANNOUNCE(bytes) "mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n"
/* Loads a box to %r19 + `at`, and copies its words to out. */
#define LOAD_BOX(rank, at, coordinates, bytes, words)                                            \
	MACHINE_MAP_KERNEL(BOX ANNOUNCE(bytes) LOAD(rank) " [%r19+" at "], [%rd9, {" coordinates \
							  "}], [%r20];\n" WAIT DUMP(at, words))

/* Word i of the input is i + 1, so that no word is 0. */
#define IN_WORDS 2048
static uint32_t input[IN_WORDS];

static int number_words(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < IN_WORDS; i++)
		input[i] = i + 1;
	return 0;
}

static struct machine_result run(const char *ptx, const struct tensor_map *map, size_t words)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .in = input,
						  .in_words = IN_WORDS,
						  .out_words = words,
						  .map = map,
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx, const struct tensor_map *map, size_t words)
{
	struct machine_result result = run(ptx, map, words);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static void assert_told(const char *ptx, const struct tensor_map *map, enum finding_kind kind,
			const char *words)
{
	struct machine_result result = run(ptx, map, 32);

	assert_finding(&result, kind, 0, words);
	machine_release(&result);
}

static void a_box_is_copied_row_by_row(void **state)
{
	struct machine_result result =
		run_clean(LOAD_BOX("2d", "0", "4, 5", "128", "32"), &plain, 32);

	(void)state;
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x], 24 * (y + 5) + x + 4 + 1);
	machine_release(&result);
}

static void elements_outside_are_zero(void **state)
{
	/* Four columns to the left, and two rows above. */
	struct machine_result result =
		run_clean(LOAD_BOX("2d", "0", "-4, -2", "128", "32"), &plain, 32);

	(void)state;
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x],
					 x < 4 || y < 2 ? 0 : 24 * (y - 2) + x - 4 + 1);
	machine_release(&result);
	/* A box beyond the end: 4 columns and 2 rows of it are inside. */
	result = run_clean(LOAD_BOX("2d", "0", "20, 14", "128", "32"), &plain, 32);
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x],
					 x > 3 || y > 1 ? 0 : 24 * (y + 14) + x + 20 + 1);
	machine_release(&result);
	/* Far outside, where products of coordinates would overflow. */
	result = run_clean(LOAD_BOX("2d", "0", "0x7ffffffc, 0x80000000", "128", "32"), &plain, 32);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 0);
	machine_release(&result);
}

/* It is the same pattern in each type, and loads of tf32 do not round it. */
static void elements_outside_can_be_nan(void **state)
{
	static const enum tensor_type types[] = {TENSOR_F16, TENSOR_BF16, TENSOR_F32, TENSOR_F64,
						 TENSOR_TF32};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(types); k++) {
		const unsigned bytes = tensor_type_bytes(types[k]);
		struct tensor_map map = plain;
		struct machine_result result;

		map.type = types[k];
		map.sizes[0] = 96 / bytes;
		map.box[0] = 32 / bytes;
		map.fills_nan = true;
		result = run_clean(LOAD_BOX("2d", "0", "0, -2", "128", "32"), &map, 32);
		for (uint32_t i = 0; i < 16; i++)
			assert_int_equal(result.out[i], 0x7ff77ff7);
		for (uint32_t i = 16; i < 32 && types[k] != TENSOR_TF32; i++)
			assert_int_equal(result.out[i], 24 * (i / 8 - 2) + i % 8 + 1);
		machine_release(&result);
	}
}

/* Steps of 2 along dimension 1: 3 of 5 rows; that of dimension 0 has no effect. */
static void element_strides_skip_rows(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.box[1] = 5;
	map.steps[0] = 3;
	map.steps[1] = 2;
	result = run_clean(LOAD_BOX("2d", "0", "0, 1", "96", "24"), &map, 24);
	for (uint32_t i = 0; i < 24; i++)
		assert_int_equal(result.out[i], 24 * (1 + 2 * (i / 8)) + i % 8 + 1);
	machine_release(&result);
}

static void tensors_have_one_to_five_dimensions(void **state)
{
	const struct tensor_map line = {
		.type = TENSOR_U16, .rank = 1, .sizes = {100}, .box = {16}, .steps = {1}};
	/* 4 x 3 x 2 x 2 x 3 words; a box of 4 x 2 x 1 x 2 x 2. */
	const struct tensor_map five = {
		.type = TENSOR_U32,
		.rank = 5,
		.address = 64,
		.sizes = {4, 3, 2, 2, 3},
		.strides = {0, 16, 48, 96, 192},
		.box = {4, 2, 1, 2, 2},
		.steps = {1, 1, 1, 1, 1},
	};
	struct machine_result result = run_clean(LOAD_BOX("1d", "128", "88", "32", "8"), &line, 8);
	const unsigned char *halves = (const unsigned char *)input;

	(void)state;
	/* 12 of 16 elements are inside. */
	assert_memory_equal(result.out, halves + 176, 24);
	for (size_t i = 24; i < 32; i++)
		assert_int_equal(((unsigned char *)result.out)[i], 0);
	machine_release(&result);
	result = run_clean(LOAD_BOX("5d", "0", "0, 2, 1, 0, 1", "128", "32"), &five, 32);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t x = i % 4, y = 2 + i / 4 % 2, w = i / 8 % 2, v = 1 + i / 16;
		uint32_t expected = y > 2 ? 0 : 16 + x + 4 * y + 12 + 24 * w + 48 * v + 1;

		assert_int_equal(result.out[i], expected);
	}
	machine_release(&result);
}

/* ---- swizzles ---- */

/* Rows as long as the span. The first chunk of row r of a 128-byte swizzle is at chunk r % 8, of
 * 64 bytes at r / 2 % 4, of 32 bytes at r / 4 % 2. */
static void swizzles_move_chunks(void **state)
{
	static const struct {
		enum tensor_swizzle swizzle;
		uint32_t chunks, shift;
	} cases[] = {{SWIZZLE_128B, 8, 0}, {SWIZZLE_64B, 4, 1}, {SWIZZLE_32B, 2, 2}};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		const uint32_t chunks = cases[k].chunks, words = 4 * chunks;
		const struct tensor_map map = {
			.type = TENSOR_U32,
			.rank = 2,
			.sizes = {words, 64},
			.strides = {0, 4 * words},
			.box = {words, 512 / words},
			.steps = {1, 1},
			.swizzle = cases[k].swizzle,
		};
		struct machine_result result =
			run_clean(LOAD_BOX("2d", "0", "0, 0", "2048", "512"), &map, 512);

		for (uint32_t i = 0; i < 512; i++) {
			uint32_t row = i / words, chunk = i % words / 4;
			uint32_t from = chunk ^ (row >> cases[k].shift & (chunks - 1));

			assert_int_equal(result.out[i], row * words + 4 * from + i % 4 + 1);
		}
		machine_release(&result);
	}
}

/* The pattern follows the address, not the row of the box: here from row 3 of 8 on. */
static void a_swizzle_depends_on_the_address(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {32, 2},
		.strides = {0, 128},
		.box = {32, 2},
		.steps = {1, 1},
		.swizzle = SWIZZLE_128B,
	};
	struct machine_result result =
		run_clean(LOAD_BOX("2d", "384", "0, 0", "256", "64"), &map, 64);

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(result.out[i],
				 32 * (i / 32) + 4 * (i % 32 / 4 ^ (3 + i / 32)) + i % 4 + 1);
	machine_release(&result);
}

/* Sets so many bytes from %r19 on to words of 7. */
#define SEVENS(bytes)                                               \
	"mov.u32 %r5, %r19;\nadd.u32 %r6, %r19, " bytes             \
	";\nFILL:\nst.shared.u32 [%r5], 7;\nadd.u32 %r5, %r5, 4;\n" \
	"setp.lt.u32 %p3, %r5, %r6;\n@%p3 bra FILL;\nfence.proxy.async;\n"

/* Each row begins a span. The chunks between keep their words, and may be used meanwhile. */
static void short_rows_leave_chunks_of_the_span(void **state)
{
	static const char ptx[] = MACHINE_MAP_KERNEL(BOX SEVENS("512") ANNOUNCE("128") LOAD(
		"2d") " [%r19], [%rd9, {0, 0}], [%r20];\n"
		      "st.shared.u32 [%r19+64], 8;\n" WAIT DUMP("0", "128"));
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.swizzle = SWIZZLE_128B;
	result = run_clean(ptx, &map, 128);
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t row = i / 32, chunk = i % 32 / 4 ^ row;

		if (chunk < 2)
			assert_int_equal(result.out[i], 24 * row + 4 * chunk + i % 4 + 1);
		else
			assert_int_equal(result.out[i], i == 16 ? 8 : 7);
	}
	assert_int_equal(result.counts.bulk_bytes, 128);
	machine_release(&result);
	/* The last span must be there as a whole. */
	assert_told(LOAD_BOX("2d", "3712", "0, 0", "128", "32"), &map, FINDING_OUT_OF_BOUNDS,
		    "a 512-byte bulk copy to shared memory at byte 3712");
}

/* ---- rounded values ---- */

/* Interleaved slices follow each other. The last ones, in half a span, change places with chunks
 * behind the box, and leave theirs. */
static void slices_that_end_within_a_span_are_swizzled(void **state)
{
	static const char ptx[] = MACHINE_MAP_KERNEL(BOX SEVENS("640") ANNOUNCE("576") LOAD(
		"3d") " [%r19], [%rd9, {0, 0, 0}], [%r20];\n" WAIT DUMP("0", "160"));
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 3,
		.sizes = {4, 1, 9},
		.strides = {0, 64, 64},
		.box = {4, 1, 9},
		.steps = {1, 1, 1},
		.interleave = 16,
		.swizzle = SWIZZLE_128B,
	};
	struct machine_result result = run_clean(ptx, &map, 160);

	(void)state;
	for (uint32_t i = 0; i < 160; i++) {
		const uint32_t from = i ^ i / 32 % 8 * 4;

		assert_int_equal(result.out[i], from < 144 ? from + 1 : 7);
	}
	machine_release(&result);
}

/* tf32 has 10 bits of fraction: the last one is 0x2000. */
static void loads_of_tf32_round_to_nearest_even(void **state)
{
	static const uint32_t values[8][2] = {
		{0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000}, /* a tie, to even */
		{0x3f801001, 0x3f802000}, {0xbf803000, 0xbf804000}, /* a tie, to even */
		{0x7f7fffff, 0x7f800000}, {0x80001001, 0x80002000}, /* subnormal */
		{0x80000001, 0x80000000}, {0xff812345, 0x7fffe000}, /* NaN */
	};
	static const enum tensor_type rounded[] = {TENSOR_TF32, TENSOR_TF32_FTZ};
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		input[i] = values[i][0];
	map.box[1] = 1;
	for (size_t k = 0; k < ARRAY_SIZE(rounded); k++) {
		map.type = rounded[k];
		result = run_clean(LOAD_BOX("2d", "0", "0, 0", "32", "8"), &map, 8);
		for (uint32_t i = 0; i < 8; i++)
			assert_int_equal(result.out[i], values[i][1]);
		machine_release(&result);
	}
	/* It has the bits of single precision, and keeps subnormals. */
	map.type = TENSOR_F32_FTZ;
	result = run_clean(LOAD_BOX("2d", "0", "0, 0", "32", "8"), &map, 8);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], values[i][0]);
	machine_release(&result);
	number_words(NULL);
}

/* ---- what is wrong ---- */

static void bad_maps_and_boxes_are_told(void **state)
{
	struct tensor_map map = plain;

	(void)state;
	assert_told(LOAD_BOX("1d", "0", "0", "128", "32"), &map, FINDING_BAD_MAP,
		    "a copy of 1 dimensions with a tensor map of 2");
	assert_told(MACHINE_MAP_KERNEL(BOX LOAD("2d") " [%r19], [%rd2, {0, 0}], [%r20];\nret;\n"),
		    &map, FINDING_BAD_MAP, "are not a tensor map; pass tensormap(…)");
	assert_told(MACHINE_MAP_KERNEL(BOX "mov.u64 %rd5, 16;\n" LOAD(
			    "2d") " [%r19], [%rd5, {0, 0}], [%r20];\nret;\n"),
		    &map, FINDING_BAD_MAP, "neither a parameter nor in global memory");
	/* Only a part of the 128 bytes is there. */
	assert_told(
		MACHINE_MAP_KERNEL(BOX LOAD("2d") " [%r19], [%rd1+64, {0, 0}], [%r20];\nret;\n"),
		&map, FINDING_BAD_MAP, "neither a parameter nor in global memory");
	assert_told(LOAD_BOX("2d", "64", "0, 0", "128", "32"), &map, FINDING_MISALIGNED,
		    "a 128-byte bulk copy to shared memory at byte 64, which is not a multiple of "
		    "128");
	assert_told(LOAD_BOX("2d", "4096", "0, 0", "128", "32"), &map, FINDING_OUT_OF_BOUNDS,
		    "a 128-byte bulk copy to shared memory at byte 4096");
	/* The tensor is larger than the buffer. */
	map.sizes[1] = 1000;
	assert_told(LOAD_BOX("2d", "0", "0, 500", "128", "32"), &map, FINDING_OUT_OF_BOUNDS,
		    "a 32-byte bulk copy from 0x");
	/* The phase waits for more than the whole box. */
	assert_told(LOAD_BOX("2d", "0", "20, 14", "160", "32"), &plain, FINDING_DEADLOCK,
		    "32 bytes are missing");
}

/* A GPU refuses these as illegal instructions. */
static void misaligned_coordinates_are_told(void **state)
{
	(void)state;
	assert_told(LOAD_BOX("2d", "0", "3, 0", "128", "32"), &plain, FINDING_MISALIGNED,
		    "a tensor copy at coordinate 3 of elements of 4 bytes; the first coordinate "
		    "must be a multiple of 16 bytes");
	assert_told(LOAD_BOX("2d", "0", "-2, 0", "128", "32"), &plain, FINDING_MISALIGNED,
		    "a tensor copy at coordinate -2 of elements of 4 bytes");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_box_is_copied_row_by_row),
		cmocka_unit_test(elements_outside_are_zero),
		cmocka_unit_test(elements_outside_can_be_nan),
		cmocka_unit_test(element_strides_skip_rows),
		cmocka_unit_test(tensors_have_one_to_five_dimensions),
		cmocka_unit_test(swizzles_move_chunks),
		cmocka_unit_test(a_swizzle_depends_on_the_address),
		cmocka_unit_test(short_rows_leave_chunks_of_the_span),
		cmocka_unit_test(slices_that_end_within_a_span_are_swizzled),
		cmocka_unit_test(loads_of_tf32_round_to_nearest_even),
		cmocka_unit_test(bad_maps_and_boxes_are_told),
		cmocka_unit_test(misaligned_coordinates_are_told),
	};

	return cmocka_run_group_tests(tests, number_words, NULL);
}
