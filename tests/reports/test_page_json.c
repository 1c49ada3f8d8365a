/* The JSON writer of the page: no text can end its element, and every number survives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/reports/page_support.h"

static char *text_as_json(const char *text)
{
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	page_json_init(&json, stream);
	page_text(&json, text);
	page_json_release(&json);
	fclose(stream);
	return bytes;
}

static void text_ends_no_element_and_comes_back_as_it_was(void **state)
{
	static const struct {
		const char *text, *read;
	} cases[] = {
		{SCRIPT_END, SCRIPT_END},
		{"a \"b\" \\ \n\t\x01\x7f", "a \"b\" \\ \n\t\x01\x7f"},
		{"µ é 漢", "µ é 漢"},
		{"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *bytes = text_as_json(cases[i].text);
		json_t *value = json_loads(bytes, JSON_DECODE_ANY, NULL);

		assert_null(strpbrk(bytes, "<>&\n"));
		assert_null(strstr(bytes, "\xe2\x80\xa8"));
		assert_null(strstr(bytes, "\xe2\x80\xa9"));
		assert_non_null(value);
		assert_string_equal(json_string_value(value), cases[i].read);
		json_decref(value);
		free(bytes);
	}
}

static void numbers_are_exact_or_null(void **state)
{
	static const double values[] = {
		0.1, 1e300, -2.5e-17, 33120.000898838, 9007199254740991.0, -1.0 / 3, 0, 12, 5e-324};
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *list;

	(void)state;
	page_json_init(&json, stream);
	page_open(&json, '[');
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		page_number(&json, values[i]);
	page_number(&json, NAN);
	page_short(&json, -INFINITY);
	page_short(&json, 1.0 / 3);
	page_integer(&json, INT64_MIN);
	page_close(&json, ']');
	fclose(stream);
	list = json_loads(bytes, 0, NULL);
	assert_non_null(list);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(json_number_value(json_array_get(list, i)) == values[i]);
	assert_true(json_is_null(json_array_get(list, ARRAY_SIZE(values))));
	assert_true(json_is_null(json_array_get(list, ARRAY_SIZE(values) + 1)));
	assert_non_null(strstr(bytes, ",0.333333333,"));
	assert_true(json_integer_value(json_array_get(list, ARRAY_SIZE(values) + 3)) == INT64_MIN);
	json_decref(list);
	free(bytes);
}

static void a_word_is_written_once(void **state)
{
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *list;

	(void)state;
	page_json_init(&json, stream);
	page_open(&json, '[');
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 1000; i++) {
			char *word = xasprintf("word %d", i);

			page_word(&json, word);
			free(word);
		}
	}
	page_word(&json, NULL);
	page_words(&json);
	page_close(&json, ']');
	page_json_release(&json);
	fclose(stream);
	list = json_loads(bytes, 0, NULL);
	assert_int_equal(json_array_size(list), 2002);
	assert_int_equal(json_integer_value(json_array_get(list, 1999)), 999);
	assert_int_equal(json_integer_value(json_array_get(list, 999)), 999);
	assert_true(json_is_null(json_array_get(list, 2000)));
	assert_int_equal(json_array_size(json_array_get(list, 2001)), 1000);
	assert_string_equal(json_string_value(json_array_get(json_array_get(list, 2001), 999)),
			    "word 999");
	json_decref(list);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_no_element_and_comes_back_as_it_was),
		cmocka_unit_test(numbers_are_exact_or_null),
		cmocka_unit_test(a_word_is_written_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
