/* Descriptors resolve to launches, for every variant, size and device. */
#include "tests/kernels/resolve_support.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A variant with a default of one block size runs with that alone. */
static int64_t block_of(const char *kernel, const char *variant, int64_t block)
{
	const struct kernel_variant *row = variant_of(kernel, variant);

	for (size_t i = 0; i < row->axis_count; i++)
		if (!strcmp(row->axes[i].name, "block") && !strpbrk(row->axes[i].values, ",."))
			return atoll(row->axes[i].values);
	return block;
}

static struct launch_case *must_resolve(const char *kernel, const char *variant, int64_t block,
					int64_t n)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	int rc = resolve(&work, &skip, kernel, variant, block_of(kernel, variant, block), n, &h200,
			 &err);

	if (rc || !work)
		fail_msg("%s/%s block=%" PRId64 " n=%" PRId64 ": %s%s", kernel, variant, block, n,
			 err.text, skip.data);
	text_release(&skip);
	return work;
}

static int64_t block_threads(const struct case_launch *launch)
{
	return launch->block[0] * launch->block[1] * launch->block[2];
}

/* Invariants of every case. */
static void check_invariants(const struct launch_case *work, const struct device_limits *limits)
{
	int results = 0;

	assert_true(work->launch_count >= 1);
	assert_non_null(kernel_find_oracle(work->oracle));
	for (size_t i = 1; i < work->axis_count; i++)
		assert_true(strcmp(work->axes[i - 1].name, work->axes[i].name) < 0);
	for (size_t i = 0; i < work->buffer_count; i++) {
		assert_true(work->buffers[i].length >= 1);
		results += work->buffers[i].role == BUFFER_OUT ||
			   work->buffers[i].role == BUFFER_INOUT;
		if (work->buffers[i].role == BUFFER_IN)
			assert_int_not_equal(work->buffers[i].fill, FILL_NONE);
	}
	assert_true(results >= 1);
	for (size_t l = 0; l < work->launch_count; l++) {
		const struct case_launch *launch = &work->launches[l];

		for (int d = 0; d < 3; d++)
			assert_true(launch->grid[d] >= 1 && launch->block[d] >= 1);
		assert_true(block_threads(launch) <= limits->max_threads_per_block);
		assert_true(launch->grid[0] <= limits->max_grid_x);
		assert_true(launch->shared_bytes <= limits->max_shared_bytes_per_block);
		for (size_t a = 0; a < launch->arg_count; a++)
			if (launch->args[a].kind == ARG_BUFFER)
				assert_true(launch->args[a].integer >= 0 &&
					    (size_t)launch->args[a].integer < work->buffer_count);
	}
	/* Kernels that run only on request are not ranked. */
	if (!kernel_find(work->kernel)->on_request)
		assert_true(work->bytes_read + work->bytes_written > 0);
}

static void test_every_variant_resolves_or_says_why(void **state)
{
	static const int64_t blocks[] = {1, 32, 33, 64, 96, 128, 256, 512, 1000, 1024, 1025, 2048};
	static const int64_t sizes[] = {1,    2,    3,    5,       31,      33,      1000,
					1023, 4097, 8191, 1 << 20, 1000003, 16777216};
	const struct device_limits *const devices[] = {&h200, &device_limits_minimum};
	size_t kernel_count, resolved = 0;
	const struct kernel *const *kernels = kernel_all(&kernel_count);

	(void)state;
	for (size_t k = 0; k < kernel_count; k++)
		for (size_t v = 0; v < kernels[k]->variant_count; v++)
			for (size_t c = 0; c < ARRAY_SIZE(blocks) * ARRAY_SIZE(sizes) * 2; c++) {
				const char *variant = kernels[k]->variants[v].name;
				int64_t block = blocks[c / 2 % ARRAY_SIZE(blocks)];
				int64_t n = sizes[c / 2 / ARRAY_SIZE(blocks)];
				struct launch_case *work = NULL;
				struct text skip = TEXT_INIT;
				struct error err = {0};
				int rc = resolve(&work, &skip, kernels[k]->name, variant, block, n,
						 devices[c % 2], &err);

				if (rc)
					fail_msg("%s", err.text);
				assert_true(!work == (skip.length > 0));
				if (block > 1024)
					assert_non_null(
						strstr(skip.data, "1024 threads per block"));
				if (work)
					check_invariants(work, devices[c % 2]);
				resolved += work != NULL;
				launch_case_free(work);
				text_release(&skip);
			}
	assert_true(resolved > 5000);
}

