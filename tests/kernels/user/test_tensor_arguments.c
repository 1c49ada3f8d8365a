/* tensormap(BUFFER[SIZE, …], box(…), OPTION, …), from the annotation to the case. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>
#include <string.h>

#define AXES_AND_BUFFERS                        \
	"// perflab: axis n = 64\n"             \
	"// perflab: buffer x: f32[n * n] in\n" \
	"// perflab: buffer h: i16[n * n] in\n" \
	"// perflab: buffer c: u8[4 * n] in\n"  \
	"// perflab: buffer y: f32[n] out\n"

static char *file_with_map(const char *argument)
{
	return xasprintf(AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(%s, y)\n"
					  "// perflab: verify none\n",
			 argument);
}

static int resolve_map(struct launch_case **out, struct text *skip, struct folder *folder,
		       const char *argument, struct error *err)
{
	const struct axis_value axes[] = {{"n", 64}};
	char *text = file_with_map(argument);
	const struct kernel *kernel;

	folder_write(folder, "k.cu", text);
	free(text);
	kernel = folder_kernel(folder, FILES("k.cu"));
	return kernel_resolve(out, skip, kernel, &kernel->variants[0], axes, 1,
			      &device_limits_minimum, err);
}

static void what_is_written_is_in_the_case(void **state)
{
	static const struct {
		const char *argument, *buffer, *described;
	} rows[] = {
		{"tensormap(x[n, n], box(32, 8))", "x",
		 " tensormap f32 64x64 +256 box 32x8 steps 1x1"},
		{"tensormap( x [n, n / 2] , box(n / 2, 8), swizzle(128), type(tf32), fill(nan))",
		 "x", " tensormap tf32 64x32 +256 box 32x8 steps 1x1 swizzle 128 nan"},
		{"tensormap(x[16, 4, 8], strides(128, 512), box(4, 1, 8), steps(1, 1, 2), "
		 "promotion(256), interleave(none), swizzle(none), fill(zero))",
		 "x", " tensormap f32 16x4x8 +128 +512 box 4x1x8 steps 1x1x2 promotion 256"},
		{"tensormap(h[n, n], box(16, 16), swizzle(32))", "h",
		 " tensormap u16 64x64 +128 box 16x16 steps 1x1 swizzle 32"},
		{"tensormap(h[8, 4, 2], box(8, 16, 1), interleave(16))", "h",
		 " tensormap u16 8x4x2 +128 +512 box 8x16x1 steps 1x1x1 interleave 16"},
		{"tensormap(x[4, 2, 2, 2], box(8, 1, 8, 1), swizzle(32), interleave(32))", "x",
		 " tensormap f32 4x2x2x2 +128 +256 +512 box 8x1x8x1 steps 1x1x1x1 interleave 32 "
		 "swizzle 32"},
		{"tensormap(c[n / 4], type(f64), box(2))", "c", " tensormap f64 16 box 2 steps 1"},
		{"tensormap(x[2, 2, 2, 2, 2], strides(16, 32, 64, 128), box(4, 1, 1, 1, 1))", "x",
		 " tensormap f32 2x2x2x2x2 +16 +32 +64 +128 box 4x1x1x1x1 steps 1x1x1x1x1"},
		{"tensormap(x[4, n / 8, 16, 2], im2col(4, n * 2))", "x",
		 " tensormap f32 4x8x16x2 +16 +128 +2048 im2col 4 channels 128 pixels from 0,0 to "
		 "0,0 steps 1x1x1x1"},
		{"tensormap(x[8, 4, 2, 2], im2col(4, n), lower(-1, -1), upper(0, -1), "
		 "interleave(16))",
		 "x",
		 " tensormap f32 8x4x2x2 +128 +512 +1024 im2col 4 channels 64 pixels from -1,-1 to "
		 "0,-1 steps 1x1x1x1 interleave 16"},
		{"tensormap(x[4, 8, 2], lower(1 - n), im2col(4, 8), upper(n), steps(1, 2, 1), "
		 "fill(nan))",
		 "x",
		 " tensormap f32 4x8x2 +16 +128 im2col 4 channels 8 pixels from -63 to 64 steps "
		 "1x2x1 nan"},
		{"tensormap(x[4, 2, 2, 2, 2], im2col(4, 8), lower(-1, -2, -3), upper(3, 2, 1))",
		 "x",
		 " tensormap f32 4x2x2x2x2 +16 +32 +64 +128 im2col 4 channels 8 pixels from "
		 "-1,-2,-3 to 3,2,1 steps 1x1x1x1x1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text described = TEXT_INIT, skip = TEXT_INIT;
		struct launch_case *work = NULL;
		const struct case_arg *arg;
		unsigned char bytes[TENSOR_MAP_BYTES];
		struct error err = {0};

		if (resolve_map(&work, &skip, *state, rows[i].argument, &err) || skip.length)
			fail_msg("%s: %s%s", rows[i].argument, err.text, skip.data);
		arg = &work->launches[0].args[0];
		assert_int_equal(arg->kind, ARG_TENSOR_MAP);
		assert_string_equal(work->buffers[arg->integer].name, rows[i].buffer);
		case_arg_describe(&described, arg);
		assert_string_equal(described.data, rows[i].described);
		assert_int_equal(case_arg_bytes(arg), TENSOR_MAP_BYTES);
		memset(bytes, 0xff, sizeof(bytes));
		case_arg_write(bytes, arg); /* no map yet */
		for (size_t k = 0; k < sizeof(bytes); k++)
			assert_int_equal(bytes[k], 0);
		text_release(&described);
		text_release(&skip);
		launch_case_free(work);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *argument, *says;
	} rows[] = {
		{"tensormap()", "write a buffer with the sizes of the tensor, and the box"},
		{"tensormap(x)", "write the sizes after the buffer, the innermost first: x[w, h]"},
		{"tensormap(x[n, n])", "say what a copy moves: box(…) with 2 sizes, or im2col("},
		{"tensormap(x[n, n, 1], im2col(4))", "im2col has 2 numbers, not 1"},
		{"tensormap(x[n, n], im2col(4, 4))",
		 "im2col needs 3 to 5 sizes: channels, width, height and depth"},
		{"tensormap(x[n, n], lower(0), im2col(4, 4))", "lower needs 3 to 5 sizes"},
		{"tensormap(x[4, n, 1], im2col(4, 4), box(4, 4, 1))",
		 "write either box(…) or im2col(…)"},
		{"tensormap(x[4, n, 1], box(4, 4, 1), lower(-1))",
		 "lower(…) and upper(…) are for im2col("},
		{"tensormap(x[4, n, 1], im2col(4, 4), lower(-1, -1))",
		 "lower has 1 numbers, not 2"},
		{"tensormap(x[4, n, 1, 1], im2col(4, 4), upper(-1))", "upper has 2 numbers, not 1"},
		{"tensormap(x[4, n, 1], im2col(4, 0))", "the pixels of the tensor map"},
		{"tensormap(x[4, n, 1], im2col(0, 4))", "the channels of the tensor map"},
		{"tensormap(x[4, n, 1], im2col(4, 4), lower(m))", "\"m\""},
		{"tensormap(x[], box(4))", "1 to 5 sizes, not 0"},
		{"tensormap(x[1, 2, 3, 4, 5, 6], box(4))", "1 to 5 sizes, not 6"},
		{"tensormap(x[n, n], box(4))", "box has 2 numbers, not 1, for 2 sizes"},
		{"tensormap(x[n, n], box(4, 4), strides(256, 4))", "strides has 1 numbers, not 2"},
		{"tensormap(x[n, n], box(4, 4), steps(1))", "steps has 2 numbers, not 1"},
		{"tensormap(x[n, n], box(4, 4), swizzle(256))", "swizzle(256) is not possible"},
		{"tensormap(x[n, n], box(4, 4), swizzle(32, 64))", "swizzle has one word"},
		{"tensormap(x[n, n], box(4, 4), interleave(8))", "interleave(8) is not possible"},
		{"tensormap(x[n, n], box(4, 4), type(i8))", "type(i8) is not possible"},
		{"tensormap(x[n, n], box(4, 4), fill(1))", "fill(1) is not possible"},
		{"tensormap(x[n, n], box(4, 4), promotion(32))", "promotion(32) is not possible"},
		{"tensormap(x[n, n], box(4, 4), packed)", "\"packed\" is not an option"},
		{"tensormap(x[n, n], box(4, 4) + 1)", "+ 1"},
		{"tensormap(z[n], box(4))", "\"z\", is neither a buffer nor an axis"},
		{"tensormap(x[m], box(4))", "\"m\""},
		{"tensormap(x[n], box(0))", "a size of the box of the tensor map"},
		{"tensormap(h[n], box(8), type(f32))",
		 "the elements of a tensor map of f32 do not have the size of those of \"h\", "
		 "which are i16"},
		{"struct(tensormap(x[n], box(0)), i32(0))", "a size of the box of the tensor map"},
		{"struct(tensormap(z[n], box(4)), i32(0))", "\"z\", is neither a buffer"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = file_with_map(rows[i].argument);

		folder_write(*state, "k.cu", text);
		folder_refused(*state, FILES("k.cu"), PL_EPARSE, "k.cu:6: ", rows[i].says);
		free(text);
	}
}

