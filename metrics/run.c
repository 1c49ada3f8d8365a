/* Releasing runs and trials, finding a trial, and the names of cases. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_INTEGER -1
#define UNKNOWN_REAL NAN
#define UNKNOWN_TEXT(bytes) ""
#define UNKNOWN(kind, name, unit, meaning) .name = UNKNOWN_##kind,
const struct launch_facts launch_facts_unknown = {LAUNCH_FIELDS(UNKNOWN)};

void trial_release(struct trial *trial)
{
	free(trial->kernel);
	free(trial->variant);
	free(trial->config);
	free(trial->axes);
	free(trial->reason);
	counter_list_release(&trial->counters);
	line_count_list_release(&trial->lines);
	free(trial->rounds);
	trial_speedup_release(&trial->speedup);
	*trial = (struct trial){0};
}

char *trial_case_name(const struct trial *trial)
{
	return xasprintf("%s/%s/%s", trial->kernel, trial->variant, trial->config);
}

void run_release(struct run *run)
{
	free(run->label);
	free(run->note);
	free(run->command);
	free(run->backend);
	free(run->version);
	free(run->source_revision);
	free(run->origin);
	measure_settings_release(&run->settings);
	free(run->settings_json);
	free(run->state);
	free(run->mark);
	free(run->mark_why);
	key_value_list_release(&run->environment);
	for (size_t i = 0; i < run->trial_count; i++)
		trial_release(&run->trials[i]);
	free(run->trials);
	*run = (struct run){0};
}

const struct run_gpu *trial_gpu(const struct run *run, const struct trial *trial)
{
	for (size_t i = 0; i < run->gpu_count; i++)
		if (run->gpus[i].run_id == trial->run_id)
			return &run->gpus[i];
	return NULL;
}

const struct trial *run_trial(const struct run *run, int64_t id)
{
	/* ids and positions of a run nearly always ascend together */
	const size_t guess =
		run->trial_count && id > run->trials[0].id ? (size_t)(id - run->trials[0].id) : 0;

	for (size_t i = 0; id && i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[(guess + i) % run->trial_count];

		if (trial->id == id)
			return trial;
	}
	return NULL;
}
