#include "support_recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/lanes/handlers.h"
#include "support_golden.h"

/* No two cases have one name. */
static void check_names_differ(const struct copy_list *copies)
{
	for (size_t i = 0; i < copies->count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(copies->items[i].name, copies->items[k].name) == 0)
				fail_msg("two cases are '%s'", copies->items[i].name);
}

/* Whether the GPU ended the case with an error. */
static bool faulted_on_gpu(const char *golden)
{
	return golden && strncmp(golden + 17, "error: ", 7) == 0;
}

/* A case that a GPU runs has no finding, with all checks: its synchronisation is right. */
static void check_well_formed(const struct copy_list *copies, const struct golden *golden)
{
	size_t wrong = 0, refused = 0;

	for (size_t i = 0; i < copies->count; i++) {
		const struct copy_case *copy = &copies->items[i];
		uint32_t *results = xcalloc(copy->out_words, sizeof(*results));
		struct text why = TEXT_INIT;
		enum copy_outcome outcome = copy_emulate(results, copy, LANES_BEST, true, &why);

		refused += outcome == COPY_REFUSED;
		if (outcome == COPY_STOPPED && !copy->may_fault &&
		    strncmp(copy->name, "map ", 4) != 0 &&
		    !faulted_on_gpu(golden_line(golden, copy->name))) {
			print_error("%s: %s\n", copy->name, why.data);
			wrong++;
		}
		text_release(&why);
		free(results);
	}
	print_message("%zu of %zu cases are refused by name\n", refused, copies->count);
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

/* All cases have a line, all lines have a case, and the emulator does what the lines say. `path`:
 * the golden file, for messages. */
static void compare_with_gpu(const struct copy_list *copies, const struct golden *golden,
			     const char *path, enum emulated_lanes lanes)
{
	size_t wrong = 0, found = 0;

	for (size_t i = 0; i < copies->count; i++) {
		const char *line = golden_line(golden, copies->items[i].name);

		if (!line) {
			print_error("%s has no line in %s; record it with tests/gpu/copies.sh\n",
				    copies->items[i].name, path);
			wrong++;
			continue;
		}
		found++;
		wrong += !is_as_recorded(&copies->items[i], line, lanes);
	}
	assert_int_equal(wrong, 0);
	/* No line is of a case that is gone. */
	assert_int_equal(found, golden->line_count);
}

/* ---- the tests of a list ---- */

struct recorded_list {
	struct copy_list copies;
	struct golden golden;
	const char *path;
};

static void test_names_differ(void **state)
{
	const struct recorded_list *list = *state;

	check_names_differ(&list->copies);
}

static void test_cases_are_well_formed(void **state)
{
	const struct recorded_list *list = *state;

	check_well_formed(&list->copies, &list->golden);
}

static void test_portable_lanes_copy_as_a_gpu(void **state)
{
	const struct recorded_list *list = *state;

	compare_with_gpu(&list->copies, &list->golden, list->path, LANES_PORTABLE);
}

static void test_avx2_lanes_copy_as_a_gpu(void **state)
{
	const struct recorded_list *list = *state;

	if (!handlers_avx2_or_null())
		skip();
	compare_with_gpu(&list->copies, &list->golden, list->path, LANES_AVX2);
}

int recorded_run_tests(struct copy_list copies, const char *path)
{
	struct recorded_list list = {.copies = copies, .path = path};
	struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_cases_are_well_formed),
		cmocka_unit_test(test_portable_lanes_copy_as_a_gpu),
		cmocka_unit_test(test_avx2_lanes_copy_as_a_gpu),
	};
	int failed = 1;

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tests[i].initial_state = &list;
	if (golden_read(&list.golden, path))
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	copy_list_release(&list.copies);
	golden_release(&list.golden);
	return failed;
}
