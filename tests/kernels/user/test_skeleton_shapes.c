/* First annotations: dimensions and lengths, and what names in an image and flags say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "skeleton_support.h"

static void test_dimensions(void **state)
{
	static const struct {
		const char *body, *launch;
	} rows[] = {
		{"int i = (blockIdx.x + blockIdx.y*gridDim.x) * blockDim.x + threadIdx.x;",
		 "a grid of one will do.\nlaunch k<<<ceil_div(n, block), block>>>(p)"},
		{"int b = gridDim.x * blockIdx.y + blockIdx.x, c = blockIdx.y\n* gridDim.x;",
		 "a grid of one will do.\nlaunch k<<<ceil_div(n, block), block>>>(p)"},
		{"int b = blockIdx.y * gridDim.x + blockIdx.x, row = blockIdx.y;",
		 "two dimensions.\nlaunch k<<<(ceil_div(n, block), n), block>>>(p)"},
		{"int y = blockIdx.y * blockDim.y + threadIdx.y;",
		 "two dimensions.\nlaunch k<<<(ceil_div(n, 32), ceil_div(n, block / 32)), "
		 "(32, block / 32)>>>(p)"},
		{"int b = blockIdx.y * gridDim.x + threadIdx.y;",
		 "two dimensions.\nlaunch k<<<ceil_div(n, 32), (32, block / 32)>>>(p)"},
		{"int z = blockIdx.z, y = blockIdx.y;",
		 "three dimensions.\nlaunch k<<<(ceil_div(n, block), n, n), block>>>(p)"},
		{"int z = blockIdx.z * blockDim.z + threadIdx.z;",
		 "three dimensions.\nlaunch k<<<(ceil_div(n, 8), ceil_div(n, 8), "
		 "ceil_div(n, block / 64)), (8, 8, block / 64)>>>(p)"},
		{"p[threadIdx.x] = gridDim.x;", "# TODO: check the grid and the block.\nlaunch "
						"k<<<ceil_div(n, block), block>>>(p)"},
	};
	static const struct skeleton_parameter one[] = {POINTER};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf("__global__ void k(float *p) { %s }", rows[i].body);
		const bool two = strstr(rows[i].launch, "two"),
			   three = strstr(rows[i].launch, "three");

		write_one(text, one, 1);
		expect_text(rows[i].launch);
		expect_text(two     ? "buffer p: f32[n * n] "
			    : three ? "buffer p: f32[n * n * n] "
				    : "buffer p: f32[n] ");
		expect_text(two     ? "axis n = 2^10, 2^12 "
			    : three ? "axis n = 2^7, 2^8 "
				    : "axis n = 2^20, 2^24 ");
		free(text);
	}
}

/* Another function of the file may read the places. The compiled code tells which kernel calls it;
 * but code that only numbers its threads reads them, too. */
static void test_dimensions_elsewhere(void **state)
{
	static const struct skeleton_parameter one[] = {POINTER};
	static const struct skeleton_entry entries[] = {
		{"a", "a", NULL, one, 1, .dimensions = {.thread_y = true, .block_y = true}},
		{"b", "b", NULL, one, 1, .textures = false}};

	(void)state;
	assert_int_equal(
		write_skeleton(
			"__device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }"
			"__global__ void a(float *p) { p[row()] = 0; }"
			"__global__ void b(float *p) { p[threadIdx.x] = 0; }",
			false, entries, 2, NULL),
		0);
	expect_text("variant a\naxis n = 2^10, 2^12 ");
	expect_text(
		"launch a<<<(ceil_div(n, 32), ceil_div(n, block / 32)), (32, block / 32)>>>(p)");
	expect_text("variant b\nbuffer p: f32[n] ");
	expect_text("launch b<<<ceil_div(n, block), block>>>(p)");
	assert_int_equal(
		write_skeleton("__global__ void a(float *p) { p[grid.thread_rank()] = 0; }", false,
			       entries, 1, NULL),
		0);
	expect_text("launch a<<<ceil_div(n, block), block>>>(p)");
	assert_int_equal(
		write_skeleton(".visible .entry a(\n.param .u64 a_param_0\n)\n{\nret;\n}\n", true,
			       entries, 1, NULL),
		0);
	expect_text("launch a<<<(ceil_div(n, 32), ");
}

static void test_scalars_of_two_dimensions(void **state)
{
	static const struct skeleton_parameter all[] = {INTEGER(4), INTEGER(4), INTEGER(4),
							POINTER};

	(void)state;
	write_one("__global__ void k(int width, int numel, int step, float *p)\n"
		  "{ p[threadIdx.y] = 1; }",
		  all, 4);
	expect_text(">>>(n, n * n, 1, p)\n");
}

