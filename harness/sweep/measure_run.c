/* Measures one run on one backend: opens the session, resolves the plan for its device, inspects,
 * begins the run in the database, measures, ends the run, judges it. */
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/sources/sources.h"
#include "harness/sweep/decide/decide.h"
#include "harness/sweep/sweep_parts.h"
#include "perflab_config.h"

void sweep_result_release(struct sweep_result *result)
{
	run_release(&result->run);
	string_list_release(&result->files);
	db_close(result->db);
	*result = (struct sweep_result){0};
}

/* ---- open, plan, inspect ---- */

/* The time since *since_ns, which becomes the present. */
static int64_t lap(int64_t *since_ns)
{
	const int64_t before_ns = *since_ns;

	*since_ns = monotonic_ns();
	return *since_ns - before_ns;
}

static int open_and_inspect(struct sweep *sweep, const struct run_task *task, struct error *err)
{
	struct device_limits limits;
	int64_t clock_ns = monotonic_ns();
	int rc = sweep_open(sweep, task->backend, task->kept, err);

	meter_enter(&sweep->times.meter, RUN_PART_COMPILING);
	sweep->times.open_ns = lap(&clock_ns);
	if (!rc && task->resumed)
		rc = resume_check_device(task->resumed, &sweep->info.device, err);
	if (rc)
		return rc;
	device_limits_of(&limits, &sweep->info.device);
	if (!sweep->preview)
		rc = plan_resolve(task->plan, &limits, err);
	else
		plan_unresolve(task->plan);
	/* A preview resolves only the cases that must be compiled. It keeps no launch of another
	 * case, because a plan may have a hundred thousand cases. */
	for (size_t i = 0; sweep->preview && i < task->plan->count && !rc; i++)
		if (task->plan->cases[i].descriptor_variant->source)
			rc = plan_resolve_case(task->plan, i, &limits, err);
	if (!rc)
		rc = sweep_compile(sweep, task->plan, task->request, err);
	if (!rc)
		rc = built_in_compile(&sweep->built_in, sweep, task->plan, err);
	sweep->times.compile_ns = lap(&clock_ns);
	meter_enter(&sweep->times.meter, RUN_PART_INSPECTING);
	if (task->kept)
		kept_await_wake(task->kept, &sweep->worker, &sweep->info.environment);
	if (!rc && task->sources)
		rc = source_facts_check_unchanged(task->sources, err);
	if (!rc)
		rc = sweep_inspect(sweep, task->plan, err);
	if (!rc && task->against)
		against_skip(sweep, task->against);
	if (!rc && task->since)
		rc = changed_since_skip(sweep, task, err);
	sweep->times.inspect_ns = lap(&clock_ns);
	meter_enter(&sweep->times.meter, RUN_PART_OTHER);
	if (!rc && task->resumed)
		rc = resume_check_code(task->resumed, sweep, task->trial_ids, err);
	return rc;
}

int inspect_only(const struct run_task *task, void *preview, struct error *err)
{
	struct sweep_preview *out = preview;
	struct sweep sweep = SWEEP_INIT(task->settings, task->observer, task->stop);
	int rc;

	sweep.preview = true;
	sweep.compares = task->against || task->since;
	rc = open_and_inspect(&sweep, task, err);
	if (!rc) {
		out->failed = sweep_skip_failed(&sweep);
		out->device = xstrdup(sweep.info.device.name);
	}
	sweep_close(&sweep, rc);
	return rc;
}

static int check_session(const struct run_task *task, const struct session_info *info,
			 struct error *err)
{
	const struct backend_traits expected =
		task->resumed ? task->resumed->traits : backend_traits_of(task->backend);

