/* The hash of launches finds a case in older databases, and differs where launches differ. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* A case of a built-in kernel with the first default of every axis but block and n. */
static struct launch_case *built_in(const char *kernel, const char *variant, int64_t block)
{
	const struct device_limits limits = {
		.compute_capability = 90,
		.max_threads_per_block = 1024,
		.max_grid_x = INT32_MAX,
		.max_shared_bytes_per_block = 232448,
		.max_threads_per_sm = 2048,
		.sm_count = 132,
		.global_memory_bytes = INT64_C(143771) << 20,
		.l2_bytes = INT64_C(60) << 20,
	};
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = kernel_find_variant(family, variant);
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(family, row);
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(family, row, i);
		struct axis_values defaults = {0};

		strcpy(axes[i].name, axis->name);
		assert_int_equal(axis_parse(&defaults, axis->values, &err), 0);
		axes[i].value = !strcmp(axis->name, "block") ? block
				: !strcmp(axis->name, "n")   ? 1000
							     : defaults.items[0];
		axis_values_release(&defaults);
	}
	if (kernel_resolve(&work, &skip, family, row, axes, count, &limits, &err) || !work)
		fail_msg("%s%s", err.text, skip.length ? skip.data : "");
	text_release(&skip);
	return work;
}

/* These are in databases. Only a change of the kernel itself may change its hash. */
static void test_built_in_cases_keep_their_hash(void **context)
{
	static const struct {
		const char *kernel, *variant;
		int64_t block;
		const char *hash;
	} rows[] = {
		{"stream", "copy_scalar", 256, "91b2d1dd09eae9b8"},
		{"stream", "copy_memcpy", 256, "96374a1d322351d1"},
		{"stream", "triad_float4", 256, "59dbabd29bc19a2a"},
		{"reduce", "naive", 64, "9ad9ded13c600556"},
		{"reduce", "shuffle", 256, "00181c06629104f8"},
		{"divergence", "switch_lane", 256, "b2b86aa757632b09"},
		{"matmul", "tiled", 256, "365998cb0d522ec7"},
		{"matmul", "cublas_f16", 256, "034ee106174d1d02"},
		{"fault", "trap", 256, "6301867fcec5a720"},
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct launch_case *work = built_in(rows[i].kernel, rows[i].variant, rows[i].block);
		char hash[HASH_TEXT_BYTES];

		launch_hash(hash, work);
		if (strcmp(hash, rows[i].hash))
			fail_msg("%s/%s: %s", rows[i].kernel, rows[i].variant, hash);
		launch_case_free(work);
	}
}

static void assert_new_hash(char (*seen)[HASH_TEXT_BYTES], size_t *count,
			    const struct launch_case *work)
{
	launch_hash(seen[*count], work);
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(seen[i], seen[*count]))
			fail_msg("change %zu gives the hash of %zu", *count, i);
	(*count)++;
}

static void test_what_users_add_changes_the_hash(void **context)
{
	struct launch_case *work = make_case("mine", "own", 256);
	struct case_arg *arg = &work->launches[0].args[1];
	char seen[32][HASH_TEXT_BYTES];
	size_t count = 0;

	(void)context;
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_file = xstrdup("/data/a.npy");
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_file[6] = 'b';
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill = FILL_CAPTURE;
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_index = 1;
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_expression = xstrdup("8 * i");
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_expression[0] = '9';
	assert_new_hash(seen, &count, work);
	work->buffers[0].has_fill_bits = true;
	assert_new_hash(seen, &count, work);
	work->buffers[0].fill_bits = 8;
	assert_new_hash(seen, &count, work);
	work->buffers[0].symbol = xstrdup("filter");
	assert_new_hash(seen, &count, work);
	work->launches[0].cluster[1] = 2;
	assert_new_hash(seen, &count, work);
	work->launches[0].has_carveout = true;
	assert_new_hash(seen, &count, work);
	work->launches[0].carveout = 1;
	assert_new_hash(seen, &count, work);
	work->launches[0].args[0].addend = 8;
	assert_new_hash(seen, &count, work);
	work->launches[0].cooperative = true;
	assert_new_hash(seen, &count, work);
	*arg = (struct case_arg){.kind = ARG_BYTES, .integer = 2, .bytes = xcalloc(2, 1)};
	assert_new_hash(seen, &count, work);
	arg->bytes[1] = 0x10;
	assert_new_hash(seen, &count, work);
	free(arg->bytes);
	*arg = (struct case_arg){.kind = ARG_BYTES, .integer = 16, .bytes = xcalloc(16, 1)};
	assert_new_hash(seen, &count, work);
	arg->addresses = xcalloc(2, sizeof(arg->addresses[0]));
	arg->address_count = 1;
	assert_new_hash(seen, &count, work);
	arg->addresses[0].offset = 8;
	assert_new_hash(seen, &count, work);
	arg->addresses[0].buffer = 1;
	assert_new_hash(seen, &count, work);
	arg->addresses[0].addend = 1;
	assert_new_hash(seen, &count, work);
	arg->address_count = 2;
	assert_new_hash(seen, &count, work);
	launch_case_free(work);
}

/* An image of a user is in a cache, at a path that every edit changes. */
static void test_the_path_of_an_image_does_not_matter(void **context)
{
	static const char *const images[] = {"", "/cache/1/k.cubin", "/cache/2/k.ptx"};
	struct launch_case *work = make_case("mine", "own", 256);
	char first[HASH_TEXT_BYTES], hash[HASH_TEXT_BYTES];

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		free(work->image);
		work->image = xstrdup(images[i]);
		launch_hash(i ? hash : first, work);
		if (i)
			assert_string_equal(hash, first);
	}
	strcpy(work->variant, "other");
	launch_hash(hash, work);
	assert_string_not_equal(hash, first);
	launch_case_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in_cases_keep_their_hash),
		cmocka_unit_test(test_what_users_add_changes_the_hash),
		cmocka_unit_test(test_the_path_of_an_image_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