/* Which default block sizes do not run a variant: tiles that are not square, and warps that are too
 * few. NULL: it runs. */
static const char *refusal(const char *kernel, const char *variant, int64_t block)
{
	static const char *const squares[] = {"tiled",           "tiled_any", "tiled_constant",
					      "tiled_whole",     "conflicts", "padded",
					      "register_blocked"};

	if (strstr(variant, "wgmma") && block < 128)
		return "four warps";
	for (size_t i = 0; i < ARRAY_SIZE(squares) && !strcmp(kernel, "matmul"); i++)
		if (!strcmp(squares[i], variant))
			return block == 128 || block == 512 ? "square" : NULL;
	return NULL;
}

/* Every variant runs with every default block size, or is skipped because of its tile. */
static void test_defaults_run(void **state)
{
	size_t kernel_count;
	const struct kernel *const *kernels = kernel_all(&kernel_count);

	(void)state;
	for (size_t k = 0; k < kernel_count; k++)
		for (size_t v = 0; v < kernels[k]->variant_count; v++)
			for (int64_t block = 64; block <= 1024; block *= 2) {
				const char *family = kernels[k]->name;
				const char *name = kernels[k]->variants[v].name;
				const char *why = refusal(family, name, block);

				if (why)
					must_skip(family, name, block, 1024, &h200, why);
				else
					launch_case_free(must_resolve(family, name, block, 1024));
			}
}

/* Verification at one or two block sizes shows nothing about others. */
static void test_five_block_sizes_of_each(void **state)
{
	size_t kernel_count;
	const struct kernel *const *kernels = kernel_all(&kernel_count);

	(void)state;
	for (size_t k = 0; k < kernel_count; k++)
		for (size_t v = 0; v < kernels[k]->variant_count; v++) {
			const char *variant = kernels[k]->variants[v].name;
			int valid = 0;

			for (int64_t block = 1; block <= 1024; block++) {
				struct launch_case *work = NULL;
				struct text skip = TEXT_INIT;
				struct error err = {0};

				if (resolve(&work, &skip, kernels[k]->name, variant, block, 1024,
					    &h200, &err))
					fail_msg("%s", err.text);
				valid += work != NULL;
				launch_case_free(work);
				text_release(&skip);
			}
			if (valid < 5)
				fail_msg("%s/%s: %d valid block sizes", kernels[k]->name, variant,
					 valid);
		}
}

/* One thread for every `each` elements, and not one block too many. */
static void test_grid_covers_n(void **state)
{
	static const struct {
		const char *kernel, *variant;
		int64_t each;
	} rows[] = {
		{"stream", "copy_scalar", 1},
		{"stream", "scale_scalar", 1},
		{"stream", "add_scalar", 1},
		{"stream", "triad_scalar", 1},
		{"stream", "copy_float4", 4},
		{"stream", "triad_float4", 4},
		{"stream", "copy_unrolled", 16},
		{"stream", "copy_streaming", 16},
		{"reduce", "neighboured", 1},
		{"reduce", "interleaved", 1},
		{"reduce", "sequential", 1},
		{"reduce", "syncwarp_tail", 1},
		{"reduce", "shuffle", 1},
		{"reduce", "cooperative_tile", 1},
		{"divergence", "switch_lane", 1},
		{"divergence", "if_else", 1},
		{"divergence", "warp_parity_long", 1},
	};
	static const int64_t sizes[] = {1, 63, 64, 65, 1023, 1025, 999983, 16777217};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++)
		for (int64_t block = 64; block <= 1024; block *= 2)
			for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
				struct launch_case *work = must_resolve(
					rows[r].kernel, rows[r].variant, block, sizes[s]);
				int64_t a_block = block * rows[r].each;

				assert_int_equal(work->launches[0].block[0], block);
				assert_true(work->launches[0].grid[0] * a_block >= sizes[s]);
				assert_true((work->launches[0].grid[0] - 1) * a_block < sizes[s]);
				launch_case_free(work);
			}
}

