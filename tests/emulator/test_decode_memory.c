/* Decoding of loads, stores and atomics, parameters, and the layout of variables. */
#include "support_decode.h"

#include <string.h>

static void loads_name_space_width_and_extension(void **state)
{
	struct decoded decoded =
		decode_body("mov.u64 %rd1, 4096;\n"
			    "ld.global.nc.L1::no_allocate.v2.u16 {%h1, %h2}, [%rd1+6];\n"
			    "ld.volatile.global.s8 %r1, [%rd1+-4];\nret;");
	const struct instruction *code = decoded.function->code;

	(void)state;
	assert_string_equal(code_shape(decoded.function), "MOV_B64 LOAD LOAD RET");
	assert_int_equal(code[1].space, PTX_SPACE_GLOBAL);
	assert_int_equal(code[1].a, code[0].dst);
	assert_false(code[1].narrow_address);
	assert_int_equal(code[1].offset, 6);
	assert_int_equal(code[1].width, 2);
	assert_int_equal(code[1].vector, 2);
	assert_int_equal(code[1].extension, EXTEND_ZERO);
	assert_true(code[1].rows[0] && code[1].rows[1] && code[1].rows[0] != code[1].rows[1]);
	assert_int_equal(code[2].offset, -4);
	assert_int_equal(code[2].width, 1);
	assert_int_equal(code[2].extension, EXTEND_SIGN);
	decoded_release(&decoded);
}

static void loads_into_wider_registers_are_extended(void **state)
{
	struct decoded decoded =
		decode_body("mov.u64 %rd1, 4096;\nld.global.s8 %h1, [%rd1];\n"
			    "ld.global.s32 %rd2, [%rd1];\nld.global.u8 %rd3, [%rd1];\n"
			    "ld.global.u8 %h2, [%rd1];\nret;");

	(void)state;
	assert_string_equal(code_shape(decoded.function),
			    "MOV_B64 LOAD (CVT_S16_S8) LOAD (CVT_S64_S32) LOAD (CVT_U64_U32) LOAD "
			    "RET");
	assert_int_equal(decoded.function->code[3].extension, EXTEND_SIGN);
	decoded_release(&decoded);
}

static void stores_take_registers_and_numbers(void **state)
{
	struct decoded decoded = decode_body("mov.u64 %rd1, 4096;\nmov.u32 %r1, 1;\n"
					     "st.global.cs.v4.u32 [%rd1], {%r1, 7, %r1, %r1};\n"
					     "st.global.u8 [%rd1], %r1;\nst.u32 [%rd1], %rd1;\n"
					     "st.shared.f32 [%r1+8], 0f3F800000;\nret;");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	assert_string_equal(code_shape(function), "MOV_B64 MOV_B32 STORE STORE "
						  "(UNPACK_B32_0_OF_B64) STORE STORE RET");
	assert_int_equal(code[2].vector, 4);
	assert_int_equal(code[2].rows[0], code[1].dst);
	assert_int_equal(constant_of(function, code[2].rows[1])->bits, 7);
	assert_int_equal(code[3].width, 1);
	assert_int_equal(code[3].rows[0], code[1].dst);
	assert_int_equal(code[5].space, PTX_SPACE_GENERIC);
	assert_int_equal(code[6].space, PTX_SPACE_SHARED);
	assert_true(code[6].narrow_address);
	assert_int_equal(constant_of(function, code[6].rows[0])->bits, 0x3f800000);
	decoded_release(&decoded);
}

static void parameters_of_an_entry_are_constant_rows(void **state)
{
	struct decoded decoded =
		decode_module(PTX_HEADER ".visible .entry k(.param .u8 a, .param .u64 b, .param "
					 ".align 8 .b8 c[24], .param .s16 d)\n{\n"
					 ".reg .b16 %h<3>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
					 "ld.param.u8 %h1, [a];\nld.param.u64 %rd1, "
					 "[b];\nld.param.v2.u32 {%r1, %r2}, [c+16];\n"
					 "ld.param.s16 %r3, [d];\nret;\n}\n",
			      "k");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;
	static const struct {
		int bits, bytes, extension;
		bool wide;
	} expected[] = {
		{0, 1, EXTEND_ZERO, false},  {8, 8, EXTEND_ZERO, true},
		{32, 4, EXTEND_ZERO, false}, {36, 4, EXTEND_ZERO, false},
		{40, 2, EXTEND_SIGN, false},
	};

	(void)state;
	assert_string_equal(code_shape(function), "MOV_B32 MOV_B64 MOV_B32 (MOV_B32) MOV_B32 RET");
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct program_constant *constant = constant_of(function, code[i].a);

		assert_int_equal(constant->kind, CONSTANT_PARAMETER);
		assert_int_equal(constant->bits, expected[i].bits);
		assert_int_equal(constant->bytes, expected[i].bytes);
		assert_int_equal(constant->extension, expected[i].extension);
		assert_int_equal(constant->wide, expected[i].wide);
	}
	assert_int_equal(function->parameter_bytes, 42);
	assert_int_equal(function->parameter_offsets[2], 16);
	assert_int_equal(function->local_bytes, 0);
	decoded_release(&decoded);
}

