/* The sweep itself: on which backend, stored as what, and how it ended. */
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "metrics/shards.h"
#include "perflab_config.h"

/* ---- one run ---- */

static void describe_run(struct run *run, const struct sweep_call *sweep)
{
	const struct sweep_options *options = sweep->options;
	const bool emulated = strcmp(sweep->backend, BACKEND_PTX) == 0;
	char *mark = host_process_mark();

	run->label = options->label && *options->label ? xstrdup(options->label) : NULL;
	run->note = options->note && *options->note ? xstrdup(options->note) : NULL;
	run->command = xstrdup(sweep->call->command_line);
	run->backend = xstrdup(sweep->backend);
	run->version = xstrdup(PERFLAB_VERSION);
	if (host_build_revision())
		run->source_revision = xstrdup(host_build_revision());
	run->settings_json = measure_settings_to_json(&sweep->settings);
	run->has_settings = !measure_settings_from_json(&run->settings, run->settings_json, NULL);
	run->traits = (struct backend_traits){
		.timed = !emulated, .emulated = emulated, .vendor = "NVIDIA", .warp_size = 32};
	if (emulated)
		run->traits.vendor[0] = '\0';
	run->state = xstrdup("running");
	run->seed = sweep->settings.seed;
	/* an emulator has none */
	run->rounds = emulated ? 0 : sweep->settings.rounds;
	host_facts(&run->environment);
	key_value_set(&run->environment, "process", mark);
	free(mark);
}

/* Says how the trials of a run ended. */
static int judge(const struct run *run, struct error *err)
{
	size_t mismatches = 0, faults = 0, failures = 0, skipped = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		enum trial_status status = run->trials[i].status;

		mismatches += status == TRIAL_MISMATCH;
		faults += status == TRIAL_FAULT;
		failures += trial_status_is_failure(status);
		skipped += status == TRIAL_SKIPPED;
	}
	if (mismatches)
		say("%zu %s a wrong result", mismatches,
		    mismatches == 1 ? "case has" : "cases have");
	if (faults)
		say("%zu %s an error in the kernel", faults,
		    faults == 1 ? "case has" : "cases have");
	failures -= mismatches + faults;
	if (failures)
		say("%zu %s failed%s; the reasons are in the report", failures,
		    failures == 1 ? "case" : "cases",
		    mismatches + faults ? " for another reason" : "");
	/* of a shard, others may have what runs here */
	if (skipped == run->trial_count && !key_value_get(&run->environment, SHARDS_KEY))
		return error_set(err, PL_EUNSUPPORTED,
				 "nothing to run: every case was skipped, for the reasons above");
	return 0;
}

static int exit_code_of(const struct run *run)
{
	bool finding = false, failure = false;

	for (size_t i = 0; i < run->trial_count; i++) {
		enum trial_status status = run->trials[i].status;

		finding |= status == TRIAL_MISMATCH || status == TRIAL_FAULT;
		failure |= trial_status_is_failure(status);
	}
	return finding ? EXIT_FINDING : failure ? EXIT_FAILED : EXIT_FINE;
}

int sweep_conclude(struct invocation *call, const struct run *run, struct error *err)
{
	fflush(stdout);
	call->exit_code = exit_code_of(run);
	return judge(run, err);
}

static int report_stored(struct invocation *call, struct db *db, int64_t id,
			 const struct sweep_options *options, struct error *err)
{
	struct run run = {0};
	struct report_sources sources = {0};
	int rc = db_run_load(db, id, true, &run, err);

	if (!rc)
		rc = report_sources_load(&sources, call, db, &run, err);
	sources.options.all_metrics = options->all_metrics;
	if (!rc)
		rc = report_run(stdout, &run, (enum report_format)options->format, &sources.options,
				err);
	report_sources_release(&sources);
	if (!rc)
		rc = sweep_conclude(call, &run, err);
	run_release(&run);
	return rc;
}

/* Ends the run in the database whatever happened, and says how to go on. */
static void close_run(struct db *db, const struct sweep_call *sweep, int64_t id, int rc)
{
	struct error err = {0};

	if (db_run_finish(db, id, rc ? "interrupted" : "finished", &err))
		say("run %lld could not be ended in the database: %s", (long long)id, err.text);
	else if (!rc && judge_run(db, id, &err))
		say("run %lld is kept, but not held against those before: %s", (long long)id,
		    err.text);
	if (rc)
		say("what was measured is kept; go on with: perflab sweep --resume %lld --db %s",
		    (long long)id, sweep->db_path);
}

