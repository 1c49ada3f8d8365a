/* Bulk copies: what is decoded, what they copy and reduce, when shared memory may be used, and
 * what is wrong. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- decoding ---- */

#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE_GROUP "cp.async.bulk.global.shared::cta.bulk_group"
#define WITHIN "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define REDUCE "cp.reduce.async.bulk.global.shared::cta.bulk_group"
#define REDUCE_SHARED \
	"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"

static void all_forms_are_decoded(void **state)
{
	static const struct {
		const char *statement, *shape;
	} accepted[] = {
		{LOAD " [%r1], [%rd1], 64, [%r2];", "BULK_COPY RET"},
		{LOAD ".L2::cache_hint [%r1+16], [%rd1], %r3, [%r2], %rd2;", "BULK_COPY RET"},
		{LOAD ".multicast::cluster.L2::cache_hint [%r1], [%rd1], 64, [%r2], %h1, %rd2;",
		 "BULK_COPY RET"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%rd2], "
		 "[%rd1+-16], "
		 "64, [%rd3];",
		 "BULK_COPY RET"},
		{WITHIN " [%r1], [%r2], 64, [%r3];", "BULK_COPY RET"},
		{STORE_GROUP " [%rd1], [%r1], 64;", "BULK_COPY RET"},
		{STORE_GROUP ".L2::cache_hint [%rd1], [%r1], 64, %rd2;", "BULK_COPY RET"},
		{STORE_GROUP ".cp_mask [%rd1], [%r1], 64, %h1;", "BULK_COPY RET"},
		{STORE_GROUP ".L2::cache_hint.cp_mask [%rd1], [%r1], 64, %rd2, %h1;",
		 "BULK_COPY RET"},
		{"cp.async.bulk.prefetch.L2.global [%rd1], 64;", "NOTHING RET"},
		{"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], %r1, %rd2;",
		 "NOTHING RET"},
		{"cp.async.bulk.commit_group;", "BULK_COMMIT RET"},
		{"cp.async.bulk.wait_group 0;", "BULK_WAIT RET"},
		{"cp.async.bulk.wait_group.read 7;", "BULK_WAIT RET"},
		{REDUCE ".add.f32 [%rd1], [%r1], 64;", "BULK_REDUCE RET"},
		{REDUCE ".add.noftz.bf16 [%rd1], [%r1], 64;", "BULK_REDUCE RET"},
		{REDUCE ".L2::cache_hint.max.s64 [%rd1], [%r1], 64, %rd2;", "BULK_REDUCE RET"},
		{REDUCE_SHARED ".xor.b32 [%r1], [%r2], 64, [%r3];", "BULK_REDUCE RET"},
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
		{WITHIN ".multicast::cluster [%r1], [%r2], 64, [%r2], %h1;", PL_EUNSUPPORTED,
		 "multicast::cluster"},
		{"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster "
		 "[%r1], [%rd1], 64, [%r2], %h1;",
		 PL_EUNSUPPORTED, "multicast::cluster"},
		{LOAD ".bulk_group [%r1], [%rd1], 64, [%r2];", PL_EUNSUPPORTED, "bulk_group"},
		{LOAD ".cp_mask [%r1], [%rd1], 64, [%r2], %h1;", PL_EUNSUPPORTED, "cp_mask"},
		{LOAD ".add.u32 [%r1], [%rd1], 64, [%r2];", PL_EUNSUPPORTED, "add.u32"},
		{"cp.async.bulk.global.shared::cluster.bulk_group [%rd1], [%r1], 64;",
		 PL_EUNSUPPORTED, "global.shared::cluster"},
		{"cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r1], "
		 "64, [%r2];",
		 PL_EUNSUPPORTED, "shared::cta.shared::cta"},
		{"cp.async.bulk.global.global.bulk_group [%rd1], [%rd1], 64;", PL_EUNSUPPORTED,
		 "global.global"},
		{"cp.async.bulk.wait_all;", PL_EUNSUPPORTED, "wait_all"},
		{"cp.async.bulk.prefetch.L1.global [%rd1], 64;", PL_EUNSUPPORTED, "L1"},
		{REDUCE ".add.f16 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "add.f16"},
		{REDUCE ".add.noftz.f32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "noftz.f32"},
		{REDUCE ".exch.b32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "exch"},
		{REDUCE ".and.u32 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "and.u32"},
		{REDUCE ".inc.u64 [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "inc.u64"},
		{REDUCE " [%rd1], [%r1], 64;", PL_EUNSUPPORTED, "cp.reduce"},
		{REDUCE_SHARED ".add.f32 [%r1], [%r2], 64, [%r3];", PL_EUNSUPPORTED, "add.f32"},
		{REDUCE_SHARED ".and.b64 [%r1], [%r2], 64, [%r3];", PL_EUNSUPPORTED, "and.b64"},
		/* operands that do not fit */
		{LOAD " [%r1], [%rd1], 64;", PL_EPARSE, "operands"},
		{LOAD " [%r1], [%rd1], 64, [%r2], %rd2;", PL_EPARSE, "operands"},
		{LOAD " [%r1], [%r1], 64, [%r2];", PL_EPARSE, "32-bit register"},
		{LOAD " [%r1], [%rd1], 64, %r2;", PL_EPARSE, "address in []"},
		{LOAD " [%r1], [p], 64, [%r2];", PL_EPARSE, "a param variable"},
		{STORE_GROUP " [%rd1], [%r1], 64, [%r2];", PL_EPARSE, "operands"},
		{STORE_GROUP ".cp_mask [%rd1], [%r1], 64, %p1;", PL_EPARSE, "16"},
		{"cp.async.bulk.commit_group 0;", PL_EPARSE, "operands"},
		{"cp.async.bulk.wait_group %r1;", PL_EPARSE, "a number of groups"},
		{"cp.async.bulk.wait_group.read -1;", PL_EPARSE, "a number of groups"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char *body = xasprintf("%s\nret;", refused[i].statement);
		struct error err = {0};

		if (decode_body_fails(body, &err, NULL) != refused[i].rc ||
		    !strstr(err.text, refused[i].words))
			fail_msg("%s: %s", refused[i].statement, err.text);
		free(body);
	}
}

/* ---- what arrives ---- */

/* Two areas of 256 bytes at %r19 and %r18, an mbarrier for one arrival at %r20, whose phase thread
 * 0 completes; the thread's words in the areas are at %r21 and %r22. %p1: thread 0. */
#define AREAS                                                                           \
	".reg .b16 %h<4>;\n.shared .align 16 .b8 area[256];\n"                          \
	".shared .align 16 .b8 other[256];\n.shared .align 8 .b8 bar[8];\n"             \
	"mov.u32 %r19, area;\nmov.u32 %r18, other;\nmov.u32 %r20, bar;\n"               \
	"shl.b32 %r17, %r1, 2;\nadd.u32 %r21, %r19, %r17;\nadd.u32 %r22, %r18, %r17;\n" \
	"setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r20], 1;\nbar.sync 0;\n"
#define EXPECT(bytes) "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r20], " bytes ";\n"
#define WAIT(parity)                                                                \
	"WAIT" parity ":\nmbarrier.try_wait.parity.shared.b64 %p2, [%r20], " parity \
	";\n@!%p2 bra "                                                             \
	"WAIT" parity ";\n"
#define FETCH(bytes) "@%p1 " LOAD " [%r19], [%rd2], " bytes ", [%r20];\n"
#define COMMIT "@%p1 cp.async.bulk.commit_group;\n"
#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"

static const uint32_t numbers[] = {11, 22, 33, 44, 55, 66, 77, 88};

static struct machine_result run(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .block = {threads},
						  .in = numbers,
						  .in_words = ARRAY_SIZE(numbers),
						  .checked_blocks = -1,
						  .check_global = true});
}

static struct machine_result run_clean(const char *ptx, int64_t threads)
{
	struct machine_result result = run(ptx, threads);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

static void assert_told(const char *ptx, int64_t threads, enum finding_kind kind, const char *line,
			const char *words)
{
	struct machine_result result = run(ptx, threads);

	assert_finding(&result, kind, line_with(ptx, line), words);
	machine_release(&result);
}

static void global_memory_is_copied_to_shared(void **state)
{
	struct machine_result result = run_clean(MACHINE_KERNEL(AREAS EXPECT("32") FETCH("32") WAIT(
							 "0") "ld.shared.u32 %r4, [%r21];\n" STORE),
						 8);

	(void)state;
	assert_memory_equal(result.out, numbers, sizeof(numbers));
	machine_release(&result);
}

/* The bytes may arrive before they are announced, and several copies count together. */
static void an_mbarrier_counts_the_bytes_of_all_copies(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS FETCH("16") "@%p1 " LOAD
						 " [%r19+16], [%rd2+16], 16, [%r20];\n" EXPECT("32")
							 WAIT("0") "ld.shared.u32 %r4, "
								   "[%r21];\n" STORE),
		8);

	(void)state;
	assert_memory_equal(result.out, numbers, sizeof(numbers));
	machine_release(&result);
	/* half of the bytes do not complete the phase */
	assert_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH("16") WAIT("0") STORE), 8,
		    FINDING_DEADLOCK, "mbarrier.try_wait", "16 bytes are missing");
}

