/* Tensor maps and tensor copies: rules of maps, what is decoded, boxes, swizzles, elements outside,
 * reductions, and what is wrong. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- maps ---- */

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
	assert_true(tensor_map_decode(&back, bytes));
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

static void other_bytes_are_no_map(void **state)
{
	unsigned char bytes[TENSOR_MAP_BYTES] = {0}, good[TENSOR_MAP_BYTES];
	struct tensor_map back = {.rank = 77};
	struct error err;

	(void)state;
	assert_false(tensor_map_decode(&back, bytes));
	assert_int_equal(tensor_map_encode(good, &plain, &err), 0);
	/* Whatever a byte becomes, a map that is read obeys the rules. */
	for (size_t i = 0; i < sizeof(good); i++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(bytes, good, sizeof(bytes));
			bytes[i] = (unsigned char)value;
			if (tensor_map_decode(&back, bytes))
				assert_int_equal(tensor_map_encode(bytes, &back, &err), 0);
			else
				assert_true(i < sizeof(good) - 1);
		}
	good[0] ^= 1;
	back.rank = 77;
	assert_false(tensor_map_decode(&back, good));
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
		{&row, "has 24 bytes (6 elements of u32); a row must be a multiple of 16 bytes"},
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

/* ---- decoding ---- */

#define LOAD(rank) \
	"cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define STORE_BOX(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"

static void all_forms_are_decoded(void **state)
{
	static const struct {
		const char *statement, *shape;
	} accepted[] = {
		{LOAD("1d") " [%r1], [%rd1, {%r2}], [%r3];", "BULK_COPY RET"},
		{LOAD("5d") " [%r1], [%rd1, {%r2, 0, -1, %r2, 4}], [%r3];", "BULK_COPY RET"},
		{"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
		 ".L2::cache_hint [%r1], [%rd1, {%r2, %r3}], [%r3], %rd2;",
		 "BULK_COPY RET"},
		{LOAD("1d") ".multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2}], [%r3], %h1, "
			    "%rd2;",
		 "BULK_COPY RET"},
		{STORE_BOX("3d") " [%rd1, {%r2, %r3, 0}], [%r1];", "BULK_COPY RET"},
		{"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint "
		 "[%rd1, {%r2, %r3}], [%r1], %rd2;",
		 "BULK_COPY RET"},
		{"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
		 "[%rd1, {%r2, %r3}], [%r1];",
		 "BULK_REDUCE RET"},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r2, %r3}];",
		 "NOTHING RET"},
		{"prefetch.tensormap [%rd1];", "NOTHING RET"},
		{"prefetch.param.tensormap [%rd1];", "NOTHING RET"},
		{"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;", "FENCE RET"},
		{"fence.proxy.tensormap::generic.release.sys;", "FENCE RET"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		char *body = xasprintf("%s\nret;", accepted[i].statement);
		struct decoded decoded = decode_body(body);

		/* Registers that nothing wrote are set first. */
		if (!strstr(code_shape(decoded.function), accepted[i].shape))
			fail_msg("%s: %s", accepted[i].statement, code_shape(decoded.function));
		decoded_release(&decoded);
		free(body);
	}
}

