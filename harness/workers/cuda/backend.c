/*
 * The CUDA backend: implements the operations of the worker loop on one GPU.
 * operation.h loads, executes and verifies a case, timing.h times it and
 * counting.h counts it.
 */
#include "harness/workers/cuda/backend.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/toolkit_version.h"
#include "harness/workers/cuda/beside.h"
#include "harness/workers/cuda/chip_metrics.h"
#include "harness/workers/cuda/counting.h"
#include "harness/workers/cuda/doctor.h"
#include "harness/workers/cuda/nvtx_ranges.h"
#include "harness/workers/cuda/operation.h"
#include "harness/workers/cuda/profiler.h"
#include "harness/workers/cuda/timing.h"
#include "harness/workers/expected.h"

/* A device that is idle for longer lowers its clocks. */
#define IDLE_NS INT64_C(1000000000)

struct cuda_backend {
	struct device device;
	struct cuda_resources resources;
	struct timer *timer;
	struct nvtx_ranges *ranges;
	const struct measure_settings *settings;
	struct cupti_plan *plan; /* NULL: nothing to count, or counters are not available */
	enum profiler profiler;
	int64_t warm_ns; /* end of the warm-up at `open`, until the first case; then 0 */
};

static int cuda_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	(void)backend;
	return doctor_check_machine(reply, err);
}

static int cuda_devices(void *backend, struct worker_reply *reply, struct error *err)
{
	(void)backend;
	return doctor_list_devices(reply, err);
}

static int cuda_metrics(void *backend, const char *chip, const char *pattern,
			struct worker_reply *reply, struct error *err)
{
	(void)backend;
	return chip_list_metrics(chip, pattern, reply, err);
}

static int cuda_passes(void *backend, const char *chip, const struct string_list *wanted,
		       int64_t *passes, struct string_list *missing, struct error *err)
{
	(void)backend;
	return chip_count_passes(chip, wanted, passes, missing, err);
}

/* ---- open ---- */

/* Makes the counter plan. If it fails, the sweep goes on without counters. */
static void open_counters(struct cuda_backend *backend, struct session_info *info)
{
	uint8_t *availability = NULL;
	struct error why = {0};
	int rc;

	if (backend->profiler != PROFILER_NONE) {
		info->counters_reason = xasprintf(
			"%s is attached, and only one tool at a time can read counters",
			backend->profiler == PROFILER_OTHER ? "another profiling tool"
							    : profiler_name(backend->profiler));
		return;
	}
	if (backend->settings->metrics.count == 0)
		return;
	rc = cupti_load(info->device.cupti, &why);
	if (rc == 0)
		rc = cupti_device_check(backend->device.context, backend->device.handle,
					backend->device.info.chip, &availability, &why);
	if (rc == 0)
		rc = cupti_plan_create(&backend->plan, backend->device.info.chip,
				       &backend->settings->metrics, availability, &why);
	if (rc == 0)
		info->passes = (int64_t)cupti_plan_pass_count(backend->plan);
	else
		info->counters_reason = xstrdup(why.text);
	snprintf(info->device.chip, sizeof(info->device.chip), "%s", backend->device.info.chip);
	free(availability);
}

static void describe_environment(const struct cuda_backend *backend, struct session_info *info)
{
	struct device_state state = nvml_device_state(backend->device.nvml);
	struct key_value_list *environment = &info->environment;
	char text[32];

	nvml_environment(backend->device.nvml, environment);
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

	cupti_plan_free(backend->plan);
	nvtx_close(backend->ranges);
	timer_close(backend->timer);
	cuda_resources_close(&backend->resources);
	device_close(&backend->device);
	*backend = (struct cuda_backend){0};
}

static int open_device(struct cuda_backend *backend, const struct measure_settings *settings,
		       struct error *err)
{
	int rc = device_open(&backend->device, settings->device, err);

	if (rc)
		return rc;
	rc = cuda_resources_open(&backend->resources, &backend->device, settings->seed, err);
	if (rc == 0)
		rc = timer_open(&backend->timer, &backend->resources,
				backend->profiler != PROFILER_NCU, err);
	if (rc == 0 && backend->profiler != PROFILER_NCU)
		rc = timer_warm_up(backend->timer, err);
	backend->warm_ns = monotonic_ns();
	return rc;
}

static int cuda_open(void *context, const struct measure_settings *settings,
		     struct session_info *info, struct error *err)
{
	struct cuda_backend *backend = context;
	int rc;

