/* Answers studies: from a sweep that measures what they need, or from stored runs. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/study/study.h"
#include "metrics/analysis/compare.h"

/* ---- one study, from the trials of a run ---- */

static void study_result_release(struct study_result *result)
{
	for (size_t i = 0; i < STUDY_MAX_CASES; i++) {
		free(result->medians[i]);
		free(result->reasons[i]);
	}
	study_answer_release(&result->answer);
	*result = (struct study_result){0};
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
		const struct trial *trial = plan_case_trial(&plan->cases[i], run, 0);

		if (!trial)
			continue;
		if (!chosen || (is_usable(trial, emulated) &&
				(!is_usable(chosen, emulated) ||
				 trial->summary.median_ns < chosen->summary.median_ns)))
			chosen = trial;
	}
	return chosen;
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
	struct study_evidence *evidence = &result->evidence[index];
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
		/* memory and launches of the case, if the kernels here are those that it launched
		 */
		for (size_t i = 0; i < plan->count; i++) {
			const struct launch_case *launch = plan->cases[i].launch;
			char hash[HASH_TEXT_BYTES] = "";

			if (launch)
				launch_hash(hash, launch);
			if (!launch || strcmp(hash, trial->launch_hash) != 0)
				continue;
			evidence->buffer_bytes = launch_case_buffer_bytes(launch, false);
			evidence->scratch_bytes = launch_case_buffer_bytes(launch, true);
			evidence->launches = (int64_t)launch->launch_count;
		}
		if (!emulated) {
			result->evidence[index].medians =
				trial_medians(trial, INT_MAX, &result->medians[index]);
		}
	}
	plan_free(plan);
	free(selector);
	return rc;
}

/* Answers from a run that run_load_measured() loaded with its trials. *missing: the number of cases
 * that the study needs and the run lacks. */
static int study_result_take(struct study_result *out, size_t *missing, const struct study *study,
			     const struct run *run, struct error *err)
{
	const bool emulated = run->traits.emulated;
	struct noise noise;
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
	noise = noise_of_runs(&run, 1);
	study_judge(&out->answer, study, out->evidence, &noise, emulated);
	return 0;
}

/* ---- all studies ---- */

static void answers_init(struct study_answers *answers, const struct study_set *set)
{
	*answers = (struct study_answers){
		.results = xcalloc(set->count + 1, sizeof(*answers->results)),
		.count = set->count,
	};
}

void study_answers_release(struct study_answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		study_result_release(&answers->results[i]);
	free(answers->results);
	for (size_t i = 0; i < answers->run_count; i++)
		run_release(&answers->runs[i]);
	free(answers->runs);
	sweep_result_release(&answers->measured);
	*answers = (struct study_answers){0};
}

/* ---- measuring ---- */

/* Tries the backends of the choice, until one opens a device that can answer a study. */
static int measure_on_any(struct backend_choice *choice, struct sweep_request *request,
			  const struct study_set *set, const struct sweep_observer *observer,
			  const volatile int *stop, struct sweep_result *out, struct error *err)
{
	for (size_t i = 0; i < choice->count; i++) {
		struct error cause = {0};
		const struct backend_traits traits = backend_traits_of(choice->names[i]);
		int rc;

		/* what the studies need of it, in place of what they need of another one */
		request->backend = choice->names[i];
		string_list_release(&request->selectors);
		string_list_release(&request->metrics);
		rc = study_set_needs(request, set, traits.emulated, &cause);
		if (!rc && !request->metrics.count)
			string_list_add(&request->metrics, "none");
		/* The emulator is there, but the studies need a GPU. */
		if (rc == PL_EUNSUPPORTED && i)
			return error_set(err, rc, "no GPU: %s; %s", choice->why.data, cause.text);
		if (!rc) {
			struct measure_settings settings = {0};

			backend_choice_announce(choice, i, request, observer);
			rc = request_settings(&settings, request, &traits, &cause);
			if (!rc)
				rc = sweep_measure_request(request, &settings, false, observer,
							   stop, out, &cause);
			measure_settings_release(&settings);
		}
		if (!rc)
			return 0;
		if (out->begun || !choice->automatic ||
		    !backend_choice_lacks(choice, i, rc, &cause))
			return error_set(err, rc, "%s", cause.text);
	}
	return backend_choice_fail(choice, err);
}

int study_run(struct sweep_request *request, const struct study_set *set,
	      const struct sweep_observer *observer, const volatile int *stop,
	      struct study_answers *out, struct error *err)
{
	struct backend_choice choice = {.why = TEXT_INIT};
	size_t missing;
	int rc = request_check_limits(request, err);

