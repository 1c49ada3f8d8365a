/* First annotations: what is guessed from the types, names and use of parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "skeleton_support.h"

static const struct skeleton_parameter classes[] = {INTEGER(4), REAL, POINTER, POINTER};
static const struct skeleton_entry saxpy = {"_Z5saxpyifPKfPf", "saxpy", NULL,
					    classes,           4,       .textures = false};

static void refused(const char *text, const struct skeleton_entry *entries, size_t count, int code,
		    const char *part)
{
	struct error err = {0};

	assert_int_equal(write_skeleton(text, false, entries, count, &err), code);
	assert_int_equal(written.length, 0);
	if (!strstr(err.text, part))
		fail_msg("no \"%s\" in: %s", part, err.text);
}

static void test_saxpy(void **state)
{
	(void)state;
	assert_int_equal(write_skeleton("/* __global__ void saxpy(int x); */\n"
					"__global__ void saxpy(int n, float a, const float *x, "
					"float *y)\n{ y[i] = a * x[i] + y[i]; }\n",
					false, &saxpy, 1, NULL),
			 0);
	assert_int_equal(counts.launches, 1);
	assert_int_equal(counts.templates, 0);
	expect_text("axis n = ");
	expect_text("axis block = 64..1024 ");
	expect_text("\nbuffer x: f32[n] in  ");
	expect_text("\nbuffer y: f32[n] inout  ");
	expect_text("; TODO: check the length\n");
	expect_text("# float *y; TODO: check the length and the role\n");
	expect_text(
		"#   n: TODO: the name suggests a number of elements\n#   a: TODO: an arbitrary "
		"value\nlaunch ");
	expect_text("# saxpy(int n, float a, const float *x, float *y), line 2\n");
	expect_text("\nlaunch saxpy<<<ceil_div(n, block), block>>>(n, 1.0, x, y)\n");
	expect_text("\nverify none\n");
	expect_no_text("variant");
}

static void test_roles(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER};

	(void)state;
	write_one("__global__ void k(float *p) { p[i] = 1; p [j] = f(p2[0]); }", one, 1);
	expect_text("buffer p: f32[n] out ");
	write_one("__global__ void k(float *p) { p[i] += 1; }", one, 1);
	expect_text("buffer p: f32[n] inout ");
	write_one("__global__ void k(float *p) { if (p[i] == 1) p[i] = 2; }", one, 1);
	expect_text("buffer p: f32[n] inout ");
	write_one("__global__ void k(float *p) { atomicAdd(p, 1); }", one, 1);
	expect_text("buffer p: f32[1] inout ");
	write_one("__global__ void k(float *result);", one, 1);
	expect_text("buffer result: f32[n] out ");
	write_one("__global__ void k(float *const p);", one, 1);
	expect_text("buffer p: f32[n] inout ");
	write_one("__global__ void k(float const *__restrict__ p);", one, 1);
	expect_text("buffer p: f32[n] in ");
}

/* The compiled code knows better than the text what is written. */
static void test_roles_of_compiled_code(void **state)
{
	static const struct skeleton_parameter parameters[] = {
		{SKELETON_INTEGER, 8, SKELETON_NEVER_WRITTEN, NULL},
		{SKELETON_INTEGER, 8, SKELETON_WRITTEN, NULL},
		{SKELETON_INTEGER, 8, SKELETON_ACCESS_UNKNOWN, NULL},
		{SKELETON_INTEGER, 8, SKELETON_ACCESS_UNKNOWN, NULL},
		{SKELETON_INTEGER, 8, SKELETON_ONLY_WRITTEN, NULL}};

	(void)state;
	write_one("__global__ void k(float *p, float *q, pixel *r, const float *s, int *t)\n"
		  "{ q[i] = f(p, r); store(t, i); }",
		  parameters, 5);
	expect_text(
		"buffer p: f32[n] in                      # float *p; TODO: check the length\n");
	expect_text(
		"buffer q: f32[n] out                     # float *q; TODO: check the length\n");
	expect_text("buffer r: f32[n] inout                   # pixel *r; TODO: check the element "
		    "type, the length and the role\n");
	expect_text("buffer s: f32[n] in                      # const float *s; TODO: check the "
		    "length\n");
	/* by whatever way it is stored */
	expect_text("buffer t: i32[n] out                     # int *t; TODO: check the length\n");
}