	/* a ceiling is a time, which an emulator does not measure and a profiler falsifies */
	if (task->of_ceilings && !info->traits.timed)
		return error_set(err, PL_EUNSUPPORTED,
				 "%s measures no time, so it has no ceilings: they need a GPU",
				 info->device.name);
	if (task->of_ceilings && info->profiler[0])
		return error_set(err, PL_EUNSUPPORTED,
				 "%s is attached and slows kernels down: measure ceilings without "
				 "it",
				 info->profiler);
	/* a worker of another backend, named by mistake, would mix emulated and measured numbers */
	if (expected.timed == info->traits.timed)
		return 0;
	return error_set(err, PL_EWORKER,
			 "the worker started for backend %s is of another: it runs on %s, and %s",
			 task->backend, info->device.name,
			 info->traits.timed ? "measures times" : "has no clock");
}

/* ---- the run ---- */

/* Warns of variants of which no case can be launched: their annotations are wrong. Returns their
 * number. */
static size_t tell_impossible(const struct run_task *task)
{
	const struct plan *plan = task->plan;
	size_t variants = 0;

	for (size_t begin = 0, end; begin < plan->count; begin = end) {
		const struct plan_case *first = &plan->cases[begin];
		bool all = true;

		for (end = begin; end < plan->count &&
				  plan->cases[end].descriptor_variant == first->descriptor_variant;
		     end++)
			all &= plan->cases[end].impossible;
		if (!all)
			continue;
		variants++;
		tell_observer(
			task->observer, NOTICE_WARNING,
			"no case of %s/%s can be launched: %s: correct its annotations or the "
			"values of its axes",
			first->kernel, first->variant, first->skip_reason);
	}
	return variants;
}

static void tell_begun(const struct run_task *task, const struct session_info *info)
{
	const char *others = key_value_get(&info->environment, "gpu.other_processes");
	const bool pairs = !task->resumed && info->traits.timed;
	const struct plan *plan = task->plan;

	if (task->announce_backend)
		tell_observer(task->observer, NOTICE_REMARK, "backend %s (%s)", task->backend,
			      info->device.name);
	/* which variant is the base if the user did not say, and which base cases are one of
	 * several */
	if (task->against)
		against_tell(task->against, task->observer);
	else if (plan->base_variant && !task->request->base_variant && pairs)
		tell_observer(task->observer, NOTICE_REMARK,
			      "the base variant is %s, the first of %s: the others are measured "
			      "beside it; --baseline " BASE_VARIANT_NONE
			      " measures each variant alone",
			      plan->base_variant, task->request->files.items[0]);
	for (size_t i = 0; pairs && i < plan->pair_remarks.count; i++)
		tell_observer(task->observer, NOTICE_REMARK, "%s", plan->pair_remarks.items[i]);
	if (others && strcmp(others, "0") != 0)
		tell_observer(task->observer, NOTICE_WARNING,
			      "%s other process%s the GPU, so times may hold their work; "
			      "'nvidia-smi' lists them",
			      others, strcmp(others, "1") ? "es use" : " uses");
	if (strcmp(PERFLAB_BUILD_TYPE, "Debug") == 0)
		tell_observer(task->observer, NOTICE_REMARK,
			      "this is a Debug build: device times are right, host costs are not");
}

/* Opens or makes the database, and stores the run; nothing if it does not compare with the base. */
static int store_run(struct sweep_store *store, struct sweep *sweep, struct sweep_decide *decide,
		     const struct run_task *task, struct sweep_result *out, struct error *err)
{
	const enum run_part before = meter_enter(&sweep->times.meter, RUN_PART_STORING);
	int rc = 0;

	if (!out->db)
		rc = db_open(&out->db, task->request->db_path, DB_CREATE, err);
	store->db = out->db;
	if (!rc && decide)
		rc = db_together_begin(store->db, err);
	if (!rc) {
		rc = store_begin(store, task, &sweep->info, err);
		if (!rc && decide)
			rc = decide_begin(decide, store, task, err);
		if (decide)
			rc = db_together_end(store->db, rc, err);
		store->begun = rc == 0;
	}
	meter_enter(&sweep->times.meter, before);
	return rc;
}

