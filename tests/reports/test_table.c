/* The plain table behind every list, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/reports.h"

static const struct table_column columns[] = {
	{.name = "name"},
	{.name = "sm_count", .numeric = true, .drop = 1},
	{.name = "meaning"},
};

static void expect(const char *const (*rows)[3], size_t count, enum report_format format, int width,
		   const char *expected)
{
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	struct report_options options = {.width = width};

	for (size_t i = 0; i < count; i++)
		table_row(table, rows[i]);
	assert_int_equal(table_write(stream, table, format, &options, NULL), 0);
	fclose(stream);
	assert_string_equal(bytes, expected);
	free(bytes);
	table_free(table);
}

static const char *const plain_rows[][3] = {
	{"é", "132", "one two three four five six seven eight nine ten"},
	{"second", NULL, "a|b \033 \"c\", d"},
};

static void text_aligns_characters(void **state)
{
	(void)state;
	expect(plain_rows, 2, REPORT_TEXT, 0,
	       "NAME    SM COUNT  MEANING\n"
	       "é            132  one two three four five six seven eight nine ten\n"
	       "second         -  a|b \\x1b \"c\", d\n");
}

static void narrow_text_drops_then_wraps(void **state)
{
	(void)state;
	expect(plain_rows, 2, REPORT_TEXT, 34,
	       "NAME    MEANING\n"
	       "é       one two three four five\n"
	       "        six seven eight nine ten\n"
	       "second  a|b \\x1b \"c\", d\n"
	       "(too narrow for: SM COUNT)\n");
}

/* Names often differ only in how they end. */
static void narrow_text_wraps_names(void **state)
{
	static const char *const rows[][3] = {
		{"reduce/interleaved/block=64,n=65536", NULL, "one two three four five six"},
		{"reduce/interleaved/block=128,n=65536", NULL, "seven"},
	};

	(void)state;
	expect(rows, 2, REPORT_TEXT, 42,
	       "NAME                  MEANING\n"
	       "reduce/interleaved/   one two three four\n"
	       "block=64,n=65536      five six\n"
	       "reduce/interleaved/   seven\n"
	       "block=128,n=65536\n"
	       "(too narrow for: SM COUNT)\n");
}

/* A cause must be read to its end, even beside a remedy. */
static void a_whole_column_is_not_cut(void **state)
{
	static const struct table_column whole[] = {
		{.name = "check"}, {.name = "found", .whole = true}, {.name = "remedy"}};
	struct table *table = table_new(whole, ARRAY_SIZE(whole));
	struct report_options options = {.width = 44};
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	(void)state;
	table_row(table, (const char *const[]){"page",
					       "this build writes no pages because it was "
					       "configured without them, as the log of the "
					       "build says in one of its first lines, in words",
					       "the other formats work as they did"});
	assert_int_equal(table_write(stream, table, REPORT_TEXT, &options, NULL), 0);
	fclose(stream);
	assert_null(strstr(bytes, "…"));
	assert_non_null(strstr(bytes, "words"));
	free(bytes);
	table_free(table);
}

/* Where no column can be narrower, each row is a list; it lacks what is not known. */
static void text_too_narrow_for_columns_is_a_list(void **state)
{
	(void)state;
	expect(plain_rows, 2, REPORT_TEXT, 17,
	       "NAME      é\n"
	       "SM COUNT  132\n"
	       "MEANING   one two\n"
	       "          three\n"
	       "          four\n"
	       "          five\n"
	       "          six\n"
	       "          seven\n"
	       "          eight\n"
	       "          nine\n"
	       "          ten\n"
	       "\n"
	       "NAME      second\n"
	       "MEANING   a|b\n"
	       "          \\x1b\n"
	       "          \"c\", d\n");
}

static void csv_quotes_and_leaves_unknown_empty(void **state)
{
	(void)state;
	expect(plain_rows, 2, REPORT_CSV, 34,
	       "name,sm_count,meaning\n"
	       "é,132,one two three four five six seven eight nine ten\n"
	       "second,,\"a|b \033 \"\"c\"\", d\"\n");
}