#define FENCED_STORE(bytes)                                                                   \
	"add.u32 %r5, %r1, 5;\nst.shared.u32 [%r21], %r5;\nfence.proxy.async;\nbar.sync 0;\n" \
	"@%p1 " STORE_GROUP " [%rd1], [%r19], " bytes ";\n" COMMIT

static void shared_memory_is_copied_to_global(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], i < 4 ? i + 5 : 0);
	machine_release(&result);
}

static void a_mask_selects_bytes_of_each_sixteen(void **state)
{
	struct machine_result result = run_clean(
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

static void shared_memory_is_copied_within_the_block(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS
			       "add.u32 %r5, %r1, 5;\nst.shared.u32 [%r21], %r5;\n"
			       "fence.proxy.async;\nbar.sync 0;\n" EXPECT(
				       "32") "@%p1 " WITHIN
					     " [%r18], [%r19], 32, [%r20];\n" WAIT(
						     "0") "ld.shared.u32 %r4, [%r22];\n" STORE),
		8);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], i + 5);
	machine_release(&result);
}

/* Two phases with one buffer: readers release it before it is filled again. */
static void a_buffer_can_be_filled_again(void **state)
{
	struct machine_result result = run_clean(
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
		assert_int_equal(result.out[i], numbers[i % 4] + numbers[4 + i % 4]);
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
		/* 1 + 2, and a subnormal result is flushed */
		{"add.f32", 0x3f80000000000001, 0x4000000000000001, 0x4040000000000000},
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

/* Each thread adds the same 16 bytes to one place; the mbarrier counts all of them. */
static void shared_memory_is_reduced_in_any_order(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 3;\nst.shared.u32 [%r22], 100;\n"
				     "fence.proxy.async;\nbar.sync 0;\n" EXPECT("640") REDUCE_SHARED
			       ".add.u32 [%r18], [%r19], 16, [%r20];\n" WAIT(
				       "0") "ld.shared.u32 %r4, [%r22];\n" STORE),
		40);

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(result.out[i], i < 4 ? 100 + 40 * 3 : 100);
	machine_release(&result);
}

