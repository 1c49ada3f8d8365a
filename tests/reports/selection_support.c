/* A run of which reports show a part. */
#include "tests/reports/selection_support.h"

#include <stdlib.h>
#include <string.h>

struct trial *selection_add_case(struct run *run, const char *kernel, const char *variant,
				 int64_t block, int64_t n, double median_ns)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.id = (int64_t)run->trial_count + 1,
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=%lld,steps=8", (long long)block, (long long)n),
		.axes = xcalloc(3, sizeof(*trial->axes)),
		.axis_count = 3,
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.has_work = true,
		.bytes_read = 4 * n,
		.bytes_written = 4 * n,
		.summary = {.count = 20,
			    .median_ns = median_ns,
			    .mad_ns = 1,
			    .session_low_ns = median_ns - 1,
			    .session_high_ns = median_ns + 1,
			    .min_ns = median_ns - 2,
			    .max_ns = median_ns + 2},
	};
	trial->axes[0] = (struct named_value){"block", block};
	trial->axes[1] = (struct named_value){"n", n};
	trial->axes[2] = (struct named_value){"steps", 8};
	run->trial_count++;
	return trial;
}

void selection_run_init(struct run *run)
{
	static const int64_t blocks[] = {64, 128, 256};

	*run = (struct run){
		.id = 7,
		.uid = "00112233445566778899aabbccddeeff",
		.backend = xstrdup("cuda"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.state = RUN_FINISHED,
		.rounds = 3,
		.started_ns = INT64_C(1795229445000000000),
	};
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		selection_add_case(run, "copy", "plain", blocks[i], 1024, 3000 - (double)i);
		selection_add_case(run, "copy", "plain", blocks[i], 4096, 9000 - (double)i);
		selection_add_case(run, "copy", "wide", blocks[i], 1024, 2000 + (double)i);
		selection_add_case(run, "copy", "wide", blocks[i], 4096, 9500 + (double)i);
		selection_add_case(run, "reduce", "syncwarp_tail", blocks[i], 4096,
				   5000 + (double)i);
		selection_add_case(run, "tail", "guard", blocks[i], 4096, 4000 + (double)i);
	}
}

char *selection_render(const struct run *run, enum report_format format,
		       const struct report_selection *selection, int width, struct error *err)
{
	struct report_selected selected;
	struct report_options options = {.selection = selection, .whole = run, .width = width};
	char *bytes = NULL;
	size_t length;
	int rc = report_select(&selected, run, selection, NULL, err);

	if (!rc)
		bytes = golden_render(report_selected_run(&selected, format), format, &options,
				      &length);
	report_selected_release(&selected);
	return bytes;
}

char *selection_render_with(enum report_format format, const struct report_selection *selection,
			    int width)
{
	struct error err = {0};
	struct run run;
	char *bytes;

	selection_run_init(&run);
	bytes = selection_render(&run, format, selection, width, &err);
	if (!bytes)
		fail_msg("%s", err.text);
	run_release(&run);
	return bytes;
}

void expect_refused(const struct report_selection *selection, const char *text)
{
	struct error err = {0};
	struct run run;

	selection_run_init(&run);
	assert_null(selection_render(&run, REPORT_TEXT, selection, 0, &err));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	run_release(&run);
}

void expect_cases(const struct report_selection *selection, const char *expected)
{
	struct report_selection with = *selection;
	struct text cases = TEXT_INIT;
	char *bytes, *line, *rest = NULL;

	with.columns = "block,n";
	bytes = selection_render_with(REPORT_CSV, &with, 0);
	strtok_r(bytes, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest))) {
		char kernel[32], variant[32], config[64];
		long long block, n;

		assert_int_equal(sscanf(line, "1,%31[^,],%31[^,],\"%63[^\"]\",%lld,%lld", kernel,
					variant, config, &block, &n),
				 5);
		text_addf(&cases, "%s%s/%s/%lld/%lld", cases.length ? " " : "", kernel, variant,
			  block, n);
	}
	assert_string_equal(cases.data, expected);
	text_release(&cases);
	free(bytes);
}

size_t selection_count(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		count++;
	return count;
}
