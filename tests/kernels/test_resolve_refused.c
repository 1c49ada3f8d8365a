/*
 * Cases without a launch: a case that the device cannot run is skipped, and a wrong request or
 * descriptor is an error.
 */
#include "tests/kernels/resolve_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void resolves_on(const char *variant, int64_t n, const struct device_limits *limits)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	assert_int_equal(resolve(&work, &skip, "stream", variant, 32, n, limits, &err), 0);
	assert_string_equal(skip.data, "");
	launch_case_free(work);
}

static void test_skips(void **state)
{
	struct device_limits small = h200;

	(void)state;
	must_skip("stream", "copy_scalar", 2048, 1000, &h200,
		  "block=2048 exceeds this device's 1024 threads per block");
	must_skip("reduce", "sequential", 96, 1000, &h200, "power of two");
	must_skip("reduce", "shuffle", 48, 1000, &h200, "multiple of 32");
	must_skip("matmul", "tiled", 128, 1000, &h200, "square number");
	must_skip("stream", "copy_scalar", 64, 0, &h200, "n=0: there is nothing to launch");
	must_skip("reduce", "shuffle", 48, 0, &h200, "n=0: there is nothing to launch");
	must_skip("stream", "copy_scalar", 64, INT64_C(1) << 36, &h200,
		  "needs 512.0 GiB of this device's 140.4 GiB");
	small.max_shared_bytes_per_block = 1024;
	must_skip("reduce", "sequential", 512, 1000, &small, "2048 bytes of shared memory");
	small.max_grid_x = 65535;
	must_skip("stream", "copy_scalar", 32, 1 << 22, &small, "131072 blocks in x");
	/* A tenth of the memory is kept free. */
	small = h200;
	small.global_memory_bytes = 8000;
	must_skip("stream", "copy_scalar", 32, 1000, &small, "needs 7.8 KiB");
	small.global_memory_bytes = 8900;
	resolves_on("copy_scalar", 1000, &small);
	must_skip("stream", "add_scalar", 32, 1000, &small, "needs 11.7 KiB");
	small.max_threads_per_block = 512;
	must_skip("stream", "copy_scalar", 1024, 100, &small, "512 threads");
}

/* One axis is 0, others have their defaults. */
static int resolve_zero(struct launch_case **out, struct text *skip, const char *kernel,
			const char *variant, const char *zero, struct error *err)
{
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = variant_of(kernel, variant);
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(family, row);

	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(family, row, i);

		snprintf(axes[i].name, sizeof(axes[i].name), "%s", axis->name);
		axes[i].value = strcmp(axis->name, zero) ? value_of(axis, 64, 1000) : 0;
	}
	return kernel_resolve(out, skip, family, row, axes, count, &h200, err);
}

