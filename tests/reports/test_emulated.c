/* Reports of a run of the backend ptx: no times, no ranking, no numbers of a device; source lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "metrics/analysis/statistics.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

#define SOURCES "tests/fixtures/source"

static void expect_report(const char *name, enum report_format format,
			  const struct report_options *options)
{
	struct run run;
	size_t length;
	char *bytes;

	constructed_emulated_init(&run);
	bytes = golden_render(&run, format, options, &length);
	golden_compare(name, bytes, length);
	free(bytes);
	run_release(&run);
}

static void reports_are_as_written(void **state)
{
	(void)state;
	expect_report("emulated.txt", REPORT_TEXT, NULL);
	expect_report("emulated-80.txt", REPORT_TEXT, &(struct report_options){.width = 80});
	expect_report("emulated-all-colour.txt", REPORT_TEXT,
		      &(struct report_options){.colour = true, .all_metrics = true});
	expect_report("emulated.md", REPORT_MARKDOWN, NULL);
	expect_report("emulated.csv", REPORT_CSV, NULL);
	expect_report("emulated.json", REPORT_JSON, NULL);
}

/* What differs only in the types and places of opcodes is one row, with the number of cases. */
static void what_the_emulator_lacks_is_one_row(void **state)
{
	static const char *const reasons[] = {
		"needs features that the emulator lacks: opcode ldmatrix.sync.aligned.m8n8.x4 "
		"(a.cu:8, 32 times), opcode mma.sync.aligned.m16n8k8.row.col.f32 (a.cu:8)",
		"needs features that the emulator lacks: opcode ldmatrix.sync.aligned.m8n8.x2 "
		"(a.cu:9), opcode mma.sync.aligned.m16n8k16 (a.cu:9), opcode mma.sync (a.cu:9)",
	};
	static const char row[] = "opcode ldmatrix.sync, mma.sync\n";
	struct run run;
	size_t length;
	char *bytes, *found;

	(void)state;
	constructed_emulated_init(&run);
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		run.trials[i].status = TRIAL_SKIPPED;
		free(run.trials[i].reason);
		run.trials[i].reason = xstrdup(reasons[i]);
	}
	bytes = golden_render(&run, REPORT_TEXT, NULL, &length);
	found = strstr(bytes, row);
	assert_non_null(found);
	assert_null(strstr(found + 1, row));
	assert_null(strstr(bytes, "a.cu:8"));
	while (found > bytes && found[-1] != '\n')
		found--;
	assert_int_equal(sscanf(found, "skipped %zu", &length), 1);
	assert_int_equal(length, 2);
	free(bytes);
	bytes = golden_render(
		&run, REPORT_TEXT,
		&(struct report_options){.selection = &(struct report_selection){.all = true}},
		&length);
	assert_non_null(strstr(bytes, reasons[0]));
	assert_non_null(strstr(bytes, reasons[1]));
	free(bytes);
	run_release(&run);
}

/* An emulated run shows no time and no number of a device, whatever its database holds. */
static void nothing_of_a_device_is_shown(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV,
						     REPORT_JSON};
	static const char *const never[] = {"dram",  "4.71",   "4711",    "47.1",       "Best",
					    "GB/s",  "median", "b_per_s", "flop_per_s", "_ns",
					    "round", "cold",   "samples"};
	struct run run;

	(void)state;
	constructed_emulated_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		run.trials[i].summary = summarise((const double[]){4711, 4711, 4711}, 3);
		counter_list_set(&run.trials[i].counters, "dram_bytes_per_s", "byte/s", "s",
				 4.711e12);
		counter_list_set(&run.trials[i].counters, "branch_efficiency_pct", "percent", "s",
				 47.11);
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = golden_render(&run, formats[i],
					    &(struct report_options){.all_metrics = true}, &length);
		char *timeout = strstr(bytes, "timeout_ns");

		/* a setting of every backend, not a measured time */
		if (timeout)
			memset(timeout, '.', strlen("timeout_ns"));
		for (size_t j = 0; j < ARRAY_SIZE(never); j++) {
			if (strstr(bytes, never[j]))
				fail_msg("format %d shows %s", (int)formats[i], never[j]);
		}
		assert_non_null(strstr(bytes, "PTX emulator"));
		free(bytes);
	}
	run_release(&run);
}