/* What the values of the axes make wrong skips the case, with the rule. */
static void maps_of_no_device_are_skipped(void **state)
{
	static const struct {
		const char *argument, *says;
	} rows[] = {
		{"tensormap(x[n - 1, n], box(4, 4))",
		 "the map of x: the stride of dimension 1 of a tensor map is 252 bytes"},
		{"tensormap(x[n, n], box(n + 193, 4))", "is 257; these sizes are 1 to 256"},
		{"tensormap(x[n, n], box(n, 4), swizzle(128))",
		 "has 256 bytes; with a swizzle of 128 bytes it has at most 128"},
		{"tensormap(x[n, n + 1], box(4, 4))", "the tensor of x has 16640 bytes up to its "
						      "last element, but the buffer has 16384"},
		{"tensormap(x[n, n], strides(n * n * n), box(4, 4))",
		 "bytes up to its last element"},
		{"tensormap(x[n, n], box(4, 4), interleave(16))",
		 "an interleaved tensor map has 3 to 5 dimensions, not 2"},
		{"tensormap(x[8, 4, 2], box(6, 8, 1), interleave(32))",
		 "the box of an interleaved tensor map is 6 in dimension 0, and so many elements "
		 "of f32 have 24 bytes; they must have a multiple of 16"},
		{"tensormap(x[8, 4, 2], strides(272, 1088), box(8, 8, 1), swizzle(32), "
		 "interleave(32))",
		 "the stride of dimension 1 of a tensor map is 272 bytes; strides are multiples "
		 "of 32"},
		{"tensormap(x[n * 4, 4, 2], box(4, 4, 1), interleave(16))",
		 "the tensor of x has 32768 bytes up to its last element, but the buffer has "
		 "16384"},
		{"tensormap(x[8, 4, 2], im2col(6, 8), interleave(32))",
		 "an interleaved im2col map has 6 channels of a pixel, and so many elements of f32 "
		 "have 24 bytes; they must have a multiple of 16"},
		{"tensormap(x[8, 4, 2], im2col(4, 8), interleave(16), upper(-8))",
		 "the bounding box of an im2col map is empty in dimension 0: from 0 to -1"},
		{"tensormap(h[n, n], box(8, 8), fill(nan))", "NaN is for floating-point types"},
		{"tensormap(x[4, n, 1, 1], im2col(4, 4), lower(-n * 3, 0))",
		 "the corners -192 and 0 of an im2col map in dimension 1; with 4 dimensions "
		 "corners are -128 to 127"},
		{"tensormap(x[4, n, 1], im2col(4, 4), upper(-n))",
		 "the bounding box of an im2col map is empty in dimension 1: from 0 to -1"},
		{"tensormap(x[4, n, 1], im2col(n * 5, 4))",
		 "moves 320 channels of a pixel; it moves 1 to 256"},
		{"tensormap(x[4, n, 1], im2col(4, n * 17))",
		 "moves 1088 pixels; it moves 1 to 1024"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};

		if (resolve_map(&work, &skip, *state, rows[i].argument, &err) ||
		    !strstr(skip.length ? skip.data : "", rows[i].says))
			fail_msg("%s: %s%s", rows[i].argument, err.text, skip.data);
		text_release(&skip);
	}
}

