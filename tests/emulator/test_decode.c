/* Decoding of arithmetic, operands, moves of vectors, carry chains, comparisons and warp
 * operations. */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

static void shape_is(const char *body, const char *shape)
{
	struct decoded decoded = decode_body(body);

	assert_string_equal(code_shape(decoded.function), shape);
	decoded_release(&decoded);
}

static void mnemonics_are_found_in_any_order(void **state)
{
	(void)state;
	assert_int_equal(alu_find("fma.rn.f32"), ALU_FMA_RN_F32);
	assert_int_equal(alu_find("fma.ftz.rn.f32"), alu_find("fma.rn.ftz.f32"));
	assert_int_equal(alu_find("fma.f32.rn"), ALU_FMA_RN_F32);
	assert_int_equal(alu_find("add.f32"), alu_find("add.rn.f32"));
	/* The order of types matters: f32 from s32 is not s32 from f32. */
	assert_int_not_equal(alu_find("cvt.rn.f32.s32"), OPERATION_COUNT);
	assert_int_not_equal(alu_find("cvt.rn.f32.s32"), alu_find("cvt.rn.s32.f32"));
	assert_int_equal(alu_find("cvt.f32.rn.s32"), alu_find("cvt.rn.f32.s32"));
}

static void unknown_mnemonics_are_not_found(void **state)
{
	static const char *const names[] = {
		"",
		".",
		"add",
		"add.",
		"add.s32.s32",
		"add.s3",
		"fma.rn.rn.f32",
		"add.s32.",
		"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(alu_find(names[i]), OPERATION_COUNT);
	assert_null(alu_row_of(OP_BRA));
	assert_null(alu_row_of(OPERATION_COUNT));
	assert_non_null(alu_row_of(ALU_FMA_RN_F32));
}

/* Each mnemonic of alu.def finds its own row: no row hides another. */
static void every_row_is_found_by_its_mnemonic(void **state)
{
	size_t rows = 0;

	(void)state;
	for (int i = 0; i < OPERATION_COUNT; i++) {
		const struct alu_row *row = alu_row_of((enum operation)i);

		if (!row || !row->mnemonic[0])
			continue;
		if ((int)alu_find(row->mnemonic) != i)
			fail_msg("%s is another row", row->mnemonic);
		rows++;
	}
	assert_true(rows > 300);
}

static void operands_become_rows(void **state)
{
	struct decoded decoded = decode_body("add.s32 %r1, %r2, -5;\nadd.s32 %r3, %r1, -5;\n"
					     "mov.u32 %r4, %tid.x;\nret;");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;
	size_t negatives = 0;

	(void)state;
	/* %r2 is read before it is written, so it is marked. */
	assert_string_equal(code_shape(function), "(UNDEFINED) |ADD_S32 ADD_S32 MOV_B32 RET");
	assert_int_equal(code[0].dst, code[1].a);
	assert_int_equal(code[0].width, 32);
	assert_int_equal(constant_of(function, code[1].b)->bits, 0xfffffffb);
	assert_int_equal(constant_of(function, code[1].b)->kind, CONSTANT_BITS);
	assert_false(constant_of(function, code[1].b)->wide);
	assert_int_equal(code[1].dst, code[2].a);
	assert_int_equal(code[1].b, code[2].b);
	assert_int_equal(constant_of(function, code[3].a)->kind, CONSTANT_SPECIAL);
	assert_int_equal(constant_of(function, code[3].a)->bits, SPECIAL_TID_X);
	for (size_t i = 0; i < function->constant_count; i++) {
		negatives += function->constants[i].bits == 0xfffffffb;
		assert_int_equal(function->constants[i].row % 128, 0);
		assert_true(function->constants[i].row >= 256);
		assert_true(function->constants[i].row < function->file_bytes);
	}
	assert_int_equal(negatives, 1);
	decoded_release(&decoded);
}

static void immediates_have_the_bits_of_their_type(void **state)
{
	struct decoded decoded =
		decode_body("mov.f32 %f1, 0f3F800000;\nmov.f64 %fd1, 0d3FF8000000000000;\n"
			    "mov.u64 %rd1, -1;\nmov.u16 %h1, -2;\nmov.f32 %f2, 1.5;\nret;");
	const struct instruction *code = decoded.function->code;

	(void)state;
	assert_int_equal(constant_of(decoded.function, code[0].a)->bits, 0x3f800000);
	assert_int_equal(constant_of(decoded.function, code[1].a)->bits,
			 UINT64_C(0x3ff8000000000000));
	assert_true(constant_of(decoded.function, code[1].a)->wide);
	assert_int_equal(constant_of(decoded.function, code[2].a)->bits, UINT64_MAX);
	assert_int_equal(constant_of(decoded.function, code[3].a)->bits, 0xfffe);
	assert_int_equal(constant_of(decoded.function, code[4].a)->bits, 0x3fc00000);
	decoded_release(&decoded);
}

static void guards_stay_with_their_instruction(void **state)
{
	(void)state;
	shape_is("setp.eq.s32 %p1, %r1, 0;\n@%p1 add.s32 %r2, %r1, 1;\n@!%p1 ret;\n"
		 "st.global.u32 [%rd1], %r2;\nret;",
		 "(UNDEFINED) (UNDEFINED) (UNDEFINED) |SETP_EQ_S32 @ADD_S32 @!RET |STORE RET");
}

static void wide_registers_are_narrowed_and_widened(void **state)
{
	(void)state;
	/* A 64-bit register as the 32-bit source and as the 32-bit result of a conversion. */
	shape_is("mov.u64 %rd1, 3;\ncvt.rn.f32.s32 %f1, %rd1;\nret;",
		 "MOV_B64 (UNPACK_B32_0_OF_B64) CVT_RN_F32_S32 RET");
	shape_is("mov.u32 %r1, 3;\ncvt.s16.s32 %r2, %r1;\nret;",
		 "MOV_B32 CVT_S16_S32 (CVT_S32_S16) RET");
	shape_is("mov.u32 %r1, 3;\ncvt.u32.u16 %r2, %r1;\nret;",
		 "MOV_B32 (UNPACK_B16_0_OF_B32) CVT_U32_U16 RET");
}

static void vectors_are_packed_and_unpacked(void **state)
{
	struct decoded decoded =
		decode_body("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n"
			    "mov.b64 %rd1, {%r1, %r2};\nmov.b64 {%r3, %r4}, %rd1;\nret;");
	const struct instruction *code = decoded.function->code;

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B32 MOV_B32 PACK_B64_B32 UNPACK_B32_0_OF_B64 "
			    "(UNPACK_B32_1_OF_B64) RET");
	assert_int_equal(code[2].a, code[0].dst);
	assert_int_equal(code[2].b, code[1].dst);
	assert_int_equal(code[3].a, code[2].dst);
	assert_int_equal(code[4].a, code[2].dst);
	assert_int_not_equal(code[3].dst, code[2].dst);
	decoded_release(&decoded);
	shape_is("mov.u32 %r1, 1;\nmov.b32 {%h1, _}, %r1;\nmov.b32 {_, %h2}, %r1;\nret;",
		 "MOV_B32 UNPACK_B16_0_OF_B32 UNPACK_B16_1_OF_B32 RET");
	shape_is("mov.u16 %h1, 1;\nmov.b64 %rd1, {%h1, %h1, %h1, 7};\nret;",
		 "MOV_B16 PACK_B64_B16 RET");
}