/* A requested counter that no emulator has is shown as missing, with the reason. */
static void what_only_a_device_has_is_missing(void **state)
{
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_emulated_init(&run);
	counter_list_set_missing(&run.trials[0].counters, "dram_read_bytes", "byte", "s",
				 "an emulator has none");
	bytes = golden_render(&run, REPORT_JSON, NULL, &length);
	assert_non_null(strstr(bytes, "\"dram_read_bytes\""));
	assert_non_null(strstr(bytes, "\"an emulator has none\""));
	free(bytes);
	bytes = golden_render(&run, REPORT_TEXT, NULL, &length);
	assert_non_null(strstr(bytes, "an emulator has none"));
	free(bytes);
	run_release(&run);
}

/* A run on a device shows no numbers of the emulator, whatever its database holds. */
static void nothing_emulated_is_shown_of_a_device(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV,
						     REPORT_JSON};
	struct run run;

	(void)state;
	constructed_run_init(&run);
	counter_list_set(&run.trials[0].counters, "ptx_branches", "instruction", "s", 4711);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = golden_render(&run, formats[i],
					    &(struct report_options){.all_metrics = true}, &length);

		assert_null(strstr(bytes, "ptx_"));
		assert_null(strstr(bytes, "4711"));
		free(bytes);
	}
	run_release(&run);
}

/* ---- lines ---- */

static char *render_lines(const struct run *run, size_t first, size_t count, const char *folder,
			  enum report_format format, const struct report_options *options,
			  size_t *length)
{
	const struct trial *trials[8];
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, length);
	struct error err = {0};

	for (size_t i = 0; i < count; i++)
		trials[i] = &run->trials[first + i];
	if (report_lines(stream, run, trials, count, &(struct report_sources){.folder = folder},
			 format, options, &err))
		fail_msg("%s", err.text);
	fclose(stream);
	return bytes;
}

static void expect_lines(const char *name, enum report_format format,
			 const struct report_options *options)
{
	struct run run;
	size_t length;
	char *bytes;

	constructed_emulated_init(&run);
	run.started_ns = INT64_MAX; /* later than the last change of any source */
	bytes = render_lines(&run, 0, run.trial_count, SOURCES, format, options, &length);
	golden_compare(name, bytes, length);
	free(bytes);
	run_release(&run);
}

static void lines_are_as_written(void **state)
{
	(void)state;
	expect_lines("lines.txt", REPORT_TEXT, NULL);
	expect_lines("lines-80-colour.txt", REPORT_TEXT,
		     &(struct report_options){.width = 80, .colour = true});
	expect_lines("lines.md", REPORT_MARKDOWN, NULL);
	expect_lines("lines.csv", REPORT_CSV, NULL);
	expect_lines("lines.json", REPORT_JSON, NULL);
}

/* A source that changed after the run may differ from what ran. */
static void a_younger_source_is_remarked(void **state)
{
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_emulated_init(&run);
	run.started_ns = 1;
	bytes = render_lines(&run, 0, 1, SOURCES, REPORT_TEXT, NULL, &length);
	assert_non_null(strstr(bytes, "The file is newer than the run"));
	free(bytes);
	bytes = render_lines(&run, 0, 1, NULL, REPORT_TEXT, NULL, &length);
	assert_null(strstr(bytes, "younger"));
	free(bytes);
	run_release(&run);
}

/* Each word follows the previous one. */
static void assert_in_order(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		text = strstr(text, words[i]);
		assert_non_null(text);
	}
}