/* A grid that strides is what the device holds at once, or less if there is less to do. */
static void test_resident_grid(void **state)
{
	struct launch_case *work = must_resolve("reduce", "grid_stride", 256, 1 << 24);

	(void)state;
	assert_int_equal(work->launches[0].grid[0], 132 * 2048 / 256);
	assert_int_equal(work->launch_count, 2);
	assert_string_equal(work->launches[1].entry, "reduce_finish");
	assert_int_equal(work->launches[1].grid[0], 1);
	assert_int_equal(work->launches[1].block[0], 1024);
	assert_int_equal(work->launches[1].args[2].integer, work->launches[0].grid[0]);
	launch_case_free(work);
	work = must_resolve("reduce", "grid_stride", 256, 1000);
	assert_int_equal(work->launches[0].grid[0], 4);
	launch_case_free(work);
	work = must_resolve("reduce", "static_buffer", 32, 1 << 24);
	assert_true(work->launches[0].grid[0] <= 16384);
	launch_case_free(work);
}

/* The launches of reduce/naive, run by hand: each halving meets what the one before left. */
static void test_repeated_launches_halve_to_one(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 3000; n += n < 70 ? 1 : 97) {
		struct launch_case *work = must_resolve("reduce", "naive", 64, n);
		int64_t left = n;

		for (size_t l = 0; l < work->launch_count; l++) {
			const struct case_launch *launch = &work->launches[l];
			int64_t half = (left + 1) / 2;

			assert_int_equal(launch->args[3].integer, left);
			assert_true(launch->grid[0] * 64 >= half);
			assert_string_equal(work->buffers[launch->args[0].integer].name,
					    l ? "halves" : "x");
			assert_string_equal(work->buffers[launch->args[1].integer].name, "halves");
			left = half;
		}
		assert_int_equal(left, 1);
		launch_case_free(work);
	}
}

static void check_passes(int64_t block, int64_t n)
{
	struct launch_case *work = must_resolve("reduce", "sequential_passes", block, n);
	int64_t left = n;

	assert_string_equal(work->launches[0].entry, "reduce_copy");
	assert_true(work->launches[0].grid[0] * 4 * 256 >= n);
	for (size_t l = 1; l < work->launch_count; l++) {
		const struct case_launch *pass = &work->launches[l];

		assert_true(left > 1 || l == 1);
		assert_int_equal(pass->args[3].integer, left);
		assert_int_equal(pass->args[4].integer, (int64_t)l - 1);
		left = (left + block - 1) / block;
		assert_int_equal(pass->grid[0], left);
		/* what the first pass leaves fits; the others leave less */
		assert_true(left <= work->buffers[pass->args[1].integer].length);
	}
	assert_int_equal(left, 1);
	launch_case_free(work);
}

/* The launches of a tree in passes: each meets what the one before left, until one value is. */
static void test_passes_end_with_one_value(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 3000; n += n < 70 ? 1 : 97) {
		check_passes(2, n);
		check_passes(64, n);
	}
	check_passes(256, 1 << 24);
	check_passes(256, (1 << 24) + 1);
	check_passes(1024, INT64_C(1) << 30);
	check_passes(1024, (INT64_C(1) << 30) + 1);
	must_skip("reduce", "sequential_passes", 1, 100, &h200, "above 1");
}

