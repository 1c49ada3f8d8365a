/*
 * Resumed runs. A run is planned again from its exact case names, so the
 * database need not keep how they were selected. Its trials have samples of one
 * code: a run is refused if its files or the code of its cases have changed.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "harness/origin/origin.h"
#include "harness/request/request.h"
#include "harness/sweep/sweep_parts.h"

/* ---- the request ---- */

int resume_check_options(const struct sweep_request *request, struct error *err)
{
	if (request->not_to_resume)
		return error_set(err, PL_EUSAGE,
				 "--resume continues with the run's own settings, so --%s cannot "
				 "be changed",
				 request->not_to_resume);
	if (request->selectors.count)
		return error_set(err, PL_EUSAGE,
				 "--resume continues with the run's own cases, so \"%s\" cannot be "
				 "added",
				 request->selectors.items[0]);
	return 0;
}

/* The settings of the run, with those that may change from the request. */
static void take_settings(struct measure_settings *out, const struct run *run,
			  const struct sweep_request *request)
{
	struct measure_settings settings = run->settings;

	settings.metrics = (struct string_list){0};
	for (size_t i = 0; i < run->settings.metrics.count; i++)
		string_list_add(&settings.metrics, run->settings.metrics.items[i]);
	settings.chip = settings.chip ? xstrdup(settings.chip) : NULL;
	settings.counter_dump = settings.counter_dump ? xstrdup(settings.counter_dump) : NULL;
	settings.base_variant = settings.base_variant ? xstrdup(settings.base_variant) : NULL;
	if (string_list_has(&request->given, "device"))
		settings.device = request->settings.device;
	if (string_list_has(&request->given, "timeout"))
		settings.timeout_ns = request->settings.timeout_ns;
	if (string_list_has(&request->given, "jobs"))
		settings.jobs = request->settings.jobs;
	*out = settings;
}

int resume_load(struct run *run, struct measure_settings *settings,
		const struct sweep_request *request, struct db *db, struct error *err)
{
	const char *mark;
	int64_t id = 0;
	int rc = db_run_resolve(db, request->resume, &id, err);

	if (!rc)
		rc = run_load(db, id, true, run, err);
	if (rc)
		return error_context(err, rc, "--resume");
	mark = key_value_get(&run->environment, "process");
	if (run->state == RUN_FINISHED && !request->decide)
		return error_set(err, PL_EUSAGE,
				 "run %lld is finished: nothing to resume; --decide adds rounds to "
				 "cases that are undecided against another run",
				 (long long)id);
	if (run->state == RUN_RUNNING && mark && host_process_lives(mark))
		return error_set(err, PL_EBUSY, "run %lld is still running, in process %s",
				 (long long)id, mark);
	if (!run->trial_count)
		return error_set(err, PL_EUSAGE,
				 "run %lld has no cases: other GPUs of its sweep measured them; "
				 "nothing to resume",
				 (long long)id);
	if (!run->has_settings)
		return error_set(err, PL_EPARSE,
				 "settings of run %lld: they are missing or cannot be read",
				 (long long)id);
	take_settings(settings, run, request);
	return 0;
}

int resume_read_files(struct kernel_file **out, struct against *against, const struct run *run,
		      const struct sweep_request *request, const volatile int *stop,
		      struct error *err)
{
	struct sweep_request stored = {0};
	int rc = source_words_take(&stored, run, err);

	if (!rc)
		rc = source_words_check(request, &stored, run, err);
	if (!rc)
		rc = request_read_files(out, &stored, NULL, err);
	if (!rc)
		rc = against_open(against, &stored, *out, stop, err);
	sweep_request_release(&stored);
	return error_context(err, rc, "--resume");
}

/* ---- the device and the build ---- */

int resume_check_device(const struct run *run, const struct device_info *device, struct error *err)
{
	const struct device_info *stored = &run->device;
	bool same;

	if (stored->uuid[0] && device->uuid[0])
		same = strcmp(stored->uuid, device->uuid) == 0;
	else
		same = strcmp(stored->name, device->name) == 0;
	if (same)
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "run %lld was measured on %s (%s), and this device is %s (%s); choose "
			 "the device with --device, or start a new run",
			 (long long)run->id, stored->name,
			 stored->uuid[0] ? stored->uuid : "no uuid", device->name,
			 device->uuid[0] ? device->uuid : "no uuid");
}

/* All cases of a run are measured by builds of one commit. */
static int check_same_build(const struct run *run, struct error *err)
{
	const char *built = host_build_revision();
	const char *before = run->origin ? key_value_get(&run->environment, PERFLAB_REVISION_KEY)
					 : run->source_revision;

	if (!built || !before || strcmp(built, before) == 0)
		return 0;
	return error_set(err, PL_EUNSUPPORTED,
			 "run %lld was begun by a perflab built from %s, and this one is built "
			 "from %s, so its kernels may differ; continue with a build of the former, "
			 "or start a new run",
			 (long long)run->id, before, built);
}