static void a_parameter_whose_address_is_taken_is_copied(void **state)
{
	struct decoded decoded = decode_module(
		PTX_HEADER ".visible .entry k(.param .u32 n, .param .align 4 .b8 c[12])\n{\n"
			   ".reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
			   "mov.b64 %rd1, c;\ncvta.param.u64 %rd2, %rd1;\nld.u32 %r1, [%rd2+4];\n"
			   "ld.param.u32 %r2, [c+8];\nret;\n}\n",
		"k");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	/* 12 bytes at offset 4 of the parameter block are copied as 4 and 8, so that each part is
	 * aligned. */
	assert_string_equal(code_shape(function), "(STORE) (STORE) MOV_B64 CVTA_LOCAL_U64 LOAD "
						  "MOV_B32 RET");
	assert_int_equal(code[0].space, PTX_SPACE_PARAM);
	assert_int_equal(code[0].width, 4);
	assert_int_equal(constant_of(function, code[0].rows[0])->bits, 4);
	assert_int_equal(code[1].width, 8);
	assert_int_equal(code[1].offset, 4);
	assert_int_equal(constant_of(function, code[1].rows[0])->bits, 8);
	assert_int_equal(constant_of(function, code[2].a)->kind, CONSTANT_LOCAL);
	assert_int_equal(function->local_bytes, 16);
	decoded_release(&decoded);
}

static void atomics_record_whether_their_result_is_read(void **state)
{
	struct decoded decoded = decode_body("mov.u64 %rd1, 4096;\n"
					     "atom.global.add.u32 %r1, [%rd1], 1;\n"
					     "atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;\n"
					     "atom.global.exch.b32 %r3, [%rd1], 1;\n"
					     "red.global.max.s64 [%rd1], 5;\n"
					     "atom.shared.cas.b32 _, [%r2], 1, 2;\n"
					     "atom.global.add.f32 _, [%rd1], 0f3F800000;\n"
					     "ret;");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	assert_string_equal(code_shape(function),
			    "MOV_B64 ATOMIC ATOMIC ATOMIC ATOMIC ATOMIC ATOMIC RET");
	assert_true(code[1].result_unused);
	assert_false(code[2].result_unused); /* an address */
	assert_false(code[3].result_unused); /* exch has no form without a result */
	assert_true(code[4].result_unused);
	assert_int_equal(code[4].dst, 0);
	assert_int_equal(code[4].kind, ATOMIC_MAX);
	assert_int_equal(code[4].type, TYPE_s64);
	assert_int_equal(code[4].width, 8);
	assert_false(code[5].result_unused);
	assert_int_equal(code[5].space, PTX_SPACE_SHARED);
	assert_int_equal(constant_of(function, code[5].b)->bits, 1);
	assert_int_equal(constant_of(function, code[5].c)->bits, 2);
	assert_true(code[6].result_unused);
	assert_int_equal(code[6].type, TYPE_f32);
	decoded_release(&decoded);
}

static void a_result_that_is_read_later_is_used(void **state)
{
	struct decoded decoded = decode_body("mov.u64 %rd1, 4096;\n"
					     "top:\natom.global.add.u32 %r1, [%rd1], 1;\n"
					     "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra behind;\n"
					     "mov.u32 %r1, 1;\nbra.uni top;\n"
					     "behind:\nst.global.u32 [%rd1], %r1;\nret;");

	(void)state;
	assert_false(only(decoded.function, OP_ATOMIC)->result_unused);
	decoded_release(&decoded);
	decoded = decode_body("mov.u64 %rd1, 4096;\n"
			      "top:\natom.global.add.u32 %r1, [%rd1], 1;\n"
			      "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra behind;\n"
			      "mov.u32 %r1, 1;\nbra.uni top;\nbehind:\nret;");
	assert_true(only(decoded.function, OP_ATOMIC)->result_unused);
	decoded_release(&decoded);
	/* A guarded write keeps the result in other lanes. */
	decoded = decode_body("mov.u64 %rd1, 4096;\natom.global.add.u32 %r1, [%rd1], 1;\n"
			      "@%p1 mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;");
	assert_false(only(decoded.function, OP_ATOMIC)->result_unused);
	decoded_release(&decoded);
}

