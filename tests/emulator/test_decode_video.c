/* Modifiers and selectors of video instructions, such as the .h1 of "%r2.h1". */
#include "support_decode.h"

#include <stdlib.h>
#include <string.h>

static void wrong_selectors_are_invalid(void **state)
{
	static const struct {
		const char *body, *selector;
	} cases[] = {
		{"vadd2.u32.u32.u32 %r1.h, %r2, %r3, %r4;", ".h"},
		{"vadd2.u32.u32.u32 %r1.b0, %r2, %r3, %r4;", ".b0"},
		{"vadd2.u32.u32.u32 %r1.h2, %r2, %r3, %r4;", ".h2"},
		{"vadd4.u32.u32.u32 %r1.x, %r2, %r3, %r4;", ".x"},
		{"vadd4.u32.u32.u32 %r1, %r2.b76, %r3, %r4;", ".b76"},
		{"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4;", ".h40"},
		{"vmad.u32.u32.u32 %r1, %r2.b4, %r3, %r4;", ".b4"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *words = xasprintf("unknown selector %s", cases[i].selector);
		struct error err;

		assert_int_equal(decode_body_fails(cases[i].body, &err, NULL), PL_EPARSE);
		if (!strstr(err.text, words))
			fail_msg("%s: %s", cases[i].body, err.text);
		free(words);
	}
}

/* ptxas refuses each of them, too. */
static void wrong_combinations_are_invalid(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"vadd.s32.s32 %r1, %r2, %r3;", "a type is missing"},
		{"vshl.u32.u32.u32 %r1, %r2, %r3;", "either .clamp or .wrap"},
		{"vshr.u32.u32.u32.clamp.wrap %r1, %r2, %r3;", "either .clamp or .wrap"},
		{"vshl.s32.s32.s32.clamp %r1, %r2, %r3;", "amount of a shift must be .u32"},
		{"vset.s32.s32 %r1, %r2, %r3;", "expected one comparison"},
		{"vset.s32.s32.eq.ne %r1, %r2, %r3;", "expected one comparison"},
		{"vadd.s32.s32.s32.add.min %r1, %r2, %r3, %r4;", "one secondary operation"},
		{"vmad.s32.s32.s32.shr7.shr15 %r1, %r2.b0, %r3.b0, %r4;", ".shr7 and .shr15"},
		{"vadd2.s32.s32.s32.sat.add %r1, %r2, %r3, %r4;", ".sat and .add"},
		{"vadd.s32.s32.s32 %r1, -%r2, %r3;", "only vmad can negate"},
		{"vavrg2.s32.s32.s32 %r1, %r2, -%r3, %r4;", "only vmad can negate"},
		{"vadd.s32.s32.s32.max %r1, %r2, %r3, -%r4;", "only vmad can negate"},
		{"vmad.s32.s32.s32.po %r1, -%r2.b0, %r3.b0, %r4;", ".po excludes"},
		{"vmad.s32.s32.s32 %r1, -%r2.b0, %r3.b0, -%r4;", "excludes that of c"},
		{"vmad.s32.s32.s32 %r1.b0, %r2.b0, %r3.b0, %r4;", "vmad takes no selector"},
		{"vset.s32.s32.eq.add %r1.h0, %r2, %r3, %r4;", "excludes a secondary operation"},
		{"vsub.s32.s32.s32.add %r1, %r2, %r3, %r4.b1;", "last operand takes no selector"},
		{"vsub.s32.s32.s32 %r1.h0, %r2, %r3;", "expected 4 operands"},
		{"vsub.s32.s32.s32 %r1, %r2, %r3, %r4;", "expected 3 operands"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;

		assert_int_equal(decode_body_fails(cases[i].body, &err, NULL), PL_EPARSE);
		if (!strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].body, err.text);
	}
}

/* test_opcodes.c compares their results with a GPU's. */
static void forms_that_gpus_compute_otherwise_than_the_manual_run(void **state)
{
	static const char *const bodies[] = {
		"vadd.u32.u32.u32.sat %r1, %r2, %r3;",
		"vsub.u32.u32.s32.sat %r1, %r2, %r3;",
		"vadd.u32.u32.u32.max %r1, %r2, %r3, %r4;",
		"vmax.u32.s32.s32.max %r1, %r2, %r3, %r4;",
		"vabsdiff.s32.s32.s32.min %r1, %r2, %r3, %r4;",
		"vadd.s32.s32.s32 %r1.h1, %r2, %r3, %r4;",
		"vsub.s32.s32.s32.sat %r1.b1, %r2, %r3, %r4;",
		"vshl.u32.u32.u32.sat.clamp %r1, %r2, %r3;",
		"vshr.s32.u32.u32.wrap.min %r1, %r2, %r3, %r4;",
		"vset.s32.s32.lt.max %r1, %r2, %r3, %r4;",
		"vmad.u32.u32.u32.sat %r1, %r2, %r3, %r4;",
		"vmad.s32.s32.u32.shr7 %r1, %r2, %r3, %r4;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		struct decoded decoded = decode_body(bodies[i]);

		decoded_release(&decoded);
	}
}

static void unknown_modifiers_are_unsupported(void **state)
{
	static const char *const bodies[] = {
		"vadd.s32.s32.s32.wrap %r1, %r2, %r3;",
		"vadd.s32.s32.s32.po %r1, %r2, %r3;",
		"vset.s32.s32.eq.sat %r1, %r2, %r3;",
		"vadd2.s32.s32.s32.min %r1, %r2, %r3, %r4;",
		"vmad.s32.s32.s32.add %r1, %r2, %r3, %r4;",
		"vmin.b32.s32.s32 %r1, %r2, %r3;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		struct error err;

		assert_int_equal(decode_body_fails(bodies[i], &err, NULL), PL_EUNSUPPORTED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_selectors_are_invalid),
		cmocka_unit_test(wrong_combinations_are_invalid),
		cmocka_unit_test(forms_that_gpus_compute_otherwise_than_the_manual_run),
		cmocka_unit_test(unknown_modifiers_are_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