/* ---- what is too early ---- */

static void use_before_the_phase_is_told(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
			    "32") "ld.shared.u32 %r4, [%r21];\n" WAIT("0") STORE),
		    8, FINDING_UNWAITED_COPY, "ld.shared.u32",
		    "thread (0,0,0) reads word 0 before thread (0,0,0) has waited for its "
		    "asynchronous copy to it at line 30 of the PTX");
	/* A barrier of the block is no wait for the copy. */
	assert_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
			    "32") "bar.sync 0;\nld.shared.u32 %r4, [%r19];\n" WAIT("0") STORE),
		    8, FINDING_UNWAITED_COPY, "ld.shared.u32", "reads word 0 before");
	assert_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
			    "32") "st.shared.u32 [%r21], %r1;\n" WAIT("0") STORE),
		    8, FINDING_UNWAITED_COPY, "st.shared.u32", "writes word 0 before");
	/* The warp of thread 32 has waited; thread 0 of another warp has not. */
	assert_told(MACHINE_KERNEL(AREAS
				   "setp.lt.u32 %p3, %r1, 32;\n@%p3 bra READ;\n"
				   "setp.eq.u32 %p1, %r1, 32;\n" EXPECT("32") FETCH("32")
					   WAIT("0") "READ:\nld.shared.u32 %r4, [%r19];\n" STORE),
		    40, FINDING_RACE, "ld.shared.u32", "thread (0,0,0) reads word 0 at line");
}