static void carry_chains_have_a_hidden_predicate(void **state)
{
	struct decoded decoded = decode_body("mov.u32 %r1, 1;\nadd.cc.u32 %r1, %r1, %r1;\n"
					     "addc.cc.u32 %r2, %r1, 0;\naddc.u32 %r3, 0, 0;\nret;");
	const struct instruction *code = decoded.function->code;
	struct text words = TEXT_INIT;
	struct error err = {0};

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B32 (ADD_CARRY_U32) ADD_U32 (MOV_PRED) (ADDC_CARRY_U32) ADDC_U32 "
			    "(MOV_PRED) ADDC_U32 RET");
	/* The carry uses the operands before the instruction, although the result is one of
	 * them. */
	assert_int_equal(code[1].a, code[2].a);
	assert_int_equal(code[3].a, code[1].dst);
	assert_int_equal(code[4].c, code[3].dst);
	assert_int_equal(code[5].c, code[3].dst);
	assert_int_equal(code[7].c, code[6].dst);
	decoded_release(&decoded);
	shape_is("mov.u64 %rd1, 1;\nmad.lo.cc.u64 %rd2, %rd1, %rd1, %rd1;\n"
		 "madc.hi.u64 %rd3, %rd1, %rd1, %rd1;\nret;",
		 "MOV_B64 (MUL_LO_U64) (ADD_CARRY_U64) ADD_U64 (MOV_PRED) (MUL_HI_U64) ADDC_U64 "
		 "RET");
	/* On an H200 the flag holds what other instructions left in it, until one sets it. */
	assert_int_equal(
		decode_body_fails("addc.u32 %r1, 0, 0;\nadd.cc.u32 %r1, 0, 0;\nret;", &err, &words),
		PL_EUNSUPPORTED);
	assert_non_null(strstr(words.data, "a carry flag that nothing has set"));
	text_release(&words);
	shape_is("mov.u32 %r1, 1;\nsub.cc.u32 %r2, %r1, 5;\nsubc.u32 %r3, 0, 0;\nret;",
		 "MOV_B32 (SUB_CARRY_U32) SUB_U32 (MOV_PRED) SUBC_U32 RET");
}

