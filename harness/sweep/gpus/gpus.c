#include "harness/sweep/sweep.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/client/client.h"
#include "harness/sweep/gpus/gpu_reconcile.h"

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
	bool spread, stopped;
	enum interference_when interference;
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

static int gpus_check_request(const struct sweep_request *request, const struct gpus_request *gpus,
			      struct error *err)
{
	static const struct {
		const char *option, *remedy;
	} refused[] = {
		{"device", "give the device to --gpus, or leave --gpus out"},
		{"shard", "split over GPUs on each machine without shards, or give each GPU a "
			  "shard with --device"},
		{"decide", "sweep with --gpus first, then continue each run with --resume RUN "
			   "--decide"},
		{"resume", "continue each run of the sweep with --resume RUN, without --gpus"},
	};
	const char *const backend = request->backend;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (string_list_has(&request->given, refused[i].option))
			return error_set(err, PL_EUSAGE, "--gpus does not go with --%s: %s",
					 refused[i].option, refused[i].remedy);
	if (strcmp(backend, BACKEND_AUTO) != 0 && !backend_traits_of(backend).timed)
		return error_set(err, PL_EUSAGE,
				 "--gpus does not go with --backend %s, which uses no GPU: leave "
				 "one of them out",
				 backend);
	return gpu_devices_check_words(gpus->gpus, err);
}

/* What of the machine each process may use. */
static int divide_machine(struct group *group, const struct sweep_request *request,
			  struct error *err)
{
	const int count = (int)group->devices.count;
	const int all = request->settings.jobs ? request->settings.jobs : usable_processors();
	int64_t bytes = 0;
	int rc = data_file_limit(&bytes, err);

	group->jobs = all / count ? all / count : 1;
	group->shared_bytes = bytes / count;
	return rc;
}

/* A new file is made only now, when there are devices. */
static int make_database(const struct sweep_request *request, struct error *err)
{
	struct db *db = NULL;
	int rc = db_open(&db, request->db_path, DB_CREATE, err);

	db_close(db);
	return rc;
}

static int choose_devices(struct gpu_devices *out, const struct gpu_devices *all,
			  const struct gpus_request *gpus, struct error *err)
{
	int rc = gpu_devices_choose(out, all, gpus->gpus, err);

	return rc || gpus->spread ? rc : gpu_devices_check_equal(out, err);
}

static int prepare_group(struct group *group, const struct sweep_request *request,
			 const struct gpus_request *gpus, struct error *err)
{
	struct gpu_devices all = {0};
	struct plan *plan = NULL;
	int rc = sweep_plan(&plan, request, err);

	if (!rc)
		rc = gpu_share_new(&group->share, plan, err);
	plan_free(plan);
	if (!rc)
		rc = gpu_devices_list(&all, request->backend, err);
	if (!rc)
		rc = choose_devices(&group->devices, &all, gpus, err);
	gpu_devices_release(&all);
	if (!rc)
		rc = divide_machine(group, request, err);
	if (!rc)
		rc = uid_make(group->id, err);
	return rc ? rc : make_database(request, err);
}

/* An emulated sweep never runs on several GPUs. */
static const char *backend_of_gpus(const struct sweep_request *request)
{
	return strcmp(request->backend, BACKEND_AUTO) == 0 ? BACKEND_CUDA : request->backend;
}

int gpus_check(const struct sweep_request *request, const struct gpus_request *gpus,
	       struct text *said, struct error *err)
{
	const bool shown = strcmp(gpus->gpus, GPUS_ALL) == 0 && getenv("CUDA_VISIBLE_DEVICES");
	struct gpu_devices all = {0}, chosen = {0};
	struct error why = {0};
	int rc = gpus_check_request(request, gpus, err);

	if (!rc && gpu_devices_list(&all, backend_of_gpus(request), &why)) {
		text_addf(said, "--gpus %s is not checked, because no GPU can be asked: %s",
			  gpus->gpus, why.text);
	} else if (!rc) {
		rc = choose_devices(&chosen, &all, gpus, err);
		text_addf(said,
			  "%s %s%zu %s%s:", gpus->spread ? "every case on each of" : "split over",
			  shown ? "the " : "", chosen.count, chosen.count == 1 ? "GPU" : "GPUs",
			  shown ? " that CUDA_VISIBLE_DEVICES shows" : "");
	}
	for (size_t i = 0; i < chosen.count; i++)
		text_addf(said, "%s %d (%s, %s)", i ? "," : "", chosen.items[i].number,
			  chosen.items[i].info.name, chosen.items[i].info.uuid);
	gpu_devices_release(&chosen);
	gpu_devices_release(&all);
	return rc;
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
		const struct gpu_slot *slot = &group->share->slots[group->processes[i].slot];
		const long long of_all = atomic_load(&slot->first_total);