/* Files with text come first, then files without, then lines that belong to no file. */
static void files_stand_in_order_of_use(void **state)
{
	static const char *const files[] = {NULL, "/a/nowhere.cu", "lab/divergent.cu"};
	static const char *const words[] = {"lab/divergent.cu\n", "/a/nowhere.cu\n", "the PTX\n",
					    "assigned to no source line"};
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_emulated_init(&run);
	line_count_list_release(&run.trials[0].lines);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		line_count_list_add(&run.trials[0].lines, files[i], 3)->instructions = 1;
	bytes = render_lines(&run, 0, 1, SOURCES, REPORT_TEXT, NULL, &length);
	assert_in_order(bytes, words, ARRAY_SIZE(words));
	/* there is line information, but not for every instruction */
	assert_null(strstr(bytes, "nvcc -lineinfo"));
	free(bytes);
	run_release(&run);
}

static void only_the_chosen_are_shown(void **state)
{
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_emulated_init(&run);
	bytes = render_lines(&run, 1, 1, NULL, REPORT_TEXT, NULL, &length);
	assert_non_null(strstr(bytes, "n=4194304"));
	assert_null(strstr(bytes, "n=1024"));
	assert_null(strstr(bytes, "divergent.cu"));
	free(bytes);
	run_release(&run);
}

static void without_lines_the_reason_is_said(void **state)
{
	struct run run;
	const struct trial *trials[2];
	struct error err = {0};

	(void)state;
	constructed_run_init(&run);
	trials[0] = &run.trials[0];
	assert_int_equal(report_lines(stdout, &run, trials, 1, &(struct report_sources){0},
				      REPORT_TEXT, NULL, &err),
			 PL_ENOENT);
	assert_non_null(strstr(err.text, "only the ptx backend counts lines"));
	assert_non_null(strstr(err.text, "cuda"));
	run_release(&run);

	constructed_emulated_init(&run);
	trials[0] = &run.trials[2];
	trials[1] = &run.trials[3];
	for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
		assert_int_equal(report_lines(stdout, &run, trials, 2, &(struct report_sources){0},
					      (enum report_format)format, NULL, &err),
				 PL_ENOENT);
		assert_non_null(strstr(err.text, "is fault: out of bounds"));
		for (const char *c = err.text; *c; c++)
			assert_true((unsigned char)*c >= ' ');
	}
	assert_int_equal(report_lines(stdout, &run, trials, 0, &(struct report_sources){0},
				      REPORT_TEXT, NULL, &err),
			 PL_ENOENT);
	run_release(&run);
}

/* A database is untrusted: the source names in it must not open files outside the folders. */
static void no_other_file_is_read(void **state)
{
	static const char *const names[] = {"/etc/passwd",
					    "../../../../../../../../etc/passwd",
					    "lab/../../../../../../../../etc/passwd",
					    "/etc/../etc/passwd",
					    "../counters/README.md",
					    "..",
					    ".",
					    "/",
					    "//",
					    "lab",
					    "lab/",
					    "/proc/self/environ",
					    "\xff\n\033[2J",
					    "%s%n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct run run;
		size_t length;
		char *bytes;

		constructed_emulated_init(&run);
		line_count_list_release(&run.trials[0].lines);
		line_count_list_add(&run.trials[0].lines, names[i], 1)->instructions = 1;
		bytes = render_lines(&run, 0, 1, SOURCES, REPORT_TEXT, NULL, &length);
		assert_non_null(strstr(bytes, "No text"));
		assert_null(strstr(bytes, "root:"));
		for (size_t j = 0; j < length; j++)
			assert_true(bytes[j] == '\n' || (unsigned char)bytes[j] >= ' ');
		free(bytes);
		run_release(&run);
	}
}

