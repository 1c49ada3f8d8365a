/* perflab-worker-cuda: implements the operations of the worker loop on one GPU, and serves them on
 * the socket that perflab passes to it. */
#include "harness/workers/cuda/backend.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generated/toolkit_version.h"
#include "harness/workers/expected.h"

struct cuda_backend {
	struct device device;
	struct cuda_resources resources;
	struct timer *timer;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	struct counter_access counters;
	enum profiler profiler;
	bool is_ready;      /* the driver was opened in advance: see cuda_ready() */
	struct error stays; /* why the data of a case is not moved, though it should be */
};

/* ---- open ---- */

/* Why there are no counters; for those that another process holds, which one it may be. */
static void counters_refusal(struct text *out, const struct cuda_backend *backend, int rc,
			     const struct error *why)
{
	pid_t others[NVML_MOST_PROCESSES];
	const int count = nvml_list_others(backend->device.nvml, others);

	text_add(out, why->text);
	if (rc == PL_EBUSY)
		counter_holders_add(out, others, count > 0 ? (size_t)count : 0);
}

/* Says whether there are counters. Without them the sweep goes on. `wanted`: the plan was begun. */
static void open_counters(struct cuda_backend *backend, bool wanted, struct session_info *info)
{
	struct counter_access *counters = &backend->counters;
	struct text refusal = TEXT_INIT;
	struct error why = {0};
	int rc;

	if (backend->profiler != PROFILER_NONE) {
		info->counters_reason = xasprintf(
			"%s is attached, and only one tool at a time can read counters",
			backend->profiler == PROFILER_OTHER ? "another profiling tool"
							    : profiler_name(backend->profiler));
		return;
	}
	if (!wanted)
		return;
	rc = counter_access_open(counters, &backend->device, &backend->settings->metrics, &why);
	if (rc) {
		counters_refusal(&refusal, backend, rc, &why);
		info->counters_reason = text_detach(&refusal);
		info->counters_busy = rc == PL_EBUSY;
	} else {
		info->passes = (int64_t)cupti_plan_pass_count(counters->plan);
	}
	memcpy(info->device.cupti, counters->cupti, sizeof(counters->cupti));
	memcpy(info->device.chip, counters->chip, sizeof(counters->chip));
}

static void describe_environment(const struct cuda_backend *backend,
				 struct key_value_list *environment)
{
	struct device_state state = nvml_device_state(backend->device.nvml);
	char text[32];

	nvml_environment(backend->device.nvml, environment);
	if (device_slice(&backend->device.info))
		key_value_set(environment, "gpu.slice", device_slice(&backend->device.info));
	if (!backend->device.nvml)
		key_value_set(environment, "gpu.nvml", backend->device.nvml_reason.text);
	if (isfinite(state.sm_clock_hz)) {
		snprintf(text, sizeof(text), "%.0f", state.sm_clock_hz);
		key_value_set(environment, "gpu.sm_clock_hz", text);
	}
	if (isfinite(state.memory_clock_hz)) {
		snprintf(text, sizeof(text), "%.0f", state.memory_clock_hz);
		key_value_set(environment, "gpu.memory_clock_hz", text);
	}
	if (isfinite(state.temperature_c)) {
		snprintf(text, sizeof(text), "%.0f", state.temperature_c);
		key_value_set(environment, "gpu.temperature_c", text);
	}
	if (backend->device.other_processes >= 0) {
		snprintf(text, sizeof(text), "%d", backend->device.other_processes);
		key_value_set(environment, "gpu.other_processes", text);
	}
	key_value_set(environment, "gpu.pci_bus_id", backend->device.pci_bus_id);
	key_value_set(environment, "worker.toolkit", PERFLAB_TOOLKIT_VERSION);
	key_value_set(environment, "worker.profiler", profiler_name(backend->profiler));
}

static void cuda_close(void *context)
{
	struct cuda_backend *backend = context;

	counter_access_close(&backend->counters);
	nvtx_close(backend->ranges);
	timer_close(backend->timer);
	cuda_resources_close(&backend->resources);
	device_close(&backend->device);
	*backend = (struct cuda_backend){0};
}