static void reuse_of_the_source_is_told(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(AREAS FENCED_STORE(
			    "16") "@%p1 st.shared.u32 [%r19+12], 1;\n"
				  "@%p1 cp.async.bulk.wait_group.read 0;\nret;\n"),
		    8, FINDING_UNWAITED_COPY, "@%p1 st.shared.u32",
		    "thread (0,0,0) writes word 3 before thread (0,0,0) has waited for its bulk "
		    "copy from it at line 33 of the PTX");
	/* The wait leaves the group pending. */
	assert_told(MACHINE_KERNEL(AREAS FENCED_STORE(
			    "16") "@%p1 cp.async.bulk.wait_group.read 1;\nbar.sync 0;\n"
				  "st.shared.u32 [%r21], 1;\nret;\n"),
		    8, FINDING_UNWAITED_COPY, "st.shared.u32 [%r21], 1", "writes word 0 before");
	/* Other threads do not know that thread 0 has waited. */
	assert_told(
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group.read 0;\n"
							"st.shared.u32 [%r19], 1;\nret;\n"),
		40, FINDING_RACE, "st.shared.u32 [%r19], 1", "which thread (0,0,0) read at");
	/* A copy into the source of another one. */
	assert_told(MACHINE_KERNEL(AREAS FENCED_STORE("16") FETCH("16") EXPECT(
			    "16") "@%p1 cp.async.bulk.wait_group.read 0;\n" WAIT("0") "ret;\n"),
		    8, FINDING_UNWAITED_COPY, "@%p1 " LOAD, "bulk copy from it");
}

static void reuse_after_the_wait_is_right(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS FENCED_STORE(
			"16") "@%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n"
			      "st.shared.u32 [%r21], 1;\nfence.proxy.async;\nbar.sync 0;\n"
			      "@%p1 " STORE_GROUP " [%rd1+16], [%r19+64], 16;\n" COMMIT
			      "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		40);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], i < 4 ? i + 5 : 1);
	machine_release(&result);
}

