#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void codes_have_names_and_exit_codes(void **state)
{
	(void)state;
	assert_string_equal(error_code_name(0), "PL_OK");
	assert_string_equal(error_code_name(PL_EBUSY), "PL_EBUSY");
	assert_string_equal(error_code_name(PL_EUNSUPPORTED), "PL_EUNSUPPORTED");
	assert_string_equal(error_code_name(9999), "PL_UNKNOWN");
	assert_int_equal(error_exit_code(0), 0);
	assert_int_equal(error_exit_code(PL_EUSAGE), 2);
	assert_int_equal(error_exit_code(PL_ECORRUPT), 3);
	assert_int_equal(error_exit_code(PL_EUNSUPPORTED), 4);
	assert_int_equal(error_exit_code(-1), 3);
}

static void set_returns_the_code_with_or_without_an_error(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_set(NULL, PL_EIO, "lost"), PL_EIO);
	assert_int_equal(error_set(&err, PL_EIO, "%s: %d", "disk", 7), PL_EIO);
	assert_int_equal(err.code, PL_EIO);
	assert_string_equal(err.text, "disk: 7");
}

static void context_is_put_before_the_text(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, PL_ENOENT, "no such file");
	assert_int_equal(error_context(&err, PL_ENOENT, "opening %s", "a.db"), PL_ENOENT);
	assert_string_equal(err.text, "opening a.db: no such file");
	assert_int_equal(error_context(NULL, PL_ENOENT, "x"), PL_ENOENT);
}

static void context_leaves_success_alone(void **state)
{
	struct error err = {0};
	static const struct error untouched;

	(void)state;
	assert_int_equal(error_context(&err, 0, "opening"), 0);
	assert_memory_equal(&err, &untouched, sizeof(err));
}

static void context_of_an_error_without_text_tells_the_cause(void **state)
{
	struct error err = {0};

	(void)state;
	error_context(&err, PL_EBUSY, "opening a.db");
	assert_int_equal(err.code, PL_EBUSY);
	assert_string_equal(err.text, "opening a.db: another process holds the resource");
}

static void an_error_may_quote_itself(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, PL_EIO, "first");
	error_set(&err, PL_EWORKER, "worker: %s", err.text);
	assert_string_equal(err.text, "worker: first");
}

static void the_text_stays_one_line(void **state)
{
	struct error err = {0};

	(void)state;
	error_set(&err, PL_EPARSE, "got '%s'", "a\nb\x1b[31m\x7f");
	assert_string_equal(err.text, "got 'a?b?[31m?'");
}

static void long_text_is_cut_between_characters(void **state)
{
	struct error err = {0};
	char longer[3000];
	size_t i;

	(void)state;
	/* two bytes a character, so the 1023 bytes of room end inside one */
	for (i = 0; i + 2 < sizeof(longer); i += 2)
		memcpy(longer + i, "\xc3\xa9", 2);
	longer[i] = '\0';
	error_set(&err, PL_EPARSE, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 2);
	error_set(&err, PL_EPARSE, "x%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	error_context(&err, PL_EPARSE, "y");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1 - 1);
	assert_memory_equal(err.text, "y: x\xc3\xa9", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_have_names_and_exit_codes),
		cmocka_unit_test(set_returns_the_code_with_or_without_an_error),
		cmocka_unit_test(context_is_put_before_the_text),
		cmocka_unit_test(context_leaves_success_alone),
		cmocka_unit_test(context_of_an_error_without_text_tells_the_cause),
		cmocka_unit_test(an_error_may_quote_itself),
		cmocka_unit_test(the_text_stays_one_line),
		cmocka_unit_test(long_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests_name("base_error", tests, NULL, NULL);
}
