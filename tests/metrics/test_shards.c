/* Sets of shards: formatting and parsing agree, and wrong sets are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "metrics/metrics.h"
#include "metrics/shards.h"

static struct shard_set parsed(const char *text)
{
	struct shard_set set = {0};
	struct error err = {0};

	assert_int_equal(shard_set_parse(&set, text, &err), 0);
	return set;
}

static void assert_written(const struct shard_set *set, const char *expected)
{
	struct text text = TEXT_INIT;

	shard_set_text(&text, set);
	assert_string_equal(text.data, expected);
	text_release(&text);
}

static void test_written_and_read(void **state)
{
	static const char *const texts[] = {"1/1", "2/4", "1,3/4", "1-3/4", "1-3,5,7-8/9"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct shard_set set = parsed(texts[i]);

		assert_written(&set, texts[i]);
		shard_set_release(&set);
	}
}

static void test_neighbours_are_a_range(void **state)
{
	struct shard_set set = parsed("1,2,4/4");

	(void)state;
	assert_written(&set, "1-2,4/4");
	assert_int_equal(shard_set_count(&set), 3);
	shard_set_release(&set);
}

static void test_joined_and_missing(void **state)
{
	struct shard_set set = parsed("2/8"), more = parsed("4-5/8"), other = parsed("1/7");
	struct text missing = TEXT_INIT;

	(void)state;
	assert_true(shard_set_join(&set, &more));
	assert_false(shard_set_join(&set, &other));
	assert_written(&set, "2,4-5/8");
	shard_set_missing(&missing, &set);
	assert_string_equal(missing.data, "1, 3, 6-8");
	text_release(&missing);
	shard_set_release(&set);
	shard_set_release(&more);
	shard_set_release(&other);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {"",
					    "1",
					    "/",
					    "/4",
					    "1/",
					    "0/4",
					    "5/4",
					    "1/0",
					    "-1/4",
					    "1-/4",
					    "2-1/4",
					    "1,1/4",
					    "2,1/4",
					    "1,/4",
					    "1 /4",
					    "1/4/4",
					    "1/65537",
					    "x/4",
					    "1/99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct shard_set set = {0};
		struct error err = {0};

		assert_int_equal(shard_set_parse(&set, texts[i], &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, "I/N"));
		assert_null(set.has);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_neighbours_are_a_range),
		cmocka_unit_test(test_joined_and_missing),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
