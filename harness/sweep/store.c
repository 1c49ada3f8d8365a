/*
 * The store: gives every result of a sweep to the database as it comes, in a
 * transaction of its own or together with others (struct result_writer). The summary
 * of a trial comes from the samples that are kept in memory, or else from the
 * database. A resumed run reads the samples of its earlier rounds once, when it
 * begins.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/origin/origin.h"
#include "harness/request/request.h"
#include "harness/sweep/decide/decide.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/against.h"
#include "metrics/analysis/statistics.h"
#include "metrics/catalogue/catalogue.h"
#include "perflab_config.h"

/* The most samples of all trials that are kept; the default settings of 1,000 cases need fewer. A
 * trial beyond that is dropped, and its samples are in the database only. */
#define SAMPLES_MOST ((size_t)8 << 20)

/* ---- samples in memory ---- */

struct kept_trial {
	struct sample *samples;
	size_t count, capacity;
	bool dropped;
};

/* Drops a trial: it has ended, or is not kept. */
static void kept_samples_drop(struct kept_samples *kept, size_t index)
{
	struct kept_trial *trial = &kept->trials[index];

	kept->count -= trial->count;
	free(trial->samples);
	*trial = (struct kept_trial){.dropped = true};
}

/* Adds a round. One with the same number is replaced. */
static void kept_samples_add(struct kept_samples *kept, size_t index,
			     const struct round_result *round)
{
	struct kept_trial *trial = &kept->trials[index];
	size_t others = 0;

	if (trial->dropped)
		return;
	if (kept->count + round->count > SAMPLES_MOST) {
		kept_samples_drop(kept, index);
		return;
	}
	kept->count -= trial->count;
	for (size_t i = 0; i < trial->count; i++)
		if (trial->samples[i].round != round->round)
			trial->samples[others++] = trial->samples[i];
	trial->count = others;
	trial->samples = xgrow(trial->samples, &trial->capacity, trial->count + round->count,
			       sizeof(*trial->samples));
	for (size_t i = 0; i < round->count; i++)
		trial->samples[trial->count++] = (struct sample){
			.round = round->round,
			.sequence = (int)i,
			.time_ns = round->time_ns[i],
			.base_ns = NAN, /* a summary does not need it */
		};
	kept->count += trial->count;
}

/* Forgets the rounds from number `first` on. */
static void kept_samples_forget(struct kept_samples *kept, size_t index, int first)
{
	struct kept_trial *trial = &kept->trials[index];
	size_t others = 0;

	for (size_t i = 0; i < trial->count; i++)
		if (trial->samples[i].round < first)
			trial->samples[others++] = trial->samples[i];
	kept->count -= trial->count - others;
	trial->count = others;
}

/* ---- rounds ---- */

int store_drop_rounds(struct sweep_store *store, int first, struct error *err)
{
	int rc = db_rounds_drop(store->db, store->run_id, first, err);

	for (size_t i = 0; i < store->trial_count && !rc; i++)
		kept_samples_forget(&store->kept, i, first);
	return rc;
}

int store_drop_rounds_of(struct sweep_store *store, size_t index, int first, struct error *err)
{
	int rc = db_trial_rounds_drop(store->db, store->trial_ids[index], first, err);

	if (!rc)
		kept_samples_forget(&store->kept, index, first);
	return rc;
}

static int summary_of(struct sweep_store *store, size_t index, struct summary *out,
		      struct error *err)
{
	const struct kept_trial *trial = &store->kept.trials[index];
	double *time_ns;

	if (trial->dropped)
		return db_trial_summary(store->db, store->trial_ids[index], out, err);
	time_ns = xcalloc(trial->count + 1, sizeof(*time_ns));
	for (size_t i = 0; i < trial->count; i++)
		time_ns[i] = trial->samples[i].time_ns;
	*out = summarise(time_ns, trial->count);
	free(time_ns);
	return 0;
}

/* ---- results ---- */

static int storing_end(const struct sweep_store *store, enum run_part before, int rc)
{
	meter_enter(store->meter, before);
	return rc;
}

static int store_facts(void *context, size_t index, const struct launch_facts *facts,
		       struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);

	return storing_end(store, before,
			   db_trial_facts(store->db, store->trial_ids[index], facts, err));
}

