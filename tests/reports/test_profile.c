/* Reports of what the hardware counted and sampled at source lines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/analysis/line_shares.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

/* ---- the run ---- */

enum { INLINED, HOSTILE, UNPLACED, UNSAMPLED, TRIALS };

struct profiled_run {
	struct run run;
	struct profile *profiles[TRIALS];
	struct report_profile items[TRIALS];
	struct line_count_list emulated;
};

static struct profile_instruction *add_at(struct profile *profile, int64_t function, int64_t frame,
					  int64_t executed, int64_t lanes)
{
	const int64_t pc = 16 * (int64_t)profile->instruction_count;
	struct profile_instruction *added = profile_instruction_add(profile, function, pc);

	added->frame = frame;
	added->executed = executed;
	added->lanes = lanes;
	return added;
}

/* Samples of the last instruction. */
static void sample(struct profile *profile, const char *reason, int64_t samples)
{
	const size_t number = profile->instruction_count - 1;
	struct profile_instruction *at = &profile->instructions[number];
	struct profile_stall *stall = profile_stall_add(profile, (int64_t)number, reason);

	stall->samples = samples;
	stall->not_issued = samples / 2;
	at->samples = (at->samples < 0 ? 0 : at->samples) + samples;
	at->first_samples = at->samples / 2 + samples / 100;
	profile->samples = (profile->samples < 0 ? 0 : profile->samples) + samples;
}

static struct profile *sampled_profile(void)
{
	struct profile *profile = profile_new();

	profile->period_cycles = 512;
	profile->launches = 4;
	profile->dropped = profile->buffer_full = 0;
	return profile;
}

/* A load that wastes, in a function that was inlined in another; bank conflicts; spills; a line
 * with few samples; a file without text; a function of a library. */
static struct profile *inlined_profile(void)
{
	struct profile *profile = sampled_profile();
	const int64_t near = profile_frame_add(profile, "/src/a.cu", 7, NULL, -1);
	const int64_t call = profile_frame_add(profile, "/src/a.cu", 9, NULL, -1);
	const int64_t outer = profile_frame_add(profile, "/src/b.cuh", 3, "_Z5outerv", call);
	const int64_t inner = profile_frame_add(profile, "/src/b.cuh", 5, "_Z5innerv", outer);
	const int64_t few = profile_frame_add(profile, "/src/a.cu", 11, NULL, -1);
	const int64_t lost = profile_frame_add(profile, "/src/lost.cuh", 2, NULL, -1);
	struct profile_instruction *at;

	profile_function_add(profile, "_Z6kernelPf", "");
	profile_function_add(profile, "memset", "");
	at = add_at(profile, 0, near, 1000, 32000);
	at->shared_requests = 1000;
	at->wavefronts = 4000;
	at->ideal_wavefronts = 1000;
	sample(profile, "short_scoreboard", 2000);
	sample(profile, "wait", 1000);
	at = add_at(profile, 0, inner, 1000, 16000);
	at->requests = 1000;
	at->sectors = 16000;
	at->ideal_sectors = 4000;
	at->varies = 1;
	sample(profile, "long_scoreboard", 6000);
	add_at(profile, 0, few, 10, 320);
	sample(profile, "wait", 40);
	at = add_at(profile, 0, lost, 500, 16000);
	at->local_sectors = 2000;
	sample(profile, "long_scoreboard", 460);
	add_at(profile, 1, -1, -1, -1);
	sample(profile, "lg_throttle", 500);
	line_shares(profile);
	return profile;
}

static struct profile *hostile_profile(void)
{
	struct profile *profile = sampled_profile();
	const int64_t call = profile_frame_add(profile, HOSTILE_NAME ".cu", 1, NULL, -1);
	const int64_t inlined =
		profile_frame_add(profile, "in" HOSTILE_NAME, 2, HOSTILE_NAME, call);

	profile_function_add(profile, HOSTILE_NAME, "");
	add_at(profile, 0, inlined, 4, 128);
	sample(profile, "of_tomorrow", 900);
	add_at(profile, 0, call, 4, 128);
	sample(profile, "selected", 100);
	profile->why_no_counts = xstrdup(HOSTILE_NAME);
	line_shares(profile);
	return profile;
}

/* No line table; not counted; samples that were lost. */
static struct profile *unplaced_profile(void)
{
	struct profile *profile = sampled_profile();

	profile_function_add(profile, "_Z4copyPfS_", "");
	add_at(profile, 0, -1, -1, -1);
	sample(profile, "barrier", 70);
	profile->dropped = 3;
	profile->buffer_full = 1;
	profile->why_no_counts = xstrdup("left out to keep the sweep short");
	line_shares(profile);
	return profile;
}

static struct profile *unsampled_profile(void)
{
	struct profile *profile = profile_new();