	backend->settings = settings;
	backend->profiler = profiler_attached();
	rc = open_device(backend, settings, err);
	if (rc) {
		/* perflab may send `open` again. */
		cuda_close(backend);
		return rc;
	}
	backend->ranges = nvtx_open();
	info->device = backend->device.info;
	info->traits = (struct backend_traits){
		.timed = true, .vendor = "NVIDIA", .warp_size = device_warp_size(&backend->device)};
	snprintf(info->profiler, sizeof(info->profiler), "%s", profiler_name(backend->profiler));
	open_counters(backend, info);
	describe_environment(backend, info);
	return 0;
}

/* ---- cases ---- */

/* A worker that was opened in advance, or whose case had to be compiled, may have waited for long
 * before its first case. */
static int warm_up_after_waiting(struct cuda_backend *backend, struct error *err)
{
	const bool waited = backend->warm_ns && monotonic_ns() - backend->warm_ns > IDLE_NS;

	backend->warm_ns = 0;
	return waited && backend->profiler != PROFILER_NCU ? timer_warm_up(backend->timer, err) : 0;
}

static int cuda_wake(void *context, struct error *err)
{
	struct cuda_backend *backend = context;
	int rc = warm_up_after_waiting(backend, err);

	backend->warm_ns = monotonic_ns();
	return rc;
}

static int cuda_inspect(void *context, const struct launch_case *work, struct launch_facts *facts,
			enum trial_status *status, struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct operation operation = {0};
	int rc = warm_up_after_waiting(backend, err);

	if (rc == 0)
		rc = operation_load(&operation, &backend->resources, work, reason, err);
	if (rc == 0 && reason->length)
		*status = TRIAL_SKIPPED;
	else if (rc == 0)
		rc = operation_facts(&operation, facts, err);
	if (rc == 0 && *status == TRIAL_OK && !case_is_checked(work))
		*status = case_unverified(reason);
	operation_release(&operation);
	return rc;
}

static int verify_case(struct cuda_backend *backend, int64_t id, int round,
		       struct operation *operation, struct worker_reply *reply,
		       struct text *mismatch, struct error *err)
{
	struct case_accuracy accuracy;
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_VERIFY, -1);

	if (rc)
		return rc;
	nvtx_enter_phase(backend->ranges, "verify");
	rc = operation_verify(operation, mismatch, &accuracy, err);
	nvtx_leave_phase(backend->ranges);
	if (rc || mismatch->length || !case_is_checked(operation->work))
		return rc;
	return worker_reply_accuracy(reply, id, round, accuracy.relative_error, accuracy.reason);
}

/* Executes the operation once in a range of its own, for ncu to measure. */
static int execute_for_profiler(struct cuda_backend *backend, int64_t id,
				struct operation *operation, struct worker_reply *reply,
				struct error *err)
{
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);

	if (rc == 0)
		rc = operation_restore(operation, err);
	if (rc == 0)
		rc = device_synchronise(&backend->device, err, "restoring inputs");
	if (rc)
		return rc;
	nvtx_enter_phase(backend->ranges, "profile");
	rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(&backend->device, err, "executing the kernel");
	nvtx_leave_phase(backend->ranges);
	return rc;
}

/* base NULL: the case is timed alone. */
static int time_case(struct cuda_backend *backend, int64_t id, struct operation *operation,
		     struct operation *base, struct worker_reply *reply, struct round_result *timed,
		     struct error *err)
{
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);

	if (rc)
		return rc;
	nvtx_enter_phase(backend->ranges, "time");
	rc = timer_run(backend->timer, operation, base, backend->settings, timed, err);
	nvtx_leave_phase(backend->ranges);
	return rc;
}

/*
 * Verifies the case with inputs that its kernel has not seen, at the addresses
 * of the first inputs: a kernel may have kept results and recognise its call by
 * the addresses. Not possible if memory is too small for other inputs, or if no
 * input is random: the case is then right for the inputs that it has.
 */
static int verify_other_inputs(struct cuda_backend *backend, const struct operation *first,
			       struct text *mismatch, struct error *err)
{
	const struct launch_case *work = first->work;
	struct operation operation = {0};
	struct case_accuracy accuracy;
	struct text skip = TEXT_INIT;
	struct error cause = {0};
	int rc = operation_load(&operation, &backend->resources, work, &skip, &cause);

