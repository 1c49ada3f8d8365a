/* A sweep on several GPUs: see sweep.h. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "harness/client/client.h"
#include "harness/sweep/gpus/gpus.h"
#include "metrics/analysis/gpu_group.h"

#define LOOK_MS 100 /* between two looks at the progress and at *stop */

void gpus_result_release(struct gpus_result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		free(result->runs[i].error);
		free(result->runs[i].name);
	}
	free(result->runs);
	*result = (struct gpus_result){0};
}

/* A sweep on several GPUs while it runs. */
struct group {
	const struct sweep_request *request;
	const struct sweep_observer *observer;
	const struct gpus_request *gpus;
	bool stopped;
	char id[33];
	struct gpu_devices devices;
	struct gpu_share *share;
	struct gpu_process processes[GPU_SLOTS_MOST];
	size_t count; /* processes that were started */
	int jobs;
	int64_t shared_bytes, begun_ns;
	struct string_list said; /* remarks, each of which is shown once */
};

/* ---- the request ---- */

static int prepare_group(struct group *group, struct error *err)
{
	const struct sweep_request *request = group->request;
	struct gpu_devices all = {0};
	struct plan *plan = NULL;
	struct db *db = NULL;
	int64_t bytes = 0;
	int rc = sweep_plan(&plan, request, err);

	if (!rc)
		rc = gpu_share_new(&group->share, plan, err);
	plan_free(plan);
	if (!rc)
		rc = gpu_devices_list(&all, request->backend, err);
	if (!rc)
		rc = gpu_devices_choose(&group->devices, &all, group->gpus->gpus,
					!group->gpus->spread, err);
	free(all.items);
	/* what of the machine each process may use */
	if (!rc)
		rc = data_file_limit(&bytes, err);
	if (!rc) {
		const int count = (int)group->devices.count, wanted = request->settings.jobs;
		const int jobs = (wanted ? wanted : usable_processors()) / count;

		group->jobs = jobs ? jobs : 1;
		group->shared_bytes = bytes / count;
	}
	if (!rc)
		rc = uid_make(group->id, err);
	/* a new file is made only now, when there are devices */
	if (!rc)
		rc = db_open(&db, request->db_path, DB_CREATE, err);
	db_close(db);
	return rc;
}

static const struct gpu_slot *group_slot(const struct group *group, size_t process)
{
	return &group->share->slots[process];
}

/* ---- messages ---- */

static void show_gpu_notice(void *context, const struct gpu_process *process, enum notice_kind kind,
			    const char *line)
{
	struct group *group = context;

	/* all processes remark on the request in the same words */
	if (kind == NOTICE_REMARK && string_list_has(&group->said, line))
		return;
	if (kind == NOTICE_REMARK)
		string_list_add(&group->said, line);
	tell_observer(group->observer, kind, "GPU %d: %s", process->gpu->number, line);
}

static void show_group(const struct group *group)
{
	struct sweep_progress progress = {.elapsed_ns = monotonic_ns() - group->begun_ns,
					  .left_ns = -1};
	long long steps = 0;
	char phase[48];

	if (!group->observer || !group->observer->progress)
		return;
	for (size_t i = 0; i < group->count; i++) {
		const struct gpu_slot *slot = group_slot(group, i);
		const long long of_all = atomic_load(&slot->first_total);

		steps = of_all > steps ? of_all : steps;
		progress.done += (size_t)atomic_load(&slot->done);
		if (group->gpus->spread)
			progress.total += (size_t)atomic_load(&slot->total);
	}
	if (!group->gpus->spread)
		progress.total = (size_t)steps > progress.done ? (size_t)steps : progress.done;
	if (progress.done)
		progress.left_ns = (int64_t)((double)progress.elapsed_ns / (double)progress.done *
					     (double)(progress.total - progress.done));
	snprintf(phase, sizeof(phase), "on %zu %s", group->devices.count,
		 group->devices.count == 1 ? "GPU" : "GPUs");
	progress.phase = phase;
	group->observer->progress(group->observer->context, &progress);
}

/* ---- processes ---- */

