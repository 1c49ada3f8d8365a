/* Floating-point numbers from axes: arguments, fields of structs, numbers of fills. */
#include "tests/kernels/user/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *file_with(const char *fill, const char *argument)
{
	return xasprintf("// perflab: axis n = 64\n"
			 "// perflab: let half = 0.5 * n\n"
			 "// perflab: buffer x: f32[n] in %s\n"
			 "// perflab: buffer y: f32[n] out\n"
			 "// perflab: launch k<<<1, 1>>>(x, y, %s) repeat 3\n"
			 "// perflab: verify none\n",
			 fill, argument);
}

static int resolve(struct launch_case **out, struct text *skip, struct folder *folder,
		   const char *fill, const char *argument, int64_t n, struct error *err)
{
	const struct axis_value axes[] = {{"n", n}};
	char *text = file_with(fill, argument);
	const struct kernel *kernel;

	folder_write(folder, "k.cu", text);
	free(text);
	kernel = folder_kernel(folder, FILES("k.cu"));
	return kernel_resolve(out, skip, kernel, &kernel->variants[0], axes, 1,
			      &device_limits_minimum, err);
}

static void numbers_are_computed(void **state)
{
	static const struct {
		const char *argument;
		enum arg_kind kind;
		double value;
	} rows[] = {
		{"1.0 / n", ARG_REAL, 1.0 / 64},
		{"1.0f / n", ARG_REAL, 1.0 / 64},
		{"0.1f * n", ARG_REAL, (double)0.1F * 64},
		{"f32(1.0 / (n - 1))", ARG_F32, 1.0 / 63},
		{"1 / sqrt(n)", ARG_REAL, 0.125},
		{"f64(exp(-0.5 * n))", ARG_F64, 1.2664165549094176e-14},
		{"half", ARG_REAL, 32},
		{"half * half", ARG_REAL, 1024},
		{"-2. * n", ARG_REAL, -128},
		{"1e-3 * n", ARG_REAL, 0.064},
		{"i + 0.5", ARG_REAL, 2.5}, /* of the last launch */
		{"n > 32 ? 1.5 : 2.5", ARG_REAL, 1.5},
		/* integers as before */
		{"f32(n / 5)", ARG_F32, 12},
		{"f32(log2(n))", ARG_F32, 6},
		{"f16(n)", ARG_F16, 64},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		const struct case_arg *arg;

		if (resolve(&work, &skip, *state, "", rows[r].argument, 64, &err) || !work)
			fail_msg("%s: %s%s", rows[r].argument, err.text, skip.data);
		arg = &work->launches[2].args[2];
		assert_int_equal(arg->kind, rows[r].kind);
		if (fabs(arg->real - rows[r].value) > 1e-6 * fabs(rows[r].value))
			fail_msg("%s is %.17g", rows[r].argument, arg->real);
		launch_case_free(work);
		text_release(&skip);
	}
}

static void integers_stay_integers(void **state)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;

	assert_int_equal(resolve(&work, &skip, *state, "", "n / 5", 64, NULL), 0);
	assert_int_equal(work->launches[0].args[2].kind, ARG_INTEGER);
	assert_int_equal(work->launches[0].args[2].integer, 12);
	launch_case_free(work);
	text_release(&skip);
}

static void numbers_of_fills_are_computed(void **state)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;

	assert_int_equal(
		resolve(&work, &skip, *state, "uniform(-1.0 / n, 2.0 * sqrt(n))", "n", 64, NULL),
		0);
	assert_true(work->buffers[0].fill_low == -1.0 / 64 && work->buffers[0].fill_high == 16);
	launch_case_free(work);
	text_release(&skip);
}

static void mistakes_name_their_line(void **state)
{
	static const struct {
		const char *fill, *argument, *place, *says;
	} rows[] = {
		{"", "1.0 / m", "k.cu:5: ", "no axis or device limit is named \"m\""},
		{"", "1.0 / x", "k.cu:5: ", "\"x\" is a buffer"},
		{"", "1.0 / ", "k.cu:5: ", "a number, a name or \"(\" expected"},
		{"", "1.0 ^ n", "k.cu:5: ", "\"^\" is a power only"},
		{"", "sqrt(n, n)", "k.cu:5: ", "argument 3"},
		{"", "i32(1.0 / n)", "k.cu:5: ", "argument 3"},
		{"", "struct(1.0 / n)", "k.cu:5: ", "write f32(1.0 / n) or f64(1.0 / n)"},
		{"uniform(0, 1.0 / m)", "n", "k.cu:3: ", "no axis or device limit is named \"m\""},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		char *text = file_with(rows[r].fill, rows[r].argument);

		folder_write(*state, "k.cu", text);
		folder_refused(*state, FILES("k.cu"), PL_EPARSE, rows[r].place, rows[r].says);
		free(text);
	}
}

/* What only some values of the axes make impossible. */
static void impossible_values_are_named(void **state)
{
	static const struct {
		const char *argument, *says;
		int64_t n;
	} rows[] = {
		{"1.0 / (n - 64)", "argument 1.0 / (n - 64) is no finite number", 64},
		{"f16(1000.0 * n)", "does not fit f16", 100},
		{"1.0 / (8 / (n - 64))",
		 "argument 1.0 / (8 / (n - 64)): an integer is divided by zero", 64},
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		char *argument = xasprintf("%s", rows[r].argument);

		(void)resolve(&work, &skip, *state, "", argument, rows[r].n, &err);
		assert_null(work);
		if (!strstr(skip.data, rows[r].says) && !strstr(err.text, rows[r].says))
			fail_msg("%s: %s; %s", argument, skip.data, err.text);
		text_release(&skip);
		free(argument);
	}
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(numbers_are_computed),          WITH_FOLDER(integers_stay_integers),
		WITH_FOLDER(numbers_of_fills_are_computed), WITH_FOLDER(mistakes_name_their_line),
		WITH_FOLDER(impossible_values_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
