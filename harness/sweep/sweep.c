/*
 * The sweep, from a request to a judged run. What is wrong with the words of
 * the request is reported first, then what is wrong with the database, and
 * only then is a device opened.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/sources/sources.h"
#include "harness/sweep/decide/decide.h"
#include "harness/sweep/sweep_parts.h"

void sweep_preview_release(struct sweep_preview *preview)
{
	plan_free(preview->plan);
	free(preview->device);
	free(preview->absent);
	*preview = (struct sweep_preview){0};
}

/* What the words of a request, or the run to resume, come to. */
struct prepared_sweep {
	const struct sweep_request *request;
	const struct sweep_observer *observer;
	const volatile int *stop;
	struct backend_choice choice;
	struct sweep_kept *kept;   /* NULL: none */
	struct kernel_file *files; /* of the user; NULL: none */
	struct against against;
	struct run since;              /* of --changed-since; id 0: none */
	struct key_value_list sources; /* facts about them */
	struct plan *plan;
	struct sweep_shard shard;
	struct run resumed;
	struct measure_settings resumed_settings;
	int64_t *trial_ids;
};

static void prepared_release(struct prepared_sweep *sweep)
{
	text_release(&sweep->choice.why);
	plan_free(sweep->plan);
	kernel_file_free(sweep->files);
	against_close(&sweep->against);
	run_release(&sweep->since);
	key_value_list_release(&sweep->sources);
	free(sweep->shard.sweep);
	run_release(&sweep->resumed);
	measure_settings_release(&sweep->resumed_settings);
	free(sweep->trial_ids);
}

/* ---- the request ---- */

static int prepare_new(struct prepared_sweep *sweep, struct error *err)
{
	const struct sweep_request *request = sweep->request;
	struct string_list metrics = {0};
	struct user_kernels kernels;
	int rc = request_check_limits(request, err);

	if (!rc)
		rc = decide_check_request(request, err);
	if (!rc)
		rc = backend_choose(&sweep->choice, request, err);
	if (!rc)
		rc = request_check_folder(request, err);
	if (!rc && sweep->kept && sweep->kept->backend) {
		/* an earlier sweep of this process chose and announced it */
		sweep->choice.names[0] = sweep->kept->backend;
		sweep->choice.count = 1;
		sweep->choice.automatic = false;
	}
	if (!rc && !string_list_has(&request->given, "ceilings"))
		rc = ceilings_when_default(&(int){0}, err);
	/* only whether they are right: the settings are made when a backend is opened */
	if (!rc)
		rc = request_metrics(&metrics, &request->metrics,
				     backend_traits_of(sweep->choice.names[0]).emulated, err);
	string_list_release(&metrics);
	if (!rc)
		rc = shard_from_request(&sweep->shard, request, err);
	if (!rc)
		rc = request_read_files(&sweep->files, request, NULL, err);
	if (!rc)
		rc = against_open(&sweep->against, request, sweep->files, sweep->stop, err);
	source_facts_add(&sweep->sources, sweep->files);
	kernels = against_kernels(&sweep->against, sweep->files);
	if (!rc)
		rc = request_plan(&sweep->plan, request, &kernels, err);
	return rc ? rc : shard_take(&sweep->shard, sweep->plan, err);
}

static int prepare_resumed(struct prepared_sweep *sweep, struct db *db, struct error *err)
{
	struct user_kernels kernels;
	int rc = resume_load(&sweep->resumed, &sweep->resumed_settings, sweep->request, db, err);

	if (!rc)
		rc = resume_read_files(&sweep->files, &sweep->against, &sweep->resumed,
				       sweep->request, sweep->stop, err);
	source_facts_add(&sweep->sources, sweep->files);
	kernels = against_kernels(&sweep->against, sweep->files);
	if (!rc)
		rc = source_facts_check(&sweep->resumed, &sweep->sources, err);
	if (!rc)
		rc = resume_plan(&sweep->plan, &sweep->trial_ids, &sweep->resumed, &kernels,
				 sweep->request->decide, err);
	if (!rc)
		sweep->choice.names[sweep->choice.count++] = sweep->resumed.backend;
	if (!rc)
		rc = decide_check_resumed(sweep->request, &sweep->resumed, err);
	if (sweep->against.files && !sweep->request->compare)
		return rc;
	return rc ? rc : decide_check_database(sweep->request, db, err);
}