/*
 * Prepares for moving the data of cases in physical memory. A profiler counts
 * one execution, and would show what moves the data, too. The seed of the run is
 * not used: runs with one seed would choose alike, and agree more than others.
 */
static void open_placements(struct cuda_backend *backend, const struct measure_settings *settings)
{
	const uint64_t seed = (uint64_t)wall_time_ns() ^ (uint64_t)getpid() << 32;

	if (settings->placements < 2)
		return;
	if (backend->profiler != PROFILER_NONE)
		error_set(&backend->stays, PL_EUNSUPPORTED,
			  "the data stays in its place while a profiler is attached");
	else
		memory_make_replaceable(&backend->resources.memory, seed, &backend->stays);
}

static int open_device(struct cuda_backend *backend, const struct measure_settings *settings,
		       const struct open_manner *manner, bool wants_counters, struct error *err)
{
	const int64_t busy_ns = monotonic_ns() - manner->idle_ns;
	/* a profiler may have opened the driver */
	const char *uuid = backend->profiler == PROFILER_NONE ? manner->uuid : NULL;
	int rc = 0;

	if (!backend->is_ready)
		rc = device_open_driver(&backend->device, settings->device, uuid, err);
	/* Beside the context. Beside the driver, each would wait while the other loads libraries.
	 */
	if (rc == 0 && !backend->is_ready && wants_counters)
		counter_access_hook(&backend->counters);
	if (rc == 0)
		rc = device_open_context(&backend->device, err);
	if (rc)
		return rc;
	rc = cuda_resources_open(&backend->resources, &backend->device, settings->seed, err);
	if (rc)
		return rc;
	uploader_init(&backend->resources.uploader, settings->jobs);
	open_placements(backend, settings);
	rc = timer_open(&backend->timer, &backend->resources, backend->profiler != PROFILER_NCU,
			err);
	/* beside the warm-up, which only has to keep the device busy */
	if (rc == 0 && wants_counters)
		counter_access_begin(&backend->counters, &backend->device, &settings->metrics);
	if (rc == 0 && backend->profiler != PROFILER_NCU)
		rc = manner->idle_ns < 0 ? timer_warm_up(backend->timer, err)
					 : timer_warm_up_since(backend->timer, busy_ns, err);
	return rc;
}

static int cuda_open(void *context, const struct measure_settings *settings,
		     const struct open_manner *manner, struct session_info *info, struct error *err)
{
	struct cuda_backend *backend = context;
	bool attached, wants_counters;
	int rc;

	backend->settings = settings;
	backend->profiler = profiler_attached();
	attached = backend->profiler != PROFILER_NONE;
	wants_counters = manner->check_counters && settings->metrics.count && !attached;
	rc = open_device(backend, settings, manner, wants_counters, err);
	if (rc) {
		/* perflab may send `open` again. */
		cuda_close(backend);
		return rc;
	}
	backend->ranges = nvtx_open();
	info->device = backend->device.info;
	info->traits = (struct backend_traits){
		.timed = true, .vendor = "NVIDIA", .warp_size = device_warp_size(&backend->device)};
	info->loads_code = true;
	info->profiles = true;
	info->inspects_by_launch = true; /* operation_load() and _facts() look at nothing else */
	snprintf(info->profiler, sizeof(info->profiler), "%s", profiler_name(backend->profiler));
	open_counters(backend, wants_counters, info);
	describe_environment(backend, &info->environment);
	return 0;
}

static int cuda_ready(void *context, const struct ready_manner *manner, struct error *err)
{
	struct cuda_backend *backend = context;
	struct error ignored = {0};
	int rc;

	/* a profiler may have opened the driver */
	if (profiler_attached() != PROFILER_NONE)
		return 0;
	rc = device_open_driver(&backend->device, manner->device, manner->uuid, err);
	if (rc == 0 && manner->check_counters)
		cupti_hook(&ignored); /* a failure comes again, and is reported then */
	if (rc)
		cuda_close(backend);
	else
		backend->is_ready = true;
	return rc;
}

/* ---- cases ---- */

static void cuda_share(void *context, struct shared_data *shared)
{
	struct cuda_backend *backend = context;

	backend->resources.shared = shared;
}