static void test_lengths(void **state)
{
	static const struct {
		const char *body, *line;
	} rows[] = {
		{"p[0] += 1;", "p: f32[1] "},
		{"*p = 1;", "p: f32[1] "},
		{"atomicAdd(p, 1);", "p: f32[1] "},
		{"atomicAdd(&p[ 0 ], 1);", "p: f32[1] "},
		{"p[blockIdx.x] = sum;", "p: f32[ceil_div(n, block)] "},
		{"p[0] = 1; p[blockIdx.x] = sum;", "p: f32[ceil_div(n, block)] "},
		{"p[blockIdx.x] = p[i];", "p: f32[n] "},
		{"f(p, 1);", "p: f32[n] "},
		{"float *q = p; q[i] = 1;", "p: f32[n] "},
		{"", "p: f32[n] "},
	};
	static const struct skeleton_parameter one[] = {POINTER};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf("__global__ void k(float *p) { %s }", rows[i].body);

		write_one(text, one, 1);
		expect_text(rows[i].line);
		free(text);
	}
	write_one("__global__ void k(float4 *p) { p[0] = x; }", one, 1);
	expect_text("p: f32[4] ");
}

static void test_flags(void **state)
{
	static const struct {
		const char *flags[3], *line;
	} rows[] = {
		{{"-I/a/b/include"}, "flags -Iinclude\n"},
		{{"-I/a/b"}, "flags -I.\n"},
		{{"-I/a/include", "-DX=1"}, "flags -I../include -DX=1\n"},
		{{"-isystem", "/a/bc", "-DX"}, "flags -isystem ../bc -DX\n"},
		{{"-I/elsewhere"}, "flags -I/elsewhere\n"},
		{{"-include=/a/b/c d.h"}, "flags \"-include=c d.h\"\n"},
		{{"-DT=\"two words\""}, "flags \"-DT=\\\"two words\\\"\"\n"},
	};
	static const struct skeleton_parameter one[] = {POINTER};
	static const struct skeleton_entry entry = {"k", "k", NULL, one, 1, .textures = false};
	static const char text[] = "__global__ void k(float *p) {}";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct string_list flags = {0};
		const struct skeleton_request request = {.file = "b/a.cu",
							 .text = text,
							 .length = strlen(text),
							 .entries = &entry,
							 .entry_count = 1,
							 .flags = &flags,
							 .folder = "/a/b"};

		for (size_t k = 0; k < ARRAY_SIZE(rows[i].flags) && rows[i].flags[k]; k++)
			string_list_add(&flags, rows[i].flags[k]);
		text_release(&written);
		assert_int_equal(skeleton_write(&written, &counts, &request, NULL), 0);
		expect_text(rows[i].line);
		string_list_release(&flags);
	}
}

/* The name in the image says which declaration an overload has, and what a template's T is. */
static void test_types_of_names(void **state)
{
	static const struct skeleton_parameter f32s[] = {{SKELETON_INTEGER, 8, 0, "f32"}},
					       f64s[] = {{SKELETON_INTEGER, 8, 0, "f64"}};
	const struct skeleton_entry overloads[] = {
		{"_Z1kPd", "k", NULL, f64s, 1, .textures = false},
		{"_Z1kPf", "k", NULL, f32s, 1, .textures = false},
		{"_Z1tIdEvPT_", "t", "t<double>", f64s, 1, .textures = false},
		{"_Z1tIfEvPT_", "t", "t<float>", f32s, 1, .textures = false}};

	(void)state;
	assert_int_equal(write_skeleton("__global__ void k(float *single) {}\n"
					"__global__ void k(double *twice) {}\n"
					"__global__ void t(float *none) {}\n"
					"template <class T> __global__ void t(T *any) {}\n",
					false, overloads, 4, NULL),
			 0);
	expect_text("variant k-1\nbuffer twice: f64[n] ");
	expect_text("variant k-2\nbuffer single: f32[n] ");
	expect_text(
		"variant t-3\nbuffer any: f64[n] inout                 # T *any; TODO: check the "
		"length and the role\n");
	expect_text("launch t<double><<<ceil_div(n, block), block>>>(any)\n");
	expect_text("launch t<float><<<");
	assert_int_equal(counts.templates, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dimensions),
		cmocka_unit_test(test_dimensions_elsewhere),
		cmocka_unit_test(test_scalars_of_two_dimensions),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_types_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, release_written);
}
