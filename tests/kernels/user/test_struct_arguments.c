/* struct(FIELD, …) from the annotation to the bytes of a case. The C compiler of this test is the
 * judge of offsets, sizes and padding. */
#include "tests/kernels/user/folder.h"

#include <stdlib.h>
#include <string.h>

/* Where an address belongs, a struct has 0. */
#define ADDRESS 0

#define AXES_AND_BUFFERS                     \
	"// perflab: axis n = 100\n"         \
	"// perflab: buffer x: f32[n] in\n"  \
	"// perflab: buffer y: f32[n] out\n" \
	"// perflab: buffer w: f32[n] in\n"  \
	"// perflab: buffer unused: f32[n] in\n"

/* The case of the annotation `launch`, with that launch and verify none. */
static struct launch_case *case_of(struct folder *folder, const char *launch)
{
	const struct axis_value axes[] = {{"n", 100}};
	char *text = xasprintf(AXES_AND_BUFFERS "// perflab: launch %s\n// perflab: verify none\n",
			       launch);
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	const struct kernel *kernel;
	struct error err = {0};

	folder_write(folder, "k.cu", text);
	free(text);
	kernel = folder_kernel(folder, FILES("k.cu"));
	if (kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes, 1,
			   &device_limits_minimum, &err) ||
	    !work)
		fail_msg("%.300s: %s%s", launch, err.text, skip.data);
	text_release(&skip);
	return work;
}

static void expect_address(const struct launch_case *work, const struct case_arg *arg, size_t index,
			   size_t offset, const char *buffer)
{
	assert_true(index < case_arg_address_count(arg));
	assert_int_equal(case_arg_address(arg, index).offset, offset);
	assert_string_equal(work->buffers[case_arg_address(arg, index).buffer].name, buffer);
}

static void expect_bytes(const struct case_arg *arg, const void *bytes, size_t count)
{
	unsigned char *written = xmalloc(count);

	assert_int_equal(arg->kind, ARG_BYTES);
	assert_int_equal(case_arg_bytes(arg), count);
	memset(written, 0xff, count);
	case_arg_write(written, arg);
	assert_memory_equal(written, bytes, count);
	free(written);
}

/* As the matrices of OpenCV are: a pointer, the bytes from row to row, columns, rows. */
static void test_pointer_and_sizes(void **state)
{
	struct {
		uint64_t data, step;
		int32_t cols, rows;
	} wanted = {ADDRESS, 512, 100, -3};
	struct launch_case *work =
		case_of(*state, "k<<<1, 1>>>(n, struct(y, u64(5 * n + 12), i32(n), i32(-3)))");
	const struct case_arg *arg = &work->launches[0].args[1];

	expect_bytes(arg, &wanted, sizeof(wanted));
	assert_int_equal(case_arg_address_count(arg), 1);
	expect_address(work, arg, 0, 0, "y");
	assert_string_equal(arg->layout, "y at 0, u64 at 8, i32 at 16, i32 at 20");
	launch_case_free(work);
}

/* Every kind, in an order that needs padding before fields and at the end. */
static void test_padding(void **state)
{
	struct fields {
		int8_t a;
		double b;
		uint8_t c;
		int16_t d;
		uint64_t x;
		uint16_t e;
		float f;
		uint64_t nothing;
		uint8_t g;
		int64_t h;
		uint16_t half, brain;
		uint64_t y;
		uint32_t i;
	} wanted;
	struct launch_case *work = case_of(
		*state, "k<<<1, 1>>>(struct(i8(-1), f64(0.1), u8(255), i16(-2), x, u16(65535), "
			"f32(1e-3f), nullptr, u8(7), i64(-9), f16(1.5), bf16(-2.0), y, u32(n)))");
	const struct case_arg *arg = &work->launches[0].args[0];

	memset(&wanted, 0, sizeof(wanted));
	wanted.a = -1, wanted.b = 0.1, wanted.c = 255, wanted.d = -2, wanted.e = 65535;
	wanted.f = 1e-3f, wanted.g = 7, wanted.h = -9, wanted.half = 0x3e00;
	wanted.brain = 0xc000, wanted.i = 100;
	expect_bytes(arg, &wanted, sizeof(wanted));
	assert_int_equal(case_arg_address_count(arg), 2);
	expect_address(work, arg, 0, offsetof(struct fields, x), "x");
	expect_address(work, arg, 1, offsetof(struct fields, y), "y");
	launch_case_free(work);
}

