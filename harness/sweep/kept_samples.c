#include "harness/sweep/kept_samples.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/statistics.h"

#define SAMPLES_MOST ((size_t)8 << 20)

struct kept_trial {
	struct sample *samples;
	size_t count, capacity;
	bool dropped;
};

void kept_samples_init(struct kept_samples *kept, size_t trial_count)
{
	*kept = (struct kept_samples){
		.trials = xcalloc(trial_count + 1, sizeof(*kept->trials)),
		.trial_count = trial_count,
	};
}

void kept_samples_release(struct kept_samples *kept)
{
	for (size_t i = 0; i < kept->trial_count; i++)
		kept_samples_drop(kept, i);
	free(kept->trials);
	*kept = (struct kept_samples){0};
}

bool kept_samples_are_full(const struct kept_samples *kept)
{
	return kept->count >= SAMPLES_MOST;
}

void kept_samples_drop(struct kept_samples *kept, size_t index)
{
	struct kept_trial *trial = &kept->trials[index];

	kept->count -= trial->count;
	free(trial->samples);
	*trial = (struct kept_trial){.dropped = true};
}

void kept_samples_add(struct kept_samples *kept, size_t index, const struct round_result *round)
{
	struct kept_trial *trial = &kept->trials[index];
	size_t others = 0;

	if (trial->dropped)
		return;
	if (kept->count + round->count > SAMPLES_MOST) {
		kept_samples_drop(kept, index);
		return;
	}
	kept->count -= trial->count;
	for (size_t i = 0; i < trial->count; i++)
		if (trial->samples[i].round != round->round)
			trial->samples[others++] = trial->samples[i];
	trial->count = others;
	trial->samples = xgrow(trial->samples, &trial->capacity, trial->count + round->count,
			       sizeof(*trial->samples));
	for (size_t i = 0; i < round->count; i++)
		trial->samples[trial->count++] = (struct sample){
			.round = round->round,
			.sequence = (int)i,
			.time_ns = round->time_ns[i],
			.base_ns = NAN, /* a summary does not need it */
		};
	kept->count += trial->count;
}

void kept_samples_load(struct kept_samples *kept, size_t index, struct sample *samples,
		       size_t count)
{
	struct kept_trial *trial = &kept->trials[index];

	trial->samples = samples;
	trial->count = count;
	trial->capacity = count;
	kept->count += count;
}

void kept_samples_forget(struct kept_samples *kept, size_t index, int first)
{
	struct kept_trial *trial = &kept->trials[index];
	size_t others = 0;

	for (size_t i = 0; i < trial->count; i++)
		if (trial->samples[i].round < first)
			trial->samples[others++] = trial->samples[i];
	kept->count -= trial->count - others;
	trial->count = others;
}

bool kept_samples_summary(const struct kept_samples *kept, size_t index, struct summary *out)
{
	const struct kept_trial *trial = &kept->trials[index];
	double *time_ns;

	if (trial->dropped)
		return false;
	time_ns = xcalloc(trial->count + 1, sizeof(*time_ns));
	for (size_t i = 0; i < trial->count; i++)
		time_ns[i] = trial->samples[i].time_ns;
	*out = summarise(time_ns, trial->count);
	free(time_ns);
	return true;
}
