/* Selectors of video instructions, such as the .h1 of "%r2.h1". */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_selectors_are_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
