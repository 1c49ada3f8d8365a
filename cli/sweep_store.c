/*
 * The sink of a sweep: everything that the coordinator reports goes to the
 * database at once, one transaction each.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "metrics/analysis/statistics.h"
#include "metrics/catalogue/catalogue.h"
#include "perflab_config.h"

/* A trial row of a plan's case, its strings copied. */
static void trial_of_case(struct trial *trial, const struct plan_case *planned)
{
	const struct launch_case *launch = planned->launch;

	*trial = (struct trial){
		.position = (int64_t)planned->position,
		.kernel = xstrdup(planned->kernel),
		.variant = xstrdup(planned->variant),
		.config = xstrdup(planned->config),
		.axes = xcalloc(planned->axis_count ? planned->axis_count : 1,
				sizeof(*trial->axes)),
		.axis_count = planned->axis_count,
		.status = planned->skip_reason ? TRIAL_SKIPPED : TRIAL_PENDING,
		.reason = planned->skip_reason ? xstrdup(planned->skip_reason) : NULL,
		.facts = launch_facts_unknown,
		.summary = summarise(NULL, 0),
	};
	for (size_t i = 0; i < planned->axis_count; i++) {
		snprintf(trial->axes[i].name, sizeof(trial->axes[i].name), "%s",
			 planned->axes[i].name);
		trial->axes[i].value = planned->axes[i].value;
	}
	if (launch)
		launch_hash(trial->launch_hash, launch);
	/* a copy has bytes and no operation; a model with neither is none */
	if (launch && (launch->has_flop || launch->bytes_read || launch->bytes_written)) {
		trial->has_work = true;
		trial->flop = launch->flop;
		trial->bytes_read = launch->bytes_read;
		trial->bytes_written = launch->bytes_written;
	}
}

static void add_environment(struct key_value_list *environment, const struct session_info *info)
{
	for (size_t i = 0; i < info->environment.count; i++)
		key_value_set(environment, info->environment.items[i].key,
			      info->environment.items[i].value);
	if (info->profiler[0])
		key_value_set(environment, "profiler", info->profiler);
	if (info->counters_reason)
		key_value_set(environment, "counters_off", info->counters_reason);
	if (info->passes > 0) {
		char *passes = xasprintf("%lld", (long long)info->passes);

		key_value_set(environment, "counter_passes", passes);
		free(passes);
	}
}

static int begin_fresh(struct sweep_store *store, const struct session_info *info,
		       const struct plan *plan, struct error *err)
{
	struct run *run = &store->run;
	int rc;

	run->device = info->device;
	run->started_ns = wall_time_ns();
	add_environment(&run->environment, info);
	sweep_shard_describe(run, &store->plan->shard);
	run->trials = xcalloc(plan->count ? plan->count : 1, sizeof(*run->trials));
	run->trial_count = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		trial_of_case(&run->trials[i], &plan->cases[i]);
	rc = db_run_begin(store->db, run, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < plan->count; i++)
		store->trial_ids[i] = run->trials[i].id;
	return 0;
}

/* Of two that resume a run at the same moment, one gets it. */
static int claim_run(struct sweep_store *store, struct error *err)
{
	const struct run *resumed = store->plan->resumed;
	const char *before = key_value_get(&resumed->environment, "process");
	char *mark = host_process_mark();
	int rc;

	if (before)
		rc = db_environment_swap(store->db, resumed->id, "process", before, mark, err);
	else
		rc = db_environment_set(store->db, resumed->id, "process", mark, err);
	if (rc == PL_EBUSY)
		error_set(err, rc, "another process has just resumed run %lld; wait for its end",
			  (long long)resumed->id);
	free(mark);
	return rc;
}

static int begin_resumed(struct sweep_store *store, const struct plan *plan, struct error *err)
{
	int rc;

	store->run.id = store->plan->resumed->id;
	for (size_t i = 0; i < plan->count; i++)
		store->trial_ids[i] = store->plan->trial_ids[i];
	rc = claim_run(store, err);
	if (!rc)
		rc = db_run_reopen(store->db, store->run.id, err);
	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct plan_case *planned = &plan->cases[i];

		/* it could run when it was planned first, and cannot now */
		if (planned->skip_reason && !planned->finished)
			rc = db_trial_finish(store->db, store->trial_ids[i], TRIAL_SKIPPED,
					     planned->skip_reason, err);
	}
	return rc;
}

