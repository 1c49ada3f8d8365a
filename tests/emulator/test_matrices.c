/*
 * Runs every instruction on matrices in the emulator, with each set of lanes, and compares with the
 * results of a GPU for the same PTX and operands, to the bit: tests/golden/ptx/matrices.txt.zst,
 * which tests/gpu/matrices.sh writes. test_warpgroup_results compares those of wgmma with a model,
 * too.
 */
#include "support_golden.h"
#include "support_matrix.h"
#include "support_sanitized.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/lanes/handlers.h"

#define GOLDEN "tests/golden/ptx/matrices.txt.zst"
#define DIGEST_LENGTH 17 /* with the tabulator after it */

struct fixture {
	struct matrix_list matrices;
	struct golden golden;
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->matrices = matrix_list_create();
	*state = fixture;
	return golden_read(&fixture->golden, GOLDEN) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	matrix_list_release(&fixture->matrices);
	golden_release(&fixture->golden);
	free(fixture);
	return 0;
}

/* Both begin after the digest. Prints the profiles with another hash, and the first differing
 * results of their first blocks. */
static void tell_differences(const struct matrix_case *matrix, const char *wanted, const char *got)
{
	size_t digits = matrix->bits / 4, of_block = matrix->out_count * MATRIX_LANES;

	for (unsigned i = 0; i < matrix->profiles; i++) {
		const char *want = wanted + i * 17, *have = got + i * 17;
		size_t block = matrix->profiles * 17 + i * (of_block * digits + 1), told = 0;

		if (memcmp(want, have, 16) == 0)
			continue;
		print_error("%s: profile %u differs\n", matrix->name, i);
		for (size_t k = 0; k < of_block; k++) {
			want = wanted + block + k * digits;
			have = got + block + k * digits;
			if (memcmp(want, have, digits) != 0 && told++ < 3)
				print_error("\tregister %zu of lane %zu: %.*s, a GPU gives %.*s\n",
					    k / MATRIX_LANES, k % MATRIX_LANES, (int)digits, have,
					    (int)digits, want);
		}
	}
}

/* ---- tests ---- */

static void test_every_case_has_a_golden_line(void **state)
{
	const struct fixture *fixture = *state;
	size_t missing = 0;

	for (size_t i = 0; i < fixture->matrices.count; i++) {
		const struct matrix_case *matrix = &fixture->matrices.items[i];
		const char *golden = golden_line(&fixture->golden, matrix->name);
		char digest[DIGEST_LENGTH + 1];

		snprintf(digest, sizeof(digest), "%016" PRIx64 "\t", matrix_digest(matrix));
		if (golden && strncmp(golden, digest, DIGEST_LENGTH) == 0)
			continue;
		print_error("%s: %s in %s\n", matrix->name,
			    golden ? "its line is of other operands" : "no line", GOLDEN);
		missing++;
	}
	assert_int_equal(missing, 0);
	assert_int_equal(fixture->golden.line_count, fixture->matrices.count);
}

/* Every step-th case. */
static void compare(const struct fixture *fixture, enum emulated_lanes lanes, size_t step)
{
	size_t wrong = 0;

	for (size_t i = 0; i < fixture->matrices.count; i += step) {
		const struct matrix_case *matrix = &fixture->matrices.items[i];
		const char *golden = golden_line(&fixture->golden, matrix->name);
		void *results;
		struct text line = TEXT_INIT, why = TEXT_INIT;

		results = xcalloc(matrix_out_bytes(matrix), 1);
		if (!matrix_emulate(results, matrix, lanes, 0, &why)) {
			print_error("%s: %s\n", matrix->name, why.data);
			wrong++;
		} else {
			matrix_results_line(&line, matrix, results);
			if (!golden || strcmp(golden + DIGEST_LENGTH, line.data) != 0) {
				if (golden)
					tell_differences(matrix, golden + DIGEST_LENGTH, line.data);
				wrong++;
			}
		}
		text_release(&line);
		text_release(&why);
		free(results);
	}
	assert_int_equal(wrong, 0);
}

/* The other lanes are the same source. These are slower, so all cases run only where there are no
 * others, or with scripts/test --all. */
static void test_portable_lanes_compute_as_a_gpu(void **state)
{
	bool all = !handlers_avx2_or_null() || getenv("PERFLAB_TEST_ALL");

	compare(*state, LANES_PORTABLE, all && !SANITIZED ? 1 : 3);
}

static void test_avx2_lanes_compute_as_a_gpu(void **state)
{
	if (!handlers_avx2_or_null())
		skip();
	compare(*state, LANES_AVX2, SANITIZED ? 3 : 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_case_has_a_golden_line),
		cmocka_unit_test(test_portable_lanes_compute_as_a_gpu),
		cmocka_unit_test(test_avx2_lanes_compute_as_a_gpu),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