static const char shared_module[] = PTX_HEADER
	".shared .align 1 .b8 letters[3];\n.shared .align 8 .f64 doubles[5];\n"
	".shared .align 4 .f32 unmentioned[1000];\n.extern .shared .align 16 .b8 dynamic[];\n"
	".global .align 4 .u32 counter;\n"
	".func helper()\n{\n.reg .b32 %r<2>;\n.shared .align 4 .u32 own;\n"
	"ld.shared.u32 %r1, [own];\nst.shared.u32 [letters], %r1;\nret;\n}\n"
	".visible .entry one()\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n"
	"mov.u32 %r1, doubles;\nst.shared.u8 [letters+2], %r1;\nmov.u32 %r2, dynamic;\n"
	"mov.u64 %rd1, counter;\nret;\n}\n"
	".visible .entry two()\n{\ncall helper;\nret;\n}\n"
	".visible .entry three()\n{\n.reg .b32 %r<5>;\nmov.u32 %r1, doubles;\nret;\n}\n";

static void shared_variables_take_space_where_they_are_used(void **state)
{
	struct decoded decoded = decode_module(shared_module, "one");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	/* 40 bytes of doubles, 3 of letters, and dynamic memory from the next multiple of 16. */
	assert_int_equal(program_shared_static_bytes(decoded.program, "one"), 48);
	assert_int_equal(constant_of(function, code[0].a)->kind, CONSTANT_SHARED);
	assert_int_equal(constant_of(function, code[0].a)->bits, 0);
	assert_int_equal(constant_of(function, code[1].a)->bits, 40);
	assert_int_equal(code[1].offset, 2);
	assert_int_equal(constant_of(function, code[2].a)->bits, 48);
	assert_int_equal(constant_of(function, code[3].a)->kind, CONSTANT_GLOBAL);
	assert_string_equal(decoded.module->variables[constant_of(function, code[3].a)->bits].name,
			    "counter");
	/* Functions that the entry does not reach are not decoded. */
	for (size_t i = 0; i < decoded.program->function_count; i++)
		assert_int_equal(decoded.program->functions[i].code != NULL,
				 &decoded.program->functions[i] == function);
	decoded_release(&decoded);
	decoded = decode_module(shared_module, "two");
	assert_int_equal(program_shared_static_bytes(decoded.program, "two"), 7);
	decoded_release(&decoded);
}

static void entries_that_share_variables_are_laid_out_together(void **state)
{
	struct decoded decoded = decode_module(shared_module, NULL);

	(void)state;
	/* one and two share letters, three shares doubles with one: all three have one layout. */
	assert_int_equal(program_shared_static_bytes(decoded.program, "one"), 48);
	assert_int_equal(program_shared_static_bytes(decoded.program, "two"), 47);
	assert_int_equal(program_shared_static_bytes(decoded.program, "three"), 40);
	assert_int_equal(program_shared_static_bytes(decoded.program, "nobody"), 0);
	decoded_release(&decoded);
}

static void local_variables_lie_in_the_frame(void **state)
{
	struct decoded decoded =
		decode_body(".local .align 16 .b8 depot[40];\n.local .b8 more[3];\n"
			    "mov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\n"
			    "st.local.u8 [more+1], 5;\nret;");
	const struct program_function *function = decoded.function;
	const struct instruction *code = function->code;

	(void)state;
	assert_int_equal(function->local_bytes, 48);
	assert_int_equal(constant_of(function, code[0].a)->kind, CONSTANT_LOCAL);
	assert_int_equal(constant_of(function, code[0].a)->bits, 0);
	assert_true(constant_of(function, code[0].a)->wide);
	assert_int_equal(constant_of(function, code[2].a)->bits, 40);
	assert_int_equal(code[2].space, PTX_SPACE_LOCAL);
	decoded_release(&decoded);
}

