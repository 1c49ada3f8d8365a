/* The headers of the C library that perflab gives NVRTC: the same source must mean the same as for
 * nvcc, or NVRTC must refuse it. Exits with 77 if the compilers are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/compile_parts.h"
#include "compile_support.h"

static void expect_tool(struct sandbox *box, const char *text, const char *tool)
{
	struct compiled *compiled;

	sandbox_source(box, "headers.cu", text);
	box->request.tool = COMPILE_AUTO;
	compiled = sandbox_compile(box);
	if (strcmp(compiled->tool, tool) != 0)
		fail_msg("%s compiled, %s is expected:\n%s", compiled->tool, tool, text);
	compiled_free(compiled);
}

/* The instructions of the kernel k: no comments, labels, and places in the source. */
static char *instructions(struct sandbox *box, enum compile_tool tool)
{
	struct string_list lines = {0};
	struct text out = TEXT_INIT;
	struct compiled *compiled;
	size_t length;
	char *ptx;

	box->request.tool = tool;
	compiled = sandbox_compile(box);
	ptx = file_text(compiled->ptx, &length);
	compiled_free(compiled);
	assert_non_null(strstr(ptx, ".entry k("));
	string_list_split(&lines, strstr(ptx, ".entry k("), '\n');
	for (size_t i = 0; i < lines.count && strcmp(lines.items[i], "}") != 0; i++) {
		const char *line = lines.items[i] + strspn(lines.items[i], " \t");

		if (*line && strncmp(line, ".loc", 4) != 0 && strncmp(line, "//", 2) != 0 &&
		    *line != '$')
			text_addf(&out, "%s\n", line);
	}
	string_list_release(&lines);
	free(ptx);
	return text_detach(&out);
}

static void expect_same_code(struct sandbox *box, const char *text)
{
	char *by_nvrtc, *by_nvcc;
	size_t same = 0;

	expect_tool(box, text, "nvrtc");
	by_nvrtc = instructions(box, COMPILE_NVRTC);
	by_nvcc = instructions(box, COMPILE_NVCC);
	while (by_nvrtc[same] && by_nvrtc[same] == by_nvcc[same])
		same++;
	if (by_nvrtc[same] != by_nvcc[same])
		fail_msg("NVRTC: %.200s\nnvcc: %.200s\n%s", by_nvrtc + same, by_nvcc + same, text);
	free(by_nvrtc);
	free(by_nvcc);
}

static void same_code(void **state)
{
	static const char *const sources[] = {
		"#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n"
		"#include <stdint.h>\n#include <cstdint>\n#include <cuda_fp16.h>\n"
		"__device__ int f(int) { return 1; }\n__device__ int f(long) { return 2; }\n"
		"__device__ int f(long long) { return 3; }\n"
		"__device__ int f(unsigned long) { return 4; }\n"
		"__device__ int f(signed char) { return 5; }\n"
		"__device__ int f(unsigned char) { return 6; }\n"
		"extern \"C\" __global__ void k(uint64_t *x, std::int32_t n, uint8_t b) {\n"
		"x[0] = f(int64_t(n)) + 10 * f(intptr_t(n)) + 100 * f(std::int_fast32_t(n)) +\n"
		"1000 * f(INT64_C(3)) + 10000 * f(UINT64_MAX) + 100000 * f(size_t(n)) +\n"
		"1000000 * f(int8_t(n)) + 10000000 * f(b) + 100000000 * f(INT64_MIN);\n"
		"x[1] = INT8_MIN + INT16_MIN + UINT8_MAX + UINT16_MAX; x[2] = UINT32_MAX;\n"
		"x[3] = INT32_MIN; x[4] = SIZE_MAX; x[5] = UINT32_C(4000000000) + INT32_MAX; }\n",

		"#include <limits.h>\n#include <float.h>\n#include <cfloat>\n#include <climits>\n"
		"#include <stddef.h>\n#include <cstddef>\n#include <stdbool.h>\n"
		"extern \"C\" __global__ void k(double *x, long *y, float *z) {\n"
		"std::size_t n = sizeof(std::nullptr_t); ptrdiff_t m = CHAR_BIT; bool b = true;\n"
		"x[0] = DBL_MAX; x[1] = DBL_MIN; x[2] = DBL_EPSILON; x[3] = n + m + b;\n"
		"z[0] = FLT_MAX; z[1] = FLT_MIN; z[2] = FLT_EPSILON; z[3] = FLT_TRUE_MIN;\n"
		"x[4] = DBL_TRUE_MIN; y[0] = INT_MIN; y[1] = INT_MAX; y[2] = UINT_MAX;\n"
		"y[3] = LONG_MIN; y[4] = LONG_MAX; y[5] = SHRT_MIN + USHRT_MAX; y[6] = LLONG_MIN;\n"
		"y[7] = FLT_DIG + 10 * DBL_DIG + 100 * FLT_MANT_DIG + 10000 * DBL_MANT_DIG; }\n",

		"#include <math.h>\n#include <cmath>\n#include <stdlib.h>\n#include <cstdlib>\n"
		"extern \"C\" __global__ void k(float *x, double *y, int n) {\n"
		"x[0] = sqrt(x[0]) + exp(x[1]) + std::fabs(x[2]) + abs(x[3]) + fmax(x[4], x[5]);\n"
		"y[0] = std::sqrt(y[0]) + std::log(y[1]) + floor(y[2]) + fma(y[3], y[4], y[5]);\n"
		"x[1] = INFINITY; x[2] = NAN; x[3] = HUGE_VALF; y[1] = HUGE_VAL;\n"
		"x[4] = x[6] * M_PI; y[2] = M_E + M_SQRT2 * y[6]; y[3] = abs(n) + std::abs(x[7]);\n"
		"x[5] = sizeof(isnan(x[9])) + sizeof(isinf(y[7])) + sizeof(signbit(x[10]));\n"
		"x[6] = std::sin(x[11]) + tanhf(x[12]) + rsqrtf(x[13]) + std::fmod(x[14], x[15]);\n"
		"}\n",

		"#include <string.h>\n#include <cstring>\n#include <stdio.h>\n#include <cstdio>\n"
		"extern \"C\" __global__ void k(float *x, int n) {\n"
		"int bits; memcpy(&bits, x, 4); std::memset(x + 1, 0, 8); x[0] = bits + n;\n"
		"if (n < 0) printf(\"%d\\n\", n); }\n",

		"#define NDEBUG\n#include <assert.h>\n#include <cassert>\n"
		"extern \"C\" __global__ void k(int *x) { assert(x[0] == 1); x[1] = 2; }\n",

		"#include <assert.h>\n"
		"extern \"C\" __global__ void k(int *x) { assert(x[0] == 1 && \"why\"); x[1] = 2; "
		"}\n",
	};
	struct sandbox *box = *state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		expect_same_code(box, sources[i]);
}

