/* Answers studies: from a sweep that measures what they need, or from stored runs. */
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/study/study.h"

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

/* Plans and measures the request on one backend; it has what the studies need. */
static int measure_studies(const struct sweep_request *request,
			   const struct sweep_observer *observer, const volatile int *stop,
			   struct sweep_result *out, struct error *err)
{
	const struct backend_traits traits = backend_traits_of(request->backend);
	const struct sweep_shard whole = {0};
	struct measure_settings settings = {0};
	struct text path = TEXT_INIT;
	struct run_task task = {.request = request,
				.observer = observer,
				.stop = stop,
				.backend = request->backend,
				.settings = &settings,
				.shard = &whole};
	int rc = request_settings(&settings, request, &traits, err);

	if (!rc)
		rc = request_plan(&task.plan, request, NULL, err);
	if (!rc)
		rc = worker_find(&path, request->backend, err);
	if (!rc && !out->db && !database_is_new(request->db_path))
		rc = db_open(&out->db, request->db_path, DB_CREATE, err);
	if (!rc)
		rc = measure_run(&task, out, err);
	plan_free(task.plan);
	text_release(&path);
	measure_settings_release(&settings);
	return rc;
}

/* Sets what the studies need of a backend, in place of what they need of another one. */
static int study_needs_of(struct sweep_request *request, const struct study_set *set,
			  const char *backend, struct error *err)
{
	int rc;

	request->backend = backend;
	string_list_release(&request->selectors);
	string_list_release(&request->metrics);
	rc = study_set_needs(request, set, backend_traits_of(backend).emulated, err);
	if (!rc && !request->metrics.count)
		string_list_add(&request->metrics, "none");
	return rc;
}

/* Tries the backends of the choice, until one opens a device that can answer a study. */
static int measure_on_any(struct backend_choice *choice, struct sweep_request *request,
			  const struct study_set *set, const struct sweep_observer *observer,
			  const volatile int *stop, struct sweep_result *out, struct error *err)
{
	for (size_t i = 0; i < choice->count; i++) {
		struct error cause = {0};
		int rc = study_needs_of(request, set, choice->names[i], &cause);

		/* The emulator is there, but the studies need a GPU. */
		if (rc == PL_EUNSUPPORTED && i)
			return error_set(err, rc, "no GPU: %s; %s", choice->why.data, cause.text);
		if (!rc) {
			backend_choice_announce(choice, i, request, observer);
			rc = measure_studies(request, observer, stop, out, &cause);
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
	backend_choice_release(&choice);
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

static bool is_same_device(const struct device_info *a, const struct device_info *b)
{
	return strcmp(a->uuid, b->uuid) == 0 && strcmp(a->name, b->name) == 0;
}

static int note_study_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct study_run_search *search = context;

	(void)tally;
	if (!run->label || strcmp(run->label, STUDY_LABEL) ||
	    strcmp(run->backend, search->backend) ||
	    (search->count && !is_same_device(&run->device, &search->device)))
		return 0;
	search->device = run->device;
	search->ids =
		xgrow(search->ids, &search->capacity, search->count + 1, sizeof(*search->ids));
	search->ids[search->count++] = run->id;
	return 0;
}

/* Answers so far, each from the run that lacks the fewest of its cases. */
struct partial_answers {
	struct study_result *results;
	size_t *missing; /* of each study; at first all that it needs */
	size_t open;     /* studies that lack any */
};

/* Takes from the run each answer that no newer run gives as completely. *kept: one was taken. */
static int improve_answers(struct partial_answers *answers, bool *kept, const struct study_set *set,
			   const struct run *run, struct error *err)
{
	for (size_t i = 0; i < set->count; i++) {
		struct study_result taken;
		size_t missing;
		int rc;

		if (!answers->missing[i])
			continue;
		rc = study_result_take(&taken, &missing, &set->items[i], run, err);
		if (rc)
			return rc;
		if (missing >= answers->missing[i]) {
			study_result_release(&taken);
			continue;
		}
		study_result_release(&answers->results[i]);
		answers->results[i] = taken;
		answers->missing[i] = missing;
		answers->open -= !missing;
		*kept = true;
	}
	return 0;
}

static int answer_from_runs(struct study_answers *out, const struct study_set *set, struct db *db,
			    const struct study_run_search *search, bool emulated, struct error *err)
{
	struct partial_answers answers = {
		.results = out->results,
		.missing = xcalloc(set->count + 1, sizeof(*answers.missing)),
		.open = set->count,
	};
	int rc = 0;

	out->runs = xcalloc(search->count + 1, sizeof(*out->runs));
	out->run_count = search->count;
	for (size_t i = 0; i < set->count; i++) {
		for (size_t c = 0; c < set->items[i].case_count; c++)
			answers.missing[i] += study_needs_case(&set->items[i], c, emulated);
		/* a study that needs no case, because none is emulated, is answered by any run */
		if (!answers.missing[i])
			answers.missing[i] = 1;
	}
	for (size_t i = 0; i < search->count && answers.open && !rc; i++) {
		bool kept = false;

		rc = run_load_measured(db, search->ids[i], true, &out->runs[i], err);
		if (!rc)
			rc = improve_answers(&answers, &kept, set, &out->runs[i], err);
		if (!kept)
			run_release(&out->runs[i]);
	}
	for (size_t i = 0; i < set->count && !rc; i++)
		if (!out->results[i].run)
			study_result_absent(&out->results[i], &set->items[i], emulated,
					    "in no stored run of studies");
	free(answers.missing);
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
