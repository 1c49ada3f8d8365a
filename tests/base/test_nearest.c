#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	"shuffle", "sequential", "interleaved", "sweep", "sleep",
	"sheep",   "steep",      "reduce",      "list",
};

static void assert_nearest(const char *word, const char *expected)
{
	struct text out = TEXT_INIT;

	text_add(&out, "did you mean ");
	assert_int_equal(nearest_names(&out, word, names, ARRAY_SIZE(names)), expected != NULL);
	assert_string_equal(out.data + strlen("did you mean "), expected ? expected : "");
	text_release(&out);
}

static void slips_are_understood(void **state)
{
	(void)state;
	assert_nearest("shufle", "shuffle");   /* one missing */
	assert_nearest("shufffle", "shuffle"); /* one too many */
	assert_nearest("shuffke", "shuffle");  /* another key */
	assert_nearest("shufflfe", "shuffle");
	assert_nearest("REDUCE", "reduce");
	assert_nearest("lsit", "list"); /* two swapped letters are one edit: 4 letters allow one */
	assert_nearest("shuffle", "shuffle");
}

static void what_is_far_is_not_named(void **state)
{
	(void)state;
	assert_nearest("", NULL);
	assert_nearest("matmul", NULL);
	assert_nearest("li", NULL);
	assert_nearest("lizz", NULL);
	assert_nearest("interleavedinterleaved", NULL);
}

static void at_most_three_the_nearest_first(void **state)
{
	static const char *const two[] = {"block", "clock"};
	struct text out = TEXT_INIT;

	(void)state;
	assert_nearest("sweep", "sweep, sleep or sheep");
	assert_nearest("steep", "steep, sweep or sleep");
	assert_true(nearest_names(&out, "clock", two, 2));
	assert_string_equal(out.data, "clock or block");
	text_release(&out);
	assert_false(nearest_names(&out, "clock", NULL, 0));
}

static void words_of_any_length_are_safe(void **state)
{
	char word[1000];
	struct text out = TEXT_INIT;
	const char *const self[] = {word};

	(void)state;
	for (size_t length = 180; length < 300; length++) {
		memset(word, 'a', length);
		word[length] = '\0';
		nearest_names(&out, word, self, 1);
		assert_int_equal(out.length, length <= 192 ? length : 0);
		text_clear(&out);
	}
	memset(word, 'a', 256);
	word[256] = '\0';
	assert_true(nearest_names(&out, word + 64, self, 1));
	assert_int_equal(out.length, 256);
	/* a name too long to be near any other */
	memset(word, 'a', 999);
	word[999] = '\0';
	text_clear(&out);
	assert_false(nearest_names(&out, word + 900, self, 1));
	text_release(&out);
}

static void patterns(void **state)
{
	static const struct {
		const char *pattern;
		const char *name;
		bool matches;
	} rows[] = {
		{"", "anything", true},
		{"", "", true},
		{"shuf", "reduce/shuffle", true},
		{"SHUF", "reduce/shuffle", true},
		{"reduce/shuffle", "reduce/shuffle", true},
		{"shuffles", "reduce/shuffle", false},
		{"*", "", true},
		{"*", "x", true},
		{"?", "", false},
		{"?", "x", true},
		{"?", "xy", false},
		{"reduce/*", "reduce/shuffle", true},
		{"reduce/*", "xreduce/shuffle", false},
		{"*shuffle", "reduce/shuffle", true},
		{"*shuffle", "reduce/shuffle2", false},
		{"r*e/s*e", "reduce/shuffle", true},
		{"R?DUCE/*", "reduce/shuffle", true},
		{"**?", "", false},
		{"a*b*c", "aXbXbXc", true},
		{"a*bc", "abbbc", true},
		{"a*bd", "abbbc", false},
		{"[a]*", "[a]b", true},
		{"[a]*", "ab", false},
		{"\\*", "\\x", true},
		{"\\*", "*", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (pattern_matches(rows[i].pattern, rows[i].name) != rows[i].matches)
			fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].name);
	}
}

/* A matcher that backtracks for each star would exceed the time limit of the test. */
static void many_stars_end_soon(void **state)
{
	char pattern[201];
	char name[5001];

	(void)state;
	for (size_t i = 0; i < 200; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[200] = '\0';
	memset(name, 'a', 5000);
	name[4999] = 'b';
	name[5000] = '\0';
	assert_false(pattern_matches(pattern, name));
	name[4999] = 'a';
	assert_true(pattern_matches(pattern, name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_are_understood),
		cmocka_unit_test(what_is_far_is_not_named),
		cmocka_unit_test(at_most_three_the_nearest_first),
		cmocka_unit_test(words_of_any_length_are_safe),
		cmocka_unit_test(patterns),
		cmocka_unit_test(many_stars_end_soon),
	};

	return cmocka_run_group_tests_name("base_nearest", tests, NULL, NULL);
}
