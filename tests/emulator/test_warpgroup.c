/* wgmma: which forms are decoded, and what a program does too early or without its other warps.
 * test_warpgroup_results tests the numbers. */
#include "support_decode.h"
#include "support_machine.h"

#include <stdlib.h>
#include <string.h>

/* ---- decoding ---- */

/* As decode_body() has it, with the operands of D of n = 8. */
#define D4 "{%f1, %f2, %f3, %f4}"
#define A4 "{%r1, %r2, %r3, %r4}"
#define MMA(words) "wgmma.mma_async.sync.aligned." words " "

static void products_are_decoded(void **state)
{
	struct decoded decoded = decode_body(
		"setp.eq.u32 %p1, %r1, 0;\nwgmma.fence.sync.aligned;\n" MMA(
			"m64n8k16.f32.bf16.bf16") D4
		", %rd1, %rd2, %p1, 1, -1, 0, 1;\n" MMA(
			"m64n8k32.s32.satfinite.s8.u8") "{%r5, %r6, %r7, %r8}, " A4 ", %rd2, 1;\n"
							"wgmma.commit_group.sync.aligned;\nwgmma."
							"wait_group.sync.aligned 7;\nret;");
	const struct program_function *function = decoded.function;
	const struct program_group_product *first = &function->group_products[0];
	const struct program_group_product *second = &function->group_products[1];

	(void)state;
	assert_int_equal(function->group_product_count, 2);
	assert_int_equal(first->part.a_type, MATRIX_BF16);
	assert_int_equal(first->part.k, 16);
	assert_int_equal(first->n, 8);
	assert_int_equal(first->sum_count, 4);
	assert_int_equal(first->a_count, 0);
	assert_true(!first->negates_a && first->negates_b && !first->a_turned && first->b_turned);
	assert_int_equal(second->part.b_type, MATRIX_U8);
	assert_int_equal(second->a_count, 4);
	assert_true(second->part.saturates);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(first->sums[i], first->results[i]);
	assert_int_equal(only(function, OP_GROUP_WAIT)->offset, 7);
	decoded_release(&decoded);
}

static void forms_that_do_not_exist_are_refused_by_name(void **state)
{
	static const char *const mnemonics[] = {
		MMA("m64n8k32.f32.f16.f16"),
		MMA("m64n8k16.f16.bf16.bf16"),
		MMA("m64n8k16.f32.f16.bf16"),
		MMA("m64n12k16.f32.f16.f16"),
		MMA("m64n264k16.f32.f16.f16"),
		MMA("m64n40k32.s32.s8.s8"),
		MMA("m128n8k16.f32.f16.f16"),
		MMA("m64n8k16.f32.f16.f16.satfinite"),
		MMA("m64n8k256.s32.b1.b1.xor.popc"),
		MMA("m64n8k256.s32.b1.b1.and"),
		MMA("m64n8k256.s32.b1.b1.and.popc.satfinite"),
		MMA("m64n8k32.s32.s4.s4"),
		MMA("m64n8k16.f32.f16.f16.f16"),
		"wgmma.mma_async.m64n8k16.f32.f16.f16 ",
		"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 ",
		"wgmma.fence ",
		"wgmma.wait_group.sync ",
		"wgmma.bogus.sync.aligned ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mnemonics); i++) {
		struct text words = TEXT_INIT, wanted = TEXT_INIT, body = TEXT_INIT;
		struct error err;

		text_add(&body, mnemonics[i]);
		text_add(&body, D4 ", %rd1, %rd2, 1, 1, 1, 0, 0;");
		text_add(&wanted, "opcode ");
		text_add_bytes(&wanted, mnemonics[i], strlen(mnemonics[i]) - 1);
		assert_int_equal(decode_body_fails(body.data, &err, &words), PL_EUNSUPPORTED);
		if (!strstr(words.data, wanted.data))
			fail_msg("%s: %s", mnemonics[i], words.data);
		text_release(&words);
		text_release(&wanted);
		text_release(&body);
	}
}

