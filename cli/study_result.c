/* From the trials of a run to the answer of a study. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/study.h"

static const struct trial *find_trial(const struct run *run, const struct plan_case *planned)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (strcmp(trial->kernel, planned->kernel) == 0 &&
		    strcmp(trial->variant, planned->variant) == 0 &&
		    strcmp(trial->config, planned->config) == 0)
			return trial;
	}
	return NULL;
}

static bool is_usable(const struct trial *trial, bool emulated)
{
	return trial->status == TRIAL_OK || (emulated && trial->status == TRIAL_SAMPLED);
}

/* The usable one, of several the fastest; else any that is there, for its reason. */
static const struct trial *choose_trial(const struct run *run, const struct plan *plan,
					bool emulated)
{
	const struct trial *chosen = NULL;

	for (size_t i = 0; i < plan->count; i++) {
		const struct trial *trial = find_trial(run, &plan->cases[i]);

		if (!trial)
			continue;
		if (!chosen || (is_usable(trial, emulated) &&
				(!is_usable(chosen, emulated) ||
				 trial->summary.median_ns < chosen->summary.median_ns)))
			chosen = trial;
	}
	return chosen;
}

/* What the case took of memory, as far as the kernels here are those that it launched. */
static void take_buffers(struct study_evidence *evidence, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct launch_case *launch = plan->cases[i].launch;
		char hash[24];

		if (!launch)
			continue;
		launch_hash(hash, launch);
		if (strcmp(hash, evidence->trial->launch_hash))
			continue;
		evidence->buffer_bytes = launch_case_buffer_bytes(launch, false);
		evidence->scratch_bytes = launch_case_buffer_bytes(launch, true);
	}
}

/* Medians of rounds, from the samples of a trial. */
static int take_medians(struct study_result *result, size_t index, struct db *db, int64_t trial_id,
			struct error *err)
{
	struct sample *samples = NULL;
	double *times, *medians;
	size_t count = 0, rounds = 0;
	int rc = db_samples_load(db, trial_id, &samples, &count, err);

	if (rc)
		return rc;
	times = xcalloc(count ? count : 1, sizeof(*times));
	medians = xcalloc(count ? count : 1, sizeof(*medians));
	for (size_t i = 0; i < count;) {
		size_t of_round = 0;
		int round = samples[i].round;
		double median;

		while (i < count && samples[i].round == round)
			times[of_round++] = samples[i++].time_ns;
		median = summarise(times, of_round).median_ns;
		/* a time of 0 is none: it has no logarithm */
		if (median > 0)
			medians[rounds++] = median;
	}
	free(times);
	free(samples);
	result->medians[index] = medians;
	result->evidence[index].medians = (struct process_medians){medians, rounds};
	return 0;
}

static void refuse(struct study_result *result, size_t index, char *reason)
{
	free(result->reasons[index]);
	result->reasons[index] = reason;
	result->evidence[index].reason = reason;
}

static int take_case(struct study_result *result, size_t index, const struct study *study,
		     struct db *db, const struct run *run, bool emulated, bool *there,
		     struct error *err)
{
	char *selector = study_selector(study, index, emulated);
	const char *const selectors[] = {selector};
	struct plan_request request = {.selectors = selectors, .selector_count = 1};
	struct device_limits limits;
	struct plan *plan = NULL;
	const struct trial *trial = NULL;
	int rc;

	device_limits_of(&limits, &run->device);
	rc = plan_build(&plan, &request, &limits, err);
	if (!rc)
		trial = choose_trial(run, plan, emulated);
	*there = trial != NULL;
	if (!rc && !trial) {
		refuse(result, index, xasprintf("not in run %" PRId64, run->id));
	} else if (!rc && !is_usable(trial, emulated)) {
		result->evidence[index].trial = trial;
		refuse(result, index,
		       trial->reason ? xasprintf("%s, %s", trial_status_name(trial->status),
						 trial->reason)
				     : xstrdup(trial_status_name(trial->status)));
	} else if (!rc) {
		result->evidence[index].trial = trial;
		take_buffers(&result->evidence[index], plan);
		if (!emulated)
			rc = take_medians(result, index, db, trial->id, err);
	}
	plan_free(plan);
	free(selector);
	return rc;
}

int study_result_take(struct study_result *out, size_t *missing, const struct study *study,
		      struct db *db, const struct run *run, struct error *err)
{
	const bool emulated = strcmp(run->backend, BACKEND_PTX) == 0;
	int rc = 0;

	*out = (struct study_result){.run = run};
	*missing = 0;
	for (size_t i = 0; i < study->case_count && !rc; i++) {
		bool there = true;

		if (study_needs_case(study, i, emulated))
			rc = take_case(out, i, study, db, run, emulated, &there, err);
		else
			refuse(out, i, xstrdup("not needed"));
		*missing += !there;
	}
	if (rc) {
		study_result_release(out);
		return error_context(err, rc, "study %s", study->name);
	}
	study_judge(&out->answer, study, out->evidence, emulated);
	return 0;
}

void study_result_absent(struct study_result *out, const struct study *study, bool emulated,
			 const char *reason)
{
	*out = (struct study_result){0};
	for (size_t i = 0; i < study->case_count; i++)
		refuse(out, i, xstrdup(reason));
	study_judge(&out->answer, study, out->evidence, emulated);
}

void study_result_release(struct study_result *result)
{
	for (size_t i = 0; i < STUDY_MAX_CASES; i++) {
		free(result->medians[i]);
		free(result->reasons[i]);
	}
	study_answer_release(&result->answer);
	*result = (struct study_result){0};
}