static int start_process(struct group *group, const struct gpu_device *gpu, struct error *err)
{
	const struct gpu_part part = {
		.share = group->share,
		.slot = (int)group->count,
		.uuid = gpu->info.uuid,
		.group = group->id,
		.gpus = group->devices.count,
		.spread = group->gpus->spread,
		.interference = group->gpus->interference,
	};
	int rc = gpu_process_start(&group->processes[group->count], group->request, &part, gpu,
				   group->jobs, group->shared_bytes, err);

	group->count += !rc;
	return rc;
}

/* Whether another GPU measures, or has ended well and can begin another run. */
static bool others_can_go_on(const struct group *group, const struct gpu_process *process)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct gpu_process *other = &group->processes[i];

		if (other->gpu != process->gpu && (other->pid || !group_slot(group, i)->code))
			return true;
	}
	return false;
}

/* A process has ended. */
static void process_over(struct group *group, const struct gpu_process *process)
{
	struct gpu_slot *slot = &group->share->slots[process->slot];
	size_t freed;

	atomic_store(&slot->ended, 1);
	if (!slot->code || group->stopped)
		return;
	freed = group->gpus->spread ? 0 : gpu_share_give_back(group->share, process->slot);
	tell_observer(group->observer, NOTICE_WARNING, "GPU %d cannot go on: %s%s",
		      process->gpu->number, slot->error,
		      !atomic_load(&slot->run_id)        ? "; it has measured nothing"
		      : group->gpus->spread              ? ""
		      : !freed                           ? "; it had finished its cases"
		      : others_can_go_on(group, process) ? "; other GPUs take over its cases"
							 : "; no GPU is left for its cases");
}

static void stop_group(struct group *group)
{
	group->stopped = true;
	group->share->stop = 1;
	for (size_t i = 0; i < group->count; i++)
		if (group->processes[i].pid)
			kill(group->processes[i].pid, SIGTERM); /* it sees share->stop */
}

/* Until all processes that were started have ended. */
static void await_processes(struct group *group, const volatile int *stop)
{
	struct pollfd fds[GPU_SLOTS_MOST];
	size_t running = 1;

	while (running) {
		running = 0;
		for (size_t i = 0; i < group->count; i++) {
			fds[i] = (struct pollfd){.fd = group->processes[i].notices,
						 .events = POLLIN};
			running += group->processes[i].pid != 0;
		}
		if (!running)
			return;
		if (stop && *stop && !group->stopped)
			stop_group(group);
		if (poll(fds, group->count, LOOK_MS) < 0)
			continue;
		for (size_t i = 0; i < group->count; i++)
			if (fds[i].fd >= 0 && fds[i].revents &&
			    !gpu_process_read(&group->processes[i], group->share, show_gpu_notice,
					      group))
				process_over(group, &group->processes[i]);
		show_group(group);
	}
}

/* A GPU whose last process ended well. NULL: there is none. */
static const struct gpu_device *surviving_gpu(const struct group *group)
{
	bool well = false;

	for (size_t i = 0; i < group->devices.count; i++) {
		const struct gpu_device *gpu = &group->devices.items[i];

		for (size_t k = 0; k < group->count; k++)
			if (group->processes[k].gpu == gpu)
				well = !group_slot(group, k)->code;
		if (well)
			return gpu;
	}
	return NULL;
}

/* Measures the cases that a GPU gave back after all others had ended. */
static int measure_rest(struct group *group, const volatile int *stop, struct error *err)
{
	const struct gpu_device *gpu;
	int rc = 0;

	while (!rc && !group->gpus->spread && !group->stopped && group->count < GPU_SLOTS_MOST &&
	       gpu_share_free_cases(group->share) && (gpu = surviving_gpu(group))) {
		rc = start_process(group, gpu, err);
		if (!rc)
			await_processes(group, stop);
	}
	return rc;
}

/* ---- runs of which not every process ended well ---- */

/* Whether the run of a slot can be resumed. One whose GPU failed need not where others were
 * interrupted; where all GPUs failed, nobody else has its cases. */
static bool can_resume(const struct gpu_slot *slot, bool failed)
{
	return atomic_load(&slot->run_id) &&
	       (failed ? slot->code != 0 : slot->code == PL_EINTERRUPTED);
}