static void wrong_operands_are_invalid(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{MMA("m64n16k16.f32.f16.f16") D4 ", %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "expected 8 registers of D"},
		{MMA("m64n8k16.f32.f16.f16") "%f1, %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "expected 4 registers of D"},
		{MMA("m64n8k16.f32.f16.f16") "{%f1, %f2, %f3, %f1}, %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "D names a register twice"},
		{MMA("m64n8k16.f32.f16.f16") "{%f1, %f2, %f3, _}, %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "D must be in registers of 32 bits"},
		{MMA("m64n8k16.f32.f16.f16") "{%f1, %f2, %f3, %rd3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "D must be in registers of 32 bits"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", {%r1, %r2}, %rd2, 1, 1, 1, 0;",
		 "expected 4 registers"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %r1, %rd2, 1, 1, 1, 0, 0;", "64"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %r2, 1, 1, 1, 0, 0;", "64"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, %r1, 1, 1, 0, 0;", "1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, 2, 1, 1, 0, 0;",
		 "the scale of D must be 0 or 1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, 1, 0, 1, 0, 0;",
		 "the scale of A must be 1 or -1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, 1, 1, %r1, 0, 0;",
		 "the scale of B must be 1 or -1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, 1, 1, 1, 2, 0;",
		 "the transposition of A must be 0 or 1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", " A4 ", %rd2, 1, 1, 1, 2;",
		 "the transposition of B must be 0 or 1"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", %rd1, %rd2, 1, 1, 1;",
		 "6 operands instead of 8"},
		{MMA("m64n8k16.f32.f16.f16") D4 ", " A4 ", %rd2, 1, 1, 1, 0, 0;",
		 "8 operands instead of 7"},
		{MMA("m64n8k8.f32.tf32.tf32") D4 ", %rd1, %rd2, 1, 1, 1, 0, 0;",
		 "8 operands instead of 6"},
		{MMA("m64n8k32.s32.s8.s8") A4 ", %rd1, %rd2, 1, 1, 1;", "6 operands instead of 4"},
		{MMA("m64n8k32.s32.s8.s8") A4 ", %rd1, %rd2;", "3 operands are too few"},
		{"wgmma.wait_group.sync.aligned %r1;", "must be a number"},
		{"wgmma.wait_group.sync.aligned -1;", "must be a number"},
		{"wgmma.wait_group.sync.aligned;", "operand"},
		{"wgmma.fence.sync.aligned 1;", "operand"},
		{"wgmma.commit_group.sync.aligned 1;", "operand"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		assert_int_equal(decode_body_fails(cases[i].body, &err, NULL), PL_EPARSE);
		if (!strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].body, err.text);
	}
}

/* ---- programs ---- */

/* 128 threads fill A (64 * 16 halves) and B (8 columns), at 0 and 2048 of the tile. */
#define FILL                                                                             \
	".shared .align 128 .b8 tile[4096];\n.reg .f32 %d<9>;\nmov.u32 %r3, tile;\n"     \
	"mad.lo.u32 %r4, %r1, 16, %r3;\nst.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};\n" \
	"st.shared.v4.b32 [%r4+2048], {%r1, %r1, %r1, %r1};\n"
#define PROXY "fence.proxy.async.shared::cta;\n"
#define BARRIER "bar.sync 0;\n"
/* %rd4 describes A, %rd5 B: halves of lines lie 1024 and 128 bytes apart, eight lines are 128. */
#define DESCRIBE                                                                          \
	"shr.u32 %r5, %r3, 4;\ncvt.u64.u32 %rd5, %r5;\nor.b64 %rd4, %rd5, 34363932672;\n" \
	"add.u64 %rd5, %rd5, 128;\nor.b64 %rd5, %rd5, 34360262656;\n"
#define ZEROES                                                                           \
	"mov.f32 %d1, 0f00000000;\nmov.f32 %d2, 0f00000000;\nmov.f32 %d3, 0f00000000;\n" \
	"mov.f32 %d4, 0f00000000;\nmov.u32 %r11, %r1;\nmov.u32 %r12, %r1;\n"             \
	"mov.u32 %r13, %r1;\nmov.u32 %r14, %r1;\n"
#define FENCE "wgmma.fence.sync.aligned;\n"
#define SUMS "{%d1, %d2, %d3, %d4}"
#define PRODUCT MMA("m64n8k16.f32.f16.f16") SUMS ", %rd4, %rd5, 1, 1, 1, 0, 0;\n"
#define OF_REGISTERS                                 \
	MMA("m64n8k16.f32.f16.f16")                  \
	SUMS ", {%r11, %r12, %r13, %r14}, %rd5, 1, " \
	     "1, 1, 0;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT(groups) "wgmma.wait_group.sync.aligned " #groups ";\n"
#define READY FILL PROXY BARRIER DESCRIBE ZEROES FENCE
#define STORE "st.global.f32 [%rd3], %d1;\n"

static struct machine_result run(const char *body, int64_t threads)
{
	struct text ptx = TEXT_INIT;
	struct machine_result result;

	text_addf(&ptx, "%s%s}\n",
		  MACHINE_HEADER
		  ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"
		  "{\n" MACHINE_REGISTERS "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"
		  "ld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\n"
		  "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\n",
		  body);
	result = machine_run(&(struct machine_case){
		.ptx = ptx.data, .block = {threads, 1, 1}, .checked_blocks = -1});
	text_release(&ptx);
	return result;
}

enum expectation { NOTHING, ONLY, AMONG_OTHERS };

static void expect(const char *body, int64_t threads, enum expectation expected,
		   enum finding_kind kind, const char *words)
{
	struct machine_result result = run(body, threads);
	const struct finding *items = result.findings.items;
	bool found = false;

	for (size_t i = 0; i < result.findings.count; i++)
		found |= items[i].kind == kind && strstr(items[i].text, words) != NULL;
	if (expected != NOTHING && !found)
		fail_msg("%s\nno \"%s\", but %s", body, words,
			 result.findings.count ? items[0].text : "nothing");
	if (expected != AMONG_OTHERS && result.findings.count > (expected == ONLY))
		fail_msg("%s\n%s", body, items[expected == ONLY].text);
	machine_release(&result);
}

static void right(const char *body)
{
	expect(body, 128, NOTHING, FINDING_TRAP, "");
}

static void wrong(const char *body, enum finding_kind kind, const char *words)
{
	expect(body, 128, ONLY, kind, words);
}

/* Each instruction that lacks lanes is a finding, and so is what the others do then. */
static void wrong_among_others(const char *body, enum finding_kind kind, const char *words)
{
	expect(body, 128, AMONG_OTHERS, kind, words);
}

static void a_right_program_has_no_findings(void **state)
{
	(void)state;
	right(READY PRODUCT COMMIT WAIT(0) STORE "ret;");
	right(READY OF_REGISTERS COMMIT WAIT(0) STORE "ret;");
	/* Products of one shape add to the same registers. */
	right(READY PRODUCT PRODUCT OF_REGISTERS COMMIT PRODUCT COMMIT WAIT(0) STORE "ret;");
	/* Registers of A may be read. */
	right(READY OF_REGISTERS COMMIT "st.global.u32 [%rd3], %r11;\n" WAIT(0) "ret;");
	/* A compiler leaves moves to ptxas. */
	right(READY PRODUCT COMMIT
	      "mov.f32 %d5, %d1;\n" WAIT(0) "st.global.f32 [%rd3], %d5;\nret;");
	/* The reader may fence, too, after the barrier. */
	right(FILL BARRIER PROXY DESCRIBE ZEROES FENCE PRODUCT COMMIT WAIT(0) STORE "ret;");
	/* All warps have waited and met: the operands may change. */
	right(READY PRODUCT COMMIT WAIT(0) BARRIER "st.shared.u32 [%r4], %r1;\n" STORE "ret;");
	/* Memory that the product does not read may change at any time. */
	right(READY PRODUCT COMMIT
	      "setp.ge.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r4+2048], %r1;\n" WAIT(0) STORE
	      "ret;");
}

static void registers_are_not_touched_early(void **state)
{
	(void)state;
	wrong(READY PRODUCT COMMIT STORE WAIT(0) "ret;", FINDING_UNWAITED_PRODUCT,
	      "reads a register of D");
	wrong(READY PRODUCT WAIT(0) STORE "ret;", FINDING_UNWAITED_PRODUCT,
	      "reads a register of D"); /* in no group */
	wrong(READY PRODUCT COMMIT WAIT(1) STORE "ret;", FINDING_UNWAITED_PRODUCT,
	      "reads a register of D");
	wrong(READY PRODUCT COMMIT "mov.f32 %d5, %d1;\nst.global.f32 [%rd3], %d5;\n" WAIT(0) "ret;",
	      FINDING_UNWAITED_PRODUCT, "reads a register of D");
	wrong(READY PRODUCT COMMIT "mov.f32 %d1, 0f00000000;\n" WAIT(0) STORE "ret;",
	      FINDING_UNWAITED_PRODUCT, "writes a register of D");
	wrong(READY OF_REGISTERS COMMIT "mov.u32 %r12, 0;\n" WAIT(0) STORE
	      "st.global.u32 [%rd3], %r12;\nret;",
	      FINDING_UNWAITED_PRODUCT, "writes a register of A");
	/* D of the first is A of the second. */
	wrong(READY PRODUCT COMMIT
	      "mov.b32 %r11, %d1;\n" MMA("m64n8k16.f32.f16.f16") "{%d5, %d6, %d7, "
								 "%d8}, {%r11, "
								 "%r12, %r13, "
								 "%r14}, %rd5, "
								 "0, 1, 1, "
								 "0;\n" COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNWAITED_PRODUCT, "reads a register of D");
	/* Sums of another shape. */
	wrong(READY PRODUCT MMA(
		      "m64n16k16.f32.f16.f16") "{%d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8}, "
					       "%rd4, %rd5, 1, 1, 1, 0, 0;\n" COMMIT WAIT(0) STORE
	      "ret;",
	      FINDING_UNWAITED_PRODUCT, "adds to a register of D");
	/* The last group is pending, the one before is not. */
	right(READY PRODUCT COMMIT OF_REGISTERS COMMIT WAIT(1) "mov.u32 %r15, %r4;\n" WAIT(0) STORE
	      "ret;");
}

static void shared_memory_is_not_touched_early(void **state)
{
	(void)state;
	wrong(READY PRODUCT COMMIT "st.shared.u32 [%r4+32], 7;\n" WAIT(0) STORE "ret;",
	      FINDING_UNWAITED_PRODUCT, "before all warps of warpgroup 0 have waited");
	/* The other warps may not have waited. */
	wrong_among_others(READY PRODUCT COMMIT WAIT(0) "st.shared.u32 [%r4], 7;\n" STORE "ret;",
			   FINDING_UNWAITED_PRODUCT, "before all warps of warpgroup 0 have waited");
	wrong(FILL BARRIER DESCRIBE ZEROES FENCE PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNFENCED, "wgmma reads word 0, which thread (0,0,0) wrote");
	wrong(PROXY FILL BARRIER DESCRIBE ZEROES FENCE PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNFENCED, "no fence.proxy.async between");
	wrong_among_others(FILL PROXY DESCRIBE ZEROES FENCE PRODUCT COMMIT WAIT(0) STORE "ret;",
			   FINDING_RACE, "thread (32,0,0) reads word 0");
	wrong(".shared .align 128 .b8 tile[4096];\n.reg .f32 %d<9>;\nmov.u32 %r3, tile;\n" DESCRIBE
		      ZEROES FENCE PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNINITIALISED, "byte 0 of shared memory");
}

static void the_first_product_needs_a_fence(void **state)
{
	(void)state;
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNFENCED, "no wgmma.fence before it");
}

static void descriptors_are_checked(void **state)
{
	(void)state;
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "add.u64 %rd4, %rd4, 129;\n" PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_OUT_OF_BOUNDS, "a 16-byte read of a wgmma operand from shared memory");
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "or.b64 %rd4, %rd4, 16384;\n" PRODUCT COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNSUPPORTED, "sets bits that have no meaning");
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "cvt.u64.u32 %rd6, %r1;\nadd.u64 %rd5, %rd5, %rd6;\n" PRODUCT COMMIT WAIT(0) STORE
	      "ret;",
	      FINDING_UNSUPPORTED, "different matrix descriptors");
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "setp.eq.u32 %p1, %r1, 3;\n" MMA("m64n8k16.f32.f16.f16") SUMS
	      ", %rd4, %rd5, %p1, 1, 1, 0, 0;\n" COMMIT WAIT(0) STORE "ret;",
	      FINDING_UNSUPPORTED, "different scales of D");
}

