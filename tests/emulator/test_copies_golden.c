/*
 * Runs every case of clusters, bulk copies and tensor copies in the emulator, with each set of
 * lanes, and compares with what a GPU gave for the same PTX and data: tests/golden/ptx/copies.txt,
 * which tests/gpu/copies.sh writes.
 */
#include "support_copies.h"
#include "support_golden.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/lanes/handlers.h"

#define GOLDEN "tests/golden/ptx/copies.txt"

struct fixture {
	struct copy_list copies;
	struct golden golden;
};

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->copies = copy_list_create();
	*state = fixture;
	return golden_read(&fixture->golden, GOLDEN) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	copy_list_release(&fixture->copies);
	golden_release(&fixture->golden);
	free(fixture);
	return 0;
}

/* ---- cases ---- */

static void test_names_differ(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < fixture->copies.count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(fixture->copies.items[i].name, fixture->copies.items[k].name) ==
			    0)
				fail_msg("two cases are '%s'", fixture->copies.items[i].name);
}

/* Whether the GPU ended the case with an error. */
static bool faulted_on_gpu(const char *golden)
{
	return golden && strncmp(golden + 17, "error: ", 7) == 0;
}

/* A case that a GPU runs has no finding, with all checks: its synchronisation is right. */
static void test_cases_are_well_formed(void **state)
{
	const struct fixture *fixture = *state;
	size_t wrong = 0, refused = 0;

	for (size_t i = 0; i < fixture->copies.count; i++) {
		const struct copy_case *copy = &fixture->copies.items[i];
		uint32_t *results = xcalloc(copy->out_words, sizeof(*results));
		struct text why = TEXT_INIT;
		enum copy_outcome outcome = copy_emulate(results, copy, LANES_BEST, true, &why);

		refused += outcome == COPY_REFUSED;
		if (outcome == COPY_STOPPED && !copy->may_fault &&
		    strncmp(copy->name, "map ", 4) != 0 &&
		    !faulted_on_gpu(golden_line(&fixture->golden, copy->name))) {
			print_error("%s: %s\n", copy->name, why.data);
			wrong++;
		}
		text_release(&why);
		free(results);
	}
	print_message("%zu of %zu cases are refused by name\n", refused, fixture->copies.count);
	assert_int_equal(wrong, 0);
}

/* ---- comparison ---- */

/* Where two lines of words begin to differ. */
static void tell_difference(const struct copy_case *copy, const char *wanted, const char *got)
{
	size_t at = 0;

	while (wanted[at] && wanted[at] == got[at])
		at++;
	while (at > 0 && wanted[at - 1] != ' ' && wanted[at - 1] != '\t')
		at--;
	print_error("%s: at character %zu: %.60s, a GPU gives %.60s\n", copy->name, at, got + at,
		    wanted + at);
}

/* Whether the emulator does what the golden line says. It may report what a GPU bears, such as an
 * address past the shared memory of a block. */
static bool is_as_recorded(const struct copy_case *copy, const char *golden,
			   enum emulated_lanes lanes)
{
	uint32_t *results = xcalloc(copy->out_words, sizeof(*results));
	const bool faulted = faulted_on_gpu(golden);
	struct text line = TEXT_INIT, why = TEXT_INIT;
	enum copy_outcome outcome = copy_emulate(results, copy, lanes, false, &why);
	bool right = true;

	copy_line(&line, copy, results);
	if (strncmp(golden, line.data, 17) != 0) {
		print_error("%s: its line is of another module or of other data\n", copy->name);
		right = false;
	} else if (copy->rule == COPY_EQUAL && outcome == COPY_RAN && faulted) {
		print_error("%s: runs, but a GPU gives %s\n", copy->name, golden + 17);
		right = false;
	} else if (copy->rule == COPY_EQUAL && outcome == COPY_STOPPED && !faulted &&
		   !copy->may_fault) {
		print_error("%s: runs on a GPU, but here: %s\n", copy->name, why.data);
		right = false;
	} else if (copy->rule == COPY_EQUAL && outcome == COPY_RAN &&
		   strcmp(golden, line.data) != 0) {
		tell_difference(copy, golden, line.data);
		right = false;
	}
	text_release(&line);
	text_release(&why);
	free(results);
	return right;
}

static void compare_all(const struct fixture *fixture, enum emulated_lanes lanes)
{
	size_t wrong = 0, found = 0;

	for (size_t i = 0; i < fixture->copies.count; i++) {
		const char *golden = golden_line(&fixture->golden, fixture->copies.items[i].name);

		if (!golden) {
			print_error("%s has no line in %s; record it with tests/gpu/copies.sh\n",
				    fixture->copies.items[i].name, GOLDEN);
			wrong++;
			continue;
		}
		found++;
		wrong += !is_as_recorded(&fixture->copies.items[i], golden, lanes);
	}
	assert_int_equal(wrong, 0);
	/* No line is of a case that is gone. */
	assert_int_equal(found, fixture->golden.line_count);
}

static void test_portable_lanes_copy_as_a_gpu(void **state)
{
	compare_all(*state, LANES_PORTABLE);
}

static void test_avx2_lanes_copy_as_a_gpu(void **state)
{
	if (!handlers_avx2_or_null())
		skip();
	compare_all(*state, LANES_AVX2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_cases_are_well_formed),
		cmocka_unit_test(test_portable_lanes_copy_as_a_gpu),
		cmocka_unit_test(test_avx2_lanes_copy_as_a_gpu),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