/* A strict UTF-8 reader would reject the whole file. */
static void csv_is_utf8(void **state)
{
	static const char *const rows[][3] = {{"b\xff\xc3", NULL, "\"\xe2\x82"}};

	(void)state;
	expect(rows, 1, REPORT_CSV, 0,
	       "name,sm_count,meaning\nb\xef\xbf\xbd\xef\xbf\xbd,,"
	       "\"\"\"\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

static void markdown_keeps_cells_apart(void **state)
{
	(void)state;
	expect(plain_rows + 1, 1, REPORT_MARKDOWN, 0,
	       "| name | sm\\_count | meaning |\n"
	       "|---|---:|---|\n"
	       "| second | - | a&#124;b \\\\x1b \"c\", d |\n");
}

static void json_has_numbers_and_null(void **state)
{
	static const char *const rows[][3] = {{"a", "1.5", NULL}, {"b\xff", "n/a", "x"}};

	(void)state;
	expect(rows, 2, REPORT_JSON, 0,
	       "{\n  \"format\": 1,\n  \"rows\": [\n    {\n      \"name\": \"a\",\n"
	       "      \"sm_count\": 1.5,\n      \"meaning\": null\n    },\n    {\n"
	       "      \"name\": \"b\xef\xbf\xbd\",\n      \"sm_count\": \"n/a\",\n"
	       "      \"meaning\": \"x\"\n    }\n  ]\n}\n");
}

static void json_has_lists_of_objects(void **state)
{
	static const char *const parts[] = {"name", "meaning", NULL};
	const struct table_column lists = {.name = "axes"};
	struct table *table = table_new(&lists, 1);
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	(void)state;
	table_parts(table, 0, parts);
	table_row(table, (const char *const[]){"n\tan \"n\"\nk\nblock\tthreads\tbeyond"});
	table_row(table, (const char *const[]){""});
	assert_int_equal(table_write(stream, table, REPORT_JSON, NULL, NULL), 0);
	fclose(stream);
	assert_string_equal(bytes,
			    "{\n  \"format\": 1,\n  \"rows\": [\n    {\n      \"axes\": [\n"
			    "        {\n          \"name\": \"n\",\n"
			    "          \"meaning\": \"an \\\"n\\\"\"\n        },\n"
			    "        {\n          \"name\": \"k\",\n"
			    "          \"meaning\": \"\"\n        },\n"
			    "        {\n          \"name\": \"block\",\n"
			    "          \"meaning\": \"threads\"\n        }\n      ]\n    },\n"
			    "    {\n      \"axes\": []\n    }\n  ]\n}\n");
	free(bytes);
	table_free(table);
}

static void empty_table_has_a_head(void **state)
{
	(void)state;
	expect(plain_rows, 0, REPORT_TEXT, 80, "NAME  SM COUNT  MEANING\n");
	expect(plain_rows, 0, REPORT_JSON, 80, "{\n  \"format\": 1,\n  \"rows\": []\n}\n");
}

/* At any width the layout terminates and splits no character. */
static void any_width_ends(void **state)
{
	(void)state;
	for (int width = 1; width < 60; width++) {
		struct table *table = table_new(columns, ARRAY_SIZE(columns));
		struct report_options options = {.width = width};
		char *bytes = NULL;
		size_t length;
		FILE *stream = open_memstream(&bytes, &length);

		table_row(table, (const char *const[]){"ééééééééééééééééééééééééééééé", "1",
						       "ééééééééééééééééééééééééééééé é é"});
		assert_int_equal(table_write(stream, table, REPORT_TEXT, &options, NULL), 0);
		fclose(stream);
		for (size_t i = 0; i < length; i++) {
			if ((unsigned char)bytes[i] == 0xc3)
				assert_int_equal((unsigned char)bytes[i + 1], 0xa9);
		}
		free(bytes);
		table_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_aligns_characters),
		cmocka_unit_test(narrow_text_drops_then_wraps),
		cmocka_unit_test(narrow_text_wraps_names),
		cmocka_unit_test(a_whole_column_is_not_cut),
		cmocka_unit_test(text_too_narrow_for_columns_is_a_list),
		cmocka_unit_test(csv_quotes_and_leaves_unknown_empty),
		cmocka_unit_test(csv_is_utf8),
		cmocka_unit_test(markdown_keeps_cells_apart),
		cmocka_unit_test(json_has_numbers_and_null),
		cmocka_unit_test(json_has_lists_of_objects),
		cmocka_unit_test(empty_table_has_a_head),
		cmocka_unit_test(any_width_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