static void test_tensor_maps(void **state)
{
	static const struct skeleton_parameter two[] = {
		{SKELETON_BYTES, 128, SKELETON_ACCESS_UNKNOWN, NULL}, POINTER};

	(void)state;
	write_one("__global__ void k(const __grid_constant__ CUtensorMap map, float *p) {}", two,
		  2);
	assert_int_equal(counts.launches, 0);
	expect_text("# k has no launch: it takes a tensor map, whose sizes only you know: write a "
		    "launch with tensormap(BUFFER[W, H], box(…)) for it.\n");
	expect_no_text("\nlaunch");
	assert_int_equal(write_skeleton("template <class T> __global__ void t(T *p, "
					"const __grid_constant__ CUtensorMap map) {}",
					false, NULL, 0, NULL),
			 0);
	expect_text("# has no launch: it takes a tensor map");
	expect_no_text("launch t");
}

static void test_textures(void **state)
{
	static const struct skeleton_parameter two[] = {POINTER, INTEGER(8)};
	static const struct skeleton_entry uses = {"k", "k", NULL, two, 2, .textures = true};
	static const char text[] = "__global__ void k(float *p, cudaTextureObject_t image) {}";

	(void)state;
	assert_int_equal(write_skeleton(text, false, &uses, 1, NULL), 0);
	assert_int_equal(counts.launches, 0);
	expect_text("# k has no launch: it uses textures or surfaces, whose sizes only you know: "
		    "write a launch with texture(BUFFER[W, H]) for the handle.\n");
	expect_no_text("\nlaunch");
	/* the compiler found no use of it */
	write_one(text, two, 2);
	expect_text(">>>(p, 0)\n");
	expect_text("#   image: a texture or surface, which the kernel does not use\n");
	assert_int_equal(write_skeleton("template <class T> __global__ void t(T *p, "
					"cudaSurfaceObject_t s) {}",
					false, NULL, 0, NULL),
			 0);
	expect_text("# has no launch: it takes a texture or surface");
	expect_no_text("launch t");
}

static void test_byte_order_mark(void **state)
{
	static const struct skeleton_parameter two[] = {POINTER, INTEGER(4)};

	(void)state;
	write_one("\xef\xbb\xbf__global__ void k(double *rows, int count) {}", two, 2);
	expect_text("buffer rows: f64[n] ");
	expect_text("# k(double *rows, int count), line 1\n");
}

static void test_types(void **state)
{
	static const struct {
		const char *type, *line;
	} rows[] = {
		{"double *", "p: f64[n]"},
		{"__half *", "p: f16[n]"},
		{"half2 *", "p: f16[2 * n]"},
		{"__nv_bfloat16 *", "p: bf16[n]"},
		{"unsigned *", "p: u32[n]"},
		{"unsigned long  long int *", "p: u64[n]"},
		{"long long *", "p: i64[n]"},
		{"char *", "p: i8[n]"},
		{"const uint8_t *", "p: u8[n]"},
		{"const bool *", "p: u8[n] in integers(0, 1)"},
		{"const float4 *", "p: f32[4 * n]"},
		{"const std::uint16_t *", "p: u16[n]"},
		{"void *", "p: u8[n]"},
		{"const pixel *", "p: f32[n] in "},
		{"float **", "p: u64[n] inout constant(0)"},
	};
	static const struct skeleton_parameter one[] = {POINTER};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf("__global__ void k(%s p);", rows[i].type);

		write_one(text, one, 1);
		expect_text(rows[i].line);
		free(text);
	}
	write_one("__global__ void k(const pixel *p);", one, 1);
	expect_text("const pixel *p; TODO: check the element type and the length");
}

static void test_scalars(void **state)
{
	static const struct skeleton_parameter all[] = {INTEGER(8),
							INTEGER(4),
							INTEGER(4),
							INTEGER(4),
							{.class = SKELETON_REAL, .bytes = 8},
							{.class = SKELETON_BYTES, .bytes = 2},
							{.class = SKELETON_BYTES, .bytes = 3}};

	(void)state;
	write_one("__global__ void k(size_t numItems, int n_rows, int pitch, int blockSize, double "
		  "n, __half h, rgb colour = {1, 2});",
		  all, 7);
	expect_text(">>>(n, n, 1, block, 1.0, f16(1.0), bytes(000000))\n");
	expect_text("#   pitch: TODO: an arbitrary value\n");
	expect_text("#   colour: TODO: a struct of 3 bytes, all 0");
	expect_text("or its members: struct(x, i32(n), f32(0.5))");
}