/* In a struct a map stands at a multiple of 128 bytes, as that of CUDA 13 does. */
static void maps_in_structs_have_a_place(void **state)
{
	static const struct {
		const char *argument, *described;
		int64_t bytes;
	} rows[] = {
		{"struct(i32(1), tensormap(x[n], box(4)), h, tensormap(y[n], box(8)))",
		 " 0@128 tensormap f32 64 box 4 steps 1; 1@256; 3@384 tensormap f32 64 box 8 steps "
		 "1;",
		 512},
		{"packed(i32(1), tensormap(x[n], box(4)))", " 0@4 tensormap f32 64 box 4 steps 1;",
		 132},
		{"struct(f32(1.0), struct(tensormap(x[n], box(4)), u8(1)))",
		 " 0@128 tensormap f32 64 box 4 steps 1;", 384},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT, described = TEXT_INIT;
		struct error err = {0};

		if (resolve_map(&work, &skip, *state, rows[i].argument, &err) || !work)
			fail_msg("%s: %s%s", rows[i].argument, err.text, skip.data);
		case_arg_describe(&described, &work->launches[0].args[0]);
		assert_int_equal(work->launches[0].args[0].integer, rows[i].bytes);
		assert_string_equal(described.data + 2 * rows[i].bytes, rows[i].described);
		launch_case_free(work);
		text_release(&described);
		text_release(&skip);
	}
}