/* Prepares a new or a resumed sweep. A new database is created only after a device has opened. */
static int prepare(struct prepared_sweep *sweep, struct sweep_result *out, struct error *err)
{
	const struct sweep_request *request = sweep->request;
	int64_t shared_bytes;
	int rc = data_file_limit(&shared_bytes, err); /* before a run is stored */

	if (rc)
		return rc;
	if (request->resume) {
		rc = resume_check_options(request, err);
		if (!rc)
			rc = decide_check_request(request, err);
		if (!rc)
			rc = request_check_limits(request, err);
		if (!rc)
			rc = db_open(&out->db, request->db_path, DB_WRITE, err);
		return rc ? rc : prepare_resumed(sweep, out->db, err);
	}
	rc = prepare_new(sweep, err);
	if (!rc)
		rc = backend_choice_find(&sweep->choice, err);
	if (!rc && !database_is_new(request->db_path))
		rc = db_open(&out->db, request->db_path, DB_CREATE, err);
	if (!rc)
		rc = changed_since_load(&sweep->since, request, &out->db, err);
	return rc ? rc : decide_check_database(request, out->db, err);
}

/* ---- the backends ---- */

/* One attempt with one backend. */
typedef int (*attempt_function)(const struct run_task *task, void *out, struct error *err);

static int attempt_backend(struct prepared_sweep *sweep, size_t index, attempt_function attempt,
			   void *out, struct error *err)
{
	const bool resumed = sweep->request->resume != NULL;
	const struct backend_traits traits = backend_traits_of(sweep->choice.names[index]);
	struct measure_settings settings = {0};
	struct run_task task = {.request = sweep->request,
				.observer = sweep->observer,
				.stop = sweep->stop,
				.backend = sweep->choice.names[index],
				.settings = resumed ? &sweep->resumed_settings : &settings,
				.plan = sweep->plan,
				.files = sweep->files,
				.against = sweep->against.files ? &sweep->against.revision : NULL,
				.sources = &sweep->sources,
				.since = sweep->since.id ? &sweep->since : NULL,
				.shard = &sweep->shard,
				.resumed = resumed ? &sweep->resumed : NULL,
				.trial_ids = sweep->trial_ids,
				.kept = sweep->kept};
	int rc = resumed ? 0 : request_settings(&settings, sweep->request, &traits, err);

	if (!rc && !resumed && sweep->plan->base_variant)
		settings.base_variant = xstrdup(sweep->plan->base_variant);
	if (!rc) {
		backend_choice_announce(&sweep->choice, index, sweep->request, sweep->observer);
		task.announce_backend = sweep->choice.automatic && !sweep->choice.announced;
		rc = attempt(&task, out, err);
	}
	measure_settings_release(&settings);
	return rc;
}

/* Tries one backend of the choice after the other, until one opens or *begun is set. */
static int try_backends(struct prepared_sweep *sweep, attempt_function attempt, void *out,
			const bool *begun, struct error *err)
{
	struct backend_choice *choice = &sweep->choice;
	int rc;

	for (size_t i = 0; i < choice->count; i++) {
		struct error cause = {0};

		rc = attempt_backend(sweep, i, attempt, out, &cause);
		if (!rc)
			return 0;
		if (*begun || !backend_choice_lacks(choice, i, rc, &cause))
			return error_set(err, rc, "%s", cause.text);
	}
	rc = backend_choice_fail(choice, err);
	if (sweep->request->resume)
		error_context(err, rc,
			      "run %lld continues only with %s, the backend that it began with",
			      (long long)sweep->resumed.id, choice->names[choice->count - 1]);
	return rc;
}

/* ---- the sweep ---- */