static void atomics_of_halves_are_kinds_of_their_own(void **state)
{
	struct decoded decoded = decode_body("atom.global.add.noftz.f16 %h1, [%rd1], %h2;\n"
					     "red.shared.add.noftz.bf16x2 [%r2], %r3;\n"
					     "atom.cas.b16 %h1, [%rd1], %h2, %h3;\nret;");
	static const char *const unsupported[] = {"atom.global.add.f16",
						  "atom.global.min.noftz.f16", "red.global.cas.b16",
						  "atom.global.exch.b16"};
	const struct instruction *code = decoded.function->code;
	struct text words = TEXT_INIT;
	struct error err;

	(void)state;
	assert_non_null(strstr(code_shape(decoded.function), "|ATOMIC ATOMIC ATOMIC RET"));
	while (code->operation != OP_ATOMIC) /* registers that are never written are set to zero */
		code++;
	assert_int_equal(code[0].kind, ATOMIC_ADD_F16);
	assert_int_equal(code[0].type, TYPE_b16);
	assert_int_equal(code[0].width, 2);
	assert_int_equal(code[1].kind, ATOMIC_ADD_BF16);
	assert_int_equal(code[1].type, TYPE_b32);
	assert_int_equal(code[1].width, 4);
	assert_int_equal(code[2].kind, ATOMIC_CAS);
	assert_int_equal(code[2].width, 2);
	decoded_release(&decoded);
	assert_int_equal(decode_body_fails("atom.global.add.f16 %h1, [%rd1], %h2;\n"
					   "atom.global.min.noftz.f16 %h1, [%rd1], %h2;\n"
					   "red.global.cas.b16 [%rd1], %h2, %h3;\n"
					   "atom.global.exch.b16 %h1, [%rd1], %h2;\nret;",
					   &err, &words),
			 PL_EUNSUPPORTED);
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		assert_non_null(strstr(words.data, unsupported[i]));
	text_release(&words);
}

static void invalid_accesses_are_refused(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"ld.global.u32 %r1, [%r2];\nret;", "cannot hold this address"},
		{"ld.global.u32 %r1, [nobody];\nret;", "unknown variable nobody"},
		{"ld.global.u32 %r1, %rd1;\nret;", "address in []"},
		{"ld.global.u32 %h1, [%rd1];\nret;", "cannot load 4 bytes into %h1"},
		{"ld.global.v2.u32 %r1, [%rd1];\nret;", "expected 2 registers"},
		{"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];\nret;", "expected 2 registers"},
		{"ld.param.u64 %rd1, [p+4];\nret;", "8 bytes at offset 4 of p"},
		{"ld.param.u64 %rd1, [p+-1];\nret;", "of p"},
		{"ld.param.u64 %rd1, [p+9223372036854775807];\nret;", "of p"},
		{"st.param.u64 [p], %rd1;\nret;", "cannot be written"},
		{"ld.global.u64 %rd1, [p];\nret;", "a param variable accessed as global"},
		{"st.global.u32 [%rd1], %p1;\nret;", "cannot store 4 bytes of a 1-bit register"},
		{"atom.global.add.u32 %r1, [p], 1;\nret;", "a param variable"},
		{"atom.global.cas.b32 %r1, [%rd1], 1;\nret;", "operands"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		if (decode_body_fails(cases[i].body, &err, NULL) != PL_EPARSE ||
		    !strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].body, err.text);
	}
}

static void memory_that_no_device_has_is_refused(void **state)
{
	struct error err;
	struct text words = TEXT_INIT;

	(void)state;
	assert_int_equal(decode_body_fails(".local .b8 much[600000];\nret;", &err, &words),
			 PL_EUNSUPPORTED);
	assert_non_null(strstr(words.data, "local memory over 524288 bytes"));
	text_clear(&words);
	assert_int_equal(decode_body_fails(".shared .b8 much[20000000];\nmov.u32 %r1, much;\nret;",
					   &err, &words),
			 PL_EUNSUPPORTED);
	assert_non_null(strstr(words.data, "shared memory over"));
	text_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_name_space_width_and_extension),
		cmocka_unit_test(loads_into_wider_registers_are_extended),
		cmocka_unit_test(stores_take_registers_and_numbers),
		cmocka_unit_test(parameters_of_an_entry_are_constant_rows),
		cmocka_unit_test(a_parameter_whose_address_is_taken_is_copied),
		cmocka_unit_test(atomics_record_whether_their_result_is_read),
		cmocka_unit_test(atomics_of_halves_are_kinds_of_their_own),
		cmocka_unit_test(a_result_that_is_read_later_is_used),
		cmocka_unit_test(shared_variables_take_space_where_they_are_used),
		cmocka_unit_test(entries_that_share_variables_are_laid_out_together),
		cmocka_unit_test(local_variables_lie_in_the_frame),
		cmocka_unit_test(invalid_accesses_are_refused),
		cmocka_unit_test(memory_that_no_device_has_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
