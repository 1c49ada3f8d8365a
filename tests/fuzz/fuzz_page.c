/*
 * Fuzz target: a run with untrusted texts and numbers. The page's data must be JSON, end no element
 * and contain only finite numbers. One byte selects what follows: text up to a NUL or the end, or
 * the eight bytes of a number.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *at, *end;
};

static char *take_text(struct input *input)
{
	const uint8_t *end = memchr(input->at, 0, (size_t)(input->end - input->at));
	char *text;

	if (!end)
		end = input->end;
	text = xstrndup((const char *)input->at, (size_t)(end - input->at));
	input->at = end < input->end ? end + 1 : end;
	return text;
}

static double take_number(struct input *input)
{
	double value = 0;
	size_t left = (size_t)(input->end - input->at);
	size_t taken = left < sizeof(value) ? left : sizeof(value);

	memcpy(&value, input->at, taken);
	input->at += taken;
	return value;
}

static void fill(struct run *run, struct trial *trial, struct input *input, int what)
{
	char *text;

	switch (what % 9) {
	case 0:
		free(trial->kernel);
		trial->kernel = take_text(input);
		break;
	case 1:
		free(trial->config);
		trial->config = take_text(input);
		break;
	case 2:
		free(trial->reason);
		trial->reason = take_text(input);
		break;
	case 3:
		free(run->label);
		run->label = take_text(input);
		break;
	case 4:
		text = take_text(input);
		counter_list_set(&trial->counters, text, text, text, take_number(input));
		key_value_set(&run->environment, text, text);
		free(text);
		break;
	case 5:
		text = take_text(input);
		counter_list_set_missing(&trial->counters, "dram_bytes", "byte", "", text);
		free(text);
		break;
	case 6:
		trial->summary.count = input->at < input->end ? *input->at++ : 0;
		trial->summary.median_ns = take_number(input);
		trial->summary.session_low_ns = take_number(input);
		trial->summary.session_high_ns = take_number(input);
		break;
	case 7:
		trial_speedup_release(&trial->speedup);
		trial->speedup.base_variant = take_text(input);
		trial->speedup.why = take_text(input);
		trial->speedup.verdict =
			(enum speedup_verdict)((unsigned)what % SPEEDUP_VERDICT_COUNT);
		trial->speedup.speedup = take_number(input);
		trial->speedup.low = take_number(input);
		trial->speedup.base_median_ns = take_number(input);
		break;
	default:
		trial->status = (enum trial_status)((unsigned)what / 8 % TRIAL_STATUS_COUNT);
		trial->facts.theoretical_occupancy_pct = take_number(input);
		trial->has_work = true;
		break;
	}
}

/* Every sample equals the median, which may be any value. There is one sample per round. */
static int samples(void *context, int64_t trial_id, struct sample **out, size_t *count,
		   struct error *err)
{
	const struct run *run = context;

	(void)trial_id;
	(void)err;
	*count = (size_t)run->trials[0].summary.count;
	*out = xcalloc(*count, sizeof(**out));
	for (size_t i = 0; i < *count; i++)
		(*out)[i] = (struct sample){.round = (int)(i / 3) - 1,
					    .time_ns = run->trials[0].summary.median_ns};
	return 0;
}

static void check(const struct run *run)
{
	const struct report_options options = {
		.samples = samples, .samples_context = (void *)(uintptr_t)run, .compare = run};
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *root;

	page_write(stream, run, &options);
	fclose(stream);
	root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
	if (!root || strpbrk(bytes, "<>&") || strstr(bytes, "\xe2\x80\xa8") ||
	    strlen(bytes) != length)
		abort();
	json_decref(root);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, data + size};
	struct run run = {.backend = xstrdup("cuda"), .trial_count = 1};
	struct trial *trial;

	run.trials = xcalloc(1, sizeof(*run.trials));
	trial = run.trials;
	trial->kernel = xstrdup("k");
	trial->variant = xstrdup("v");
	trial->config = xstrdup("block=1");
	while (input.at < input.end) {
		int what = *input.at++;

		fill(&run, trial, &input, what);
	}
	check(&run);
	run_release(&run);
	return 0;
}