	for (size_t b = 0; rc == 0 && b < work->buffer_count; b++)
		operation.buffers[b].block = first->buffers[b].block;
	backend->resources.mixed = true;
	if (rc == 0)
		rc = operation_prepare(&operation, &cause);
	if (rc == 0)
		rc = operation_verify(&operation, mismatch, &accuracy, &cause);
	backend->resources.mixed = false;
	operation_forget(&operation);
	text_release(&skip);
	if (rc && rc != PL_ENOMEM)
		return error_set(err, rc, "%s", cause.text);
	return 0;
}

/*
 * Looks for what only many executions or other inputs show: a kernel that is
 * wrong in some samples, or that kept its results. What is verified was timed.
 * In the first round only, for it costs comparisons, an execution and a second
 * set of inputs.
 */
static int verify_again(struct cuda_backend *backend, struct operation *operation,
			struct text *mismatch, struct error *err)
{
	struct case_accuracy accuracy;
	struct text found = TEXT_INIT;
	int rc = operation_compare(operation, &found, &accuracy, err);

	if (rc == 0 && found.length)
		text_addf(mismatch, "wrong in the last sample, though right before the first: %s",
			  found.data);
	if (rc == 0 && !found.length)
		rc = operation_watched_samples(operation, &found, err);
	if (rc == 0 && found.length && !mismatch->length)
		text_addf(mismatch, "wrong in a sample between the first and the last: %s",
			  found.data);
	if (rc == 0 && !found.length && case_check_follows_inputs(operation->work))
		rc = verify_other_inputs(backend, operation, &found, err);
	if (rc == 0 && found.length && !mismatch->length)
		text_addf(mismatch, "right for the first inputs, but wrong for others: %s",
			  found.data);
	text_release(&found);
	return rc;
}

/* ---- beside a base case ---- */

/* Prepares and verifies a case once more, after its base case failed. */
static int prepare_again(struct cuda_backend *backend, const struct launch_case *work,
			 struct operation *operation, struct text *finding, struct error *err)
{
	struct case_accuracy accuracy;
	int rc;

	operation_release(operation);
	rc = operation_load(operation, &backend->resources, work, finding, err);
	if (rc == 0 && !finding->length)
		rc = operation_prepare(operation, err);
	return rc || finding->length ? rc : operation_verify(operation, finding, &accuracy, err);
}

/* *why says why there is no base case to measure; "": there is one. */
static int prepare_base(struct cuda_backend *backend, int64_t id, const struct launch_case *work,
			const struct launch_case *base_work, struct operation *operation,
			struct operation *base, struct worker_reply *reply, struct text *why,
			struct text *finding, struct error *err)
{
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_BESIDE, -1);

	if (rc)
		return rc;
	nvtx_enter_phase(backend->ranges, "beside");
	rc = beside_prepare(base, operation, base_work, why, err);
	if (rc == 0 && why->length)
		rc = prepare_again(backend, work, operation, finding, err);
	nvtx_leave_phase(backend->ranges);
	return rc;
}

static bool is_verified_again(const struct launch_case *work, int round)
{
	return round == 0 && operation_is_distrusted(work) && case_is_checked(work);
}

/*
 * Both may use the same memory, so after a round only the result of the
 * operation that came last is there. This takes one more pair, and looks at each
 * result after its sample.
 */
static int take_last_pair(struct cuda_backend *backend, struct operation *operation,
			  struct operation *base, struct round_result *timed, struct text *mismatch,
			  struct text *why, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct text found = TEXT_INIT;
	int rc = timer_take(backend->timer, base, backend->settings, &timed->base_ns[timed->count],
			    err);

	if (rc == 0 && is_verified_again(base->work, timed->round))
		rc = verify_again(backend, base, &found, err);
	if (rc == 0 && found.length) {
		text_addf(why, "the base case is %s", found.data);
		rc = prepare_again(backend, work, operation, mismatch, err);
	}
	if (rc == 0 && !mismatch->length)
		rc = timer_take(backend->timer, operation, backend->settings,
				&timed->time_ns[timed->count], err);
	if (rc == 0 && !mismatch->length && is_verified_again(work, timed->round))
		rc = verify_again(backend, operation, mismatch, err);
	timed->count++;
	text_release(&found);
	return rc;
}

/* ---- measuring ---- */

/* With a hot cache, a comparison would bring the expected results into it. */
static int watch_samples(struct cuda_backend *backend, int round, struct operation *operation,
			 struct operation *base, struct error *err)
{
	const bool cold = backend->settings->cache == CACHE_COLD;
	int rc = 0;

	if (cold && is_verified_again(operation->work, round))
		rc = operation_watch_samples(operation, 0, err);
	if (rc == 0 && base && cold && is_verified_again(base->work, round))
		rc = operation_watch_samples(base, 1, err);
	return rc;
}

