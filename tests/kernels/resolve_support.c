#include "tests/kernels/resolve_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct device_limits h200 = {
	.compute_capability = 90,
	.max_threads_per_block = 1024,
	.max_grid_x = INT32_MAX,
	.max_shared_bytes_per_block = 232448,
	.max_threads_per_sm = 2048,
	.sm_count = 132,
	.global_memory_bytes = INT64_C(143771) << 20,
	.l2_bytes = INT64_C(60) << 20,
};

const struct kernel_variant *variant_of(const char *kernel, const char *variant)
{
	const struct kernel_variant *found = kernel_find_variant(kernel_find(kernel), variant);

	assert_non_null(found);
	return found;
}

int64_t value_of(const struct kernel_axis *axis, int64_t block, int64_t n)
{
	if (!strcmp(axis->name, "block"))
		return block;
	if (!strcmp(axis->name, "n"))
		return n;
	return !strcmp(axis->name, "ways") ? 4 : atoll(axis->values);
}

int resolve(struct launch_case **out, struct text *skip, const char *kernel, const char *variant,
	    int64_t block, int64_t n, const struct device_limits *limits, struct error *err)
{
	const struct kernel *family = kernel_find(kernel);
	const struct kernel_variant *row = variant_of(kernel, variant);
	struct axis_value axes[KERNEL_MAX_CASE_AXES] = {0};
	size_t count = variant_axis_count(family, row);

	for (size_t i = 0; i < count; i++) {
		const struct kernel_axis *axis = variant_axis(family, row, i);

		snprintf(axes[i].name, sizeof(axes[i].name), "%s", axis->name);
		axes[i].value = value_of(axis, block, n);
	}
	return kernel_resolve(out, skip, family, row, axes, count, limits, err);
}

void must_skip(const char *kernel, const char *variant, int64_t block, int64_t n,
	       const struct device_limits *limits, const char *reason)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	int rc = resolve(&work, &skip, kernel, variant, block, n, limits, &err);

	assert_int_equal(rc, 0);
	assert_null(work);
	if (!strstr(skip.data, reason))
		fail_msg("skipped for \"%s\", expected \"%s\"", skip.data, reason);
	text_release(&skip);
}

int resolve_own(struct launch_case **out, struct text *skip, const struct kernel_variant *variant,
		struct error *err)
{
	const struct axis_value axes[] = {{"n", 1000}, {"block", 64}};

	return kernel_resolve(out, skip, kernel_find("stream"), variant, axes, ARRAY_SIZE(axes),
			      &h200, err);
}

void must_refuse_own(const struct kernel_variant *variant, const char *says)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};
	int rc = resolve_own(&work, &skip, variant, &err);

	if (rc != PL_EUSAGE || work || skip.length || !strstr(err.text, says))
		fail_msg("code %d, \"%s\"; expected \"%s\"", rc, err.text, says);
	text_release(&skip);
}

struct launch_case *must_resolve_own(const struct kernel_variant *variant)
{
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (resolve_own(&work, &skip, variant, &err) || !work)
		fail_msg("%s%s", err.text, skip.length ? skip.data : "");
	text_release(&skip);
	return work;
}