static void comparisons_combine_and_have_two_results(void **state)
{
	(void)state;
	shape_is("mov.u32 %r1, 1;\nsetp.lt.s32 %p1|%p2, %r1, 4;\nret;",
		 "MOV_B32 SETP_LT_S32 (NOT_PRED) (MOV_PRED) (MOV_PRED) RET");
	shape_is("mov.u32 %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n"
		 "setp.gt.and.s32 %p1, %r1, 0, !%p1;\nret;",
		 "MOV_B32 SETP_LT_S32 (NOT_PRED) SETP_GT_S32 (AND_PRED) (MOV_PRED) RET");
	shape_is("mov.u32 %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n"
		 "setp.gt.xor.s32 %p1|%p2, %r1, 0, %p1;\nret;",
		 "MOV_B32 SETP_LT_S32 SETP_GT_S32 (NOT_PRED) (XOR_PRED) (XOR_PRED) (MOV_PRED) "
		 "(MOV_PRED) RET");
	shape_is("mov.u32 %r1, 1;\nsetp.lt.f16x2 %p1|%p2, %r1, %r1;\nret;",
		 "MOV_B32 (UNPACK_B16_0_OF_B32) (UNPACK_B16_0_OF_B32) SETP_LT_F16 "
		 "(UNPACK_B16_1_OF_B32) (UNPACK_B16_1_OF_B32) (SETP_LT_F16) (MOV_PRED) (MOV_PRED) "
		 "RET");
	shape_is("mov.u32 %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n"
		 "set.gt.or.u32.s32 %r2, %r1, 0, %p1;\nret;",
		 "MOV_B32 SETP_LT_S32 SETP_GT_S32 (OR_PRED) (SELP_B32) RET");
	shape_is("mov.u16 %h1, 1;\nset.gt.f16.f16 %h2, %h1, %h1;\nret;",
		 "MOV_B16 SETP_GT_F16 (SELP_B16) RET");
}

/* The source of setp.xor may be the first result, so both results are computed before either is
 * written. */
static void results_do_not_spoil_the_predicate_they_combine(void **state)
{
	struct decoded decoded = decode_body("mov.u32 %r1, 1;\nsetp.lt.s32 %p1, %r1, 4;\n"
					     "setp.gt.xor.s32 %p1|%p2, %r1, 0, %p1;\nret;");
	const struct instruction *code = decoded.function->code;

	(void)state;
	assert_int_equal(code[4].b, code[1].dst);
	assert_int_equal(code[5].b, code[1].dst);
	assert_int_equal(code[6].dst, code[1].dst);
	decoded_release(&decoded);
}

static void lanes_exchange(void **state)
{
	struct decoded decoded = decode_body(
		"mov.u32 %r1, 1;\nshfl.sync.bfly.b32 %r2|%p1, %r1, 16, 31, -1;\n"
		"vote.sync.ballot.b32 %r3, !%p1, -1;\nmatch.all.sync.b64 %r4|%p2, %rd1, -1;\n"
		"redux.sync.min.s32 %r5, %r1, 15;\nactivemask.b32 %r6;\nelect.sync %r7|%p3, "
		"-1;\nret;");
	const struct program_function *function = decoded.function;
	const struct instruction *at;

	(void)state;
	at = only(function, OP_SHUFFLE);
	assert_int_equal(at->kind, SHUFFLE_BUTTERFLY);
	assert_int_equal(constant_of(function, at->b)->bits, 16);
	assert_int_equal(constant_of(function, at->c)->bits, 31);
	assert_int_equal(constant_of(function, at->d)->bits, UINT32_MAX);
	assert_true(at->dst && at->dst2);
	/* Lanes read each other's value, so the result must not share its row. */
	assert_int_not_equal(at->dst, at->a);
	at = only(function, OP_VOTE);
	assert_int_equal(at->kind, VOTE_BALLOT);
	assert_int_equal(at->a, only(function, ALU_NOT_PRED)->dst);
	at = only(function, OP_MATCH);
	assert_int_equal(at->kind, MATCH_ALL);
	assert_int_equal(at->type, TYPE_b64);
	assert_true(at->dst2);
	at = only(function, OP_REDUX);
	assert_int_equal(at->kind, ATOMIC_MIN);
	assert_int_equal(at->type, TYPE_s32);
	assert_int_equal(constant_of(function, at->d)->bits, 15);
	only(function, OP_ACTIVE_MASK);
	assert_true(only(function, OP_ELECT)->dst2);
	decoded_release(&decoded);
}