/* Gives the cases that nobody has claimed to the interrupted runs, in turn. */
static void deal_free_cases(const struct group *group)
{
	const size_t count = group->count;
	size_t next = 0, tried;
	bool failed = true;

	for (size_t i = 0; i < count; i++)
		failed &= !can_resume(group_slot(group, i), false);
	for (size_t i = 0; i < group->share->count; i++) {
		if (gpu_share_owner(group->share, i) >= 0)
			continue;
		for (tried = 0; tried < count && !can_resume(group_slot(group, next), failed);
		     tried++)
			next = (next + 1) % count;
		if (tried == count)
			return;
		gpu_share_claim(group->share, (int)next, i);
		next = (next + 1) % count;
	}
}

static int reconcile_run(const struct group *group, int slot, struct db *db, struct error *err)
{
	const struct gpu_share *share = group->share;
	const int64_t run_id = atomic_load(&share->slots[slot].run_id);
	struct text path = TEXT_INIT;
	struct run run = {0};
	int64_t *ids;
	size_t count = 0, pending = 0;
	int rc = db_run_load(db, run_id, true, &run, err);

	if (rc)
		return rc;
	ids = xcalloc(run.trial_count + 1, sizeof(*ids));
	for (size_t i = 0; i < run.trial_count; i++) {
		const int64_t at = run.trials[i].position;
		const int owner = !group->gpus->spread && at >= 0 && (size_t)at < share->count
					  ? gpu_share_owner(share, (size_t)at)
					  : slot;

		if (owner >= 0 && owner != slot)
			ids[count++] = run.trials[i].id;
		else
			pending += run.trials[i].status == TRIAL_PENDING;
	}
	rc = db_trials_drop(db, ids, count, err);
	if (!rc && run.state == RUN_RUNNING)
		rc = db_run_finish(db, run_id, RUN_INTERRUPTED, err);
	/* a process that was interrupted has said so itself */
	if (!rc && pending && share->slots[slot].code != PL_EINTERRUPTED) {
		shell_word(&path, db_path(db));
		tell_observer(group->observer, NOTICE_WARNING,
			      "run %lld has %zu %s that no GPU measured; continue with: perflab "
			      "sweep --resume %lld --db %s",
			      (long long)run_id, pending, pending == 1 ? "case" : "cases",
			      (long long)run_id, path.data);
	}
	text_release(&path);
	free(ids);
	run_release(&run);
	return rc;
}

/*
 * Afterwards each case is in one of the runs. A run whose process was killed becomes interrupted.
 * In mode split, cases that nobody has go to the runs that were interrupted, in turn, or to those
 * of GPUs that failed if there are no others, and each run that did not end well loses the trials
 * of cases that another slot has. The observer is told which runs keep cases that nobody measured.
 */
static void reconcile_runs(const struct group *group)
{
	const char *const path = group->request->db_path;
	struct error cause = {0};
	struct db *db = NULL;
	bool well = true;
	int rc;

	for (size_t i = 0; i < group->count; i++)
		well &= !group_slot(group, i)->code || !atomic_load(&group_slot(group, i)->run_id);
	if (well)
		return;
	if (!group->gpus->spread)
		deal_free_cases(group);
	rc = db_open(&db, path, DB_WRITE, &cause);
	for (size_t i = 0; i < group->count && !rc; i++)
		if (group_slot(group, i)->code && atomic_load(&group_slot(group, i)->run_id))
			rc = reconcile_run(group, (int)i, db, &cause);
	db_close(db);
	if (rc && access(path, F_OK) != 0)
		tell_observer(group->observer, NOTICE_WARNING,
			      "%s is gone: the runs may have cases in common. Join the copies that "
			      "are named above with perflab merge, then continue each run with "
			      "--resume",
			      path);
	else if (rc)
		tell_observer(group->observer, NOTICE_WARNING,
			      "the runs that did not end well may have cases in common: %s",
			      cause.text);
}

/* Whether the GPU of this process failed before any process of it began a run. */
static bool is_absent(const struct group *group, size_t at)
{
	const int code = group_slot(group, at)->code;

	for (size_t i = 0; i < group->count; i++)
		if (group->processes[i].gpu == group->processes[at].gpu &&
		    atomic_load(&group_slot(group, i)->run_id))
			return false;
	return code && code != PL_EINTERRUPTED;
}