static int begin_run(struct sweep_store *store, struct sweep *sweep, struct sweep_decide *decide,
		     const struct run_task *task, struct sweep_result *out, struct error *err)
{
	const struct session_info *info = &sweep->info;
	int rc = check_session(task, info, err);

	if (!rc && decide)
		rc = decide_check_session(info, err);
	if (rc)
		return rc;
	rc = store_run(store, sweep, decide, task, out, err);
	out->begun = store->begun;
	if (!rc && sweep->hooks.begun)
		sweep->hooks.begun(sweep, store->run_id);
	if (!rc) {
		tell_begun(task, info);
		out->impossible = tell_impossible(task);
	}
	return rc;
}

/* ---- a lost device ---- */

/* Stores the loss of the device with a case. *before: why the device was lost with it before, in
 * this run or in another one of its sweep, malloc'd; NULL: it was not. The first time, a case that
 * was measured is pending again; the second time it has crashed, for both reasons. */
static int store_case(struct sweep *sweep, const struct sweep_store *store, size_t index,
		      const char *why, char **before, struct error *err)
{
	const struct plan_case *planned = &sweep->plan->cases[index];
	struct text both = TEXT_INIT;
	char *key = xasprintf(GPUS_LOST_PREFIX "%s/%s/%s", planned->kernel, planned->variant,
			      planned->config);
	/* together: two GPUs may be lost with one case at the same time */
	int rc = db_together_begin(store->db, err);

	if (!rc) {
		rc = db_environment_alike(store->db, store->run_id, GPUS_GROUP_KEY, key, before,
					  err);
		if (!rc && *before)
			text_addf(&both, "the GPU was lost twice with this case: %s; then: %s",
				  *before, why);
		if (!rc && !*before)
			rc = db_environment_set(store->db, store->run_id, key, why, err);
		if (!rc && index == sweep->suspect)
			rc = db_trial_finish(store->db, store->trial_ids[index],
					     *before ? TRIAL_CRASHED : TRIAL_PENDING,
					     *before ? both.data : NULL, NULL, err);
		rc = db_together_end(store->db, rc, err);
	}
	if (!rc && *before && index == sweep->uncounted)
		rc = case_uncounted(sweep, index, both.data, err);
	text_release(&both);
	free(key);
	return rc;
}

static void tell_case(const struct sweep *sweep, size_t index, bool twice,
		      const struct error *cause)
{
	const struct plan_case *lost = &sweep->plan->cases[index];
	const bool measured = index == sweep->suspect;
	struct text end = TEXT_INIT;

	if (cause && !measured)
		text_addf(&end, ", but this could not be stored: %s", cause->text);
	else if (cause)
		text_addf(&end,
			  ", but this case could not be made pending, so it stays as it has "
			  "ended: %s",
			  cause->text);
	else if (twice)
		text_addf(&end, " for the second time, so this case %s",
			  measured ? "has crashed" : "is left without counters");
	else
		text_addf(&end, ", so this case is pending%s",
			  measured ? " and did not crash" : " until its counters are read");
	tell_observer(sweep->observer, NOTICE_WARNING, "%s was lost while it %s %s/%s/%s%s",
		      sweep->info.device.name, measured ? "measured" : "counted", lost->kernel,
		      lost->variant, lost->config, end.data);
	text_release(&end);
}

/* If the device is lost: stores why, makes the case in flight pending again, and says so. A case
 * with which a device was lost before, in this run or in another one of its sweep, has crashed
 * instead, or is left without counters. One for which the database refuses this stays as it has
 * ended. In both cases it is no longer the one in flight. */
static void lost_device_store(struct sweep *sweep, const struct sweep_store *store,
			      const struct error *why)
{
	const size_t index = sweep->suspect != NO_CASE ? sweep->suspect : sweep->uncounted;
	const char *text = why && *why->text ? why->text : "for a reason that is not known";
	struct error cause = {0};
	char *before = NULL;
	int rc = 0;

	if (!sweep->device_lost || !store->begun)
		return;
	if (index != NO_CASE) {
		rc = store_case(sweep, store, index, text, &before, &cause);
		/* where other GPUs measure a case that is pending, the sweep says so */
		if (rc || before || !sweep->hooks.refuse)
			tell_case(sweep, index, before != NULL, rc ? &cause : NULL);
	}
	if (!rc && before && sweep->hooks.refuse)
		sweep->hooks.refuse(sweep, index, index == sweep->suspect);
	if (rc || before)
		sweep->suspect = NO_CASE;
	if (db_environment_set(store->db, store->run_id, GPUS_FAILED_KEY, text, &cause))
		tell_observer(sweep->observer, NOTICE_WARNING,
			      "run %lld does not say why %s was lost: %s", (long long)store->run_id,
			      sweep->info.device.name, cause.text);
	free(before);
}

