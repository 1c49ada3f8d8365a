/* Functions whose parameters and results are registers (.reg). */
#include "support_machine.h"

#include <string.h>

#include "support_decode.h"

static void run_words(uint32_t *out, size_t words, const char *ptx)
{
	static const uint32_t in[4] = {11, 22, 33, 44};
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = ptx, .block = {32}, .out_words = words, .in = in, .in_words = 4});

	assert_int_equal(result.findings.count, 0);
	memcpy(out, result.out, words * sizeof(*out));
	machine_release(&result);
}

/* Two results of different widths; the parameter that it changes is its own. */
#define BOTH                                                                                       \
	".func (.reg .b32 %sum, .reg .b64 %wide) both(.reg .b32 %one, .reg .b32 %other)\n{\n"      \
	"add.u32 %sum, %one, %other;\nmul.wide.u32 %wide, %one, %other;\nadd.u32 %one, %one, 1;\n" \
	"ret;\n}\n"
/* Returns early in some lanes, and at the end without ret. */
#define EVEN                                                                               \
	".func (.reg .u32 result) even(.reg .u32 n)\n{\n.reg .pred %p;\n.reg .b32 %bit;\n" \
	"and.b32 %bit, n, 1;\nsetp.eq.u32 %p, %bit, 0;\nmov.u32 result, 7;\n@%p ret;\n"    \
	"mov.u32 result, 9;\n}\n"
#define HALF                                                                                       \
	".func (.reg .s16 %h) less(.reg .s16 %a, .reg .f32 %f)\n{\n.reg .s16 %b;\n.reg .f32 %g;\n" \
	"add.f32 %g, %f, 0f3F800000;\ncvt.rzi.s16.f32 %b, %g;\nsub.s16 %h, %a, %b;\nret;\n}\n"
#define FACTORIAL                                                                          \
	".func (.reg .u32 %f) factorial(.reg .u32 %n)\n{\n.reg .pred %p;\n.reg .u32 %m;\n" \
	"setp.gt.u32 %p, %n, 1;\nmov.u32 %f, 1;\n@!%p bra done;\nsub.u32 %m, %n, 1;\n"     \
	"call (%f), factorial, (%m);\nmul.lo.u32 %f, %f, %n;\ndone:\nret;\n}\n"
/* Parameters of both sorts. */
#define MIXED                                                                             \
	".func (.param .b32 back) mixed(.param .b32 a, .reg .b32 %b)\n{\n.reg .b32 %c;\n" \
	"ld.param.b32 %c, [a];\nsub.u32 %c, %c, %b;\nst.param.b32 [back], %c;\nret;\n}\n"

static void registers_are_passed_and_returned(void **state)
{
	uint32_t out[32];

	(void)state;
	run_words(out, 4,
		  MACHINE_HEADER BOTH MACHINE_ENTRY(
			  "mov.b32 %r3, 70000;\ncall (%r4, %rd4), both, (%r3, 80000);\n"
			  "mov.b64 {%r5, %r6}, %rd4;\n"
			  "st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6};\nret;\n"));
	assert_int_equal(out[0], 70000);
	assert_int_equal(out[1], 150000);
	assert_int_equal(out[2], 5600000000 & UINT32_MAX);
	assert_int_equal(out[3], 5600000000 >> 32);
	run_words(out, 32,
		  MACHINE_HEADER EVEN MACHINE_ENTRY(
			  "mov.u32 %r4, 5;\nsetp.lt.u32 %p1, %r1, 16;\n"
			  "@%p1 call (%r4), even, (%r1);\nst.global.u32 [%rd3], %r4;\nret;\n"));
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(out[i], i >= 16 ? 5 : i % 2 ? 9 : 7);
	run_words(out, 1,
		  MACHINE_HEADER HALF MACHINE_ENTRY(
			  ".reg .s16 %h<3>;\nmov.s16 %h1, -5;\n"
			  "call.uni (%h2), less, (%h1, 0f41200000);\ncvt.s32.s16 %r4, %h2;\n"
			  "st.global.u32 [%rd1], %r4;\nret;\n"));
	assert_int_equal((int32_t)out[0], -16);
	run_words(out, 32,
		  MACHINE_HEADER FACTORIAL MACHINE_ENTRY(
			  "and.b32 %r4, %r1, 7;\ncall (%r5), factorial, (%r4);\n"
			  "st.global.u32 [%rd3], %r5;\nret;\n"));
	assert_int_equal(out[0], 1);
	assert_int_equal(out[5], 120);
	assert_int_equal(out[31], 5040);
	run_words(out, 1,
		  MACHINE_HEADER MIXED MACHINE_ENTRY(
			  "{\n.param .b32 a;\n.param .b32 back;\nst.param.b32 [a], 50;\n"
			  "call (back), mixed, (a, 8);\nld.param.b32 %r4, [back];\n}\n"
			  "st.global.u32 [%rd1], %r4;\nret;\n"));
	assert_int_equal(out[0], 42);
}