/* Stores why the GPU of a process has no run, in each run of the others. Opens the database at the
 * first fact. */
static int store_absence(struct db **db, const struct group *group, size_t absent,
			 struct error *err)
{
	const struct gpu_device *gpu = group->processes[absent].gpu;
	struct key_value_list fact = {0};
	int rc = 0;

	gpu_absence_add(&fact, gpu->number, gpu->info.uuid, group_slot(group, absent)->error);
	for (size_t i = 0; i < group->count && !rc; i++) {
		const int64_t run_id = atomic_load(&group_slot(group, i)->run_id);

		if (run_id && !*db)
			rc = db_open(db, group->request->db_path, DB_WRITE, err);
		if (run_id && !rc)
			rc = db_environment_set(*db, run_id, fact.items[0].key, fact.items[0].value,
						err);
	}
	key_value_list_release(&fact);
	return rc;
}

static void store_absences(const struct group *group)
{
	struct error cause = {0};
	struct db *db = NULL;
	int rc = 0;

	for (size_t i = 0; i < group->count && !rc; i++) {
		if (!is_absent(group, i))
			continue;
		rc = store_absence(&db, group, i, &cause);
		if (rc)
			tell_observer(group->observer, NOTICE_WARNING,
				      "the runs do not say why GPU %d has none: %s",
				      group->processes[i].gpu->number, cause.text);
	}
	db_close(db);
}

/* ---- the end ---- */

static void take_results(struct gpus_result *out, const struct group *group)
{
	out->runs = xcalloc(group->count + 1, sizeof(*out->runs));
	out->count = group->count;
	out->cases = group->share->count;
	for (size_t i = 0; i < group->count; i++) {
		const struct gpu_process *process = &group->processes[i];
		const struct gpu_slot *slot = group_slot(group, i);
		struct gpus_run *run = &out->runs[i];

		*run = (struct gpus_run){
			.number = process->gpu->number,
			.name = xstrdup(process->gpu->info.name),
			.run_id = atomic_load(&slot->run_id),
			.code = slot->code,
			.error = slot->code ? xstrdup(slot->error) : NULL,
			.took_over = i >= group->devices.count,
			.wall_ns = slot->wall_ns,
			.impossible = slot->impossible,
		};
		snprintf(run->uuid, sizeof(run->uuid), "%s", process->gpu->info.uuid);
		for (size_t k = 0; k < group->share->count; k++)
			run->cases += group->gpus->spread
					      ? !slot->code
					      : gpu_share_owner(group->share, k) == process->slot;
	}
	if (!group->gpus->spread)
		out->unmeasured = gpu_share_free_cases(group->share);
	out->wall_ns = monotonic_ns() - group->begun_ns;
}

int gpus_run(const struct sweep_request *request, const struct gpus_request *gpus,
	     const struct sweep_observer *observer, const volatile int *stop,
	     struct gpus_result *out, struct error *err)
{
	struct sweep_request own = *request; /* borrows its lists */
	struct group *group = xcalloc(1, sizeof(*group));
	int rc = gpus_check_request(request, gpus, err);
	size_t well = 0;

	*out = (struct gpus_result){0};
	own.backend = backend_of_gpus(request);
	*group = (struct group){
		.request = &own, .observer = observer, .gpus = gpus, .begun_ns = monotonic_ns()};
	if (!rc)
		rc = prepare_group(group, err);
	for (size_t i = 0; i < group->devices.count && !rc; i++)
		rc = start_process(group, &group->devices.items[i], err);
	if (rc && group->count)
		stop_group(group);
	if (group->count) {
		await_processes(group, stop);
		if (!rc)
			rc = measure_rest(group, stop, err);
		reconcile_runs(group);
		store_absences(group);
		take_results(out, group);
	}
	for (size_t i = 0; i < out->count; i++)
		well += !out->runs[i].code;
	if (!rc && group->stopped)
		rc = error_set(err, PL_EINTERRUPTED, "interrupted");
	else if (!rc && !well)
		rc = error_set(err, out->runs[0].code, "%s", out->runs[0].error);
	free(group->devices.items);
	string_list_release(&group->said);
	gpu_share_free(group->share);
	free(group);
	return rc;
}
