/* texture(BUFFER[W, H], OPTION, …) and surface(…), from the annotation to the case. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>
#include <string.h>

#define AXES_AND_BUFFERS                       \
	"// perflab: axis n = 100\n"           \
	"// perflab: buffer x: f32[n] in\n"    \
	"// perflab: buffer c: u8[4 * n] in\n" \
	"// perflab: buffer w: i32[n] in\n"    \
	"// perflab: buffer d: f64[n] in\n"    \
	"// perflab: buffer y: f32[n] out\n"

static char *file_with(const char *argument)
{
	return xasprintf(AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(%s, y)\n"
					  "// perflab: verify none\n",
			 argument);
}

static int resolve(struct launch_case **out, struct folder *folder, const char *argument,
		   struct error *err)
{
	const struct axis_value axes[] = {{"n", 100}};
	char *text = file_with(argument);
	struct text skip = TEXT_INIT;
	const struct kernel *kernel;
	int rc;

	folder_write(folder, "k.cu", text);
	free(text);
	kernel = folder_kernel(folder, FILES("k.cu"));
	rc = kernel_resolve(out, &skip, kernel, &kernel->variants[0], axes, 1,
			    &device_limits_minimum, err);
	if (skip.length)
		fail_msg("%s: %s", argument, skip.data);
	text_release(&skip);
	return rc;
}

static void what_is_written_is_in_the_case(void **state)
{
	static const struct {
		const char *argument, *buffer, *described;
	} rows[] = {
		{"texture(x[n])", "x", " texture 100 x1 clamp"},
		{"texture(x[10, n / 10])", "x", " texture 10x10 x1 clamp clamp"},
		{"texture( x [5, 5, 4] , linear, wrap, normalized)", "x",
		 " texture 5x5x4 x1 linear normalized wrap wrap wrap"},
		{"texture(x[10, 10], border, mirror, point)", "x",
		 " texture 10x10 x1 border mirror"},
		{"texture(c[10, 10], channels(4), normalized_float, linear)", "c",
		 " texture 10x10 x4 linear normalized_float clamp clamp"},
		{"texture(c[4 * n], fetch, channels(1))", "c", " texture 400 x1 fetch clamp"},
		{"texture(x[20, 5], layered)", "x", " texture 20x5 x1 layered clamp clamp"},
		{"texture(x[4, 4, 6], cube, normalized)", "x",
		 " texture 4x4x6 x1 cube normalized clamp clamp clamp"},
		{"surface(w[10, 10])", "w", " surface 10x10 x1"},
		{"surface(c[10, 5, 2], layered, channels(4))", "c", " surface 10x5x2 x4 layered"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text described = TEXT_INIT;
		struct launch_case *work = NULL;
		const struct case_arg *arg;
		unsigned char bytes[8];
		struct error err = {0};

		if (resolve(&work, *state, rows[i].argument, &err))
			fail_msg("%s: %s", rows[i].argument, err.text);
		arg = &work->launches[0].args[0];
		assert_int_equal(arg->kind, ARG_TEXTURE);
		assert_string_equal(work->buffers[arg->integer].name, rows[i].buffer);
		case_arg_describe(&described, arg);
		assert_string_equal(described.data, rows[i].described);
		assert_int_equal(case_arg_bytes(arg), 8);
		memset(bytes, 0xff, sizeof(bytes));
		case_arg_write(bytes, arg); /* no handle yet */
		assert_memory_equal(bytes, "\0\0\0\0\0\0\0", 8);
		text_release(&described);
		launch_case_free(work);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *argument, *says;
	} rows[] = {
		{"texture()", "write a buffer and its size in texels: texture(x[w, h])"},
		{"texture(x)", "write the size after the buffer: x[w, h]"},
		{"texture(x[])", "1 to 3 sizes, not 0"},
		{"texture(x[1, 2, 3, 4])", "1 to 3 sizes, not 4"},
		{"texture(x[10] + 1)", "+ 1"},
		{"texture(z[10])", "\"z\", is neither a buffer nor an axis"},
		{"texture(x[m])", "\"m\""},
		{"texture(x[0])", "a size of the texture"},
		{"texture(x[10], blurred)", "\"blurred\" is not an option of a texture"},
		{"surface(x[10], linear)", "a surface has no \"linear\""},
		{"surface(x[10], wrap)", "the options are channels(N) and layered"},
		{"texture(x[10], channels(3))", "channels(1), channels(2) or channels(4)"},
		{"texture(x[10, 10], wrap, wrap, wrap)", "3 address modes for 2 coordinates"},
		{"texture(x[5, 5, 4], wrap, wrap)", "2 address modes for 3 coordinates"},
		{"texture(x[5], wrap, wrap, wrap, wrap)", "more than 3 address modes"},
		{"texture(x[4, 24], cube, normalized)", "a cube has three sizes"},
		{"texture(x[4, 4, 6], cube)", "add normalized"},
		{"texture(x[10], layered)", "counts its layers"},
		{"texture(x[10, 10], fetch)", "fetch is for plain memory"},
		{"texture(x[10], fetch, linear)", "fetch is for plain memory"},
		{"texture(d[10])", "no texture has channels of f64, the type of \"d\""},
		{"texture(w[10], linear)", "a linear filter needs floats; add normalized_float"},
		{"texture(w[10], normalized_float)", "is for integers of 8 or 16 bits"},
		{"texture(x[10], normalized_float)", "is for integers of 8 or 16 bits"},
		{"struct(texture(x[10]), i32(0))", "a texture or surface in a struct"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = file_with(rows[i].argument);

		folder_write(*state, "k.cu", text);
		folder_refused(*state, FILES("k.cu"), PL_EPARSE, "k.cu:7: ", rows[i].says);
		free(text);
	}
}