	profile_function_add(profile, "_Z3addPf", "");
	add_at(profile, 0, profile_frame_add(profile, "/src/a.cu", 7, NULL, -1), 12, 384);
	profile->why_no_samples = xstrdup("another process samples");
	line_shares(profile);
	return profile;
}

static void add_trial(struct profiled_run *of, size_t at, const char *kernel, double median_ns,
		      struct profile *profile)
{
	struct trial *trial = &of->run.trials[at];

	*trial = (struct trial){.id = (int64_t)at + 1,
				.kernel = xstrdup(kernel),
				.variant = xstrdup("plain"),
				.config = xasprintf("block=%d", 64 << at),
				.status = TRIAL_OK};
	trial->summary.median_ns = median_ns;
	of->profiles[at] = profile;
	of->items[at] = (struct report_profile){.trial = trial, .profile = profile};
	assert_int_equal(profile_check(profile, NULL), 0);
}

/* Fewer PTX instructions with as many accesses, and a line that ptxas removed. */
static void emulate_inlined(struct line_count_list *lines)
{
	struct line_count *line = line_count_list_add(lines, NULL, 3);

	line->instructions = 5;
	line = line_count_list_add(lines, "/src/a.cu", 7);
	line->instructions = 1200;
	line = line_count_list_add(lines, "/src/b.cuh", 5);
	line->instructions = 700;
	line->requests = 1000;
	line->sectors = 16000;
	line = line_count_list_add(lines, "/src/b.cuh", 9);
	line->instructions = 100;
	line->requests = 100;
	line->sectors = 400;
}

static void profiled_run_init(struct profiled_run *of)
{
	*of = (struct profiled_run){.run = {.id = 7,
					    .uid = "0123456789abcdef0123456789abcdef",
					    .backend = xstrdup("cuda"),
					    .trials = xcalloc(TRIALS, sizeof(struct trial)),
					    .trial_count = TRIALS}};
	add_trial(of, INLINED, "reduce", 12345, inlined_profile());
	emulate_inlined(&of->emulated);
	of->items[INLINED].emulated = &of->emulated;
	of->items[INLINED].emulated_run = 6;
	add_trial(of, HOSTILE, HOSTILE_NAME, 50000, hostile_profile());
	add_trial(of, UNPLACED, "copy", 2000, unplaced_profile());
	add_trial(of, UNSAMPLED, "add", 1000, unsampled_profile());
}

static void profiled_run_release(struct profiled_run *of)
{
	for (size_t i = 0; i < TRIALS; i++)
		profile_free(of->profiles[i]);
	line_count_list_release(&of->emulated);
	run_release(&of->run);
}

/* ---- its texts ---- */

static const char *text_line(void *context, const char *file, int64_t line)
{
	static const char *const lines[] = {[3] = "  return inner();",
					    [5] = "    return x[i * 4];",
					    [7] = "  tile[threadIdx.x * 32] = 1;",
					    [9] = "  sum += outer();",
					    [11] = "  sum /= 2;"};

	(void)context;
	if (strstr(file, "lost"))
		return NULL;
	if (strstr(file, "evil") || strstr(file, "ev\033"))
		return "  " HOSTILE_NAME;
	return line < (int64_t)ARRAY_SIZE(lines) ? lines[line] : NULL;
}

static const char *text_why(void *context, const char *file)
{
	(void)context;
	if (strstr(file, "lost"))
		return "was not found";
	return strstr(file, "ev\033") ? "is " HOSTILE_NAME : NULL;
}

static const char *text_sass(void *context, const struct profile *profile, size_t instruction)
{
	(void)profile;
	return context ? NULL : instruction ? "STS [R2], R3" : "LDG.E R4, [R2.64] | " HOSTILE_NAME;
}

static const char *text_why_no_sass(void *context)
{
	return context;
}

static struct report_texts texts_of(const char *why_no_sass)
{
	return (struct report_texts){.context = (void *)why_no_sass,
				     .line = text_line,
				     .why = text_why,
				     .sass = text_sass,
				     .why_no_sass = text_why_no_sass};
}

/* ---- tests ---- */

static char *rendered(const struct profiled_run *of, const struct report_profiles *report,
		      enum report_format format, const struct report_options *options,
		      size_t *length)
{
	struct error err = {0};
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, length);

	assert_non_null(stream);
	if (report_profiles(stream, &of->run, report, format, options, &err))
		fail_msg("%s", err.text);
	fclose(stream);
	return bytes;
}

static void expect_lines(const char *name, enum report_format format, bool worst, bool sass,
			 const struct report_options *options)
{
	const struct report_texts texts = texts_of(NULL);
	struct profiled_run of;
	struct report_profiles report;
	size_t length;
	char *bytes;

	profiled_run_init(&of);
	report = (struct report_profiles){of.items, TRIALS, &texts, sass, worst};
	bytes = rendered(&of, &report, format, options, &length);
	golden_compare(name, bytes, length);
	free(bytes);
	profiled_run_release(&of);
}

