/* Tensor copies from shared memory: stores, reductions, and what is wrong. */
#include "support_machine.h"

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map plain = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

#define STORE_BOX(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"
/* 4 KiB of shared memory at %r19, 1024-byte aligned. */
#define BOX ".shared .align 1024 .b8 area[4096];\nmov.u32 %r19, area;\n"

/* Each of 32 threads writes its number plus 1; thread 0 stores the 8 x 4 box. */
#define STORE_32(copy)                                                                       \
	MACHINE_MAP_KERNEL(BOX "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\n"             \
			       "add.u32 %r6, %r1, 1;\nst.shared.u32 [%r5], %r6;\n"           \
			       "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n" \
			       "@%p1 " copy "@%p1 cp.async.bulk.commit_group;\n"             \
			       "@%p1 cp.async.bulk.wait_group 0;\nret;\n")

static struct machine_result run_store(const char *ptx, const struct tensor_map *map)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {32},
						  .out_words = 24 * 16,
						  .map = map,
						  .map_of_out = true,
						  .checked_blocks = -1,
						  .check_global = true});
}

static void a_box_is_stored_without_what_is_outside(void **state)
{
	struct machine_result result =
		run_store(STORE_32(STORE_BOX("2d") " [%rd9, {20, 14}], [%r19];\n"), &plain);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t y = 0; y < 16; y++)
		for (uint32_t x = 0; x < 24; x++)
			assert_int_equal(result.out[24 * y + x],
					 x >= 20 && y >= 14 ? 8 * (y - 14) + x - 20 + 1 : 0);
	machine_release(&result);
}

/* Rows of 5 elements: the second chunk of each begins inside, and the row of a third does not. */
static void the_last_chunk_of_a_row_is_stored_whole(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.sizes[0] = 5;
	map.sizes[1] = 3;
	map.box[0] = 12;
	map.box[1] = 2;
	result = run_store(STORE_32(STORE_BOX("2d") " [%rd9, {0, 1}], [%r19];\n"), &map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 24 * 16; i++) {
		uint32_t x = i % 24, y = i / 24;

		assert_int_equal(result.out[i],
				 x < 8 && y >= 1 && y < 3 ? 12 * (y - 1) + x + 1 : 0);
	}
	machine_release(&result);
	/* A box past the last chunk. */
	result = run_store(STORE_32(STORE_BOX("2d") " [%rd9, {8, 1}], [%r19];\n"), &map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 24 * 16; i++)
		assert_int_equal(result.out[i], 0);
	machine_release(&result);
}