static void all_warps_take_part(void **state)
{
	(void)state;
	expect(READY PRODUCT COMMIT WAIT(0) STORE "ret;", 96, ONLY, FINDING_UNSUPPORTED,
	       "warpgroup 0 has fewer than four warps");
	/* The last warp leaves: before the others, and after them. */
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES
	      "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra END;\n" FENCE PRODUCT COMMIT WAIT(0) STORE
	      "END: ret;",
	      FINDING_ABSENT_LANES, "warp 3 ends without executing this product");
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES
	      "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra END;\n" FENCE PRODUCT COMMIT WAIT(0) STORE
	      "END: ret;",
	      FINDING_ABSENT_LANES, "warp 0 ends without executing this product");
	/* Half a warp. */
	wrong_among_others(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
			   "setp.eq.u32 %p1, %r1, 5;\n@%p1 bra END;\n" PRODUCT COMMIT WAIT(0) STORE
			   "END: ret;",
			   FINDING_ABSENT_LANES, "it needs all 32");
	/* Another product, and another descriptor. */
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra OTHER;\n" PRODUCT "bra END;\nOTHER:\n" PRODUCT
	      "END:\n" COMMIT WAIT(0) STORE "ret;",
	      FINDING_ABSENT_LANES, "executes another one");
	wrong(FILL PROXY BARRIER DESCRIBE ZEROES FENCE
	      "setp.ge.u32 %p1, %r1, 96;\n@%p1 add.u64 %rd5, %rd5, 1;\n" PRODUCT COMMIT WAIT(0)
		      STORE "ret;",
	      FINDING_ABSENT_LANES, "gives another descriptor");
}

/* Operations count as the model of work does: 64 rows, once for the four warps. */
static void products_are_counted(void **state)
{
	struct machine_result result =
		run(READY PRODUCT OF_REGISTERS COMMIT WAIT(0) STORE "ret;", 128);

	(void)state;
	assert_int_equal(result.counts.tensor_f16_flop, 2 * 2 * 64 * 8 * 16);
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.counts.shared_load_requests, 0);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_decoded),
		cmocka_unit_test(forms_that_do_not_exist_are_refused_by_name),
		cmocka_unit_test(wrong_operands_are_invalid),
		cmocka_unit_test(a_right_program_has_no_findings),
		cmocka_unit_test(registers_are_not_touched_early),
		cmocka_unit_test(shared_memory_is_not_touched_early),
		cmocka_unit_test(the_first_product_needs_a_fence),
		cmocka_unit_test(descriptors_are_checked),
		cmocka_unit_test(all_warps_take_part),
		cmocka_unit_test(products_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
