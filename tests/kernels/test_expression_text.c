/* Long expressions of both languages: their values, and the part of them that a message shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/check_expression.h"
#include "kernels/expression.h"

enum { GROUPS = 100, TERMS = 60 };

/* GROUPS * TERMS ones; `middle` follows those of the first half. */
static char *many_ones(const char *middle)
{
	struct text text = TEXT_INIT;

	for (int g = 0; g < GROUPS; g++) {
		text_add(&text, g ? "+(1" : "(1");
		for (int t = 1; t < TERMS; t++)
			text_add(&text, "+1");
		text_add_char(&text, ')');
		if (g == GROUPS / 2)
			text_add(&text, middle);
	}
	return text_detach(&text);
}

static int compute_check(int64_t *out, const char *text, struct error *err)
{
	struct case_buffer result = {.name = "r", .type = ELEMENT_I64, .length = 1};
	const struct launch_case work = {.buffers = &result, .buffer_count = 1};
	const struct host_buffers inputs = {{NULL}};
	const struct check_names names = {0};
	struct check_expression *expression = NULL;
	int rc = check_expression_parse(&expression, text, &names, err);

	if (!rc)
		rc = check_expression_compute(expression, &work, &inputs, 0, out, err);
	check_expression_free(expression);
	return rc;
}

static void test_long_values(void **state)
{
	char *text = many_ones("");
	struct error err = {0};
	int64_t value = 0;

	(void)state;
	assert_int_equal(compute_check(&value, text, &err), 0);
	assert_int_equal(value, GROUPS * TERMS);
	assert_int_equal(expression_evaluate(&value, text, NULL, 0, &err), 0);
	assert_int_equal(value, GROUPS * TERMS);
	free(text);
}

/* The message of a mistake shows the mistake, and neither end of the text. */
static void assert_shown(const struct error *err, const char *text, const char *mistake)
{
	char *at = xasprintf("character %td, at \"%s", strstr(text, mistake) - text + 1, mistake);

	if (!strstr(err->text, at) || strlen(err->text) > 400 || !strstr(err->text, " \"…"))
		fail_msg("\"%s\" without \"%s\"", err->text, at);
	assert_int_equal(expression_refused_character(err), strstr(text, mistake) - text + 1);
	free(at);
}

static void test_mistake_in_long_text(void **state)
{
	char *text = many_ones("+ bad");
	struct error err = {0};
	int64_t value;

	(void)state;
	assert_int_equal(compute_check(&value, text, &err), PL_EPARSE);
	assert_shown(&err, text, "bad");
	assert_int_equal(expression_evaluate(&value, text, NULL, 0, &err), PL_EPARSE);
	assert_shown(&err, text, "bad");
	free(text);
	text = many_ones("+ 1 / (7 - 7)");
	assert_int_equal(compute_check(&value, text, &err), PL_EUSAGE);
	assert_shown(&err, text, "/ (7");
	free(text);
}

/* A short text is shown whole, and a character of several bytes is not cut. */
static void test_quoted_parts(void **state)
{
	struct text place = TEXT_INIT;
	struct error err = {0};
	char umlauts[1001] = "";
	int64_t value;

	(void)state;
	assert_int_equal(expression_evaluate(&value, "1 + ü", NULL, 0, &err), PL_EPARSE);
	assert_non_null(strstr(err.text, "expression \"1 + ü\", character 5: "));
	for (size_t i = 0; i < sizeof(umlauts) - 1; i += 2)
		memcpy(umlauts + i, "ü", 3);
	for (size_t character = 499; character <= 501; character++) {
		text_clear(&place);
		expression_add_place(&place, umlauts, character);
		for (const char *c = place.data; *c; c++)
			if ((unsigned char)*c == 0xc3)
				assert_int_equal((unsigned char)c[1], 0xbc);
			else if ((unsigned char)*c == 0xbc)
				assert_int_equal((unsigned char)c[-1], 0xc3);
	}
	text_release(&place);
}

/* The text of the user can look like a message. */
static void test_refused_character(void **state)
{
	struct error err = {0};
	int64_t value;

	(void)state;
	assert_int_equal(expression_evaluate(&value, "2 \", character 77: 1", NULL, 0, &err),
			 PL_EPARSE);
	assert_int_equal(expression_refused_character(&err), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_mistake_in_long_text),
		cmocka_unit_test(test_quoted_parts),
		cmocka_unit_test(test_refused_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