static int attempt_run(const struct run_task *task, void *out, struct error *err)
{
	int rc = 0;

	if (!task->kept || !task->kept->backend)
		rc = ceilings_before(task->request, task->observer, task->stop, task->backend, out,
				     err);

	return rc ? rc : measure_run(task, out, err);
}

int sweep_run_kept(const struct sweep_request *request, const struct sweep_observer *observer,
		   const volatile int *stop, struct sweep_kept *kept, struct sweep_result *out,
		   struct error *err)
{
	struct prepared_sweep sweep = {.request = request,
				       .observer = observer,
				       .stop = stop,
				       .kept = kept,
				       .choice = {.why = TEXT_INIT}};
	int rc;

	*out = (struct sweep_result){0};
	rc = prepare(&sweep, out, err);
	if (!rc)
		rc = try_backends(&sweep, attempt_run, out, &out->begun, err);
	if (!rc && kept && !kept->backend)
		kept->backend = xstrdup(out->run.backend);
	prepared_release(&sweep);
	return rc;
}

int sweep_run(const struct sweep_request *request, const struct sweep_observer *observer,
	      const volatile int *stop, struct sweep_result *out, struct error *err)
{
	return sweep_run_kept(request, observer, stop, NULL, out, err);
}

void kept_prepare(struct sweep_kept *kept, const struct sweep_request *request,
		  const volatile int *stop)
{
	struct measure_settings settings = {0};
	struct backend_traits traits;

	worker_end(&kept->leaving);
	if (!kept->backend || kept->standby.pid)
		return;
	traits = backend_traits_of(kept->backend);
	if (!request_settings(&settings, request, &traits, NULL)) {
		struct sweep sweep = SWEEP_INIT(&settings, NULL, stop);

		if (!sweep_open(&sweep, kept->backend, NULL, NULL)) {
			worker_pipe_set_output(sweep.worker.printed, NULL);
			kept->standby = sweep.worker;
			kept->standby_info = sweep.info;
			kept->standby_since_ns = monotonic_ns();
			sweep.worker = (struct worker_process){0};
			sweep.info = (struct session_info){0};
		}
		sweep_close(&sweep, 0);
	}
	measure_settings_release(&settings);
}

/* ---- only the plan ---- */

int sweep_plan(struct plan **out, const struct sweep_request *request, struct error *err)
{
	struct prepared_sweep sweep = {.request = request, .choice = {.why = TEXT_INIT}};
	struct sweep_result stored = {0};
	int rc = prepare(&sweep, &stored, err);

	*out = sweep.plan;
	sweep.plan = NULL;
	sweep_result_release(&stored);
	prepared_release(&sweep);
	return rc;
}

int sweep_plan_only(const struct sweep_request *request, const struct sweep_observer *observer,
		    const volatile int *stop, struct sweep_preview *out, struct error *err)
{
	struct prepared_sweep sweep = {.request = request,
				       .observer = observer,
				       .stop = stop,
				       .choice = {.why = TEXT_INIT}};
	struct sweep_result stored = {0};
	struct error cause = {0};
	const bool begun = false;
	int rc;

	*out = (struct sweep_preview){0};
	rc = request->resume ? prepare(&sweep, &stored, err) : prepare_new(&sweep, err);
	if (!rc && !request->resume)
		rc = changed_since_load(&sweep.since, request, &stored.db, err);
	if (rc)
		goto out;
	rc = try_backends(&sweep, inspect_only, out, &begun, &cause);
	if (rc == PL_EUNSUPPORTED && !request->resume) {
		/* planned for the least that every CUDA device has */
		out->absent = xstrdup(cause.text);
		rc = plan_resolve(sweep.plan, &device_limits_minimum, err);
	} else if (rc) {
		error_set(err, rc, "%s", cause.text);
	}
	out->plan = sweep.plan;
	sweep.plan = NULL;
	if (rc)
		sweep_preview_release(out);
out:
	sweep_result_release(&stored);
	prepared_release(&sweep);
	return rc;
}