static void a_missing_fence_is_told(void **state)
{
	(void)state;
	assert_told(MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\nbar.sync 0;\n@%p1 " STORE_GROUP
					 " [%rd1], [%r19+16], 16;\n" COMMIT
					 "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		    8, FINDING_UNFENCED, "@%p1 " STORE_GROUP,
		    "a bulk copy reads word 4, which thread (4,0,0) wrote at line 29 of the PTX "
		    "with no fence.proxy.async between; execute it after the write and before the "
		    "barrier, or the copy may read the old value");
	/* A fence before the write is none. */
	assert_told(MACHINE_KERNEL(AREAS
				   "fence.proxy.async;\nst.shared.u32 [%r21], 1;\nbar.sync 0;\n"
				   "@%p1 " STORE_GROUP " [%rd1], [%r19], 16;\n" COMMIT
				   "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		    8, FINDING_UNFENCED, "@%p1 " STORE_GROUP, "reads word 0");
	/* Without a barrier it is a race. */
	assert_told(MACHINE_KERNEL(AREAS
				   "st.shared.u32 [%r21], 1;\nfence.proxy.async;\n@%p1 " STORE_GROUP
				   " [%rd1], [%r19+144], 16;\n" COMMIT
				   "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		    40, FINDING_RACE, "@%p1 " STORE_GROUP,
		    "thread (0,0,0) reads word 36 at line 31 of the PTX, which thread (36,0,0) "
		    "wrote at line 29");
}

/* A fence counts wherever it stands between the write and the copy. */
static void fences_of_either_side_count(void **state)
{
	static const char *const right[] = {
		/* by the thread that copies, after the barrier */
		MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\nbar.sync 0;\n@%p1 fence.proxy.async"
				     ";\n@%p1 " STORE_GROUP " [%rd1], [%r19], 32;\n" COMMIT
				     "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		/* by the thread that copies, after an mbarrier */
		MACHINE_KERNEL(AREAS "@%p1 bra COPY;\nst.shared.u32 [%r21], 1;\n"
				     "setp.eq.u32 %p3, %r1, 32;\n"
				     "@%p3 mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"
				     "COPY:\n" WAIT("0") "fence.proxy.async;\n" STORE_GROUP
							 " [%rd1], [%r19+128], 32;\n" COMMIT
							 "cp.async.bulk.wait_group 0;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		struct machine_result result = run_clean(right[i], 40);

		assert_int_equal(result.out[0], 1);
		machine_release(&result);
	}
}

/* What a copy wrote needs no fence before another one reads it. */
static void copies_need_no_fence_between_them(void **state)
{
	struct machine_result result = run_clean(
		MACHINE_KERNEL(AREAS EXPECT("32") FETCH("32")
				       WAIT("0") "@%p1 " STORE_GROUP " [%rd1], [%r19], 32;\n" COMMIT
						 "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8);

	(void)state;
	assert_memory_equal(result.out, numbers, sizeof(numbers));
	machine_release(&result);
}

/* ---- global memory ---- */

static void accesses_to_global_memory_are_checked(void **state)
{
	static const char race[] = MACHINE_KERNEL(AREAS "st.global.u32 [%rd3], 1;\n" FENCED_STORE(
		"16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	static const char unwritten[] = MACHINE_KERNEL(AREAS EXPECT(
		"16") "@%p1 " LOAD " [%r19], [%rd1], 16, [%r20];\n" WAIT("0") "ret;\n");
	struct machine_result result;

	(void)state;
	/* Ordered by the barrier; without it, thread 0 and the others race. */
	result = run_clean(race, 8);
	machine_release(&result);
	assert_told(MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\n"
					 "fence.proxy.async;\nbar.sync 0;\n@%p1 " STORE_GROUP
					 " [%rd1], [%r19], 32;\n" COMMIT
					 "@%p1 cp.async.bulk.wait_group 0;\n"
					 "setp.eq.u32 %p3, %r1, 1;\n"
					 "@%p3 st.global.u32 [%rd1+4], 5;\nret;\n"),
		    8, FINDING_GLOBAL_RACE, "@%p3 st.global.u32",
		    "which thread (0,0,0) of block (0,0,0) wrote at");
	result = machine_run(&(struct machine_case){.ptx = unwritten,
						    .block = {8},
						    .out_unwritten = true,
						    .check_global = true,
						    .checked_blocks = -1});
	assert_finding(&result, FINDING_UNWRITTEN, line_with(unwritten, "@%p1 " LOAD), "of 'out'");
	machine_release(&result);
}

/* Blocks that reduce the same place do not race; blocks that store to it do. */
static void reductions_of_blocks_do_not_race(void **state)
{
	static const char adds[] = MACHINE_KERNEL(
		AREAS "st.shared.u32 [%r21], 2;\nfence.proxy.async;\nbar.sync 0;\n@%p1 " REDUCE
		      ".add.u32 [%rd1], [%r19], 16;\n" COMMIT
		      "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	static const char stores[] =
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	struct machine_case work = {
		.ptx = adds, .grid = {5}, .block = {8}, .check_global = true, .checked_blocks = -1};
	struct machine_result result = machine_run(&work);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[3], 10);
	machine_release(&result);
	work.ptx = stores;
	result = machine_run(&work);
	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(stores, "@%p1 " STORE_GROUP),
		       "writes byte 0 of 'out'");
	machine_release(&result);
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
		{WITHIN " [%r19], [%r18+4], 16, [%r20];", FINDING_MISALIGNED,
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
			.ptx = ptx, .in = numbers, .in_words = 8, .out_words = 8});

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
	struct machine_result result = run_clean(ptx, 8);
	struct machine_case work = {.ptx = ptx,
				    .block = {8},
				    .in = numbers,
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
		cmocka_unit_test(all_forms_are_decoded),
		cmocka_unit_test(other_forms_are_refused),
		cmocka_unit_test(global_memory_is_copied_to_shared),
		cmocka_unit_test(an_mbarrier_counts_the_bytes_of_all_copies),
		cmocka_unit_test(shared_memory_is_copied_to_global),
		cmocka_unit_test(a_mask_selects_bytes_of_each_sixteen),
		cmocka_unit_test(shared_memory_is_copied_within_the_block),
		cmocka_unit_test(a_buffer_can_be_filled_again),
		cmocka_unit_test(every_reduction_has_its_result),
		cmocka_unit_test(shared_memory_is_reduced_in_any_order),
		cmocka_unit_test(use_before_the_phase_is_told),
		cmocka_unit_test(reuse_of_the_source_is_told),
		cmocka_unit_test(reuse_after_the_wait_is_right),
		cmocka_unit_test(a_missing_fence_is_told),
		cmocka_unit_test(fences_of_either_side_count),
		cmocka_unit_test(copies_need_no_fence_between_them),
		cmocka_unit_test(accesses_to_global_memory_are_checked),
		cmocka_unit_test(reductions_of_blocks_do_not_race),
		cmocka_unit_test(addresses_and_sizes_are_checked),
		cmocka_unit_test(copies_are_no_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