/* 0 is a valid value of some axes: no shared memory, no distance. */
static void test_axes_of_zero(void **state)
{
	static const struct {
		const char *kernel, *variant, *axis;
		const char *skips; /* NULL: it runs */
	} cases[] = {
		{"occupancy", "one_load", "shared_kib", NULL},
		{"warp_ops", "shfl", "distance", NULL},
		{"warp_ops", "ballot", "mask", NULL},
		{"precision", "f32", "steps", NULL},
		{"matmul", "tiled_any", "m", "m=0: there is nothing to launch"},
		{"matmul", "tiled_any", "n", "n=0: there is nothing to launch"},
		{"matmul", "tiled_any", "k", "k=0: there is nothing to launch"},
		{"atomics", "native_add", "addresses", "addresses=0: there is nothing to launch"},
		{"classify", "counted", "bins", "bins=0: there is nothing to launch"},
		{"planted", "copy", "work", "work=0: there is nothing to launch"},
		{"warp_ops", "shfl", "width", "width must be a power of two"},
		{"divergence", "switch_lane", "ways", "ways must be 1 to 32"},
		{"divergence", "waiting", "unit", "unit must be at least 1"},
		{"work_queue", "static_split", "skew", "skew must be 1 to 4096"},
		{"patterns", "load_4", "start", "start must be at least 1"},
		{"warp_map", "plane", "columns", "columns=0: constraint: "},
		{"warp_map", "plane", "columns", "\"block % columns == 0\""},
		{"warp_map", "plane", "columns", "division by zero"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		int rc = resolve_zero(&work, &skip, cases[i].kernel, cases[i].variant,
				      cases[i].axis, &err);

		if (rc || !work != (cases[i].skips != NULL) ||
		    (cases[i].skips && !strstr(skip.data, cases[i].skips)))
			fail_msg("%s/%s %s=0: %s%s", cases[i].kernel, cases[i].variant,
				 cases[i].axis, err.text, skip.data);
		if (work && !strcmp(cases[i].kernel, "occupancy"))
			assert_int_equal(work->launches[0].shared_bytes, 0);
		launch_case_free(work);
		text_release(&skip);
	}
}

#define MOST_ROWS 8

/* The family stream with `count` of the axes zeta and zeta2 in addition. `rows` holds all axes. */
static struct kernel stream_with_zetas(struct kernel_axis rows[MOST_ROWS], size_t count)
{
	static const char *const names[] = {"zeta", "zeta2"};
	struct kernel kernel = *kernel_find("stream");

	assert_true(kernel.axis_count + count <= MOST_ROWS);
	memcpy(rows, kernel.axes, kernel.axis_count * sizeof(rows[0]));
	for (size_t i = 0; i < count; i++)
		rows[kernel.axis_count++] =
			(struct kernel_axis){.name = names[i], .values = "2", .meaning = "later"};
	kernel.axes = rows;
	return kernel;
}

/* What an axis of 0 makes impossible is skipped for it; what it has no part in stays an error. */
static void test_blame_of_zero(void **state)
{
	static const struct {
		struct kernel_launch launch;
		const char *skips, *fails;
	} cases[] = {
		{{.entry = "k", .grid = {"1"}, .block = {"block * zeta"}},
		 "zeta=0: block is 0 in x",
		 NULL},
		{{.entry = "k", .grid = {"n / zeta"}, .block = {"block"}},
		 "zeta=0: grid: expression \"n / zeta\", character 3: division by zero",
		 NULL},
		{{.entry = "k", .repeat = "2", .grid = {"n / (zeta * i)"}, .block = {"block"}},
		 "zeta=0: grid: ",
		 NULL},
		{{.entry = "k", .grid = {"n * zeta"}, .block = {"block"}},
		 "zeta=0: there is nothing to launch",
		 NULL},
		/* An empty grid that is launched no time empties nothing. */
		{{.entry = "k", .repeat = "zeta", .grid = {"zeta"}, .block = {"block"}},
		 NULL,
		 "nothing to launch"},
		{{.entry = "k", .grid = {"n - n"}, .block = {"block"}}, NULL, "grid is 0"},
		{{.entry = "k", .grid = {"n / (block - 64)"}, .block = {"block"}},
		 NULL,
		 "division by zero"},
		/* Words that only hold the axis's name. */
		{{.entry = "k", .grid = {"1"}, .block = {"0 * zeta2"}}, NULL, "block is 0"},
	};
	const struct kernel_variant *copy = variant_of("stream", "copy_scalar");
	struct kernel_axis rows[MOST_ROWS];
	const struct kernel kernel = stream_with_zetas(rows, 2);
	const struct axis_value axes[] = {{"n", 100}, {"zeta", 0}, {"zeta2", 2}, {"block", 64}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_variant variant = {.name = "zero",
						 .launches = &cases[i].launch,
						 .launch_count = 1,
						 .oracle = copy->oracle};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		int rc = kernel_resolve(&work, &skip, &kernel, &variant, axes, 4, &h200, &err);

		assert_null(work);
		if (rc != (cases[i].fails ? PL_EUSAGE : 0) ||
		    !strstr(cases[i].fails ? err.text : skip.data,
			    cases[i].fails ? cases[i].fails : cases[i].skips))
			fail_msg("case %zu: code %d, \"%s\", \"%s\"", i, rc, err.text, skip.data);
		text_release(&skip);
	}
}

/* Shapes that no built-in table has: what a device cannot launch is skipped in every dimension. */
static void test_shapes(void **state)
{
	static const struct {
		struct kernel_launch launch;
		const char *skips; /* NULL: it runs */
	} cases[] = {
		{{.entry = "k", .block = {"1", "1", "64"}}, NULL},
		{{.entry = "k", .block = {"1", "1", "65"}}, "1 x 1 x 65"},
		{{.entry = "k", .block = {"32", "8", "4"}}, NULL},
		{{.entry = "k", .block = {"32", "8", "5"}}, "32 x 8 x 5"},
		{{.entry = "k", .block = {"pow2(32)", "pow2(32)"}}, "threads per block"},
		{{.entry = "k", .grid = {"1", "65535", "65535"}}, NULL},
		{{.entry = "k", .grid = {"1", "65536"}}, "65536 blocks in y"},
		{{.entry = "k", .grid = {"1", "1", "65536"}}, "65536 blocks in z"},
	};
	/* Axes are sorted, in whatever order they are declared and given. */
	const struct kernel_variant *copy = variant_of("stream", "copy_scalar");
	static const struct kernel_axis alpha = {
		.name = "alpha", .values = "3", .meaning = "earlier"};
	struct kernel_axis rows[MOST_ROWS];
	const struct kernel kernel = stream_with_zetas(rows, 1);
	const struct axis_value axes[] = {{"n", 100}, {"alpha", 3}, {"zeta", 2}, {"block", 64}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_variant variant = {.name = "shape",
						 .launches = &cases[i].launch,
						 .launch_count = 1,
						 .axes = &alpha,
						 .axis_count = 1,
						 .oracle = copy->oracle};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};

		assert_int_equal(
			kernel_resolve(&work, &skip, &kernel, &variant, axes, 4, &h200, &err), 0);
		assert_int_equal(!work, cases[i].skips != NULL);
		if (work) {
			assert_int_equal(work->axis_count, 4);
			assert_string_equal(work->axes[0].name, "alpha");
			assert_string_equal(work->axes[3].name, "zeta");
		} else {
			assert_non_null(strstr(skip.data, cases[i].skips));
		}
		launch_case_free(work);
		text_release(&skip);
	}
}

