/* Chips by name, and occupancy by arithmetic that can be done by hand. tests/harness/workers/cuda/
 * holds it against the toolkit's calculator where there is one. */
#include "harness/workers/ptx/chips.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct chip *chip_named(const char *name)
{
	const struct chip *chip = NULL;
	struct error err = {0};

	if (chip_find(&chip, name, &err))
		fail_msg("%s", err.text);
	return chip;
}

static void test_a_chip_is_found(void **context)
{
	struct device_info info;

	(void)context;
	assert_string_equal(chip_named(NULL)->name, "GH100");
	assert_string_equal(chip_named("ad102")->name, "AD102");
	chip_describe_device(chip_named("GH100"), &info);
	assert_string_equal(info.name, "PTX emulator (GH100 limits)");
	assert_string_equal(info.chip, "");
	assert_string_equal(info.uuid, "");
	assert_string_equal(info.driver, "");
	assert_int_equal(info.sm_count, 132);
	assert_int_equal(info.shared_bytes_per_block, 232448);
}

static void test_an_unknown_chip_is_refused(void **context)
{
	const struct chip *chip = NULL;
	struct error err = {0};

	(void)context;
	assert_int_equal(chip_find(&chip, "GH101", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "GH100"));
	assert_int_equal(chip_find(&chip, "toaster", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "toaster"));
	assert_non_null(strstr(err.text, "GB202"));
	assert_null(chip);
}

static void test_occupancy_and_its_limiter(void **context)
{
	static const struct {
		struct launch_needs needs;
		int64_t blocks;
		double pct;
		const char *limiter;
	} launches[] = {
		{{256, 32, 0}, 8, 100, "none"},
		{{1024, 64, 0}, 1, 50, "registers"},
		{{256, 128, 0}, 2, 25, "registers"},
		{{128, 32, 100 << 10}, 2, 12.5, "shared memory"},
		/* 227 KiB fit, with the KiB that the driver keeps; a byte more does not. */
		{{128, 32, 227 << 10}, 1, 6.25, "shared memory"},
		{{128, 32, (227 << 10) + 1}, 0, 0, "shared memory"},
		{{32, 16, 0}, 32, 50, "blocks"},
		{{768, 16, 0}, 2, 75, "warps"},
		/* A warp that is not full takes the room of one. */
		{{33, 16, 0}, 32, 100, "none"},
		{{1024, 65, 0}, 0, 0, "registers"},
		{{1025, 16, 0}, 0, 0, "block size"},
		{{0, 16, 0}, 0, 0, "block size"},
		/* Registers that nobody knows limit nothing. */
		{{256, -1, 0}, 8, 100, "none"},
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
		struct occupancy got = chip_occupancy(chip_named("GH100"), &launches[i].needs);

		assert_int_equal(got.blocks, launches[i].blocks);
		assert_true(fabs(got.pct - launches[i].pct) < 1e-9);
		assert_string_equal(got.limiter, launches[i].limiter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chip_is_found),
		cmocka_unit_test(test_an_unknown_chip_is_refused),
		cmocka_unit_test(test_occupancy_and_its_limiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