int sweep_measure(struct sweep_call *sweep, struct db **db, struct sweep_stored *stored,
		  struct error *err)
{
	struct sweep_store store = {.db = *db,
				    .new_path = sweep->db_path,
				    .plan = &sweep->plan,
				    .progress = &sweep->progress,
				    .say_backend = sweep->choice.automatic && !sweep->choice.said,
				    .of_ceilings = sweep->of_ceilings,
				    .metrics = &sweep->settings.metrics};
	struct plan_source source = {.context = &sweep->plan, .build = sweep_plan_build};
	struct sweep_sink sink = sweep_store_sink(&store);
	struct sweep_outcome outcome = {0};
	int rc;

	if (!sweep->plan.resumed)
		describe_run(&store.run, sweep);
	rc = sweep_execute(sweep->backend, &source, &sweep->settings, &sink, interruption_catch(),
			   &outcome, err);
	progress_end(&sweep->progress);
	*db = store.db;
	*stored = (struct sweep_stored){store.run.id, store.begun, outcome.failed};
	if (store.begun)
		close_run(*db, sweep, store.run.id, rc);
	sweep_store_release(&store);
	return rc;
}

/* As sweep_measure(), with ceilings before and a report after. */
static int execute(struct invocation *call, struct sweep_call *sweep, struct db **db, bool *begun,
		   struct error *err)
{
	struct sweep_stored stored = {0};
	int rc = ceilings_before(sweep, db, err);

	if (!rc)
		rc = sweep_measure(sweep, db, &stored, err);
	*begun = stored.begun;
	if (!rc)
		rc = report_stored(call, *db, stored.run_id, sweep->options, err);
	if (!rc && !sweep->options->quiet)
		say("run %lld is kept; perflab report %lld --db %s prints it again",
		    (long long)stored.run_id, (long long)stored.run_id, sweep->db_path);
	return rc;
}

static int print_plan(const struct invocation *call, const struct sweep_call *sweep,
		      struct error *err)
{
	const struct plan *plan = sweep->plan.plan;
	int rc = sweep_plan_print(call, plan, (enum report_format)sweep->options->format, err);

	if (!rc)
		say("%zu %s: %zu to run, %zu skipped", plan->count,
		    plan->count == 1 ? "case" : "cases", plan->runnable,
		    plan->count - plan->runnable);
	return rc;
}

/* The plan for the device that is here. */
static int dry_run(const struct invocation *call, struct sweep_call *sweep, struct error *err)
{
	struct plan_source source = {.context = &sweep->plan, .build = sweep_plan_build};
	struct session_info info = {0};
	int rc = sweep_inspect(sweep->backend, &source, &sweep->settings, &info, err);

	if (!rc) {
		say("planned for %s", info.device.name);
		rc = print_plan(call, sweep, err);
	}
	session_info_release(&info);
	return rc;
}

static int pass_on(struct error *err, int rc, const struct error *cause)
{
	return rc ? error_set(err, rc, "%s", cause->text) : 0;
}

int sweep_try_backends(struct invocation *call, struct sweep_call *sweep, struct db **db,
		       struct error *err)
{
	struct backend_choice *choice = &sweep->choice;
	bool begun = false;
	int rc = 0;

	for (size_t i = 0; i < choice->count; i++) {
		struct error cause = {0};

		sweep->backend = choice->names[i];
		if (!sweep->plan.resumed)
			rc = sweep_request_settings(&sweep->settings, sweep->options,
						    sweep->backend, err);
		if (rc)
			return rc;
		backend_choice_say(choice, i, call);
		rc = sweep->options->dry_run ? dry_run(call, sweep, &cause)
					     : execute(call, sweep, db, &begun, &cause);
		if (!rc || begun || !backend_choice_lacks(choice, i, rc, &cause))
			return pass_on(err, rc, &cause);
	}
	rc = backend_choice_fail(choice, err);
	if (sweep->plan.resumed)
		error_context(err, rc,
			      "run %lld goes on with %s, which it began with, or not at all",
			      (long long)sweep->resumed.id, sweep->backend);
	return rc;
}

int sweep_dry_run_anywhere(struct invocation *call, struct sweep_call *sweep, struct error *err)
{
	struct error absent = {0};
	struct plan *plan;
	struct db *none = NULL;
	int rc = sweep_try_backends(call, sweep, &none, &absent);

	if (rc != PL_EUNSUPPORTED)
		return pass_on(err, rc, &absent);
	say("no device: planned for the least that every CUDA device has; %s", absent.text);
	rc = sweep_plan_build(&sweep->plan, NULL, &plan, err);
	return rc ? rc : print_plan(call, sweep, err);
}