static void test_bad_requests(void **state)
{
	const struct kernel *stream = kernel_find("stream");
	const struct kernel_variant *copy = variant_of("stream", "copy_scalar");
	static const struct {
		struct axis_value axes[3];
		size_t count;
		const char *says;
	} cases[] = {
		{{{"block", 64}}, 1, "\"n\""},
		{{{"n", 64}}, 1, "\"block\""},
		{{{"n", 64}, {"block", 64}, {"ways", 2}}, 3, "\"ways\""},
		{{{"n", 64}, {"block", 64}, {"n", 32}}, 3, "two values"},
		{{{"n", 64}, {"block", 0}}, 2, "block=0"},
		{{{"n", -5}, {"block", 64}}, 2, "n=-5"},
		{{{"n", INT64_MAX}, {"block", 64}}, 2, "overflow"},
		{{{"n", INT64_C(1) << 61}, {"block", 64}}, 2, "overflow"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct launch_case *work = (struct launch_case *)&cases;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		int rc = kernel_resolve(&work, &skip, stream, copy, cases[i].axes, cases[i].count,
					&h200, &err);

		if (rc != PL_EUSAGE || !strstr(err.text, cases[i].says) ||
		    !strstr(err.text, "stream/copy_scalar"))
			fail_msg("case %zu: code %d, \"%s\"", i, rc, err.text);
		assert_ptr_equal(work, &cases);
		assert_int_equal(skip.length, 0);
		text_release(&skip);
	}
	/* n * n overflows only inside the expression. */
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	assert_int_equal(
		resolve(&work, &skip, "matmul", "naive", 64, INT64_C(1) << 40, &h200, &err),
		PL_EUSAGE);
	assert_non_null(strstr(err.text, "overflows"));
}

#define ONE_ARG(of_kind, text)                                                         \
	{                                                                              \
		.entry = "k",                                                          \
		.args = (const struct kernel_arg[]){{.kind = of_kind, .value = text}}, \
		.arg_count = 1                                                         \
	}

/* Users may write descriptors, which may be wrong in every way. */
static void test_bad_descriptors(void **state)
{
	const struct {
		struct kernel_launch launch;
		const char *says;
	} cases[] = {
		{{.entry = "k", .grid = {"n - n"}, .block = {"block"}}, "grid is 0"},
		{{.entry = "k", .grid = {"1"}, .block = {"-1"}}, "block is -1"},
		{{.entry = "k", .grid = {"m"}, .block = {"block"}}, "grid"},
		{{.entry = "k", .grid = {"i"}, .block = {"block"}}, "grid"},
		{{.entry = "k", .repeat = "0"}, "nothing to launch"},
		{{.entry = "k", .repeat = "-1"}, "repeat is -1"},
		{{.entry = "k", .repeat = "n * n"}, "repeat is"},
		{{.entry = "k", .shared_bytes = "-4"}, "shared memory is -4"},
		{ONE_ARG(ARG_BUFFER, "nowhere"), "nowhere"},
		{ONE_ARG(ARG_I32, "n * n"), "does not fit i32"},
		{ONE_ARG(ARG_U32, "-1"), "does not fit u32"},
		{ONE_ARG(ARG_F32, "1e300"), "does not fit f32"},
		{ONE_ARG(ARG_F32, "pi"), "pi"},
	};
	const struct axis_value axes[] = {{"n", 100000}, {"block", 64}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_variant variant = {
			.name = "broken", .launches = &cases[i].launch, .launch_count = 1};
		struct launch_case *work = NULL;
		struct text skip = TEXT_INIT;
		struct error err = {0};
		int rc = kernel_resolve(&work, &skip, kernel_find("stream"), &variant, axes, 2,
					&h200, &err);

		if (rc != PL_EUSAGE || !strstr(err.text, cases[i].says) || work)
			fail_msg("case %zu: code %d, \"%s\"", i, rc, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skips),         cmocka_unit_test(test_axes_of_zero),
		cmocka_unit_test(test_blame_of_zero), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_bad_requests),  cmocka_unit_test(test_bad_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
