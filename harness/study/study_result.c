/* Answers a study from the trials of a run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/study/study.h"
#include "metrics/analysis/compare.h"

static const struct trial *find_case_trial(const struct run *run, const struct plan_case *planned)
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

/* Returns the fastest usable trial; without one, any trial, for its reason. */
static const struct trial *choose_trial(const struct run *run, const struct plan *plan,
					bool emulated)
{
	const struct trial *chosen = NULL;

	for (size_t i = 0; i < plan->count; i++) {
		const struct trial *trial = find_case_trial(run, &plan->cases[i]);

		if (!trial)
			continue;
		if (!chosen || (is_usable(trial, emulated) &&
				(!is_usable(chosen, emulated) ||
				 trial->summary.median_ns < chosen->summary.median_ns)))
			chosen = trial;
	}
	return chosen;
}

/* Takes memory and launches of the case from the plan, if the kernels here are those that it
 * launched. */
static void take_buffers(struct study_evidence *evidence, const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct launch_case *launch = plan->cases[i].launch;
		char hash[HASH_TEXT_BYTES];

		if (!launch)
			continue;
		launch_hash(hash, launch);
		if (strcmp(hash, evidence->trial->launch_hash))
			continue;
		evidence->buffer_bytes = launch_case_buffer_bytes(launch, false);
		evidence->scratch_bytes = launch_case_buffer_bytes(launch, true);
		evidence->launches = (int64_t)launch->launch_count;
	}
}

static void take_medians(struct study_result *result, size_t index, const struct trial *trial)
{
	double *medians = xcalloc(trial->round_count + 1, sizeof(*medians));
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++)
		/* 0 is not a time: it has no logarithm */
		if (trial->rounds[i].median_ns > 0)
			medians[count++] = trial->rounds[i].median_ns;
	result->medians[index] = medians;
	result->evidence[index].medians = (struct process_medians){medians, count};
}

static void refuse_case(struct study_result *result, size_t index, char *reason)
{
	free(result->reasons[index]);
	result->reasons[index] = reason;
	result->evidence[index].reason = reason;
}

static int take_case_evidence(struct study_result *result, size_t index, const struct study *study,
			      const struct run *run, bool emulated, bool *there, struct error *err)
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
		refuse_case(result, index, xasprintf("not in run %" PRId64, run->id));
	} else if (!rc && !is_usable(trial, emulated)) {
		result->evidence[index].trial = trial;
		refuse_case(result, index,
			    trial->reason ? xasprintf("%s, %s", trial_status_name(trial->status),
						      trial->reason)
					  : xstrdup(trial_status_name(trial->status)));
	} else if (!rc) {
		result->evidence[index].trial = trial;
		take_buffers(&result->evidence[index], plan);
		if (!emulated)
			take_medians(result, index, trial);
	}
	plan_free(plan);
	free(selector);
	return rc;
}

int study_result_take(struct study_result *out, size_t *missing, const struct study *study,
		      const struct run *run, struct error *err)
{
	const bool emulated = run->traits.emulated;
	int rc = 0;

	*out = (struct study_result){.run = run};
	*missing = 0;
	for (size_t i = 0; i < study->case_count && !rc; i++) {
		bool there = true;

		if (study_needs_case(study, i, emulated))
			rc = take_case_evidence(out, i, study, run, emulated, &there, err);
		else
			refuse_case(out, i, xstrdup("not needed"));
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
		refuse_case(out, i, xstrdup(reason));
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