/* A check by the same kernel can fail if it copies other boxes. */
static void other_maps_are_other_launches(void **state)
{
	static const char text[] =
		AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(tensormap(x[n], box(4)), y)\n"
				 "// perflab: verify k<<<1, 1>>>(tensormap(x[n], box(%d)), y)\n";
	static const char images[] = AXES_AND_BUFFERS
		"// perflab: launch k<<<1, 1>>>(tensormap(x[4, n, 1], im2col(4, 4)), y)\n"
		"// perflab: verify k<<<1, 1>>>(tensormap(x[4, n, 1], im2col(4, %s)), y)\n";
	static const char slices[] = AXES_AND_BUFFERS
		"// perflab: launch k<<<1, 1>>>(tensormap(x[4, 4, 1], box(4, 4, 1)), y)\n"
		"// perflab: verify k<<<1, 1>>>(tensormap(x[4, 4, 1], box(4, 4, 1)%s), y)\n";
	char *others[] = {xasprintf(text, 8), xasprintf(images, "5"),
			  xasprintf(images, "4), upper(-1"), xasprintf(slices, ", interleave(16)")};
	char *same[] = {xasprintf(text, 4), xasprintf(images, "4"),
			xasprintf(slices, ", interleave(none)")};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		folder_write(*state, "k.cu", others[i]);
		folder_kernel(*state, FILES("k.cu"));
		free(others[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		folder_write(*state, "k.cu", same[i]);
		folder_refused(*state, FILES("k.cu"), PL_EPARSE,
			       "k.cu:7: ", "verified by its own launch");
		free(same[i]);
	}
}

/* A kernel can write through a map. */
static void maps_pass_results(void **state)
{
	folder_write(*state, "k.cu",
		     AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(tensormap(y[n], box(4)))\n"
				      "// perflab: verify y = 0\n");
	folder_kernel(*state, FILES("k.cu"));
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(what_is_written_is_in_the_case),
		WITH_FOLDER(what_cannot_be_is_refused),
		WITH_FOLDER(maps_of_no_device_are_skipped),
		WITH_FOLDER(maps_in_structs_have_a_place),
		WITH_FOLDER(other_maps_are_other_launches),
		WITH_FOLDER(maps_pass_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