static int store_round(void *context, size_t index, const struct round_result *round,
		       struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);
	int rc = db_round_add(store->db, store->trial_ids[index], round, err);

	if (!rc)
		kept_samples_add(&store->kept, index, round);
	return storing_end(store, before, rc);
}

static int store_counters(void *context, size_t index, const struct counter_list *counters,
			  struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);
	struct counter_list with_rates = {0};
	struct summary summary;
	int rc = summary_of(store, index, &summary, err);

	if (rc)
		return storing_end(store, before, rc);
	counter_list_copy(&with_rates, counters);
	metric_derive_rates(&with_rates, store->metrics, summary.median_ns);
	rc = db_counters_set(store->db, store->trial_ids[index], &with_rates, err);
	counter_list_release(&with_rates);
	return storing_end(store, before, rc);
}

static int store_lines(void *context, size_t index, const struct line_count_list *lines,
		       struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);

	return storing_end(store, before,
			   db_lines_set(store->db, store->trial_ids[index], lines, err));
}

static int store_profile(void *context, size_t index, const struct profile *profile,
			 struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);

	return storing_end(store, before,
			   db_profile_set(store->db, store->trial_ids[index], profile, err));
}

/* A reason for no profile is none, and a damaged one is taken again. */
static bool has_profile(void *context, size_t index)
{
	struct sweep_store *store = context;
	struct error ignored = {0};
	struct profile *profile = NULL;
	bool has;

	if (!store->resumed)
		return false;
	db_profile_load(store->db, store->trial_ids[index], &profile, &ignored);
	has = profile && !profile->why_no_samples && !profile->why_no_counts;
	profile_free(profile);
	return has;
}

static int store_content(void *context, const char *hash, const void *bytes, size_t length,
			 struct error *err)
{
	struct sweep_store *store = context;

	return db_content_keep(store->db, hash, bytes, length, err);
}

static int store_source(void *context, const char *file, const char *hash, const char *why,
			struct error *err)
{
	struct sweep_store *store = context;

	return db_run_file_set(store->db, store->run_id, file, hash, why, err);
}

static double median_ns(void *context, size_t index)
{
	struct sweep_store *store = context;
	struct error ignored = {0};
	double median = NAN;

	if (db_trial_median(store->db, store->trial_ids[index], &median, &ignored))
		return NAN;
	return median;
}

static int earlier_counters(void *context, size_t index, const char *metrics,
			    struct earlier_counters out[EARLIER_MOST], size_t *count,
			    struct error *err)
{
	struct sweep_store *store = context;

	return db_earlier_counters_load(store->db, store->trial_ids[index], metrics, out, count,
					err);
}

static int store_alone(void *context, size_t index, const char *reason, struct error *err)
{
	struct sweep_store *store = context;

	return db_speedup_refuse(store->db, store->trial_ids[index], reason, err);
}

static int store_finished(void *context, size_t index, enum trial_status status, const char *reason,
			  struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);
	const struct trial *earlier =
		store->resumed ? run_trial(store->resumed, store->trial_ids[index]) : NULL;
	struct summary summary;
	int rc = summary_of(store, index, &summary, err);

	if (rc)
		return storing_end(store, before, rc);
	/* more rounds of a case that was counted before change its median, and so its rates */
	if (earlier && earlier->counters.count && summary.median_ns > 0)
		rc = store_counters(store, index, &earlier->counters, err);
	kept_samples_drop(&store->kept, index);
	if (!rc)
		rc = db_trial_finish(store->db, store->trial_ids[index], status, reason, &summary,
				     err);
	return storing_end(store, before, rc);
}

static int together_begin(void *context, struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);

	return storing_end(store, before, db_together_begin(store->db, err));
}

static int together_end(void *context, int rc, struct error *err)
{
	struct sweep_store *store = context;
	const enum run_part before = meter_enter(store->meter, RUN_PART_STORING);

	return storing_end(store, before, db_together_end(store->db, rc, err));
}

struct result_writer store_writer(struct sweep_store *store)
{
	return (struct result_writer){
		.context = store,
		.facts = store_facts,
		.round = store_round,
		.counters = store_counters,
		.lines = store_lines,
		.profile = store_profile,
		.has_profile = has_profile,
		.content = store_content,
		.source = store_source,
		.median_ns = median_ns,
		.alone = store_alone,
		.earlier_counters = earlier_counters,
		.finished = store_finished,
		.begin = together_begin,
		.end = together_end,
	};
}