static void invalid_operands_are_reported_with_their_line(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"add.s32 %r1, %r2;\nret;", "operands"},
		{"add.s32 %r1, %r2, %r3, %r4;\nret;", "operands"},
		{"add.s32 %rd1, %p1, %r3;\nret;", "%p1 has 1 bits, but the operand needs 32"},
		{"add.s64 %rd1, %r1, %rd3;\nret;", "%r1 has 32 bits, but the operand needs 64"},
		{"add.s32 %h1, %r1, %r3;\nret;", "the result has 32 bits, but %h1 has 16"},
		{"add.s32 5, %r1, %r3;\nret;", "the result must be a register"},
		{"add.s32 %r1, {%r1, %r2}, %r3;\nret;", "not a valid source operand"},
		{"mov.u32 %r1, nobody;\nret;", "unknown variable or function nobody"},
		{"bra nowhere;\nret;", "unknown label"},
		{"mov.u16 %h1, p;\nret;", "does not fit"},
		{"shfl.sync.up.b32 %r1, %r2, 1, 0;\nret;", "operands"},
		{"setp.lt.f16 %p1|%p2, %h1, %h2;\nret;", "one result"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		assert_int_equal(decode_body_fails(cases[i].body, &err, NULL), PL_EPARSE);
		if (!strstr(err.text, cases[i].words) || !strstr(err.text, "line 12"))
			fail_msg("%s: %s", cases[i].body, err.text);
	}
}

/* Mnemonics that look like PTX but that an assembler rejects. */
static void unknown_opcodes_are_unsupported(void **state)
{
	static const char *const statements[] = {
		"set.eq.u16.u32 %h1, %r1, %r2",
		"set.lt.f32.f16 %r1, %h1, %h2",
		"set.le.f16.bf16 %h1, %h2, %h3",
		"set.eq.u16x2.u16 %r1, %h1, %h2",
		"set.eq.u32.u16x2 %r1, %r2, %r3",
		"setp.eq.u16x2 %p1|%p2, %r1, %r2",
		"mov.f16 %h1, %h2",
		"selp.f16 %h1, %h2, %h3, %p1",
		"slct.f16.s32 %h1, %h2, %h3, %r1",
		"atom.global.add.s64 %rd1, [%rd2], %rd3",
		"ld.global.v8.u64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd0]",
		"st.global.v8.b8 [%rd0], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
		char *body = xasprintf("%s;\nret;", statements[i]);
		struct text unsupported = TEXT_INIT;
		struct error err;

		if (decode_body_fails(body, &err, &unsupported) != PL_EUNSUPPORTED ||
		    strncmp(unsupported.data, "opcode ", 7) != 0)
			fail_msg("%s: %s", body, err.text);
		text_release(&unsupported);
		free(body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mnemonics_are_found_in_any_order),
		cmocka_unit_test(unknown_mnemonics_are_not_found),
		cmocka_unit_test(every_row_is_found_by_its_mnemonic),
		cmocka_unit_test(operands_become_rows),
		cmocka_unit_test(immediates_have_the_bits_of_their_type),
		cmocka_unit_test(guards_stay_with_their_instruction),
		cmocka_unit_test(wide_registers_are_narrowed_and_widened),
		cmocka_unit_test(vectors_are_packed_and_unpacked),
		cmocka_unit_test(carry_chains_have_a_hidden_predicate),
		cmocka_unit_test(comparisons_combine_and_have_two_results),
		cmocka_unit_test(results_do_not_spoil_the_predicate_they_combine),
		cmocka_unit_test(lanes_exchange),
		cmocka_unit_test(invalid_operands_are_reported_with_their_line),
		cmocka_unit_test(unknown_opcodes_are_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