/* Time has passed since the session was opened: others may use the device now. */
static int cuda_wake(void *context, struct key_value_list *environment, struct error *err)
{
	struct cuda_backend *backend = context;
	int rc = backend->profiler == PROFILER_NCU ? 0 : timer_stay_warm(backend->timer, err);

	if (rc)
		return rc;
	backend->device.other_processes = nvml_other_processes(backend->device.nvml);
	describe_environment(backend, environment);
	return 0;
}

static int cuda_inspect(void *context, const struct launch_case *work, struct launch_facts *facts,
			enum trial_status *status, struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct operation operation = {0};
	int rc = operation_load(&operation, &backend->resources, work, reason, err);

	if (rc == 0 && reason->length)
		*status = TRIAL_SKIPPED;
	else if (rc == 0)
		rc = operation_facts(&operation, facts, err);
	if (rc == 0 && *status == TRIAL_OK && !case_is_checked(work))
		*status = case_unverified(work, reason);
	operation_release(&operation);
	return rc;
}

static int cuda_measure(void *context, int64_t id, const struct launch_case *work,
			const struct launch_case *base, int round, struct worker_reply *reply,
			enum trial_status *status, struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	const struct measuring measuring = {.resources = &backend->resources,
					    .timer = backend->timer,
					    .ranges = backend->ranges,
					    .settings = backend->settings,
					    .unmoved = backend->stays.text[0] ? backend->stays.text
									      : NULL,
					    .under_ncu = backend->profiler == PROFILER_NCU};
	const struct measured_case asked = {id, round, work, base};
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);

	meter_start(&backend->resources.meter);
	if (rc == 0)
		rc = measure_case(&measuring, &asked, reply, status, reason, err);
	meter_read(&backend->resources.meter);
	return rc ? rc : worker_reply_times(reply, id, &backend->resources.meter);
}

static int cuda_count(void *context, const struct count_item *items, size_t count,
		      const struct string_list *metrics, struct worker_reply *reply,
		      enum trial_status *status, struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct text refusal = TEXT_INIT;
	struct error why = {0};
	int rc;

	(void)status;
	(void)reason;
	if (backend->profiler != PROFILER_NONE || backend->settings->metrics.count == 0)
		return error_set(err, PL_EPROTOCOL, "perflab requested counters, but they are off");
	rc = counter_access_open(&backend->counters, &backend->device,
				 metrics ? metrics : &backend->settings->metrics, &why);
	if (!rc) {
		rc = count_cases(&backend->resources, backend->ranges, backend->counters.plan,
				 backend->settings, items, count, reply, &why);
		if (rc != PL_EBUSY)
			return rc ? error_set(err, rc, "%s", why.text) : 0;
	}
	counters_refusal(&refusal, backend, rc, &why);
	rc = worker_reply_counters_off(reply, refusal.data, rc == PL_EBUSY);
	text_release(&refusal);
	return rc;
}

static int cuda_profile(void *context, const struct profile_items *items,
			struct worker_reply *reply, struct error *err)
{
	struct cuda_backend *backend = context;

	if (backend->profiler != PROFILER_NONE || !backend->counters.plan)
		return error_set(err, PL_EPROTOCOL,
				 "perflab requested profiles, but counters are off");
	return profile_cases(&backend->resources, backend->ranges, backend->counters.chip,
			     backend->settings, items, reply, err);
}

int main(void)
{
	struct cuda_backend backend = {0};
	const struct backend_ops ops = {.name = "cuda",
					.version = PERFLAB_WORKER_VERSION,
					.backend = &backend,
					.doctor = cuda_doctor,
					.devices = cuda_devices,
					.metrics = cuda_metrics,
					.passes = cuda_passes,
					.share = cuda_share,
					.ready = cuda_ready,
					.open = cuda_open,
					.wake = cuda_wake,
					.inspect = cuda_inspect,
					.measure = cuda_measure,
					.count = cuda_count,
					.profile = cuda_profile,
					.close = cuda_close};

	if (fcntl(WORKER_SOCKET_FD, F_GETFD) < 0) {
		fprintf(stderr, "perflab-worker-cuda is started by perflab over a socket; "
				"run `perflab sweep` instead\n");
		return 2;
	}
	worker_watch_perflab(WORKER_SOCKET_FD);
	return worker_main(&ops, WORKER_SOCKET_FD);
}