static void other_forms_are_refused(void **state)
{
	static const struct {
		const char *statement;
		int rc;
		const char *words;
	} refused[] = {
		{"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::"
		 "bytes"
		 " [%r1], [%rd1, {%r2, %r2, %r2}], [%r3], {%h1};",
		 PL_EUNSUPPORTED, "im2col"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_"
		 "tx"
		 "::bytes [%r1], [%rd1, {%r2, %r2, %r2, %r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "tile::gather4"},
		{"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
		 ".multicast::cluster [%r1], [%rd1, {%r2, %r2}], [%r3], %h1;",
		 PL_EUNSUPPORTED, "multicast::cluster"},
		{LOAD("6d") " [%r1], [%rd1, {%r2}], [%r3];", PL_EUNSUPPORTED, "6d"},
		{"cp.async.bulk.tensor.2d.shared::cluster.shared::cta.tile.bulk_group "
		 "[%r1, {%r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "shared::cluster.shared::cta"},
		{"cp.async.bulk.tensor.2d.global.shared::cta.mbarrier::complete_tx::bytes "
		 "[%rd1, {%r2, %r2}], [%r3];",
		 PL_EUNSUPPORTED, "mbarrier"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.exch.bulk_group [%rd1, {%r2}], "
		 "[%r3];",
		 PL_EUNSUPPORTED, "exch"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], "
		 "[%r3];",
		 PL_EUNSUPPORTED, "cp.reduce"},
		{STORE_BOX("1d") ".add [%rd1, {%r2}], [%r3];", PL_EUNSUPPORTED, "add"},
		{"tensormap.replace.tile.rank.global.b1024.b32 [%rd1], 1;", PL_EUNSUPPORTED,
		 "tensormap.replace"},
		{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
		 "aligned [%rd1], [%r1], 128;",
		 PL_EUNSUPPORTED, "tensormap.cp_fenceproxy"},
		/* operands that do not fit */
		{LOAD("2d") " [%r1], [%rd1, {%r2}], [%r3];", PL_EPARSE, "with 2 coordinates"},
		{LOAD("2d") " [%r1], [%rd1], [%r3];", PL_EPARSE, "with 2 coordinates"},
		{LOAD("2d") " [%r1], [%rd1, %r2, %r2], [%r3];", PL_EPARSE, "with 2 coordinates"},
		{LOAD("1d") " [%r1], [%rd1, {%rd2}], [%r3];", 0, ""},
		{LOAD("1d") " [%r1], [%rd1, {%h1}], [%r3];", PL_EPARSE, "needs 32"},
		{LOAD("1d") " [%r1], [%r1, {%r2}], [%r3];", PL_EPARSE, "32-bit register"},
		{LOAD("1d") " [%r1], [p, {%r2}], [%r3];", PL_EPARSE, "must be a register"},
		{LOAD("1d") " [%r1], [%rd1, {%r2}];", PL_EPARSE, "operands"},
		{STORE_BOX("1d") " [%rd1, {%r2}], [%r1], [%r3];", PL_EPARSE, "operands"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err = {0};

		if (refused[i].rc && (decode_body_fails(body, &err, NULL) != refused[i].rc ||
				      !strstr(err.text, refused[i].words)))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

/* ---- boxes ---- */

/* 4 KiB of shared memory at %r19, 1024-byte aligned, and an mbarrier at %r20. One thread runs. */
#define BOX                                                                   \
	".shared .align 1024 .b8 area[4096];\n.shared .align 8 .b8 bar[8];\n" \
	"mov.u32 %r19, area;\nmov.u32 %r20, bar;\nmbarrier.init.shared.b64 [%r20], 1;\n"
#define WAIT "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n@!%p2 bra WAIT;\n"
/* Loads a box at %r19 + `at`, and copies `words` words from %r19 to out. */
#define LOAD_BOX(rank, at, coordinates, bytes, words)                                            \
	MACHINE_MAP_KERNEL(                                                                      \
		BOX "mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes                     \
		    ";\n" LOAD(rank) " [%r19+" at "], [%rd9, {" coordinates "}], [%r20];\n" WAIT \
				     "mov.u32 %r5, 0;\nAGAIN:\n"                                 \
				     "ld.shared.u32 %r4, [%r19+" at                              \
				     "];\nst.global.u32 [%rd1], %r4;\n"                          \
				     "add.u32 %r19, %r19, 4;\nadd.s64 %rd1, %rd1, 4;\n"          \
				     "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, " words ";\n"  \
				     "@%p3 bra AGAIN;\nret;\n")

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

static void a_box_is_copied_row_by_row(void **state)
{
	struct machine_result result =
		run_clean(LOAD_BOX("2d", "0", "3, 5", "128", "32"), &plain, 32);

	(void)state;
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x], 24 * (y + 5) + x + 3 + 1);
	machine_release(&result);
}

static void elements_outside_are_zero(void **state)
{
	/* Two columns to the left, and two rows above. */
	struct machine_result result =
		run_clean(LOAD_BOX("2d", "0", "-2, -2", "128", "32"), &plain, 32);

	(void)state;
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x],
					 x < 2 || y < 2 ? 0 : 24 * (y - 2) + x - 2 + 1);
	machine_release(&result);
	/* Of a box beyond the end: 4 columns and 2 rows are inside. */
	result = run_clean(LOAD_BOX("2d", "0", "20, 14", "128", "32"), &plain, 32);
	for (uint32_t y = 0; y < 4; y++)
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(result.out[8 * y + x],
					 x > 3 || y > 1 ? 0 : 24 * (y + 14) + x + 20 + 1);
	machine_release(&result);
	/* Far outside, where products of coordinates would overflow. */
	result = run_clean(LOAD_BOX("2d", "0", "0x7fffffff, 0x80000000", "128", "32"), &plain, 32);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], 0);
	machine_release(&result);
}