		steps = of_all > steps ? of_all : steps;
		progress.done += (size_t)atomic_load(&slot->done);
		if (group->spread)
			progress.total += (size_t)atomic_load(&slot->total);
	}
	if (!group->spread)
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
		.spread = group->spread,
		.interference = group->interference,
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

		if (other->gpu != process->gpu &&
		    (other->pid || !group->share->slots[other->slot].code))
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
	freed = group->spread ? 0 : gpu_share_give_back(group->share, process->slot);
	tell_observer(group->observer, NOTICE_WARNING, "GPU %d cannot go on: %s%s",
		      process->gpu->number, slot->error,
		      !atomic_load(&slot->run_id)        ? "; it has measured nothing"
		      : group->spread                    ? ""
		      : !freed                           ? "; it had finished its cases"
		      : others_can_go_on(group, process) ? "; other GPUs take over its cases"
							 : "; no GPU is left for its cases");
}

static void stop_group(struct group *group)
{
	group->stopped = true;
	group->share->stop = 1;
	for (size_t i = 0; i < group->count; i++)
		gpu_process_wake(&group->processes[i]);
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
	for (size_t i = 0; i < group->devices.count; i++) {
		const struct gpu_device *gpu = &group->devices.items[i];
		bool well = false;

		for (size_t k = 0; k < group->count; k++)
			if (group->processes[k].gpu == gpu)
				well = !group->share->slots[group->processes[k].slot].code;
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

	while (!rc && !group->spread && !group->stopped && group->count < GPU_SLOTS_MOST &&
	       gpu_share_free_cases(group->share) && (gpu = surviving_gpu(group))) {
		rc = start_process(group, gpu, err);
		if (!rc)
			await_processes(group, stop);
	}
	return rc;
}

/* ---- the end ---- */

static void take_results(struct gpus_result *out, const struct group *group)
{
	out->runs = xcalloc(group->count + 1, sizeof(*out->runs));
	out->count = group->count;
	out->cases = group->share->count;
	for (size_t i = 0; i < group->count; i++) {
		const struct gpu_process *process = &group->processes[i];
		const struct gpu_slot *slot = &group->share->slots[process->slot];
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
			run->cases += group->spread
					      ? !slot->code
					      : gpu_share_owner(group->share, k) == process->slot;
	}
	if (!group->spread)
		out->unmeasured = gpu_share_free_cases(group->share);
	out->wall_ns = monotonic_ns() - group->begun_ns;
}

static int conclude_group(const struct group *group, const struct gpus_result *result,
			  struct error *err)
{
	const struct gpus_run *failed = NULL;
	size_t well = 0;

	if (group->stopped)
		return error_set(err, PL_EINTERRUPTED, "interrupted");
	for (size_t i = 0; i < result->count; i++) {
		well += !result->runs[i].code;
		if (result->runs[i].code && !failed)
			failed = &result->runs[i];
	}
	if (failed && !well)
		return error_set(err, failed->code, "%s", failed->error);
	return 0;
}

int gpus_run(const struct sweep_request *request, const struct gpus_request *gpus,
	     const struct sweep_observer *observer, const volatile int *stop,
	     struct gpus_result *out, struct error *err)
{
	struct sweep_request own = *request; /* borrows its lists */
	struct group *group = xcalloc(1, sizeof(*group));
	int rc = gpus_check_request(request, gpus, err);

	*out = (struct gpus_result){0};
	own.backend = backend_of_gpus(request);
	*group = (struct group){.request = &own,
				.observer = observer,
				.spread = gpus->spread,
				.interference = gpus->interference,
				.begun_ns = monotonic_ns()};
	if (!rc)
		rc = prepare_group(group, &own, gpus, err);
	for (size_t i = 0; i < group->devices.count && !rc; i++)
		rc = start_process(group, &group->devices.items[i], err);
	if (rc && group->count)
		stop_group(group);
	if (group->count) {
		await_processes(group, stop);
		if (!rc)
			rc = measure_rest(group, stop, err);
		gpu_reconcile(group->share, group->count, group->spread, request->db_path,
			      observer);
		gpu_absent_store(group->processes, group->count, group->share, request->db_path,
				 observer);
		take_results(out, group);
	}
	if (!rc)
		rc = conclude_group(group, out, err);
	gpu_devices_release(&group->devices);
	string_list_release(&group->said);
	gpu_share_free(group->share);
	free(group);
	return rc;
}
