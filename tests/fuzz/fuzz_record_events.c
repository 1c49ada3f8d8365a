/*
 * Fuzz target: any bytes as the events of a process, in two pieces. Every row that is kept is
 * complete, and no text can move the cursor of a terminal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/record/record_steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			abort();
}

static void check_line(void *context, const char *line)
{
	(void)context;
	check_text(line);
}

static void check_rows(const struct recording *recording)
{
	for (size_t i = 0; i < recording->kernel_count; i++) {
		const struct recorded_kernel *kernel = &recording->kernels[i];

		if (!kernel->name || !kernel->readable || kernel->launches < 0 ||
		    kernel->graph_launches < 0)
			abort();
		check_text(kernel->name);
		check_text(kernel->device);
	}
	for (size_t i = 0; i < recording->capture_count; i++) {
		const struct recorded_capture *capture = &recording->captures[i];

		if (!capture->path || !capture->name || !capture->readable || capture->launch < 0 ||
		    !isfinite(capture->seconds))
			abort();
		check_text(capture->path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t middle = size / 2;
	struct string_list patterns = {0};
	struct record_request request = {.patterns = &patterns, .most = 3, .launch = 1};
	struct chosen_launch *chosen;
	struct recorded_kernel *rows;
	struct error missing = {0};
	struct recording_log log;

	recording_log_init(&log, size % 2, check_line, NULL);
	recording_log_take(&log, recording_log_process(&log, 1), (const char *)data, middle);
	recording_log_take(&log, recording_log_process(&log, 1), (const char *)data + middle,
			   size - middle);
	recording_log_finish(&log);
	check_rows(&log.recording);
	string_list_add(&patterns, "*a*");
	record_find_missing(&missing, &log, log.recording.process_count ? &request : NULL);
	check_text(missing.text);
	(void)record_say_losses(&log, "folder");
	free((record_choose_slowest(&chosen, &log, &request), chosen));
	if (recording_summarise(&rows, &log.recording, false) > log.recording.kernel_count)
		abort();
	free(rows);
	string_list_release(&patterns);
	recording_log_release(&log);
	return 0;
}