	if (!rc)
		rc = backend_choose(&choice, request, err);
	answers_init(out, set);
	if (!rc)
		rc = measure_on_any(&choice, request, set, observer, stop, &out->measured, err);
	out->emulated = backend_traits_of(request->backend).emulated;
	for (size_t i = 0; i < set->count && !rc; i++)
		rc = study_result_take(&out->results[i], &missing, &set->items[i],
				       &out->measured.run, err);
	text_release(&choice.why);
	return rc;
}

/* ---- stored runs ---- */

/* Runs that studies are answered from, newest first. */
struct study_run_search {
	const char *backend;
	int64_t *ids;
	size_t count, capacity;
	struct device_info device; /* of the newest; the others are of the same device */
};

static int note_study_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct study_run_search *search = context;

	(void)tally;
	if (!run->label || strcmp(run->label, STUDY_LABEL) ||
	    strcmp(run->backend, search->backend) ||
	    (search->count && (strcmp(run->device.uuid, search->device.uuid) != 0 ||
			       strcmp(run->device.name, search->device.name) != 0)))
		return 0;
	search->device = run->device;
	search->ids =
		xgrow(search->ids, &search->capacity, search->count + 1, sizeof(*search->ids));
	search->ids[search->count++] = run->id;
	return 0;
}

/* Takes from each run, the newest first, the answers that no newer run gives as completely. */
static int answer_from_runs(struct study_answers *out, const struct study_set *set, struct db *db,
			    const struct study_run_search *search, bool emulated, struct error *err)
{
	/* the cases that each study lacks; at first all that it needs */
	size_t *lacks = xcalloc(set->count + 1, sizeof(*lacks)), open = set->count;
	int rc = 0;

	out->runs = xcalloc(search->count + 1, sizeof(*out->runs));
	out->run_count = search->count;
	for (size_t i = 0; i < set->count; i++) {
		for (size_t c = 0; c < set->items[i].case_count; c++)
			lacks[i] += study_needs_case(&set->items[i], c, emulated);
		/* a study that needs no case, because none is emulated, is answered by any run */
		if (!lacks[i])
			lacks[i] = 1;
	}
	for (size_t r = 0; r < search->count && open && !rc; r++) {
		bool kept = false;

		rc = run_load_measured(db, search->ids[r], true, &out->runs[r], err);
		for (size_t i = 0; i < set->count && !rc; i++) {
			struct study_result taken;
			size_t missing;

			if (!lacks[i])
				continue;
			rc = study_result_take(&taken, &missing, &set->items[i], &out->runs[r],
					       err);
			if (rc)
				break;
			if (missing < lacks[i]) {
				study_result_release(&out->results[i]);
				out->results[i] = taken;
				lacks[i] = missing;
				open -= !missing;
				kept = true;
			} else {
				study_result_release(&taken);
			}
		}
		if (!kept)
			run_release(&out->runs[r]);
	}
	for (size_t i = 0; i < set->count && !rc; i++) {
		struct study_result *result = &out->results[i];

		if (result->run)
			continue;
		for (size_t c = 0; c < set->items[i].case_count; c++)
			refuse_case(result, c, xstrdup("in no stored run of studies"));
		study_judge(&result->answer, &set->items[i], result->evidence, &(struct noise){0},
			    emulated);
	}
	free(lacks);
	return rc;
}

int study_answer_stored(const char *db_path, const char *backend, const struct study_set *set,
			struct study_answers *out, struct error *err)
{
	const bool automatic = strcmp(backend, BACKEND_AUTO) == 0;
	struct study_run_search search = {.backend = automatic ? BACKEND_CUDA : backend};
	struct db *db = NULL;
	int rc = db_open(&db, db_path, DB_READ, err);

	answers_init(out, set);
	if (!rc)
		rc = db_runs_visit(db, 0, note_study_run, &search, err);
	if (!rc && !search.count && automatic) {
		search.backend = BACKEND_PTX;
		rc = db_runs_visit(db, 0, note_study_run, &search, err);
	}
	if (!rc && !search.count)
		rc = error_set(err, PL_ENOENT,
			       "%s has no run of studies%s%s: perflab study "
			       "measures one",
			       db_path, automatic ? "" : " of backend ", automatic ? "" : backend);
	out->emulated = backend_traits_of(search.backend).emulated;
	if (!rc)
		rc = answer_from_runs(out, set, db, &search, out->emulated, err);
	free(search.ids);
	db_close(db);
	return rc;
}