/* As many blocks always, but for an n that has no elements for them. */
static void test_fixed_grid(void **state)
{
	struct launch_case *work = must_resolve("accuracy", "fixed_grid", 128, 100000000);

	(void)state;
	assert_int_equal(work->launches[0].grid[0], 10240);
	assert_int_equal(work->launches[0].shared_bytes, 512);
	assert_int_equal(work->launches[1].grid[0], 1);
	assert_int_equal(work->launches[1].block[0], 1024);
	assert_int_equal(work->launches[1].shared_bytes, 4096);
	assert_int_equal(work->launches[1].args[2].integer, 10240);
	launch_case_free(work);
	work = must_resolve("accuracy", "fixed_grid_per_call", 128, 1000);
	assert_int_equal(work->launches[0].grid[0], 8);
	assert_int_equal(launch_case_buffer_bytes(work, true), 32);
	launch_case_free(work);
}

static void test_description(void **state)
{
	struct launch_case *work = must_resolve("stream", "triad_scalar", 256, 1000);
	struct text text = TEXT_INIT;
	int64_t value;

	(void)state;
	assert_string_equal(work->kernel, "stream");
	assert_string_equal(work->variant, "triad_scalar");
	assert_string_equal(work->image, "stream/triad_scalar");
	assert_string_equal(work->oracle, "stream/triad");
	assert_int_equal(work->buffer_count, 3);
	assert_int_equal(work->flop, 2000);
	assert_true(work->has_flop);
	assert_int_equal(work->bytes_read, 8000);
	assert_int_equal(work->bytes_written, 4000);
	assert_true(work->launches[0].args[3].real == 3.0);
	assert_true(launch_case_axis(work, "n", &value) && value == 1000);
	assert_false(launch_case_axis(work, "ways", &value));
	axes_text(&text, work->axes, work->axis_count);
	assert_string_equal(text.data, "block=256,n=1000");
	launch_case_free(work);

	/* What it takes of memory: inputs and results, and what is neither. */
	work = must_resolve("stream", "triad_scalar", 256, 1000);
	assert_int_equal(launch_case_buffer_bytes(work, false), 12000);
	assert_int_equal(launch_case_buffer_bytes(work, true), 0);
	launch_case_free(work);
	/* 1000 elements, a partial sum of each of 4 blocks, and the sum */
	work = must_resolve("reduce", "shuffle", 256, 1000);
	assert_int_equal(launch_case_buffer_bytes(work, false), 4000 + 16 + 4);
	assert_int_equal(launch_case_buffer_bytes(work, true), 16);
	launch_case_free(work);
	/* the same, allocated in each call */
	work = must_resolve("reduce", "per_call_allocation", 256, 1000);
	assert_int_equal(launch_case_buffer_bytes(work, true), 16);
	launch_case_free(work);

	/* Buffers that a variant does not touch are not there. */
	work = must_resolve("stream", "copy_scalar", 256, 1000);
	assert_int_equal(work->buffer_count, 2);
	assert_false(work->has_flop);
	launch_case_free(work);
	work = must_resolve("reduce", "per_call_allocation", 256, 1000);
	assert_int_equal(work->buffer_count, 3);
	assert_int_equal(work->buffers[2].role, BUFFER_PER_CALL);
	launch_case_free(work);

	work = must_resolve("matmul", "tiled", 256, 1000);
	assert_int_equal(work->launches[0].grid[1], 63);
	assert_int_equal(work->launches[0].block[1], 16);
	assert_int_equal(work->launches[0].shared_bytes, 2 * 16 * 16 * 4);
	launch_case_free(work);
	text_release(&text);
}

static void test_axes_text_sorts(void **state)
{
	const struct axis_value axes[] = {{"ways", 8}, {"n", 1000}, {"block", 64}};
	struct text text = TEXT_INIT;

	(void)state;
	axes_text(&text, axes, 3);
	assert_string_equal(text.data, "block=64,n=1000,ways=8");
	text_clear(&text);
	axes_text(&text, axes, 0);
	assert_string_equal(text.data, "");
	text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_variant_resolves_or_says_why),
		cmocka_unit_test(test_defaults_run),
		cmocka_unit_test(test_five_block_sizes_of_each),
		cmocka_unit_test(test_grid_covers_n),
		cmocka_unit_test(test_resident_grid),
		cmocka_unit_test(test_repeated_launches_halve_to_one),
		cmocka_unit_test(test_passes_end_with_one_value),
		cmocka_unit_test(test_fixed_grid),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_axes_text_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
