/*
 * Evaluates counter-data images recorded on GPUs with the real CUPTI host library, and compares
 * them with the values stored beside them. tests/fixtures/counters/README.md describes the files.
 */
#include "metrics/cupti/cupti_session.h"
#include "tests/metrics/cupti_or_skip.h"
#include "tests/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDINGS "tests/fixtures/counters/*.expected"

struct recording {
	const char *path; /* of the .expected file */
	char *image;
	size_t image_bytes;
	struct string_list lines;
	size_t line; /* the next one */
	struct cupti_plan *plan;
};

/* The rest of the next line after "WORD ", NULL if it is another kind of line or the end. */
static char *next(struct recording *recording, const char *word)
{
	size_t length = strlen(word);
	char *text;

	if (recording->line >= recording->lines.count)
		return NULL;
	text = recording->lines.items[recording->line];
	if (strncmp(text, word, length) != 0 || text[length] != ' ')
		return NULL;
	recording->line++;
	return text + length + 1;
}

/* Cuts the first blank-separated word off *rest. */
static const char *cut(char **rest)
{
	char *word = strsep(rest, " ");

	assert_non_null(word);
	return word;
}

static void read_recording(struct recording *recording)
{
	struct string_list all = {0}, wanted = {0};
	struct error err = {0};
	char *image_path =
		xasprintf("%.*s.bin.zst", (int)(strlen(recording->path) - strlen(".expected")),
			  recording->path);
	const char *chip, *metrics;
	char *text;
	size_t length;

	if (packed_read(&recording->image, &recording->image_bytes, image_path, &err) ||
	    read_file(&text, &length, recording->path, 1 << 24, &err))
		fail_msg("%s", err.text);
	string_list_split(&all, text, '\n');
	for (size_t i = 0; i < all.count; i++) {
		if (*all.items[i] && *all.items[i] != '#')
			string_list_add(&recording->lines, all.items[i]);
	}
	chip = next(recording, "chip");
	metrics = next(recording, "metrics");
	if (!chip || !metrics)
		fail_msg("%s: begins with neither chip nor metrics", recording->path);
	string_list_split(&wanted, metrics, ' ');
	if (cupti_plan_create(&recording->plan, chip, &wanted, NULL, &err))
		fail_msg("%s: %s", recording->path, err.text);
	string_list_release(&wanted);
	string_list_release(&all);
	free(text);
	free(image_path);
}

static void compare_counter(struct recording *recording, const struct counter_value *counter)
{
	const char *where = recording->path, *metric, *unit;
	char *rest = next(recording, counter->has_value ? "value" : "missing");

	if (!rest)
		fail_msg("%s: %s %s where the file says '%s'", where, counter->metric,
			 counter->has_value ? "has a value" : counter->reason,
			 recording->line < recording->lines.count
				 ? recording->lines.items[recording->line]
				 : "no more");
	metric = cut(&rest);
	unit = cut(&rest);
	assert_string_equal(counter->metric, metric);
	assert_string_equal(*counter->unit ? counter->unit : "-", unit);
	if (!counter->has_value) {
		assert_string_equal(counter->reason, rest);
	} else {
		char *end;
		double expected = strtod(rest, &end);

		assert_true(end != rest && *end == '\0');
		if (memcmp(&expected, &counter->value, sizeof(expected)) != 0)
			fail_msg("%s: %s is %.17g, recorded was %.17g", where, metric,
				 counter->value, expected);
	}
}

static void compare_recording(struct recording *recording)
{
	const uint8_t *image = (const uint8_t *)recording->image;
	struct string_list names = {0};
	struct error err = {0};

	if (cupti_image_ranges(recording->plan, image, recording->image_bytes, &names, &err))
		fail_msg("%s: %s", recording->path, err.text);
	assert_true(names.count > 0);
	for (size_t range = 0; range < names.count; range++) {
		struct counter_list counters = {0};
		const char *name = next(recording, "range");

		assert_non_null(name);
		assert_string_equal(names.items[range], name);
		if (cupti_plan_evaluate(recording->plan, image, recording->image_bytes, range,
					&counters, &err))
			fail_msg("%s: %s", recording->path, err.text);
		for (size_t i = 0; i < counters.count; i++)
			compare_counter(recording, &counters.items[i]);
		counter_list_release(&counters);
	}
	assert_int_equal(recording->line, recording->lines.count);
	string_list_release(&names);
}

/* Past the end, and an image cut off before its ranges, are errors and no crash. */
static void refuse_what_is_not_there(struct recording *recording)
{
	const uint8_t *image = (const uint8_t *)recording->image;
	struct counter_list counters = {0};
	struct string_list names = {0};
	struct error err = {0};

	assert_int_equal(cupti_plan_evaluate(recording->plan, image, recording->image_bytes,
					     1000000, &counters, &err),
			 PL_ENOENT);
	assert_int_equal(cupti_image_ranges(recording->plan, image, 80, &names, &err), PL_ECORRUPT);
	assert_int_equal(counters.count + names.count, 0);
}

static void recordings_evaluate_to_what_was_stored(void **state)
{
	const glob_t *found = *state;

	for (size_t i = 0; i < found->gl_pathc; i++) {
		struct recording recording = {.path = found->gl_pathv[i]};

		print_message("%s\n", recording.path);
		read_recording(&recording);
		compare_recording(&recording);
		refuse_what_is_not_there(&recording);
		cupti_plan_free(recording.plan);
		string_list_release(&recording.lines);
		free(recording.image);
	}
}

int main(void)
{
	glob_t found;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(recordings_evaluate_to_what_was_stored, &found),
	};
	int rc;

	cupti_or_skip();
	if (glob(RECORDINGS, 0, NULL, &found) != 0) {
		printf("skipped: no recorded image matches %s\n", RECORDINGS);
		return 77;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	globfree(&found);
	return rc;
}