static void elements_outside_can_be_nan(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.type = TENSOR_F32;
	map.fills_nan = true;
	result = run_clean(LOAD_BOX("2d", "0", "-1, 0", "128", "32"), &map, 32);
	for (uint32_t i = 0; i < 32; i++) {
		bool outside = i % 8 == 0;

		assert_int_equal((result.out[i] & 0x7fffffff) > 0x7f800000, outside);
		if (!outside)
			assert_int_equal(result.out[i], 24 * (i / 8) + i % 8);
	}
	machine_release(&result);
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
	struct machine_result result = run_clean(LOAD_BOX("1d", "128", "91", "32", "8"), &line, 8);
	const unsigned char *halves = (const unsigned char *)input;

	(void)state;
	/* 9 of 16 elements are inside. */
	assert_memory_equal(result.out, halves + 182, 18);
	for (size_t i = 18; i < 32; i++)
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

/* ---- stores and reductions ---- */

/* Each of 32 threads writes its number plus 1; thread 0 stores the 8 x 4 box. */
#define STORE_32(copy)                                                                       \
	MACHINE_MAP_KERNEL(BOX "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\n"             \
			       "add.u32 %r6, %r1, 1;\nst.shared.u32 [%r5], %r6;\n"           \
			       "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n" \
			       "@%p1 " copy "@%p1 cp.async.bulk.commit_group;\n"             \
			       "@%p1 cp.async.bulk.wait_group 0;\nret;\n")

static struct machine_result run_store(const char *ptx, const struct tensor_map *map)
{
	/* All threads initialise the mbarrier, which no copy here needs. */
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {32},
						  .out_words = 24 * 16,
						  .map = map,
						  .map_of_out = true,
						  .check_global = true});
}

static void a_box_is_stored_without_what_is_outside(void **state)
{
	struct machine_result result =
		run_store(STORE_32(STORE_BOX("2d") " [%rd9, {20, -1}], [%r19];\n"), &plain);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t y = 0; y < 16; y++)
		for (uint32_t x = 0; x < 24; x++)
			assert_int_equal(result.out[24 * y + x],
					 x >= 20 && y < 3 ? 8 * (y + 1) + x - 20 + 1 : 0);
	machine_release(&result);
}

static void a_swizzled_box_is_stored_in_order(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {8, 4},
		.strides = {0, 32},
		.box = {8, 4},
		.steps = {1, 1},
		.swizzle = SWIZZLE_32B,
	};
	struct machine_result result;

	(void)state;
	/* At offset 128, bit 7 is set: the chunks of all four rows are swapped. */
	result = run_store(
		MACHINE_MAP_KERNEL(BOX
				   "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\n"
				   "add.u32 %r6, %r1, 1;\nst.shared.u32 [%r5+128], %r6;\n"
				   "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n"
				   "@%p1 " STORE_BOX("2d") " [%rd9, {0, 0}], [%r19+128];\nret;\n"),
		&map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[i], (i ^ 4) + 1);
	machine_release(&result);
}