/* ---- the end ---- */

/* lost: the device is. */
static void tell_how_to_continue(const struct run_task *task, const struct db *db, int64_t run_id,
				 bool lost)
{
	struct text path = TEXT_INIT, decide = TEXT_INIT;

	if (!db_path(db))
		return;
	shell_word(&path, db_path(db));
	if (task->request->decide)
		text_add(&decide, " --decide");
	if (task->request->decide && task->request->compare) {
		text_add(&decide, " --compare ");
		shell_word(&decide, task->request->compare);
	}
	tell_observer(task->observer, NOTICE_WARNING,
		      "what was measured is stored; %scontinue with: perflab sweep --resume %lld%s "
		      "--db %s",
		      lost ? "once perflab doctor finds the GPU again, " : "", (long long)run_id,
		      decide.data, path.data);
	text_release(&path);
	text_release(&decide);
}

/* Stores where the wall time went, up to now, and stops the meter. */
static void store_parts(const struct run_task *task, int64_t run_id, struct sweep_result *out,
			struct error *err)
{
	meter_read(&out->times.meter);
	if (db_run_parts_add(out->db, run_id, &out->times.meter, err))
		tell_observer(task->observer, NOTICE_WARNING,
			      "run %lld is stored, but not where its time went: %s",
			      (long long)run_id, err->text);
}

/* Ends the run in the database, however the sweep ended. A run that succeeded is loaded, once, for
 * the judgement and for the caller. The meter of out->times runs until then. lost: the device is.
 */
static int end_run(const struct run_task *task, int64_t run_id, bool lost, int rc,
		   struct sweep_result *out, struct error *err)
{
	struct meter *meter = &out->times.meter;
	struct error own = {0};
	bool ended;

	meter_enter(meter, RUN_PART_STORING);
	ended = !db_run_finish(out->db, run_id, rc ? RUN_INTERRUPTED : RUN_FINISHED, &own);
	if (!rc && db_was_lost(out->db))
		return error_set(err, PL_EIO, "%s", own.text);
	if (!ended)
		tell_observer(task->observer, NOTICE_WARNING,
			      "run %lld could not be ended in the database: %s", (long long)run_id,
			      own.text);
	if (rc) {
		if (ended)
			store_parts(task, run_id, out, &own);
		/* unless other GPUs take over what is left */
		if (!task->request->hooks || rc == PL_EINTERRUPTED)
			tell_how_to_continue(task, out->db, run_id, lost);
		return rc;
	}
	meter_enter(meter, RUN_PART_JUDGING);
	rc = run_load_measured(out->db, run_id, true, &out->run, err);
	if (!rc && judge_speedups(out->db, &out->run, &own))
		tell_observer(task->observer, NOTICE_WARNING,
			      "run %lld is stored, but its speed-ups are not: %s",
			      (long long)run_id, own.text);
	if (!rc && ended && judge_run(out->db, &out->run, &own))
		tell_observer(task->observer, NOTICE_WARNING,
			      "run %lld is stored, but not compared with earlier runs: %s",
			      (long long)run_id, own.text);
	if (!rc && ended &&
	    (db_session_intervals_store(out->db, &out->run, &own) ||
	     judge_limiters(out->db, &out->run, &own) ||
	     judge_unjudged(out->db, JUDGE_UNJUDGED_NS, &own)))
		tell_observer(task->observer, NOTICE_WARNING,
			      "run %lld is stored, but not what limits its cases: %s",
			      (long long)run_id, own.text);
	if (!rc && ended)
		store_parts(task, run_id, out, &own);
	return !rc && db_was_lost(out->db) ? error_set(err, PL_EIO, "%s", own.text) : rc;
}

