/* A stream of JSON is what report_json_write() gives of the whole. */
#include "reports/table/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

static json_t *item(int number)
{
	return json_pack("{s:i, s:[i, i], s:s, s:{}, s:[]}", "n", number, "list", 1, 2, "text",
			 "a\nb \"c\"", "empty", "none");
}

static void test_a_stream_equals_the_whole(void **state)
{
	char *streamed = NULL, *whole = NULL;
	size_t length;
	FILE *out = open_memstream(&streamed, &length);
	struct json_stream stream = {.out = out};
	struct error err = {0};

	(void)state;
	json_stream_open(&stream, NULL, '{');
	json_stream_value(&stream, "format", json_integer(1));
	json_stream_open(&stream, "items", '[');
	for (int i = 0; i < 3; i++) {
		json_stream_open(&stream, NULL, '{');
		json_stream_members(&stream, item(i));
		json_stream_open(&stream, "inner", '[');
		json_stream_value(&stream, NULL, item(9));
		json_stream_close(&stream, ']');
		json_stream_close(&stream, '}');
	}
	json_stream_close(&stream, ']');
	json_stream_open(&stream, "nothing", '[');
	json_stream_close(&stream, ']');
	json_stream_value(&stream, "real", json_real(0.1));
	json_stream_close(&stream, '}');
	assert_int_equal(json_stream_end(&stream, &err), 0);
	fclose(out);

	out = open_memstream(&whole, &length);
	json_t *items = json_array();
	for (int i = 0; i < 3; i++) {
		json_t *object = item(i);

		json_object_set_new(object, "inner", json_pack("[o]", item(9)));
		json_array_append_new(items, object);
	}
	assert_int_equal(report_json_write(out,
					   json_pack("{s:i, s:o, s:[], s:f}", "format", 1, "items",
						     items, "nothing", "real", 0.1),
					   &err),
			 0);
	fclose(out);
	assert_string_equal(streamed, whole);
	free(streamed);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stream_equals_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