/* ---- the plan ---- */

/* Marks in the plan what is stored already. reopen: cases that were measured may get more rounds.
 */
static int mark_progress(struct plan *plan, int64_t *trial_ids, const struct run *run, bool reopen,
			 struct error *err)
{
	if (plan->count != run->trial_count)
		return error_set(err, PL_EUNSUPPORTED,
				 "run %lld has %zu cases and this perflab plans %zu of them; "
				 "continue with the version that began it, %s",
				 (long long)run->id, run->trial_count, plan->count,
				 run->version ? run->version : "unknown");
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_case *planned = &plan->cases[i];
		const struct trial *trial = plan_case_trial(planned, run, i);

		if (!trial)
			return error_set(err, PL_EUNSUPPORTED,
					 "run %lld has no case %s/%s/%s; continue with the version "
					 "that began it, %s",
					 (long long)run->id, planned->kernel, planned->variant,
					 planned->config, run->version ? run->version : "unknown");
		trial_ids[i] = trial->id;
		planned->rounds_done = trial->rounds_done;
		planned->counted = trial->counted;
		planned->finished = trial->status != TRIAL_PENDING;
		planned->failed = planned->finished && !trial_status_measured(trial->status);
		if (reopen && trial_status_measured(trial->status))
			planned->finished = false;
		planned->alone = trial->speedup.why != NULL;
	}
	return 0;
}

int resume_plan(struct plan **out, int64_t **trial_ids, const struct run *run,
		const struct user_kernels *kernels, bool reopen, struct error *err)
{
	const struct kernel *user[2];
	struct string_list cases = {0};
	struct plan_request request = {.kernels = {user, user_kernels_list(user, kernels)}};
	struct plan *plan = NULL;
	int64_t *ids = NULL;
	int rc = check_same_build(run, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);

		string_list_add(&cases, name);
		free(name);
	}
	request.selectors = (const char *const *)cases.items;
	request.selector_count = cases.count;
	rc = plan_choose(&plan, &request, err);
	if (!rc)
		rc = plan_pair(plan, run->settings.base_variant, err);
	if (!rc) {
		ids = xcalloc(plan->count + 1, sizeof(*ids));
		rc = mark_progress(plan, ids, run, reopen, err);
	}
	string_list_release(&cases);
	if (rc) {
		plan_free(plan);
		free(ids);
		return error_context(err, rc, "planning run %lld again", (long long)run->id);
	}
	*out = plan;
	*trial_ids = ids;
	return 0;
}

/* ---- the code ---- */

/* What changed since the trial was inspected, malloc'd; NULL: nothing that is known. *remedy says
 * what to do besides starting a new run. */
static char *change_since(const struct trial *before, const struct plan_case *planned,
			  const struct launch_facts *now, const char **remedy)
{
	char launched[HASH_TEXT_BYTES];

	*remedy = "restore the file, header, flag or compiler that changed";

	if (!before->facts.code_hash[0])
		return NULL;
	if (planned->failure)
		return xasprintf("could be compiled then, and now: %s", planned->failure);
	if (now->code_hash[0] && strlen(now->code_hash) != strlen(before->facts.code_hash)) {
		*remedy = "continue with the perflab that began it";
		return xstrdup("was begun by an earlier version of perflab, whose hash of the "
			       "machine code cannot be compared");
	}
	if (now->code_hash[0] && strcmp(now->code_hash, before->facts.code_hash) != 0)
		return xasprintf("has other machine code (%s then, %s now)",
				 before->facts.code_hash, now->code_hash);
	if (!planned->launch || !before->launch_hash[0])
		return NULL;
	launch_hash(launched, planned->launch);
	return strcmp(launched, before->launch_hash)
		       ? xstrdup("has another grid, other arguments or other buffers")
		       : NULL;
}

int resume_check_code(const struct run *run, const struct sweep *sweep, const int64_t *trial_ids,
		      struct error *err)
{
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct plan_case *planned = &sweep->plan->cases[i];
		const struct trial *before = run_trial(run, trial_ids[i]);
		const char *remedy;
		char *change, *name;

		if (planned->finished || !before)
			continue;
		change = change_since(before, planned, &sweep->cases[i].facts, &remedy);
		if (!change)
			continue;
		name = trial_case_name(before);
		error_set(err, PL_EUNSUPPORTED, "%s of run %lld %s; %s, or start a new run", name,
			  (long long)run->id, change, remedy);
		free(name);
		free(change);
		return PL_EUNSUPPORTED;
	}
	return 0;
}