/* A ceiling is a time: not to be had of an emulator, nor of kernels that a profiler holds up. */
static int check_clock(const struct session_info *info, struct error *err)
{
	if (info->untimed)
		return error_set(err, PL_EUNSUPPORTED,
				 "%s measures no time, so it has no ceilings: they need a GPU",
				 info->device.name);
	if (info->profiler[0])
		return error_set(err, PL_EUNSUPPORTED,
				 "%s is attached and holds kernels up: measure ceilings without it",
				 info->profiler);
	return 0;
}

/* One of another backend, named by mistake, would mix what is emulated with what is measured. */
static int check_worker(const struct sweep_store *store, const struct session_info *info,
			struct error *err)
{
	const struct run *resumed = store->plan->resumed;
	const char *backend = resumed ? resumed->backend : store->run.backend;
	const bool emulator = strcmp(backend, BACKEND_PTX) == 0;

	if (emulator == info->untimed)
		return 0;
	return error_set(err, PL_EWORKER,
			 "the worker started for backend %s is of another: it runs on %s, and %s",
			 backend, info->device.name, emulator ? "measures times" : "has no clock");
}

static int store_opened(void *context, const struct session_info *info, const struct plan *plan,
			struct error *err)
{
	struct sweep_store *store = context;
	int rc = store->of_ceilings ? check_clock(info, err) : 0;

	if (!rc)
		rc = check_worker(store, info, err);
	if (!rc && !store->db)
		rc = db_open(&store->db, store->new_path, DB_CREATE, err);
	if (rc)
		return rc;
	store->trial_ids = xcalloc(plan->count ? plan->count : 1, sizeof(*store->trial_ids));
	if (store->plan->resumed)
		rc = begin_resumed(store, plan, err);
	else
		rc = begin_fresh(store, info, plan, err);
	store->begun = rc == 0;
	if (store->begun && store->say_backend && !store->progress->quiet) {
		char *line = xasprintf("backend %s (%s)", store->run.backend, info->device.name);

		progress_say(store->progress, line);
		free(line);
	}
	if (store->begun && !store->progress->quiet && strcmp(PERFLAB_BUILD_TYPE, "Debug") == 0)
		progress_say(store->progress,
			     "this is a Debug build; device times are right, host costs are not");
	return error_context(err, rc, "storing the run");
}

static int store_facts(void *context, size_t index, const struct launch_facts *facts,
		       struct error *err)
{
	struct sweep_store *store = context;

	return db_trial_facts(store->db, store->trial_ids[index], facts, err);
}

static int store_round(void *context, size_t index, const struct round_result *round,
		       struct error *err)
{
	struct sweep_store *store = context;

	return db_round_add(store->db, store->trial_ids[index], round, err);
}

static int store_counters(void *context, size_t index, const struct counter_list *counters,
			  struct error *err)
{
	struct sweep_store *store = context;
	struct counter_list with_rates = {0};
	struct summary summary;
	/* Of all rounds, those of a run that is resumed included. */
	int rc = db_trial_summary(store->db, store->trial_ids[index], &summary, err);

	if (rc)
		return rc;
	counter_list_copy(&with_rates, counters);
	metric_derive_rates(&with_rates, store->metrics, summary.median_ns);
	rc = db_counters_set(store->db, store->trial_ids[index], &with_rates, err);
	counter_list_release(&with_rates);
	return rc;
}

static int store_lines(void *context, size_t index, const struct line_count_list *lines,
		       struct error *err)
{
	struct sweep_store *store = context;

	return db_lines_set(store->db, store->trial_ids[index], lines, err);
}

static int store_finished(void *context, size_t index, enum trial_status status, const char *reason,
			  struct error *err)
{
	struct sweep_store *store = context;

	return db_trial_finish(store->db, store->trial_ids[index], status, reason, err);
}

static void store_progress(void *context, const struct sweep_progress *state)
{
	struct sweep_store *store = context;

	progress_update(store->progress, state);
}

static void store_notice(void *context, const char *line)
{
	struct sweep_store *store = context;

	progress_say(store->progress, line);
}

struct sweep_sink sweep_store_sink(struct sweep_store *store)
{
	return (struct sweep_sink){
		.context = store,
		.opened = store_opened,
		.facts = store_facts,
		.round = store_round,
		.counters = store_counters,
		.lines = store_lines,
		.finished = store_finished,
		.progress = store_progress,
		.notice = store_notice,
	};
}

void sweep_store_release(struct sweep_store *store)
{
	run_release(&store->run);
	free(store->trial_ids);
}