#define TURNED                                                                                    \
	".func (.reg .v4 .u16 to, .reg .pred same) turned(.reg .v4 .u16 from, .reg .pred p)\n{\n" \
	"mov.u16 to.x, from.w;\nmov.u16 to.y, from.z;\nmov.u16 to.z, from.y;\n"                   \
	"mov.u16 to.w, from.x;\n@!p mov.u16 to.x, 9;\nnot.pred same, p;\nret;\n}\n"

static void vectors_and_predicates_too(void **state)
{
	uint32_t out[4];

	(void)state;
	run_words(
		out, 4,
		MACHINE_HEADER TURNED MACHINE_ENTRY(
			".reg .v4 .u16 v, w;\n.reg .b16 %h<5>;\nmov.u16 v.x, 1;\nmov.u16 v.y, 2;\n"
			"mov.u16 v.z, 3;\nmov.u16 v.w, 4;\nsetp.eq.u32 %p1, %r1, %r1;\n"
			"call (w, %p2), turned, (v, %p1);\n"
			"call ({%h1, %h2, %h3, %h4}, %p1), turned, (w, %p2);\n"
			"mov.b32 %r3, {w.x, w.w};\nmov.b32 %r4, {%h1, %h4};\n"
			"selp.u32 %r5, 1, 0, %p1;\nselp.u32 %r6, 1, 0, %p2;\n"
			"st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6};\nret;\n"));
	assert_int_equal(out[0], 0x00010004);
	assert_int_equal(out[1], 0x00040009);
	assert_int_equal(out[2], 1);
	assert_int_equal(out[3], 0);
}

static void wrong_calls_are_refused(void **state)
{
	static const struct {
		const char *ptx, *words;
		int code;
	} cases[] = {
		{PTX_HEADER BOTH ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %d;\n"
				 "call (%r1, %d), both, (%r2);\nret;\n}\n",
		 "the arguments do not match those of both", PL_EPARSE},
		{PTX_HEADER BOTH ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %d;\n"
				 "call (%r1), both, (%r2, %r2);\nret;\n}\n",
		 "the arguments do not match those of both", PL_EPARSE},
		{PTX_HEADER BOTH ".visible .entry k()\n{\n.reg .b32 %r<4>;\n"
				 "call both, (%r2, %r2);\nret;\n}\n",
		 "the arguments do not match those of both", PL_EPARSE},
		{PTX_HEADER BOTH ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b16 %h;\n"
				 ".reg .b64 %d;\ncall (%r1, %d), both, (%r2, %h);\nret;\n}\n",
		 "16-bit register", PL_EPARSE},
		{PTX_HEADER BOTH ".visible .entry k()\n{\n.reg .b32 %r<4>;\n"
				 "call (%r1, %r3), both, (%r2, %r2);\nret;\n}\n",
		 "cannot load 8 bytes into %r3, which has 32 bits", PL_EPARSE},
		{PTX_HEADER EVEN ".visible .entry k()\n{\n.reg .b32 %r<4>;\n"
				 "call (7), even, (%r2);\nret;\n}\n",
		 "the result must be a register", PL_EPARSE},
		{PTX_HEADER TURNED ".visible .entry k()\n{\n.reg .v2 .u16 v;\n.reg .pred %p;\n"
				   "call (v, %p), turned, (v, %p);\nret;\n}\n",
		 "expected 4 registers", PL_EPARSE},
		{PTX_HEADER TURNED ".visible .entry k()\n{\n.reg .v4 .u16 v;\n.reg .b32 %r;\n"
				   "call (v, %r), turned, (v, %r);\nret;\n}\n",
		 "%r", PL_EPARSE},
		{PTX_HEADER EVEN ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %d;\n"
				 "mov.b64 %d, even;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 "
				 "_);\ncall (%r1), %d, (%r2), P;\nret;\n}\n",
		 "the emulator does not support an argument other than a .param variable (line",
		 PL_EUNSUPPORTED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		if (decode_module_fails(cases[i].ptx, "k", &err, NULL) != cases[i].code ||
		    !strstr(err.text, cases[i].words))
			fail_msg("case %zu: %s", i, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_passed_and_returned),
		cmocka_unit_test(vectors_and_predicates_too),
		cmocka_unit_test(wrong_calls_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
