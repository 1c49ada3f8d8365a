/* The data of the page about lines: golden file, hostile names, damaged profiles, and texts once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "metrics/analysis/line_shares.h"
#include "tests/reports/golden.h"
#include "tests/reports/page_support.h"

#define HOSTILE_SOURCE "</script><!--<b>&\x1b\xff"
#define CASES 4

static void add_sampled(struct profile *profile, int64_t pc, int64_t frame, int64_t samples)
{
	struct profile_instruction *added = profile_instruction_add(profile, 0, pc);
	const int64_t number = (int64_t)profile->instruction_count - 1;

	added->frame = frame;
	added->samples = samples;
	added->first_samples = samples / 2;
	*profile_stall_add(profile, number, "long_scoreboard") = (struct profile_stall){
		.instruction = number, .reason = "long_scoreboard", .samples = samples};
	profile->samples += samples;
}

/* The first case has code inlined from a header, and an instruction without a position. */
static struct profile *inlined_profile(void)
{
	struct profile *profile = profile_new();
	int64_t call;

	profile->period_cycles = 1024;
	profile->launches = 2;
	profile->samples = profile->dropped = profile->buffer_full = 0;
	profile->why_no_counts = xstrdup("not <asked> for");
	profile_function_add(profile, "_Z3sumPf", "");
	call = profile_frame_add(profile, "k/sum.cu", 2, NULL, -1);
	add_sampled(profile, 0, call, 30);
	add_sampled(profile, 16, profile_frame_add(profile, "./k/sum.cuh", 1, "_Z3addff", call),
		    50);
	add_sampled(profile, 48, -1, 20);
	profile->instructions[1].executed = 4096;
	line_shares(profile);
	return profile;
}

/* The second names the same files in another way. */
static struct profile *hostile_profile(void)
{
	struct profile *profile = profile_new();

	profile->samples = 0;
	profile_function_add(profile, HOSTILE_SOURCE, "");
	add_sampled(profile, 0, profile_frame_add(profile, HOSTILE_SOURCE, 1, NULL, -1), 1);
	add_sampled(profile, 16, profile_frame_add(profile, "k/sum.cuh", 1, HOSTILE_SOURCE, 0), 2);
	line_shares(profile);
	return profile;
}

static int take_profile(void *context, int64_t trial_id, struct profile **out, struct error *err)
{
	(void)context;
	*out = trial_id == 0 ? inlined_profile() : trial_id == 1 ? hostile_profile() : NULL;
	return trial_id == 3 ? error_set(err, PL_ECORRUPT, "stall 3 is of <nothing>") : 0;
}

static int take_source(void *context, int64_t run_id, const char *file, char **hash, char **text,
		       char **why, struct error *err)
{
	const bool header = strstr(file, "sum.cuh") != NULL;
	size_t *calls = context;

	(void)run_id;
	++*calls;
	*hash = *text = *why = NULL;
	if (strcmp(file, HOSTILE_SOURCE) == 0)
		return error_set(err, PL_ECORRUPT, "the text has another hash");
	*hash = xstrdup(header ? "aa" : "bb");
	*text = xstrdup(header ? "float add(float a, float b);\r\n"
			       : "// " HOSTILE_SOURCE "\n\tx = add(a < b, b);\n\nlast");
	return 0;
}

static char *lines_of(size_t *calls)
{
	const struct report_profile_reader profiles = {take_profile, take_source, calls};
	const struct report_options options = {.profiles = &profiles};
	struct trial trials[CASES] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3}};
	const struct run run = {.trials = trials, .trial_count = CASES};
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	page_lines_write(stream, &run, &options);
	fclose(stream);
	return bytes;
}

static void lines_are_as_they_were(void **state)
{
	size_t calls = 0;
	char *bytes = lines_of(&calls);

	(void)state;
	golden_compare("page-lines.txt", bytes, strlen(bytes));
	free(bytes);
}

/* What an element holds must be JSON without characters of HTML. */
static void no_text_ends_its_element(void **state)
{
	size_t calls = 0, elements = 0;
	char *bytes = lines_of(&calls), *rest = NULL;

	(void)state;
	for (char *line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *begin = strchr(line, '>') + 1, *end = strrchr(line, '/') - 1;
		json_t *root =
			json_loadb(begin, (size_t)(end - begin), JSON_REJECT_DUPLICATES, NULL);

		assert_string_equal(end, "</script>");
		*end = '\0';
		assert_null(strpbrk(begin, "<>&"));
		assert_non_null(root);
		json_decref(root);
		elements++;
	}
	/* three cases and the sources */
	assert_int_equal(elements, 4);
	free(bytes);
}

static void a_file_is_read_once_per_name(void **state)
{
	size_t calls = 0;

	(void)state;
	free(lines_of(&calls));
	assert_int_equal(calls, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_as_they_were),
		cmocka_unit_test(no_text_ends_its_element),
		cmocka_unit_test(a_file_is_read_once_per_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