/* ---- a new run ---- */

/* Makes the trial of a planned case; copies its strings. */
static void make_trial(struct trial *trial, const struct plan *plan,
		       const struct plan_case *planned)
{
	const struct launch_case *launch = planned->launch;
	const struct plan_case *base = plan_base(plan, planned);

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
		.speedup = trial_speedup_none,
	};
	if (planned->base_variant)
		trial->speedup.base_variant = xstrdup(planned->base_variant);
	if (base)
		trial->speedup.base_config = xstrdup(base->config);
	else if (planned->base_variant)
		trial->speedup.why =
			xasprintf("%s/%s has no case with the axes of %s", planned->kernel,
				  planned->base_variant, planned->config);
	for (size_t i = 0; i < planned->axis_count; i++) {
		snprintf(trial->axes[i].name, sizeof(trial->axes[i].name), "%s",
			 planned->axes[i].name);
		trial->axes[i].value = planned->axes[i].value;
	}
	memcpy(trial->launch_hash, planned->unchanged_launch, sizeof(trial->launch_hash));
	if (launch)
		launch_hash(trial->launch_hash, launch);
	/* a copy has bytes and no operations; a model with neither is unknown */
	if (launch && (launch->has_flop || launch->bytes_read || launch->bytes_written)) {
		trial->has_work = true;
		trial->flop = launch->flop;
		trial->bytes_read = launch->bytes_read;
		trial->bytes_written = launch->bytes_written;
	}
}

/* What is known about a run before its trials. */
static void describe_run(struct run *run, const struct run_task *task,
			 const struct session_info *info, const struct source_origin *origin)
{
	const struct sweep_request *request = task->request;
	const char *built = host_build_revision();
	const char *revision = task->files ? origin->revision : built;
	char *mark = host_process_mark();

	/* a run of a user's files belongs to the user's commit, and keeps that of perflab as a fact
	 */
	run->source_revision = revision ? xstrdup(revision) : NULL;
	if (task->files) {
		run->origin = xstrdup(origin->origin);
		if (origin->path)
			key_value_set(&run->environment, SOURCE_PATH_KEY, origin->path);
		if (built)
			key_value_set(&run->environment, PERFLAB_REVISION_KEY, built);
	}
	run->label = request->label && *request->label ? xstrdup(request->label) : NULL;
	run->note = request->note && *request->note ? xstrdup(request->note) : NULL;
	run->command = xstrdup(request->command);
	run->backend = xstrdup(task->backend);
	run->version = xstrdup(PERFLAB_VERSION);
	run->traits = info->traits;
	run->has_settings = true;
	run->settings_known = SETTINGS_ALL;
	run->settings = *task->settings; /* borrowed: store_new_run() takes it back */
	run->seed = task->settings->seed;
	run->rounds = info->traits.timed ? task->settings->rounds : 0;
	run->device = info->device;
	run->started_ns = wall_time_ns();
	host_facts(&run->environment);
	key_value_set(&run->environment, "process", mark);
	key_value_add_all(&run->environment, &info->environment);
	if (info->profiler[0])
		key_value_set(&run->environment, "profiler", info->profiler);
	if (info->counters_reason)
		key_value_set(&run->environment, "counters_off", info->counters_reason);
	if (info->passes > 0) {
		char *passes = xasprintf("%lld", (long long)info->passes);

		key_value_set(&run->environment, "counter_passes", passes);
		free(passes);
	}
	if (task->sources && task->sources->count) {
		key_value_add_all(&run->environment, task->sources);
		source_words_add(&run->environment, request);
	}
	if (task->against) {
		/* a branch may move until the run is resumed */
		key_value_set(&run->environment, AGAINST_COMMIT_KEY, task->against->commit);
		key_value_set(&run->environment, AGAINST_WORD_KEY, task->against->word);
	}
	if (task->since)
		changed_since_add_facts(&run->environment, task->since, task->plan);
	free(mark);
}