static void test_variables(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER};
	static const char *const none[] = {
		"__device__ float f(int x) { return x; }", "__constant__ float c[2] = {1, 2};",
		"__device__ int c{3};", "// __constant__ float c[2];\n", "__constant__ float c[2]"};
	static const struct skeleton_entry entry = {"k", "k", NULL, one, 1, .textures = false};

	(void)state;
	write_one("__device__ float f(int x);\n__constant__ float table[256];\n"
		  "__global__ void k(float *p) {}",
		  one, 1);
	expect_text("#   symbol table: TYPE[LENGTH] uniform(0, 1)\n");
	write_one("static __device__ unsigned long counter;\n__global__ void k(float *p) {}", one,
		  1);
	expect_text("#   symbol counter: ");
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		write_one(none[i], one, 1);
		expect_no_text("symbol");
	}
	assert_int_equal(write_skeleton(".visible .const .align 4 .b8 table[1024];\n", true, &entry,
					1, NULL),
			 0);
	expect_text("#   symbol table: ");
	assert_int_equal(write_skeleton(".global .align 1 .b8 $str[2] = {1, 0};\n.entry k(\n"
					".param .u64 .ptr .global .align 1 k_param_0\n)\n"
					"{\nld.global.f32 %f1, [%rd1];\n}\n",
					true, &entry, 1, NULL),
			 0);
	expect_no_text("symbol");
}

static void test_names_of_buffers(void **state)
{
	static const struct skeleton_parameter three[] = {POINTER, POINTER, POINTER};

	(void)state;
	write_one("__global__ void k(int *n, float *, float *a_name_that_is_longer_than_a_buffer);",
		  three, 3);
	expect_text(">>>(n_data, p1, p2)");
	write_one("__global__ void k(const int *col_idx, int *sm_count, int p[]);", three, 3);
	expect_text("buffer col_idx: i32[n] in index ");
	expect_text(">>>(col_idx, sm_count_data, p)");
}

static void test_attributes(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER};

	(void)state;
	write_one("extern \"C\" __global__ void __launch_bounds__(384, 2) k(float *p)\n"
		  "{ extern __shared__ double tile[]; p[blockIdx.y] = 0; }",
		  one, 1);
	expect_text("axis block = 64..256 ");
	expect_text("k<<<(ceil_div(n, block), n), block, 8 * block>>>(p)");
}

static void test_several_kernels(void **state)
{
	static const struct skeleton_parameter two[] = {POINTER, POINTER};
	const struct skeleton_entry entries[] = {
		{"_Z1aPfS_", "a", NULL, two, 2, .textures = false},
		{"_ZN2ns1bEPfS_", "ns::b", NULL, two, 2, .textures = false}};

	(void)state;
	assert_int_equal(write_skeleton("__global__ void a(const float *x, float *y);"
					"namespace ns { __global__ void b(float *x, float *y); }",
					false, entries, 2, NULL),
			 0);
	expect_text("buffer x: f32[n] inout "); /* one reads it, the other may write */
	expect_text("launch a<<<ceil_div(n, block), block>>>(x, y)");
	expect_text("launch ns::b<<<ceil_div(n, block), block>>>(x, y)");
	expect_no_text("variant");
	/* the same name with another type: buffers of its own */
	assert_int_equal(write_skeleton("__global__ void a(const float *x, float *y);"
					"__global__ void b(double *x, float *y);",
					false, entries, 2, NULL),
			 0);
	expect_text("variant a\nbuffer x: f32[n] in ");
	expect_text("variant ns-b\nbuffer x: f64[n] inout ");
	assert_int_equal(counts.launches, 2);
}

static void test_overloads(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER}, two[] = {POINTER, INTEGER(4)};
	const struct skeleton_entry entries[] = {{"_Z1kPf", "k", NULL, one, 1, .textures = false},
						 {"_Z1kPfi", "k", NULL, two, 2, .textures = false}};

	(void)state;
	assert_int_equal(write_skeleton("__global__ void k(float *x); __global__ void k(float *x, "
					"int n);",
					false, entries, 2, NULL),
			 0);
	expect_text("launch _Z1kPf<<<ceil_div(n, block), block>>>(x)");
	expect_text("launch _Z1kPfi<<<ceil_div(n, block), block>>>(x, n)");
}