/* Odd sources: too few lines, binary, not files. None fails, none sends control bytes. */
static void odd_sources_are_borne(void **state)
{
	static const char odd[] = "first\0cut\n\033[31m\xff\tred\n\n\nlast";
	static const int64_t numbers[] = {INT64_MIN, -1, 0, 1, 2, 3, 5, 6, INT64_MAX};
	char folder[] = "/tmp/perflab-test-source-XXXXXX";
	char *path, *pipe;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/odd.cu", folder);
	pipe = xasprintf("%s/pipe.cu", folder);
	file = fopen(path, "wb");
	assert_int_equal(fwrite(odd, 1, sizeof(odd) - 1, file), sizeof(odd) - 1);
	fclose(file);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
		struct run run;
		size_t length;
		char *bytes;

		constructed_emulated_init(&run);
		line_count_list_release(&run.trials[0].lines);
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			*line_count_list_add(&run.trials[0].lines, NULL, 0) =
				(struct line_count){.file = xstrdup("/x/odd.cu"),
						    .line = numbers[i],
						    .instructions = INT64_MIN,
						    .lanes = INT64_MAX,
						    .requests = -1,
						    .sectors = INT64_MAX};
		line_count_list_add(&run.trials[0].lines, "/x/pipe.cu", 1);
		bytes = render_lines(&run, 0, 1, folder, (enum report_format)format, NULL, &length);
		assert_null(strstr(bytes, "nan"));
		for (size_t j = 0; j < length && format != REPORT_CSV; j++)
			assert_true(bytes[j] == '\n' || (unsigned char)bytes[j] >= ' ');
		free(bytes);
		run_release(&run);
	}
	unlink(path);
	unlink(pipe);
	rmdir(folder);
	free(path);
	free(pipe);
}

/* A file with the same name in another folder is a different file. */
static void a_bare_name_is_not_guessed(void **state)
{
	static const struct {
		const char *name, *folder;
		bool found;
	} cases[] = {
		{"tests/fixtures/source/lab/divergent.cu", NULL, true},
		{"/build/x/tests/fixtures/source/lab/divergent.cu", NULL, true},
		{"../tests/fixtures/source/lab/divergent.cu", NULL, true},
		{"/home/x/lab/divergent.cu", SOURCES, true},
		{"/home/x/divergent.cu", SOURCES "/lab", true},
		{"/home/x/lab/divergent.cu", NULL, false},
		{"/home/x/README.md", NULL, false},
		{"README.md", NULL, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run;
		size_t length;
		char *bytes;

		constructed_emulated_init(&run);
		line_count_list_release(&run.trials[0].lines);
		line_count_list_add(&run.trials[0].lines, cases[i].name, 1);
		bytes = render_lines(&run, 0, 1, cases[i].folder, REPORT_TEXT, NULL, &length);
		if ((strstr(bytes, "No text") == NULL) != cases[i].found)
			fail_msg("%s: %s", cases[i].name, bytes);
		free(bytes);
		run_release(&run);
	}
}

static void a_full_disk_is_an_error(void **state)
{
	struct run run;
	FILE *full = fopen("/dev/full", "w");
	const struct trial *trial;

	(void)state;
	assert_non_null(full);
	constructed_emulated_init(&run);
	trial = &run.trials[0];
	for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
		struct error err = {0};

		assert_int_equal(report_lines(full, &run, &trial, 1,
					      &(struct report_sources){.folder = SOURCES},
					      (enum report_format)format, NULL, &err),
				 PL_EIO);
		assert_non_null(strstr(err.text, "No space left"));
		clearerr(full);
	}
	fclose(full);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_as_written),
		cmocka_unit_test(what_the_emulator_lacks_is_one_row),
		cmocka_unit_test(nothing_of_a_device_is_shown),
		cmocka_unit_test(what_only_a_device_has_is_missing),
		cmocka_unit_test(nothing_emulated_is_shown_of_a_device),
		cmocka_unit_test(lines_are_as_written),
		cmocka_unit_test(a_younger_source_is_remarked),
		cmocka_unit_test(files_stand_in_order_of_use),
		cmocka_unit_test(only_the_chosen_are_shown),
		cmocka_unit_test(without_lines_the_reason_is_said),
		cmocka_unit_test(no_other_file_is_read),
		cmocka_unit_test(odd_sources_are_borne),
		cmocka_unit_test(a_bare_name_is_not_guessed),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