/* The alignment of a struct within a struct, and its padding at the end, count. */
static void test_nested(void **state)
{
	struct inner {
		uint64_t p;
		uint8_t c;
	};
	struct outer {
		uint8_t a;
		struct inner first;
		uint8_t b;
		struct {
			uint8_t c[3];
		} bytes;
		struct inner second;
		uint16_t d;
	} wanted;
	struct launch_case *work =
		case_of(*state, "k<<<1, 1>>>(struct(u8(1), struct(x, u8(2)), u8(3), "
				"struct(bytes(0a0B0c)), struct( y , u8(4) ), u16(5)))");
	const struct case_arg *arg = &work->launches[0].args[0];

	memset(&wanted, 0, sizeof(wanted));
	wanted.a = 1, wanted.first.c = 2, wanted.b = 3, wanted.second.c = 4, wanted.d = 5;
	memcpy(wanted.bytes.c, "\x0a\x0b\x0c", 3);
	expect_bytes(arg, &wanted, sizeof(wanted));
	expect_address(work, arg, 0, offsetof(struct outer, first.p), "x");
	expect_address(work, arg, 1, offsetof(struct outer, second.p), "y");
	launch_case_free(work);
}

/* float4 and __align__(…), and members that are placed by hand. */
static void test_written_alignment(void **state)
{
	struct vector {
		_Alignas(16) float x;
		float y, z, w;
	};
	struct outer {
		uint64_t p;
		struct vector v;
		uint8_t c;
	} wanted;
	unsigned char placed[24] = {0};
	struct launch_case *work = case_of(
		*state, "k<<<1, 1>>>(struct(x, struct(align(16), f32(1.0), f32(2.0), "
			"f32(3.0), f32(4.0)), u8(9)), struct(pad(3), u8(1), pad(8), u8(2), y))");

	memset(&wanted, 0, sizeof(wanted));
	wanted.v = (struct vector){1, 2, 3, 4};
	wanted.c = 9;
	expect_bytes(&work->launches[0].args[0], &wanted, sizeof(wanted));
	placed[3] = 1, placed[12] = 2;
	expect_bytes(&work->launches[0].args[1], placed, sizeof(placed));
	expect_address(work, &work->launches[0].args[1], 0, 16, "y");
	launch_case_free(work);
}

/* A buffer that occurs in a struct only is a buffer of the case; so are those of a check. */
static void test_buffers_in_structs_are_used(void **state)
{
	struct folder *folder = *state;
	const struct axis_value axes[] = {{"n", 100}};
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	const struct kernel *kernel;

	folder_write(folder, "k.cu",
		     AXES_AND_BUFFERS "// perflab: launch k<<<1, 1>>>(struct(struct(x)), y)\n"
				      "// perflab: verify r<<<1, 1>>>(struct(i8(0), w), y)\n");
	kernel = folder_kernel(folder, FILES("k.cu"));
	assert_int_equal(kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes, 1,
					&device_limits_minimum, NULL),
			 0);
	assert_int_equal(work->buffer_count, 3);
	expect_address(work, &work->launches[0].args[0], 0, 0, "x");
	expect_address(work, &work->launches[0].args[1], 0, 0, "y");
	expect_address(work, &work->check.launches[0].args[0], 0, 8, "w");
	launch_case_free(work);
	text_release(&skip);
}

static void test_repeats(void **state)
{
	struct launch_case *work = case_of(*state, "k<<<1, 1>>>(struct(i32(2 * i), x)) repeat 3");

	assert_int_equal(work->launch_count, 3);
	for (int i = 0; i < 3; i++) {
		struct {
			int32_t number;
			uint64_t data;
		} wanted;

		memset(&wanted, 0, sizeof(wanted));
		wanted.number = 2 * i;
		expect_bytes(&work->launches[i].args[0], &wanted, sizeof(wanted));
		expect_address(work, &work->launches[i].args[0], 0, 8, "x");
	}
	launch_case_free(work);
}

/* `count` times `text`, in a launch with one argument. */
static char *launch_of(const char *before, const char *text, size_t count, const char *after)
{
	struct text launch = TEXT_INIT;

	text_addf(&launch, "k<<<1, 1>>>(%s", before);
	for (size_t i = 0; i < count; i++)
		text_add(&launch, text);
	text_addf(&launch, "%s)", after);
	return text_detach(&launch);
}