/* The first session had no counters, and the run says so; a later one had them. */
static int store_counted(const struct sweep *sweep, const struct sweep_store *store,
			 struct error *err)
{
	char *fact;
	int rc;

	if (!sweep->info.counters_reason || !sweep->cases_answered)
		return 0;
	fact = xasprintf("read for %zu cases, although at first: %s", sweep->cases_answered,
			 sweep->info.counters_reason);
	rc = db_environment_set(store->db, store->run_id, "counters_off", fact, err);
	free(fact);
	return rc;
}

int measure_run(const struct run_task *task, struct sweep_result *out, struct error *err)
{
	struct sweep sweep = SWEEP_INIT(task->settings, task->observer, task->stop);
	struct sweep_store store = {0};
	struct result_writer writer = store_writer(&store);
	struct sweep_decide decide = {
		.sweep = &sweep, .request = task->request, .begun_ns = monotonic_ns()};
	const bool decides = task->request->decide && !task->of_ceilings;
	int rc;

	if (decides)
		sweep.hooks = (struct sweep_hooks){.context = &decide,
						   .add_rounds = decide_is_beside(task)
									 ? decide_add_rounds_beside
									 : decide_add_rounds};
	else if (task->request->hooks && !task->of_ceilings)
		sweep.hooks = *task->request->hooks;
	sweep.wait_counters_ns = task->request->wait_counters_ns;
	sweep.takes_counters = task->request->take_counters && !task->of_ceilings;
	sweep.lines = task->of_ceilings ? LINES_NONE : task->request->lines;
	sweep.profile_sources = profile_sources_new(&writer, !task->request->no_source);
	meter_start(&sweep.times.meter);
	store.meter = &sweep.times.meter;
	rc = open_and_inspect(&sweep, task, err);
	if (!rc)
		rc = begin_run(&store, &sweep, decides ? &decide : NULL, task, out, err);
	if (!rc)
		rc = sweep_begin(&sweep, &writer, err);
	if (!rc)
		rc = sweep_measure(&sweep, err);
	if (!rc)
		rc = lost_device_check(&sweep, err);
	if (!rc)
		rc = store_counted(&sweep, &store, err);
	lost_device_store(&sweep, &store, err);
	if (sweep.hooks.end)
		rc = sweep.hooks.end(&sweep, &store, rc, err);
	if (!rc && task->kept)
		kept_leave(task->kept, &sweep.worker);
	string_list_release(&out->files);
	out->files = sweep.files;
	sweep.files = (struct string_list){0};
	meter_enter(&sweep.times.meter, RUN_PART_STARTING);
	sweep_close(&sweep, rc);
	meter_enter(&sweep.times.meter, RUN_PART_OTHER);
	out->times = sweep.times;
	if (store.begun)
		rc = end_run(task, store.run_id, sweep.device_lost, rc, out, err);
	store_release(&store);
	profile_sources_free(sweep.profile_sources);
	free(decide.head);
	free(decide.base);
	return rc;
}

int sweep_measure_request(const struct sweep_request *request,
			  const struct measure_settings *settings, bool of_ceilings,
			  const struct sweep_observer *observer, const volatile int *stop,
			  struct sweep_result *out, struct error *err)
{
	const struct sweep_shard whole = {0};
	struct run_task task = {.request = request,
				.observer = observer,
				.stop = stop,
				.backend = request->backend,
				.settings = settings,
				.shard = &whole,
				.of_ceilings = of_ceilings};
	struct text worker = TEXT_INIT;
	int rc = request_plan(&task.plan, request, &(struct user_kernels){0}, err);

	if (!rc)
		rc = worker_find(&worker, request->backend, err);
	if (!rc && !out->db && !database_is_new(request->db_path))
		rc = db_open(&out->db, request->db_path, DB_CREATE, err);
	if (!rc)
		rc = measure_run(&task, out, err);
	text_release(&worker);
	plan_free(task.plan);
	return rc;
}