/* NDEBUG counts where assert.h is included, also for the second time. */
static void assert_is_read_again(void **state)
{
	expect_same_code(*state,
			 "#define NDEBUG\n#include <assert.h>\n"
			 "__device__ inline void one(int *x) { assert(x[0] == 1); }\n"
			 "#undef NDEBUG\n#include <assert.h>\n"
			 "extern \"C\" __global__ void k(int *x) { one(x); assert(x[1] == 2); }\n");
}

/* What NVRTC would compute otherwise, or cannot know, it refuses, and it is left to nvcc: of the
 * first source, and if all tests run. */
static void nvcc_compiles_the_rest(void **state)
{
	static const char *const sources[] = {
		"#include <math.h>\n__global__ void k(float *x) { *x = pow(*x, 2); }\n",
		"#include <cmath>\n__global__ void k(float *x) { *x = std::pow(*x, 2); }\n",
		"#include <stddef.h>\nstruct s { int a, b; };\n"
		"__global__ void k(size_t *x) { *x = offsetof(struct s, b); }\n",
		"#include <stdio.h>\n__global__ void k(int *x) { *x = 1; }\n"
		"int main() { fprintf(stderr, \"host\\n\"); return 0; }\n",
		"#include <stdio.h>\n__global__ void k(int *x) { *x = 1; }\n"
		"int main() { printf(\"host\\n\"); return 0; }\n",
		"#include <limits.h>\n__global__ void k(int *x) { *x = CHAR_MIN; }\n",
		"#include <stdint.h>\n#include <cooperative_groups.h>\n"
		"__global__ void k(int64_t *x) { *x = 1; }\n",
	};

	struct sandbox *box = *state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct compiled *compiled;

		sandbox_source(box, "headers.cu", sources[i]);
		box->request.tool = COMPILE_NVRTC;
		if (!compile_one(&compiled, NULL, NULL, &box->request, NULL, NULL))
			fail_msg("NVRTC compiled:\n%s", sources[i]);
		if (i == 0 || getenv("PERFLAB_TEST_ALL"))
			expect_tool(box, sources[i], "nvcc");
	}
}

static void headers_of_the_user_come_first(void **state)
{
	struct sandbox *box = *state;
	char *folder = xasprintf("%s/mine", box->folder);

	mkdir(folder, 0777);
	free(sandbox_write(box, "mine/limits.h", "#define INT_MAX 7\n"));
	sandbox_flag(box, "-Imine");
	expect_same_code(box, "#include <limits.h>\n"
			      "extern \"C\" __global__ void k(int *x) { *x = INT_MAX; }\n");
	free(folder);
}

#define IN_SANDBOX(test) cmocka_unit_test_setup_teardown(test, sandbox_make, sandbox_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SANDBOX(same_code),
		IN_SANDBOX(assert_is_read_again),
		IN_SANDBOX(nvcc_compiles_the_rest),
		IN_SANDBOX(headers_of_the_user_come_first),
	};
	struct compile_tools tools;
	bool there;

	compile_tools_find(&tools);
	there = tools.helper.length && tools.nvrtc.length && tools.nvcc.length;
	compile_tools_release(&tools);
	if (!there) {
		printf("skipped: nvcc, libnvrtc.so or perflab-nvrtc was not found\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
