/*
 * The page's samples. Times are whole numbers of 1/32 ns. The first of a round is absolute, each
 * other one is the difference to the previous one. That takes few characters and loses nothing: the
 * clock of a device ticks in coarser steps (32 ns on an H200). If the page would become too large,
 * it gets every k-th sample of a trial and says so.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/page/page.h"

#define STEPS_PER_NS 32
#define SAMPLES_MOST 1000000
#define LONGEST_NS 1e15 /* 11 days; an untrusted database may hold more */

/* The largest number of samples per trial for which all trials together have at most
 * SAMPLES_MOST. */
static int64_t samples_per_trial(const struct run *run)
{
	int64_t low = 1, high = SAMPLES_MOST;

	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		int64_t total = 0;

		for (size_t i = 0; i < run->trial_count && total <= SAMPLES_MOST; i++) {
			int64_t count = run->trials[i].summary.count;

			total += count < middle ? count : middle;
		}
		if (total <= SAMPLES_MOST)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* One list per round, which starts with the number of the round. */
static void write_samples(struct page_json *json, const struct sample *samples, size_t count,
			  int64_t every)
{
	int64_t before = 0;
	int round = -1;

	page_open(json, '[');
	for (size_t i = 0; i < count; i++) {
		int64_t steps;

		if (i % (size_t)every || !(fabs(samples[i].time_ns) < LONGEST_NS))
			continue;
		if (round != samples[i].round) {
			if (round >= 0)
				page_close(json, ']');
			round = samples[i].round < 0 ? 0 : samples[i].round;
			page_open(json, '[');
			page_integer(json, round);
			before = 0;
		}
		steps = llround(samples[i].time_ns * STEPS_PER_NS);
		page_integer(json, steps - before);
		before = steps;
	}
	if (round >= 0)
		page_close(json, ']');
	page_close(json, ']');
}

/* null for a trial without samples. */
static int write_trial_samples(struct page_json *json, const struct trial *trial, int64_t most,
			       const struct report_options *options, struct error *err)
{
	struct sample *samples = NULL;
	size_t count = 0;
	int64_t every;
	int rc = 0;

	if (trial->summary.count > 0)
		rc = options->samples(options->samples_context, trial->id, &samples, &count, err);
	if (rc || count == 0) {
		page_null(json);
	} else {
		every = ((int64_t)count + most - 1) / most;
		write_samples(json, samples, count, every);
	}
	free(samples);
	return rc;
}

void page_samples(struct page_json *json, const struct run *run,
		  const struct report_options *options)
{
	int64_t most = samples_per_trial(run);
	struct error err = {0};
	int rc = 0;

	if (!options->samples)
		rc = error_set(&err, PL_EUNSUPPORTED, "this report was written without samples");
	page_open_member(json, "samples", '{');
	page_member_integer(json, "steps_per_ns", STEPS_PER_NS);
	page_member_integer(json, "most", most);
	page_open_member(json, "trials", '[');
	/* a damaged database still gives the samples before the damage */
	for (size_t i = 0; i < run->trial_count && !rc; i++)
		rc = write_trial_samples(json, &run->trials[i], most, options, &err);
	page_close(json, ']');
	page_key(json, "reason");
	page_text(json, rc ? err.text : NULL);
	page_close(json, '}');
}
