/* Bulk copies: what they copy and reduce, and addresses and sizes that are wrong. */
#include "support_bulk.h"

#include <stdlib.h>
#include <string.h>

/* ---- what arrives ---- */

static void global_memory_is_copied_to_shared(void **state)
{
	struct machine_result result =
		bulk_run_clean(MACHINE_KERNEL(AREAS EXPECT("32") FETCH("32") WAIT(
				       "0") "ld.shared.u32 %r4, [%r21];\n" STORE),
			       8);

	(void)state;
	assert_memory_equal(result.out, bulk_numbers, sizeof(bulk_numbers));
	machine_release(&result);
}

/* The bytes may arrive before they are announced, and several copies count together. */
static void an_mbarrier_counts_the_bytes_of_all_copies(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS FETCH("16") "@%p1 " LOAD
						 " [%r19+16], [%rd2+16], 16, [%r20];\n" EXPECT("32")
							 WAIT("0") "ld.shared.u32 %r4, "
								   "[%r21];\n" STORE),
		8);

	(void)state;
	assert_memory_equal(result.out, bulk_numbers, sizeof(bulk_numbers));
	machine_release(&result);
	/* half of the bytes do not complete the phase */
	assert_bulk_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH("16") WAIT("0") STORE), 8,
			 FINDING_DEADLOCK, "mbarrier.try_wait", "16 bytes are missing");
}

static void shared_memory_is_copied_to_global(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], i < 4 ? i + 5 : 0);
	machine_release(&result);
}

static void a_mask_selects_bytes_of_each_sixteen(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS "mov.u32 %r5, 0x01010101;\nst.shared.u32 [%r21], %r5;\n"
				     "fence.proxy.async;\nbar.sync 0;\nmov.u16 %h1, 0x8013;\n"
				     "@%p1 " STORE_GROUP
				     ".cp_mask [%rd1], [%r19], 32, %h1;\n" COMMIT
				     "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8);
	const uint32_t expected[] = {0x0101, 1, 0, 0x01000000, 0x0101, 1, 0, 0x01000000};

	(void)state;
	assert_memory_equal(result.out, expected, sizeof(expected));
	machine_release(&result);
}

/* A GPU refuses it as an illegal instruction in a cluster of one block. */
static void copies_within_a_block_without_a_cluster_are_told(void **state)
{
	static const char words[] = "a bulk copy from shared memory to shared memory in a cluster "
				    "of one block, which a GPU refuses as an illegal instruction; "
				    "copy with loads and stores";

	(void)state;
	assert_bulk_told(MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 3;\nfence.proxy.async;\n"
					      "bar.sync 0;\n" EXPECT(
						      "32") "@%p1 " WITHIN
							    " [%r18], [%r19], 32, [%r20];\n" WAIT(
								    "0") "ret;\n"),
			 8, FINDING_OUT_OF_BOUNDS, "@%p1 " WITHIN, words);
	assert_bulk_told(MACHINE_KERNEL(AREAS
					"st.shared.u32 [%r21], 3;\nst.shared.u32 [%r22], 3;\n"
					"fence.proxy.async;\nbar.sync 0;\n" EXPECT(
						"32") "@%p1 " REDUCE_SHARED
						      ".add.u32 [%r18], [%r19], 32, [%r20];\n" WAIT(
							      "0") "ret;\n"),
			 8, FINDING_OUT_OF_BOUNDS, "@%p1 " REDUCE_SHARED, words);
}

/* Two phases with one buffer: readers release it before it is filled again. */
static void a_buffer_can_be_filled_again(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS EXPECT("16") FETCH("16") WAIT(
			"0") "and.b32 %r6, %r17, 12;\nadd.u32 %r6, %r6, %r19;\n"
			     "ld.shared.u32 %r4, [%r6];\nbar.sync 0;\n" EXPECT(
				     "16") "@%p1 " LOAD
					   " [%r19], [%rd2+16], 16, [%r20];\n" WAIT(
						   "1") "ld.shared.u32 %r5, [%r6];\nadd.u32 %r4, "
							"%r4, %r5;\n" STORE),
		40);

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(result.out[i], bulk_numbers[i % 4] + bulk_numbers[4 + i % 4]);
	machine_release(&result);
}

/* ---- reductions ---- */