static void a_box_is_reduced_by_the_type_of_the_map(void **state)
{
	static const char ptx[] = STORE_32(
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group "
		"[%rd9, {0, 0}], [%r19];\n@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta"
		".add.tile.bulk_group [%rd9, {0, 0}], [%r19];\n");
	struct tensor_map map = plain;
	struct machine_result result = run_store(ptx, &map);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[24 * (i / 8) + i % 8], 2 * (i + 1));
	machine_release(&result);
	map.type = TENSOR_F64;
	map.box[0] = 4;
	result = run_store(ptx, &map);
	assert_finding(&result, FINDING_BAD_MAP, 0,
		       "PTX has no such reduction of elements of the type of the tensor map");
	machine_release(&result);
}

/* ---- what is wrong ---- */

static void assert_told(const char *ptx, const struct tensor_map *map, enum finding_kind kind,
			const char *words)
{
	struct machine_result result = run(ptx, map, 32);

	assert_finding(&result, kind, 0, words);
	machine_release(&result);
}

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
	map = plain;
	map.swizzle = SWIZZLE_128B;
	assert_told(LOAD_BOX("2d", "0", "0, 0", "128", "32"), &map, FINDING_UNSUPPORTED,
		    "rows of 32 bytes with a swizzle of 128 bytes");
	/* The phase waits for more than the whole box. */
	assert_told(LOAD_BOX("2d", "0", "20, 14", "160", "32"), &plain, FINDING_DEADLOCK,
		    "32 bytes are missing");
}

static void values_that_the_engine_would_change_are_told(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.type = TENSOR_TF32;
	assert_told(LOAD_BOX("2d", "0", "0, 0", "128", "32"), &map, FINDING_UNSUPPORTED,
		    "a copy of tf32 changes a value that is not one of the type");
	map.type = TENSOR_F32_FTZ;
	assert_told(LOAD_BOX("2d", "0", "0, 0", "128", "32"), &map, FINDING_UNSUPPORTED,
		    "a copy of f32_ftz changes a value");
	/* 1.0 is one of every type. */
	map.type = TENSOR_TF32_FTZ;
	for (uint32_t i = 0; i < IN_WORDS; i++)
		input[i] = 0x3f800000;
	result = run_clean(LOAD_BOX("2d", "0", "-1, 0", "128", "32"), &map, 32);
	assert_int_equal(result.out[0], 0);
	assert_int_equal(result.out[1], 0x3f800000);
	machine_release(&result);
	number_words(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_survives_its_bytes),
		cmocka_unit_test(other_bytes_are_no_map),
		cmocka_unit_test(maps_that_the_driver_refuses_are_refused),
		cmocka_unit_test(all_forms_are_decoded),
		cmocka_unit_test(other_forms_are_refused),
		cmocka_unit_test(a_box_is_copied_row_by_row),
		cmocka_unit_test(elements_outside_are_zero),
		cmocka_unit_test(elements_outside_can_be_nan),
		cmocka_unit_test(element_strides_skip_rows),
		cmocka_unit_test(tensors_have_one_to_five_dimensions),
		cmocka_unit_test(swizzles_move_chunks),
		cmocka_unit_test(a_swizzle_depends_on_the_address),
		cmocka_unit_test(a_box_is_stored_without_what_is_outside),
		cmocka_unit_test(a_swizzled_box_is_stored_in_order),
		cmocka_unit_test(a_box_is_reduced_by_the_type_of_the_map),
		cmocka_unit_test(bad_maps_and_boxes_are_told),
		cmocka_unit_test(values_that_the_engine_would_change_are_told),
	};

	return cmocka_run_group_tests(tests, number_words, NULL);
}