static void expect_refused(struct folder *folder, char *launch, int code, const char *part)
{
	char *text = xasprintf(AXES_AND_BUFFERS "// perflab: launch %s\n// perflab: verify none\n",
			       launch);

	folder_write(folder, "k.cu", text);
	folder_refused(folder, FILES("k.cu"), code, "k.cu:6: ", part);
	free(text);
	free(launch);
}

/* Fields follow each other, whatever their alignment, and a struct in such a struct keeps its own
 * padding between its fields. */
static void test_packed(void **state)
{
	struct __attribute__((packed)) {
		uint8_t first;
		uint64_t x;
		uint16_t second;
		struct {
			uint8_t third;
			uint32_t fourth;
			uint8_t fifth;
		} inner;
		uint8_t last;
	} wanted;
	struct launch_case *work = case_of(
		*state,
		"k<<<1, 1>>>(packed(u8(1), x, u16(2), struct(u8(3), u32(4), u8(5)), u8(6)))");

	memset(&wanted, 0, sizeof(wanted));
	wanted.first = 1;
	wanted.second = 2;
	wanted.inner.third = 3;
	wanted.inner.fourth = 4;
	wanted.inner.fifth = 5;
	wanted.last = 6;
	expect_bytes(&work->launches[0].args[0], &wanted, sizeof(wanted));
	expect_address(work, &work->launches[0].args[0], 0, 1, "x");
	launch_case_free(work);
}

static void test_limits(void **state)
{
	struct folder *folder = *state;
	char *closed = launch_of("struct(", "struct(", 7, "x))))))))");
	char *fields = launch_of("struct(x", ", u8(1)", 8191, ")");
	struct launch_case *work = case_of(folder, closed);

	expect_address(work, &work->launches[0].args[0], 0, 0, "x");
	launch_case_free(work);
	work = case_of(folder, fields);
	assert_int_equal(case_arg_bytes(&work->launches[0].args[0]), 8200); /* 8 + 8191, rounded */
	launch_case_free(work);
	free(closed);
	free(fields);
	expect_refused(folder, launch_of("struct(", "struct(", 8, "x)))))))))"), PL_EPARSE,
		       "structs within more than 8 structs");
	expect_refused(folder, launch_of("packed(align(8), x", "", 0, ")"), PL_EPARSE,
		       "a packed struct has no alignment");
	expect_refused(folder, launch_of("", "struct(", 9000, "x"), PL_EPARSE, "\")\" is missing");
	expect_refused(folder, launch_of("struct(x", ", u8(1)", 8192, ")"), PL_EPARSE,
		       "a struct of more than 8192 fields");
	expect_refused(folder, launch_of("struct(u8(1)", ", struct(u8(1))", 4200, ")"), PL_EPARSE,
		       "a struct of more than 8192 fields");
}

/* Wrong only with the values of the axes. */
static void test_refused_when_resolved(void **state)
{
	static const struct {
		const char *launch, *says;
	} rows[] = {
		{"k<<<1, 1>>>(struct(x, u8(3 * n)))", "argument 3 * n = 300 does not fit u8"},
		{"k<<<1, 1>>>(struct(x, u64(0 - n)))", "does not fit u64"},
		{"k<<<1, 1>>>(struct(x, i32(1 / (n - n))))", "division by zero"},
		{"k<<<1, 1>>>(struct(x, f16(700 * n)))", "does not fit f16"},
		{"k<<<1, 1>>>(struct(pad(32764))) repeat 10000",
		 "the structs of all launches have more than 64 MiB"},
	};
	const struct axis_value axes[] = {{"n", 100}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = xasprintf(AXES_AND_BUFFERS
				       "// perflab: launch %s\n// perflab: verify none\n",
				       rows[i].launch);
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		const struct kernel *kernel;
		struct error err = {0};

		folder_write(*state, "k.cu", text);
		kernel = folder_kernel(*state, FILES("k.cu"));
		assert_int_equal(kernel_resolve(&work, &skip, kernel, &kernel->variants[0], axes, 1,
						&device_limits_minimum, &err),
				 PL_EUSAGE);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].launch, err.text);
		text_release(&skip);
		free(text);
	}
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_pointer_and_sizes),
		WITH_FOLDER(test_padding),
		WITH_FOLDER(test_nested),
		WITH_FOLDER(test_written_alignment),
		WITH_FOLDER(test_buffers_in_structs_are_used),
		WITH_FOLDER(test_repeats),
		WITH_FOLDER(test_packed),
		WITH_FOLDER(test_limits),
		WITH_FOLDER(test_refused_when_resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