static void test_templates(void **state)
{
	(void)state;
	assert_int_equal(write_skeleton("template <class T, int N> __global__ void k(T *x, int n);",
					false, NULL, 0, NULL),
			 0);
	assert_int_equal(counts.launches, 0);
	assert_int_equal(counts.templates, 1);
	expect_text("#   buffer x: f32[n] inout\n");
	expect_text("#   launch k<float, 4><<<ceil_div(n, block), block>>>(x, n)\n");
	expect_no_text("\nlaunch");
	expect_no_text("variant");
}

/* Behind variants, a launch belongs to the variant above it unless it has a line of its own. */
static void test_template_after_variants(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER};
	const struct skeleton_entry entries[] = {
		{"_Z2p1Pf", "p1", NULL, one, 1, .textures = false},
		{"_Z2p2Pd", "p2", NULL, one, 1, .textures = false}};

	(void)state;
	assert_int_equal(
		write_skeleton("__global__ void p1(float *x);\n__global__ void p2(double *x);\n"
			       "template <class T> __global__ void inc(T *x);\n"
			       "template <class T> __global__ void inc(T *x, int n);\n",
			       false, entries, 2, NULL),
		0);
	expect_text("\nvariant p2\n");
	expect_text("Choose one:\n#   variant inc\n#   buffer x: f32[n] inout\n"
		    "#   launch inc<float><<<");
	expect_text("Choose one:\n#   variant inc-2\n");
}

static void test_ptx(void **state)
{
	static const char text[] =
		"// perflab: toolkit 13.0\n"
		".visible .entry saxpy(\n.param .u32 saxpy_param_0,\n.param .f32 saxpy_param_1,\n"
		".param .u64 .ptr .align 1 saxpy_param_2,\n.param .u64 saxpy_param_3\n)\n"
		".maxntid 128, 1, 1\n{\n.reg .f32 %f<2>;\nadd.f64 %fd1, %fd2, %fd3;\n}\n";
	const struct skeleton_entry entry = {"saxpy", "saxpy", NULL, classes, 4, .textures = false};

	(void)state;
	assert_int_equal(write_skeleton(text, true, &entry, 1, NULL), 0);
	expect_text("axis block = 64..128 ");
	expect_text("buffer p2: f64[n] inout ");
	expect_text(">>>(n, 1.0, p2, 1)"); /* the last is marked as no pointer */
}

/* Triton writes .reqntid: such a kernel takes no other block. */
static void test_ptx_of_one_block_size(void **state)
{
	static const char text[] =
		".visible .entry k(\n.param .u64 .ptr .global .align 1 k_param_0\n)\n"
		".reqntid 128\n{\nret;\n}\n";
	const struct skeleton_entry entry = {"k", "k", NULL, &classes[2], 1, .textures = false};

	(void)state;
	assert_int_equal(write_skeleton(text, true, &entry, 1, NULL), 0);
	expect_text("axis block = 128 ");
}

/* A macro may declare the kernel, so that the text does not have it. */
static void test_without_declaration(void **state)
{
	(void)state;
	assert_int_equal(write_skeleton("KERNEL(saxpy)", false, &saxpy, 1, NULL), 0);
	expect_text("launch saxpy<<<ceil_div(n, block), block>>>(n, 1.0, p2, p3)");
}

static void test_refused(void **state)
{
	(void)state;
	refused("int x;", NULL, 0, PL_ENOENT, "a.cu: there is no __global__ function");
	refused("#if 0\n__global__ void k(int *x) {}\n#endif\n", NULL, 0, PL_ENOENT, "__global__");
	refused("\n// perflab: launch saxpy<<<1, 32>>>()\n", &saxpy, 1, PL_EEXIST,
		"a.cu:2: the file has annotations already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saxpy),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_roles_of_compiled_code),
		cmocka_unit_test(test_tensor_maps),
		cmocka_unit_test(test_textures),
		cmocka_unit_test(test_byte_order_mark),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_names_of_buffers),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_several_kernels),
		cmocka_unit_test(test_overloads),
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_template_after_variants),
		cmocka_unit_test(test_ptx),
		cmocka_unit_test(test_ptx_of_one_block_size),
		cmocka_unit_test(test_without_declaration),
		cmocka_unit_test(test_refused),
	};

	text_release(&written);
	return cmocka_run_group_tests(tests, NULL, release_written);
}
