/* Which statements may have registers of 128 bits (.b128), and which vectors of two they are not.
 * ptxas of CUDA 13.0 accepts and refuses the same, except what is refused as not supported. */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

#define REGISTERS ".reg .b128 %q<4>;\n.reg .v2 .b64 %v<4>;\n.reg .v4 .b32 %x;\n"

static const char function_of_both[] =
	PTX_HEADER ".func (.reg .b128 %a) f(.reg .v2 .b64 %b)\n{\nmov.b128 %a, %b;\nret;\n}\n"
		   ".visible .entry k()\n{\n" REGISTERS "call (%v1), f, (%q2);\n"
		   "call (%q1), f, (%v2);\nret;\n}\n";

static void registers_of_128_bits_are_whole(void **state)
{
	static const char *const accepted[] = {
		"mov.b128 %q1, %q2;",
		"mov.b128 %q1, %v1;",
		"mov.b128 %v1, %q1;",
		"mov.b128 {%rd1, %fd1}, %q1;",
		"mov.b128 %q1, {%rd1, 7};",
		"mov.v2.b64 %v1, %v2;",
		"ld.global.b128 %q1, [%rd1];",
		"ld.global.v2.b64 %v1, [%rd1];",
		"st.global.b128 [%rd1], %q1;",
		"atom.global.exch.b128 _, [%rd1], %q1;",
		"atom.global.cas.b128 %q1, [%rd1], %q2, %q3;",
	};
	struct decoded decoded;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		char *body = xasprintf("%s%s\nret;", REGISTERS, accepted[i]);

		decoded = decode_body(body);
		decoded_release(&decoded);
		free(body);
	}
	decoded = decode_module(function_of_both, "k");
	decoded_release(&decoded);
}

static void assert_all_refused(const char *const *statements, size_t count, int rc,
			       const char *words)
{
	for (size_t i = 0; i < count; i++) {
		char *body = xasprintf("%s%s\nret;", REGISTERS, statements[i]);
		struct error err;
		const int got = decode_body_fails(body, &err, NULL);

		if (got != rc || !strstr(err.text, words))
			fail_msg("%s: %s", statements[i], err.text);
		free(body);
	}
}

static void other_types_have_no_register_of_128_bits(void **state)
{
	static const char *const statements[] = {
		"mov.b64 %rd1, %q1;",
		"mov.b64 %q1, %rd1;",
		"mov.v2.b64 %q1, %q2;",
		"mov.v2.u64 %q1, {%rd1, %rd2};",
		"mov.v2.b64 {%rd1, %rd2}, %q1;",
		"mov.b32 %r1, %q1;",
		"mov.b128 %q1, {%q2, %rd1};",
		"mov.b128 {%q2, %rd1}, %q1;",
		"ld.global.v2.b64 %q1, [%rd1];",
		"st.global.v2.b64 [%rd1], %q1;",
		"st.global.v2.f32 [%rd1], %q1;",
		"atom.global.exch.b64 %q1, [%rd1], %rd2;",
		"atom.global.exch.b64 %rd1, [%rd1], %q1;",
		"atom.global.v2.f32.add %q1, [%rd1], %q2;",
		"red.global.v2.f32.add [%rd1], %q2;",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 %q1, {%fd0}, {%fd1}, %q2;",
		"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, %q1];",
		"prefetch.global.L2 [%q1];",
		"setp.eq.u64 %p1, %q1, %rd1;",
		"setp.eq.u64 %p1, %rd1, %q1;",
		"selp.b64 %rd1, %q1, %rd2, %p1;",
		"not.b64 %q1, %q2;",
		"add.u64 %rd1, %q1, %rd2;",
		"add.u64 %q1, %rd1, %rd2;",
		"shfl.sync.idx.b32 %q1, %r1, 0, 0, 0;",
	};

	(void)state;
	assert_all_refused(statements, ARRAY_SIZE(statements), PL_EPARSE, "has 128 bits, but");
}