/* The tensor ends where the buffer ends, but its last chunk does not. */
static void a_last_chunk_past_the_buffer_is_told(void **state)
{
	struct tensor_map map = plain;
	struct machine_case nine = {
		.ptx = STORE_32(STORE_BOX("1d") " [%rd9, {0}], [%r19];\n"),
		.block = {32},
		.out_words = 9,
		.map = &map,
		.map_of_out = true,
		.checked_blocks = -1,
		.check_global = true,
	};
	struct machine_result result;

	(void)state;
	map.rank = 1;
	map.sizes[0] = 9;
	result = machine_run(&nine);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(result.out[i], i < 8 ? i + 1 : 0);
	machine_release(&result);
	map.box[0] = 12;
	result = machine_run(&nine);
	assert_finding(&result, FINDING_OUT_OF_BOUNDS, 0, "a 48-byte bulk copy to 0x");
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

/* At offset 128, the row of a span of 32 bytes is its second chunk. The first one may be written.
 */
static void short_rows_are_stored_from_their_spans(void **state)
{
	const struct tensor_map map = {
		.type = TENSOR_U32,
		.rank = 2,
		.sizes = {4, 4},
		.strides = {0, 16},
		.box = {4, 4},
		.steps = {1, 1},
		.swizzle = SWIZZLE_32B,
	};
	struct machine_result result;

	(void)state;
	result = run_store(
		MACHINE_MAP_KERNEL(
			BOX "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r19;\n"
			    "add.u32 %r6, %r1, 1;\nst.shared.u32 [%r5+128], %r6;\n"
			    "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n"
			    "@%p1 " STORE_BOX("2d") " [%rd9, {0, 0}], [%r19+128];\n"
						    "@%p1 cp.async.bulk.commit_group;\n"
						    "@%p1 st.shared.u32 [%r19+128], 9;\n"
						    "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		&map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(result.out[i], i / 4 * 8 + 4 + i % 4 + 1);
	machine_release(&result);
}

#define REDUCE_BOX(operation) \
	"cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation ".tile.bulk_group"

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

/* Rows of 9 elements: those behind the last one are reduced, too, up to the end of the chunk. */
static void the_last_chunk_of_a_row_is_reduced_whole(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.sizes[0] = 9;
	result = run_store(STORE_32(REDUCE_BOX("add") " [%rd9, {8, 0}], [%r19];\n@%p1 " REDUCE_BOX(
				   "add") " [%rd9, {8, 0}], [%r19];\n"),
			   &map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 24 * 16; i++) {
		uint32_t x = i % 24, y = i / 24;

		assert_int_equal(result.out[i],
				 y < 4 && x >= 8 && x < 12 ? 2 * (8 * y + x - 8 + 1) : 0);
	}
	machine_release(&result);
}

/* As single-precision numbers, what the threads store is subnormal. Only the _ftz types flush. */
static void a_reduction_keeps_subnormals(void **state)
{
	static const char twice[] =
		STORE_32(REDUCE_BOX("add") " [%rd9, {0, 0}], [%r19];\n@%p1 " REDUCE_BOX(
			"add") " [%rd9, {0, 0}], [%r19];\n");
	static const enum tensor_type types[] = {TENSOR_F32, TENSOR_TF32, TENSOR_F32_FTZ,
						 TENSOR_TF32_FTZ};
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	for (size_t type = 0; type < ARRAY_SIZE(types); type++) {
		map.type = types[type];
		result = run_store(twice, &map);
		assert_int_equal(result.findings.count, 0);
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(result.out[24 * (i / 8) + i % 8],
					 type >= 2 ? 0 : 2 * (i + 1));
		machine_release(&result);
	}
}

/* Maps of u64 have operations on bits, maps of i64 have not. */
static void signed_words_have_no_reductions_of_bits(void **state)
{
	static const char *const kernels[] = {
		STORE_32(REDUCE_BOX("and") " [%rd9, {0, 0}], [%r19];\n"),
		STORE_32(REDUCE_BOX("or") " [%rd9, {0, 0}], [%r19];\n"),
		STORE_32(REDUCE_BOX("xor") " [%rd9, {0, 0}], [%r19];\n"),
	};
	struct tensor_map map = plain;

	(void)state;
	map.box[0] = 4;
	map.sizes[0] = 12;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result;

		map.type = TENSOR_U64;
		result = run_store(kernels[i], &map);
		assert_int_equal(result.findings.count, 0);
		machine_release(&result);
		map.type = TENSOR_I64;
		result = run_store(kernels[i], &map);
		assert_finding(&result, FINDING_BAD_MAP, 0,
			       "PTX has no such reduction of elements of the type of the tensor "
			       "map");
		machine_release(&result);
	}
}

/* The numbers of the threads have bits that tf32 has not. */
static void stores_round_nothing(void **state)
{
	struct tensor_map map = plain;
	struct machine_result result;

	(void)state;
	map.type = TENSOR_TF32;
	result = run_store(STORE_32(STORE_BOX("2d") " [%rd9, {0, 0}], [%r19];\n"), &map);
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(result.out[24 * (i / 8) + i % 8], i + 1);
	machine_release(&result);
}

/* A GPU refuses these as illegal instructions. */
static void coordinates_that_a_gpu_refuses_are_told(void **state)
{
	static const char *const negative[] = {
		STORE_32(STORE_BOX("2d") " [%rd9, {0, -1}], [%r19];\n"),
		STORE_32(REDUCE_BOX("add") " [%rd9, {0, -1}], [%r19];\n"),
	};
	struct machine_result result;

	(void)state;
	result = run_store(STORE_32(STORE_BOX("2d") " [%rd9, {3, 0}], [%r19];\n"), &plain);
	assert_finding(&result, FINDING_MISALIGNED, 0,
		       "a tensor copy at coordinate 3 of elements of 4 bytes; the first coordinate "
		       "must be a multiple of 16 bytes");
	machine_release(&result);
	for (size_t i = 0; i < ARRAY_SIZE(negative); i++) {
		result = run_store(negative[i], &plain);
		assert_finding(&result, FINDING_OUT_OF_BOUNDS, 0,
			       "a tensor copy from shared memory to the negative coordinate -1 of "
			       "dimension 1; only copies to shared memory may begin before the "
			       "tensor");
		machine_release(&result);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_box_is_stored_without_what_is_outside),
		cmocka_unit_test(the_last_chunk_of_a_row_is_stored_whole),
		cmocka_unit_test(a_last_chunk_past_the_buffer_is_told),
		cmocka_unit_test(a_swizzled_box_is_stored_in_order),
		cmocka_unit_test(short_rows_are_stored_from_their_spans),
		cmocka_unit_test(a_box_is_reduced_by_the_type_of_the_map),
		cmocka_unit_test(the_last_chunk_of_a_row_is_reduced_whole),
		cmocka_unit_test(a_reduction_keeps_subnormals),
		cmocka_unit_test(signed_words_have_no_reductions_of_bits),
		cmocka_unit_test(stores_round_nothing),
		cmocka_unit_test(coordinates_that_a_gpu_refuses_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