static int store_new_run(struct sweep_store *store, const struct run_task *task,
			 const struct session_info *info, struct error *err)
{
	const struct plan *plan = task->plan;
	struct source_origin origin = {0};
	struct key_value_list known = {0};
	struct run run = {0};
	int rc = 0;

	if (task->files) {
		/* a file that was moved keeps the origin of its earlier runs */
		rc = db_origins_load(store->db, kernel_file_kernel(task->files)->name,
				     SOURCE_PATH_KEY, &known, err);
		source_origin_find(&origin, task->files);
		source_origin_follow(&origin, &known);
		key_value_list_release(&known);
	}
	describe_run(&run, task, info, &origin);
	shard_describe(&run, task->shard);
	run.trials = xcalloc(plan->count + 1, sizeof(*run.trials));
	run.trial_count = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		make_trial(&run.trials[i], plan, &plan->cases[i]);
	if (!rc)
		rc = db_run_begin(store->db, &run, err);
	for (size_t i = 0; i < plan->count && !rc; i++)
		store->trial_ids[i] = run.trials[i].id;
	store->run_id = run.id;
	run.settings = (struct measure_settings){0};
	run_release(&run);
	source_origin_release(&origin);
	return rc;
}

/* ---- a resumed run ---- */

/*
 * If two processes resume a run at the same moment, one succeeds. The mark
 * and the state change together, because another process takes a run that is
 * not running for one that it may resume.
 */
static int claim_run(struct sweep_store *store, const struct run *resumed, struct error *err)
{
	const char *before = key_value_get(&resumed->environment, "process");
	char *mark = host_process_mark();
	int rc = db_together_begin(store->db, err);

	if (!rc) {
		rc = before ? db_environment_swap(store->db, resumed->id, "process", before, mark,
						  err)
			    : db_environment_set(store->db, resumed->id, "process", mark, err);
		if (rc == PL_EBUSY)
			error_set(err, rc,
				  "another process has just resumed run %lld; wait for its end",
				  (long long)resumed->id);
		if (!rc)
			rc = db_run_reopen(store->db, resumed->id, err);
		rc = db_together_end(store->db, rc, err);
	}
	free(mark);
	return rc;
}

static int reopen_run(struct sweep_store *store, const struct run_task *task, struct error *err)
{
	const struct plan *plan = task->plan;
	int rc;

	store->run_id = task->resumed->id;
	store->resumed = task->resumed;
	memcpy(store->trial_ids, task->trial_ids, plan->count * sizeof(*store->trial_ids));
	rc = claim_run(store, task->resumed, err);
	if (!rc && task->request->decide)
		rc = decide_drop_unused(store->db, task->resumed, err);
	for (size_t i = 0; i < plan->count && !rc; i++) {
		const struct plan_case *planned = &plan->cases[i];

		struct kept_trial *trial = &store->kept.trials[i];
		const bool continues = !planned->finished && planned->rounds_done;

		/* the samples of its earlier rounds */
		if (continues && store->kept.count >= SAMPLES_MOST) {
			kept_samples_drop(&store->kept, i);
		} else if (continues) {
			rc = db_samples_load(store->db, store->trial_ids[i], &trial->samples,
					     &trial->count, err);
			trial->capacity = trial->count;
			store->kept.count += trial->count;
		}
		/* it could run when it was first planned, and cannot now */
		if (!rc && planned->skip_reason && !planned->finished)
			rc = store_finished(store, i, TRIAL_SKIPPED, planned->skip_reason, err);
	}
	return rc;
}

/* ---- both ---- */

int store_begin(struct sweep_store *store, const struct run_task *task,
		const struct session_info *info, struct error *err)
{
	int rc;

	store->metrics = &task->settings->metrics;
	store->trial_count = task->plan->count;
	store->trial_ids = xcalloc(store->trial_count + 1, sizeof(*store->trial_ids));
	store->kept.trials = xcalloc(store->trial_count + 1, sizeof(*store->kept.trials));
	if (task->resumed)
		rc = reopen_run(store, task, err);
	else
		rc = store_new_run(store, task, info, err);
	store->begun = rc == 0;
	return error_context(err, rc, "storing the run");
}

void store_release(struct sweep_store *store)
{
	for (size_t i = 0; i < store->trial_count; i++)
		kept_samples_drop(&store->kept, i);
	free(store->kept.trials);
	free(store->trial_ids);
}