/* A kernel whose last statements are those. */
#define PTX_BEFORE                                                                       \
	MACHINE_HEADER ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 " \
		       "n)\n{\n" MACHINE_REGISTERS                                       \
		       "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"           \
		       "mov.u32 %r1, %tid.x;\n" AREAS

/* Reduces two times the word `old` in global memory by `with`, and returns what both became. */
static uint64_t reduced(const char *reduction, uint64_t old, uint64_t with)
{
	char *ptx = xasprintf("%smov.u64 %%rd5, 0x%llx;\nmov.u64 %%rd6, 0x%llx;\n%s.%s%s",
			      PTX_BEFORE, (unsigned long long)old, (unsigned long long)with,
			      "st.global.u64 [%rd1], %rd5;\nst.global.u64 [%rd1+8], %rd5;\n"
			      "st.shared.u64 [%r19], %rd6;\nst.shared.u64 [%r19+8], %rd6;\n"
			      "fence.proxy.async;\n" REDUCE,
			      reduction,
			      " [%rd1], [%r19], 16;\ncp.async.bulk.commit_group;\n"
			      "cp.async.bulk.wait_group 0;\nret;\n}\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .out_words = 4, .checked_blocks = -1, .check_global = true});
	uint64_t first, second;

	assert_int_equal(result.findings.count, 0);
	memcpy(&first, result.out, sizeof(first));
	memcpy(&second, result.out + 2, sizeof(second));
	assert_int_equal(first, second);
	machine_release(&result);
	free(ptx);
	return first;
}

static void every_reduction_has_its_result(void **state)
{
	static const struct {
		const char *reduction;
		uint64_t old, with, expected;
	} cases[] = {
		{"add.u32", 0xffffffff00000001, 0x0000000200000003, 0x0000000100000004},
		{"add.s32", 0x0000000500000001, 0xfffffffe00000003, 0x0000000300000004},
		{"add.u64", 0xffffffff00000001, 0x0000000200000003, 0x0000000100000004},
		{"add.u64", 0x00000000ffffffff, 1, 0x0000000100000000},
		/* 1 + 2, and a subnormal result is kept */
		{"add.f32", 0x3f80000000000001, 0x4000000000000001, 0x4040000000000002},
		{"add.f64", 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
		/* 1 + 2, 2^-24 + 2^-24 (subnormal), 65504 + 65504, -1 + 1 */
		{"add.noftz.f16", 0x3c0000017bffbc00, 0x400000017bff3c00, 0x420000027c000000},
		{"add.noftz.bf16", 0x3f80000100004000, 0x4000000100004000, 0x4040000200004080},
		{"min.u32", 0xffffffff00000001, 0x0000000200000003, 0x0000000200000001},
		{"min.s32", 0xffffffff00000001, 0x0000000200000003, 0xffffffff00000001},
		{"min.u64", 0xffffffff00000001, 5, 5},
		{"min.s64", 0xffffffff00000001, 5, 0xffffffff00000001},
		{"max.u32", 0xffffffff00000001, 0x0000000200000003, 0xffffffff00000003},
		{"max.s32", 0xffffffff00000001, 0x0000000200000003, 0x0000000200000003},
		{"max.u64", 0xffffffff00000001, 5, 0xffffffff00000001},
		{"max.s64", 0xffffffff00000001, 5, 5},
		{"min.f16", 0x3c00bc007bff0000, 0x40003c00bc003c00, 0x3c00bc00bc000000},
		{"max.f16", 0x3c00bc007bff0000, 0x40003c00bc003c00, 0x40003c007bff3c00},
		{"min.bf16", 0x3f80bf8000004000, 0x40003f803f80c000, 0x3f80bf800000c000},
		{"max.bf16", 0x3f80bf8000004000, 0x40003f803f80c000, 0x40003f803f804000},
		{"inc.u32", 0x0000000500000001, 0x0000000500000003, 0x0000000000000002},
		{"dec.u32", 0x0000000000000007, 0x0000000500000003, 0x0000000500000003},
		{"and.b32", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00},
		{"and.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00},
		{"or.b32", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xfff0fff0fff0fff0},
		{"or.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xfff0fff0fff0fff0},
		{"xor.b32", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xf0f0f0f0f0f0f0f0},
		{"xor.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0xf0f0f0f0f0f0f0f0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t is = reduced(cases[i].reduction, cases[i].old, cases[i].with);

		if (is != cases[i].expected)
			fail_msg("%s of %016llx: %016llx", cases[i].reduction,
				 (unsigned long long)cases[i].old, (unsigned long long)is);
	}
}

/* ---- addresses and sizes ---- */

static void addresses_and_sizes_are_checked(void **state)
{
	static const struct {
		const char *copy;
		enum finding_kind kind;
		const char *words;
	} cases[] = {
		{LOAD " [%r19+8], [%rd2], 16, [%r20];", FINDING_MISALIGNED,
		 "a 16-byte bulk copy to shared memory at byte 8, which is not a multiple of 16"},
		{LOAD " [%r19], [%rd2+8], 16, [%r20];", FINDING_MISALIGNED,
		 "a 16-byte bulk copy from 0x"},
		{LOAD " [%r19], [%rd2], 24, [%r20];", FINDING_MISALIGNED,
		 "a bulk copy of 24 bytes; the size must be a multiple of 16"},
		{LOAD " [%r19], [%rd2], 48, [%r20];", FINDING_OUT_OF_BOUNDS,
		 "a 48-byte bulk copy from 0x"},
		{LOAD " [%r19+512], [%rd2], 16, [%r20];", FINDING_OUT_OF_BOUNDS,
		 "a 16-byte bulk copy to shared memory at byte 512"},
		{LOAD " [%r19], [%rd2], 0xfffffff0, [%r20];", FINDING_OUT_OF_BOUNDS,
		 "a 4294967280-byte bulk copy to shared memory"},
		{LOAD " [%r19+-16], [%rd2], 16, [%r20];", FINDING_OUT_OF_BOUNDS,
		 "byte -16, before it begins"},
		{LOAD " [%r19], [%rd2], 16, [%r18];", FINDING_MBARRIER,
		 "no mbarrier is initialised at byte 256"},
		{LOAD " [%r19], [%rd2], 16, [%r20+4];", FINDING_MISALIGNED, "an mbarrier at byte"},
		{STORE_GROUP " [%rd1], [%r18+4], 16;", FINDING_MISALIGNED,
		 "a 16-byte bulk copy from shared memory at byte 260"},
		{STORE_GROUP " [%rd1+4], [%r19], 16;", FINDING_MISALIGNED,
		 "a 16-byte bulk copy to 0x"},
		{STORE_GROUP " [%rd1+32], [%r19], 16;", FINDING_OUT_OF_BOUNDS,
		 "of 'out' (32 bytes)"},
		{REDUCE ".add.u32 [%rd1+24], [%r19], 16;", FINDING_MISALIGNED,
		 "a 16-byte bulk reduction of 0x"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *ptx = xasprintf("%s%s\nret;\n}\n", PTX_BEFORE, cases[i].copy);
		struct machine_result result = machine_run(&(struct machine_case){
			.ptx = ptx, .in = bulk_numbers, .in_words = 8, .out_words = 8});

		assert_finding(&result, cases[i].kind, line_with(ptx, cases[i].copy),
			       cases[i].words);
		machine_release(&result);
		free(ptx);
	}
}

/* They have counts of their own, and are no requests of the load and store unit. */
static void copies_are_no_requests(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(AREAS EXPECT("48") FETCH(
		"32") "@%p1 " LOAD " [%r19+32], [%rd2], 16, [%r20];\n" WAIT("0") "ret;\n");
	struct machine_result result = bulk_run_clean(ptx, 8);
	struct machine_case work = {.ptx = ptx,
				    .block = {8},
				    .in = bulk_numbers,
				    .in_words = 8,
				    .check_global = true,
				    .check_most_bytes = 1};

	(void)state;
	assert_int_equal(result.counts.bulk_copies, 2);
	assert_int_equal(result.counts.bulk_bytes, 48);
	assert_int_equal(result.counts.global_load_requests, 0);
	assert_int_equal(result.counts.global_load_sectors, 0);
	assert_int_equal(result.counts.shared_store_requests, 0);
	assert_int_equal(result.counts.async_copy_requests, 0);
	assert_int_equal(result.counts.unchecked_requests, 0);
	machine_release(&result);
	/* A copy that is not checked counts once, whatever its size; so does one in a launch that
	 * is not checked. */
	result = machine_run(&work);
	assert_int_equal(result.counts.unchecked_requests, 2);
	machine_release(&result);
	work.check_global = false;
	result = machine_run(&work);
	assert_int_equal(result.counts.unchecked_requests, 2);
	machine_release(&result);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(global_memory_is_copied_to_shared),
		cmocka_unit_test(an_mbarrier_counts_the_bytes_of_all_copies),
		cmocka_unit_test(shared_memory_is_copied_to_global),
		cmocka_unit_test(a_mask_selects_bytes_of_each_sixteen),
		cmocka_unit_test(copies_within_a_block_without_a_cluster_are_told),
		cmocka_unit_test(a_buffer_can_be_filled_again),
		cmocka_unit_test(every_reduction_has_its_result),
		cmocka_unit_test(addresses_and_sizes_are_checked),
		cmocka_unit_test(copies_are_no_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
