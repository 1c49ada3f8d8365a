/* Checks that are right whatever the kernel does are refused. */
#include "tests/kernels/user/folder.h"

/* What is wrong follows. */
#define GOOD                                 \
	"// perflab: axis n = 2^20\n"        \
	"// perflab: buffer x: f32[n] in\n"  \
	"// perflab: buffer y: f32[n] out\n" \
	"// perflab: launch k<<<n, 1>>>(n, x, y)\n"

/* The results of such checks are right whatever the kernel does. */
static void test_checks_that_cannot_fail(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu", GOOD "// perflab: verify k<<<n, 1>>>(n, x, y)\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:5: ", "\"k\" is verified by its own launch");
	folder_write(folder, "k.cu",
		     GOOD "// perflab: verify k<<<n, 1>>>(n, x, y) from \"k.cu\"\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:5: ", "its own launch");
	folder_write(folder, "k.cu", GOOD "// perflab: verify k<<<1, 1>>>(n, x, y)\n");
	folder_kernel(folder, FILES("k.cu"));
	folder_write(folder, "other.cu", "");
	folder_write(folder, "k.cu",
		     GOOD "// perflab: verify k<<<n, 1>>>(n, x, y) from \"other.cu\"\n");
	folder_kernel(folder, FILES("k.cu"));

	folder_write(folder, "k.cu",
		     "// perflab: buffer z: f32[8] inout\n" GOOD
		     "// perflab: verify y = 1\n// perflab: verify z = z\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE,
		       "k.cu:1: ", "no launch of \"k\" has the result \"z\" as an argument");
	folder_write(folder, "k.cu",
		     "// perflab: buffer z: f32[8] inout\n" GOOD
		     "// perflab: verify r<<<1, 1>>>(x, y, struct(z))\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:1: ", "the result \"z\"");
	folder_write(folder, "k.cu",
		     GOOD "// perflab: verify by true\n// perflab: variant a\n"
			  "// perflab: buffer z: f32[8] inout\n"
			  "// perflab: launch k<<<1, 1>>>(n, x, y)\n");
	folder_refused(folder, FILES("k.cu"), PL_EPARSE, "k.cu:7: ", "no launch of \"a\"");
}

/* z belongs to one of two variants, or is a member of a struct. */
static void test_results_of_some_variants(void **state)
{
	struct folder *folder = *state;

	folder_write(folder, "k.cu",
		     "// perflab: buffer z: f32[8] inout\n" GOOD "// perflab: verify by true\n"
		     "// perflab: variant a\n// perflab: launch k<<<1, 1>>>(n, x, z)\n");
	assert_int_equal(folder_kernel(folder, FILES("k.cu"))->variant_count, 2);
	folder_write(folder, "k.cu",
		     "// perflab: buffer z: f32[8] out\n// perflab: buffer y: f32[8] out\n"
		     "// perflab: launch k<<<1, 1>>>(struct(y, struct(i32(1), z)))\n"
		     "// perflab: verify y = 1\n// perflab: verify z = 1\n");
	folder_kernel(folder, FILES("k.cu"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_checks_that_cannot_fail),
		TEST(test_results_of_some_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
