/* Which instructions on matrices the decoder accepts. test_matrices runs those. */
#include "support_decode.h"

#include <string.h>

static void other_products_are_refused_by_name(void **state)
{
	static const char *const bodies[] = {
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %r1, %r2, %r3, %r4, %r5, 0;",
		/* No such shape, layout, type or option. */
		"mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 %r1, %r2, %r3, %r4;",
		"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 %r1, %r2, %r3, %r4;",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 %r1, %r2, %r3, %r4;",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 %r1, %r2, %r3, %r4;",
		"mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 %r1, %r2, %r3, %r4;",
		"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor %r1, %r2, %r3, %r4;",
		"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];",
		"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1, %r2, %r3}, [%r4];",
		"wmma.load.a.sync.aligned.col.m8n8k32.shared.s4 {%r1}, [%r2], 32;",
		"wmma.load.a.sync.aligned.row.m16n16k8.shared.f16 {%r1}, [%r2], 32;",
		"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite %r1, %r2, %r3, %r4;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		struct text words = TEXT_INIT, wanted = TEXT_INIT;
		struct error err;

		text_add(&wanted, "opcode ");
		text_add_bytes(&wanted, bodies[i], strcspn(bodies[i], " "));
		assert_int_equal(decode_body_fails(bodies[i], &err, &words), PL_EUNSUPPORTED);
		if (!strstr(words.data, wanted.data))
			fail_msg("%s: %s", bodies[i], words.data);
		text_release(&words);
		text_release(&wanted);
	}
}

static void wrong_operands_are_invalid(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1}, "
		 "{%r3}, {%f1, %f2, %f3, %f4};",
		 "expected 2 registers"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, "
		 "%r2}, {%r3};",
		 "3 operands instead of 4"},
		{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2];", "expected 2 registers"},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd1}, %r2;", "expected an address"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4}, [%r5], "
		 "16;",
		 "expected 8 registers"},
		{"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%r1, %r2}, {%r3}, {%r4}, "
		 "{%r5, %r6};",
		 "64"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		assert_int_equal(decode_body_fails(cases[i].body, &err, NULL), PL_EPARSE);
		if (!strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].body, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_products_are_refused_by_name),
		cmocka_unit_test(wrong_operands_are_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