/* Wrong only with the values of the axes. */
static void texels_are_in_the_buffer(void **state)
{
	static const struct {
		const char *argument, *says;
	} rows[] = {
		{"texture(x[n + 1])", "101 x 1 x 1 texels of 1 elements, but the buffer has 100"},
		{"texture(c[n, 2], channels(4))", "100 x 2 x 1 texels of 4 elements"},
		{"surface(x[pow2(40), pow2(40)])", "texels"},
		{"texture(x[n - 100])", "a size of the texture of x is 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *work = NULL;
		struct error err = {0};

		if (resolve(&work, *state, rows[i].argument, &err) != PL_EUSAGE ||
		    !strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].argument, err.text);
	}
}

/* A check by the same kernel can fail if it reads the buffer in another way. */
static void other_textures_are_other_launches(void **state)
{
	static const char text[] =
		AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(texture(x[n]), y)\n"
				 "// perflab: verify k<<<1, 1>>>(texture(x[n]%s), y)\n";
	char *other = xasprintf(text, ", border"), *same = xasprintf(text, "");

	folder_write(*state, "k.cu", other);
	folder_kernel(*state, FILES("k.cu"));
	folder_write(*state, "k.cu", same);
	folder_refused(*state, FILES("k.cu"), PL_EPARSE, "k.cu:8: ", "verified by its own launch");
	free(other);
	free(same);
}

/* A kernel can write through a surface, and not through a texture. */
static void surfaces_pass_results(void **state)
{
	static const char text[] = AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(%s(y[n]))\n"
						    "// perflab: verify y = 0\n";
	char *written = xasprintf(text, "surface"), *read = xasprintf(text, "texture");

	folder_write(*state, "k.cu", written);
	folder_kernel(*state, FILES("k.cu"));
	folder_write(*state, "k.cu", read);
	folder_refused(*state, FILES("k.cu"), PL_EPARSE,
		       "k.cu:6: ", "has the result \"y\" as an argument");
	free(written);
	free(read);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(what_is_written_is_in_the_case),
		WITH_FOLDER(what_cannot_be_is_refused),
		WITH_FOLDER(texels_are_in_the_buffer),
		WITH_FOLDER(other_textures_are_other_launches),
		WITH_FOLDER(surfaces_pass_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
