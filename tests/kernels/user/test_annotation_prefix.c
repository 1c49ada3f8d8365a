/* What begins an annotation: a comment that was meant as one is an error, and prose is none. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>

#define GOOD                                 \
	"// perflab: axis n = 2^20\n"        \
	"// perflab: buffer x: f32[n] in\n"  \
	"// perflab: buffer y: f32[n] out\n" \
	"// perflab: launch k<<<n, 1>>>(n, x, y)\n"

/* Comments that were meant as annotations, and comments. */
static void test_prefix_without_colon(void **state)
{
	struct folder *folder = *state;
	static const char *const meant[] = {
		"// perflab tolerance abs = 0",
		"//perflab axis m = 4",
		"// perflab  buffer z: f32[n] in",
		"// perflab launch z<<<1, 1>>>(y)",
		"int a; // perflab skip \"x\" if n == 64",
		"// perflab verify y = x + 1",
		"// perflab verify none",
		"// perflab let a(b) = b",
		"// perflab variant fast",
		"// perflab flags -O3",
		"// perflab standard c++20",
		"// perflab needs sm_90",
		"// Perflab: tolerance abs = 0",
		"// PERFLAB:work flop = n",
		"// perflab : axis m = 4",
		"// Perflab axis m = 4",
	};
	static const char *const prose[] = {
		"// perflab",
		"// perflab:",
		"// perflab is nice",
		"// perflab launch configuration is below",
		"// perflab axis names are short",
		"// perflab variant names follow the file",
		"// perflab verify lines say what is right",
		"// perflab summary of this file",
		"// perflabs axis m = 4",
		"// perflaboratory: axis m = 4",
		"// Perflab: measures kernels",
		"// // perflab axis m = 4",
		"int a; // see perflab axis m = 4",
	};

	for (size_t i = 0; i < ARRAY_SIZE(meant); i++) {
		char *text = xasprintf(GOOD "%s\n// perflab: verify y = x\n", meant[i]);

		folder_write(folder, "k.cu", text);
		folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:5: the comment \"//",
			       "did you mean \"// perflab: ");
		free(text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(prose); i++) {
		char *text = xasprintf(GOOD "%s\n// perflab: verify y = x\n", prose[i]);

		folder_write(folder, "k.cu", text);
		if (folder_read(folder, NULL, FILES("k.cu")))
			fail_msg("%s: %s", prose[i], folder->err.text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_prefix_without_colon, folder_setup,
						folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