static void lines_are_as_written(void **state)
{
	(void)state;
	expect_lines("profile.txt", REPORT_TEXT, false, true, NULL);
	expect_lines("profile-80.txt", REPORT_TEXT, false, false,
		     &(struct report_options){.width = 80});
	expect_lines("profile-all-colour.txt", REPORT_TEXT, false, false,
		     &(struct report_options){
			     .colour = true, .selection = &(struct report_selection){.all = true}});
	expect_lines("profile.md", REPORT_MARKDOWN, false, true, NULL);
	expect_lines("profile.csv", REPORT_CSV, false, false, NULL);
	expect_lines("profile.json", REPORT_JSON, false, false, NULL);
	expect_lines("profile-worst.txt", REPORT_TEXT, true, false, NULL);
	expect_lines("profile-worst.md", REPORT_MARKDOWN, true, false, NULL);
}

/* Every format leaves a terminal and a page as they are. */
static void names_of_others_do_no_harm(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_JSON};
	const struct report_texts texts = texts_of("Evil \033[31m\xff words.");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		for (int worst = 0; worst < 2; worst++) {
			struct profiled_run of;
			struct report_profiles report;
			size_t length;
			char *bytes;

			profiled_run_init(&of);
			report = (struct report_profiles){of.items, TRIALS, &texts, true, worst};
			bytes = rendered(&of, &report, formats[i], NULL, &length);
			assert_int_equal(strlen(bytes), length);
			assert_null(strchr(bytes, '\033'));
			assert_null(strchr(bytes, '\xff'));
			if (formats[i] == REPORT_MARKDOWN)
				assert_null(strstr(bytes, "<b>"));
			free(bytes);
			profiled_run_release(&of);
		}
}

static void lines_can_do_without_texts(void **state)
{
	struct profiled_run of;
	struct report_profiles report;
	size_t length;
	char *bytes;

	(void)state;
	profiled_run_init(&of);
	report = (struct report_profiles){of.items, TRIALS, NULL, true, false};
	bytes = rendered(&of, &report, REPORT_TEXT, NULL, &length);
	assert_null(strstr(bytes, "No text"));
	assert_null(strstr(bytes, "return"));
	assert_non_null(strstr(bytes, "b.cuh:5"));
	free(bytes);
	profiled_run_release(&of);
}

/* A dozen lines in two cases; the ten that take most time are shown. */
static void the_ten_worst_are_shown(void **state)
{
	struct profiled_run of;
	struct report_profiles report;
	size_t length;
	char *bytes, *last;

	(void)state;
	profiled_run_init(&of);
	for (size_t i = 0; i < 2; i++) {
		profile_free(of.profiles[i]);
		of.profiles[i] = sampled_profile();
		profile_function_add(of.profiles[i], "f", "");
		for (int64_t line = 1; line <= 6; line++) {
			add_at(of.profiles[i], 0,
			       profile_frame_add(of.profiles[i], i ? "y.cu" : "x.cu", line, NULL,
						 -1),
			       1, 32);
			sample(of.profiles[i], "wait", 100 * line);
		}
		line_shares(of.profiles[i]);
		of.items[i].profile = of.profiles[i];
	}
	/* of equal lines, those of the slower case cost more */
	of.run.trials[0].summary.median_ns = 1000;
	of.run.trials[1].summary.median_ns = 2100;
	report = (struct report_profiles){of.items, 2, NULL, false, true};
	bytes = rendered(&of, &report, REPORT_TEXT, NULL, &length);
	assert_non_null(strstr(bytes, "of 2 profiled cases"));
	assert_true(strstr(bytes, "y.cu:6") < strstr(bytes, "y.cu:5"));
	assert_true(strstr(bytes, "y.cu:3") < strstr(bytes, "x.cu:6"));
	last = strstr(bytes, "y.cu:1");
	assert_non_null(last);
	assert_non_null(strstr(bytes, "x.cu:3"));
	assert_null(strstr(bytes, "x.cu:2"));
	assert_null(strstr(bytes, "x.cu:1"));
	free(bytes);
	profiled_run_release(&of);
}

static void a_picture_has_no_lines(void **state)
{
	struct profiled_run of;
	struct report_profiles report;
	struct error err = {0};
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	(void)state;
	profiled_run_init(&of);
	report = (struct report_profiles){of.items, TRIALS, NULL, false, false};
	assert_int_equal(report_profiles(stream, &of.run, &report, REPORT_SVG, NULL, &err),
			 PL_EUSAGE);
	fclose(stream);
	free(bytes);
	profiled_run_release(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_as_written),
		cmocka_unit_test(names_of_others_do_no_harm),
		cmocka_unit_test(lines_can_do_without_texts),
		cmocka_unit_test(the_ten_worst_are_shown),
		cmocka_unit_test(a_picture_has_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