/* What a base case came to: its samples, or why there are none. */
static int reply_base(struct worker_reply *reply, int64_t id, const struct round_result *timed,
		      const struct text *why)
{
	return why->length ? worker_reply_alone(reply, id, timed->round, why->data)
			   : worker_reply_beside(reply, id, timed->round, timed->base_ns,
						 timed->count, timed->same_buffers);
}

/* base_work NULL: the case is measured alone. */
static int time_and_verify(struct cuda_backend *backend, int64_t id, int round,
			   struct operation *operation, const struct launch_case *base_work,
			   struct worker_reply *reply, struct text *mismatch, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct round_result timed = {.round = round};
	struct text why = TEXT_INIT;
	struct operation base = {0};
	bool paired = false;
	int rc = 0;

	if (base_work)
		rc = prepare_base(backend, id, work, base_work, operation, &base, reply, &why,
				  mismatch, err);
	if (rc || mismatch->length)
		goto out;
	paired = base_work && !why.length;
	rc = watch_samples(backend, round, operation, paired ? &base : NULL, err);
	if (rc == 0)
		rc = time_case(backend, id, operation, paired ? &base : NULL, reply, &timed, err);
	if (rc == 0 && paired)
		timed.same_buffers = beside_same_buffers(operation, &base);
	if (rc == 0 && paired &&
	    (is_verified_again(work, round) || is_verified_again(base_work, round)))
		rc = take_last_pair(backend, operation, &base, &timed, mismatch, &why, err);
	else if (rc == 0 && is_verified_again(work, round))
		rc = verify_again(backend, operation, mismatch, err);
	if (rc == 0 && !mismatch->length)
		rc = worker_reply_samples(reply, id, round, timed.time_ns, timed.count);
	if (rc == 0 && !mismatch->length && base_work)
		rc = reply_base(reply, id, &timed, &why);
	if (rc == 0 && !mismatch->length)
		rc = worker_reply_state(reply, id, round, &timed.state);
out:
	free(timed.time_ns);
	free(timed.base_ns);
	operation_forget(&base);
	text_release(&why);
	return rc;
}

static int cuda_measure(void *context, int64_t id, const struct launch_case *work,
			const struct launch_case *base, int round, struct worker_reply *reply,
			enum trial_status *status, struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct operation operation = {0};
	struct text finding = TEXT_INIT;
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);

	if (rc == 0)
		rc = warm_up_after_waiting(backend, err);
	if (rc)
		return rc;
	nvtx_enter_case(backend->ranges, work, id);
	rc = operation_load(&operation, &backend->resources, work, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_SKIPPED;
		goto out;
	}
	if (rc == 0)
		rc = operation_prepare(&operation, err);
	if (rc == 0)
		rc = verify_case(backend, id, round, &operation, reply, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_MISMATCH;
		goto out;
	}
	if (rc == 0 && backend->profiler == PROFILER_NCU)
		rc = execute_for_profiler(backend, id, &operation, reply, err);
	else if (rc == 0)
		rc = time_and_verify(backend, id, round, &operation, base, reply, &finding, err);
	if (rc == 0 && finding.length)
		*status = TRIAL_MISMATCH;
	else if (rc == 0 && !case_is_checked(work))
		*status = case_unverified(&finding);
out:
	text_add(reason, finding.data);
	text_release(&finding);
	operation_release(&operation);
	nvtx_leave_case(backend->ranges, work);
	return rc;
}

static int cuda_count(void *context, const struct count_item *items, size_t count,
		      struct worker_reply *reply, enum trial_status *status, struct text *reason,
		      struct error *err)
{
	struct cuda_backend *backend = context;

	(void)status;
	(void)reason;
	if (!backend->plan)
		return error_set(err, PL_EPROTOCOL, "perflab requested counters, but they are off");
	return count_cases(&backend->resources, backend->ranges, backend->plan, backend->settings,
			   items, count, reply, err);
}

int cuda_worker(int socket_fd)
{
	struct cuda_backend backend = {0};
	const struct backend_ops ops = {.name = "cuda",
					.version = PERFLAB_WORKER_VERSION,
					.backend = &backend,
					.doctor = cuda_doctor,
					.devices = cuda_devices,
					.metrics = cuda_metrics,
					.passes = cuda_passes,
					.open = cuda_open,
					.wake = cuda_wake,
					.inspect = cuda_inspect,
					.measure = cuda_measure,
					.count = cuda_count,
					.close = cuda_close};

	return worker_main(&ops, socket_fd);
}