static void an_address_has_no_128_bits(void **state)
{
	static const char *const statements[] = {
		"ld.global.u64 %rd1, [%q1];",
		"st.global.u64 [%q1], %rd1;",
	};

	(void)state;
	assert_all_refused(statements, ARRAY_SIZE(statements), PL_EPARSE, "an address must be");
}

static void accesses_of_128_bits_have_no_other_register(void **state)
{
	static const char *const statements[] = {
		"ld.global.b128 {%rd1, %rd2}, [%rd1];",
		"ld.global.b128 %v1, [%rd1];",
		"ld.global.b128 %rd1, [%rd1];",
		"ld.global.b128 _, [%rd1];",
		"st.global.b128 [%rd1], {%rd1, %rd2};",
		"st.global.b128 [%rd1], %v1;",
		"atom.global.exch.b128 %v1, [%rd1], %q1;",
		"atom.global.exch.b128 %q1, [%rd1], {%rd1, %rd2};",
		"atom.global.cas.b128 %q1, [%rd1], %v1, %q2;",
		"atom.global.cas.b128 %q1, [%rd1], %q2, %v1;",
		"mov.b128 %v1, %v2;",
		"mov.b128 {%rd1, %rd2}, {%rd3, %rd4};",
		"mov.b128 {%r1, %r2, %r3}, %q1;",
		"mov.b128 %q1, {%rd1};",
		"mov.b128 %rd1, %q1;",
		"mov.b128 %q1, %rd1;",
		"mov.b128 %q1, 0f3F800000;",
		"mov.b128 _, %q1;",
	};

	(void)state;
	assert_all_refused(statements, ARRAY_SIZE(statements), PL_EPARSE,
			   "expected a register of 128 bits");
}

static void a_move_has_two_operands(void **state)
{
	static const char *const statements[] = {"mov.b128;", "mov.b128 %q1;",
						 "mov.b128 %q1, %q2, %q3;"};

	(void)state;
	assert_all_refused(statements, ARRAY_SIZE(statements), PL_EPARSE, "operands instead of 2");
}

/* Valid PTX. */
static void forms_that_are_not_supported_are_named(void **state)
{
	static const char *const moves[] = {
		"mov.b128 %q1, 7;",
		"mov.b128 %q1, p;",
		"mov.b128 %q1, {%r1, %r2, %r3, %r4};",
		"mov.b128 %q1, %x;",
		"mov.b128 {%r1, %r2, %r3, %r4}, %q1;",
	};
	static const char *const immediates[] = {
		"st.global.b128 [%rd1], 7;",
		"atom.global.exch.b128 %q1, [%rd1], 7;",
		"atom.global.cas.b128 %q1, [%rd1], %q2, 7;",
	};
	static const char *const wider[] = {
		"ld.global.b64 %q1, [%rd1];", "ld.param.u64 %q1, [p];",
		"st.global.b32 [%rd1], %q1;", "ld.global.v2.b64 {%q1, %q2}, [%rd1];",
		"cvt.u64.u32 %q1, %r1;",
	};
	static const char *const opcodes[] = {"bogus.v2.b64 %q1, %q2;"};

	(void)state;
	assert_all_refused(moves, ARRAY_SIZE(moves), PL_EUNSUPPORTED,
			   "does not support a mov.b128 with four parts or an immediate value (");
	assert_all_refused(immediates, ARRAY_SIZE(immediates), PL_EUNSUPPORTED,
			   "does not support an immediate value of 128 bits (");
	assert_all_refused(wider, ARRAY_SIZE(wider), PL_EUNSUPPORTED,
			   "does not support a register of 128 bits for a smaller type (");
	assert_all_refused(opcodes, ARRAY_SIZE(opcodes), PL_EUNSUPPORTED, "opcode bogus.v2.b64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_of_128_bits_are_whole),
		cmocka_unit_test(other_types_have_no_register_of_128_bits),
		cmocka_unit_test(an_address_has_no_128_bits),
		cmocka_unit_test(accesses_of_128_bits_have_no_other_register),
		cmocka_unit_test(a_move_has_two_operands),
		cmocka_unit_test(forms_that_are_not_supported_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
