/*
 * The CUDA backend: the operations of the worker loop, on one GPU. What a
 * case is lives in operation.h, how it is timed in timing.h, how it is counted
 * in counting.h; here they are put in order.
 */
#include "harness/workers/cuda/backend.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/toolkit_version.h"
#include "harness/workers/cuda/attached.h"
#include "harness/workers/cuda/counting.h"
#include "harness/workers/cuda/diagnosis.h"
#include "harness/workers/cuda/operation.h"
#include "harness/workers/cuda/ranges.h"
#include "harness/workers/cuda/timing.h"

struct cuda_backend {
	struct device device;
	struct workshop workshop;
	struct timer *timer;
	struct ranges *ranges;
	const struct measure_settings *settings;
	struct cupti_plan *plan; /* NULL: nothing to count, or counters cannot be had */
	enum attached_tool tool;
};

static int backend_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	(void)backend;
	return diagnose(reply, err);
}

static int backend_devices(void *backend, struct worker_reply *reply, struct error *err)
{
	(void)backend;
	return diagnose_devices(reply, err);
}

struct metric_visit {
	struct worker_reply *reply;
};

static int reply_metric(void *context, const struct cupti_metric_description *described)
{
	const struct metric_visit *visit = context;
	const struct worker_metric metric = {.name = described->name,
					     .unit = described->unit,
					     .kind = described->kind,
					     .description = described->description};

	return worker_reply_metric(visit->reply, &metric);
}

/* Nobody's slip if CUPTI does not know the chip that is in this machine. */
static int own_chip_code(const char *chip, int rc)
{
	return !chip && rc == PL_EUSAGE ? PL_EUNSUPPORTED : rc;
}

static int backend_metrics(void *backend, const char *chip, const char *pattern,
			   struct worker_reply *reply, struct error *err)
{
	struct metric_visit visit = {.reply = reply};
	char own[16];

	(void)backend;
	if (!chip)
		diagnose_default_chip(own);
	return own_chip_code(
		chip, cupti_metrics_visit(chip ? chip : own, pattern, reply_metric, &visit, err));
}

static int backend_passes(void *backend, const char *chip, const struct string_list *wanted,
			  int64_t *passes, struct string_list *missing, struct error *err)
{
	struct cupti_plan *plan = NULL;
	char own[16];
	int rc;

	(void)backend;
	if (!chip)
		diagnose_default_chip(own);
	rc = cupti_plan_create(&plan, chip ? chip : own, wanted, NULL, err);
	if (rc)
		return own_chip_code(chip, rc);
	*passes = (int64_t)cupti_plan_pass_count(plan);
	for (size_t i = 0; i < cupti_plan_missing(plan)->count; i++)
		string_list_add(missing, cupti_plan_missing(plan)->items[i]);
	cupti_plan_free(plan);
	return 0;
}

/* ---- open ---- */

/* Makes the counter plan. What stands in its way costs the counters, never the sweep. */
static void open_counters(struct cuda_backend *backend, struct session_info *info)
{
	uint8_t *availability = NULL;
	struct error why = {0};
	int rc;

	if (backend->tool != ATTACHED_NONE) {
		info->counters_reason = xasprintf(
			"%s is attached, and two tools cannot read counters at once",
			backend->tool == ATTACHED_OTHER ? "another profiling tool"
							: attached_tool_name(backend->tool));
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
	key_value_set(environment, "gpu.pci_bus_id", backend->device.pci_bus_id);
	key_value_set(environment, "worker.toolkit", PERFLAB_TOOLKIT_VERSION);
	key_value_set(environment, "worker.profiler", attached_tool_name(backend->tool));
}

static void backend_close(void *context)
{
	struct cuda_backend *backend = context;

	cupti_plan_free(backend->plan);
	ranges_close(backend->ranges);
	timer_close(backend->timer);
	workshop_close(&backend->workshop);
	device_close(&backend->device);
	*backend = (struct cuda_backend){0};
}

static int open_device(struct cuda_backend *backend, const struct measure_settings *settings,
		       struct error *err)
{
	int rc = device_open(&backend->device, settings->device, err);

	if (rc)
		return rc;
	rc = workshop_open(&backend->workshop, &backend->device, settings->seed, err);
	if (rc == 0)
		rc = timer_open(&backend->timer, &backend->workshop, backend->tool != ATTACHED_NCU,
				err);
	if (rc == 0 && backend->tool != ATTACHED_NCU)
		rc = timer_warm_up(backend->timer, err);
	return rc;
}

static int backend_open(void *context, const struct measure_settings *settings,
			struct session_info *info, struct error *err)
{
	struct cuda_backend *backend = context;
	int rc;

	backend->settings = settings;
	backend->tool = attached_tool();
	rc = open_device(backend, settings, err);
	if (rc) {
		/* perflab may ask again. */
		backend_close(backend);
		return rc;
	}
	backend->ranges = ranges_open();
	info->device = backend->device.info;
	info->traits = (struct backend_traits){.timed = true,
					       .vendor = "NVIDIA",
					       .warp_size = device_warp_size(&backend->device)};
	snprintf(info->profiler, sizeof(info->profiler), "%s", attached_tool_name(backend->tool));
	open_counters(backend, info);
	describe_environment(backend, info);
	return 0;
}

/* ---- cases ---- */

static int backend_inspect(void *context, const struct launch_case *work,
			   struct launch_facts *facts, enum trial_status *status,
			   struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct operation operation = {0};
	int rc = operation_load(&operation, &backend->workshop, work, reason, err);

	if (rc == 0 && reason->length)
		*status = TRIAL_SKIPPED;
	else if (rc == 0)
		rc = operation_facts(&operation, facts, err);
	operation_release(&operation);
	return rc;
}

static int verify(struct cuda_backend *backend, int64_t id, int round, struct operation *operation,
		  struct worker_reply *reply, struct text *mismatch, struct error *err)
{
	struct case_accuracy accuracy;
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_VERIFY, -1);

	if (rc)
		return rc;
	ranges_enter_phase(backend->ranges, "verify");
	rc = operation_verify(operation, mismatch, &accuracy, err);
	ranges_leave_phase(backend->ranges);
	if (rc || mismatch->length)
		return rc;
	return worker_reply_accuracy(reply, id, round, accuracy.relative_error, accuracy.reason);
}

/* Under ncu: one execution in a range of its own, for the tool to measure. */
static int execute_for_tool(struct cuda_backend *backend, int64_t id, struct operation *operation,
			    struct worker_reply *reply, struct error *err)
{
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);

	if (rc == 0)
		rc = operation_restore(operation, err);
	if (rc == 0)
		rc = device_synchronise(&backend->device, err, "restoring inputs");
	if (rc)
		return rc;
	ranges_enter_phase(backend->ranges, "profile");
	rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(&backend->device, err, "executing the kernel");
	ranges_leave_phase(backend->ranges);
	return rc;
}

static int time_case(struct cuda_backend *backend, int64_t id, int round,
		     struct operation *operation, struct worker_reply *reply, struct error *err)
{
	struct round_result timed = {.round = round};
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);

	if (rc)
		return rc;
	ranges_enter_phase(backend->ranges, "time");
	rc = timer_run(backend->timer, operation, backend->settings, &timed, err);
	ranges_leave_phase(backend->ranges);
	if (rc)
		return rc;
	rc = worker_reply_samples(reply, id, round, timed.time_ns, timed.count);
	if (rc == 0)
		rc = worker_reply_state(reply, id, round, &timed.state);
	free(timed.time_ns);
	return rc;
}

static int backend_measure(void *context, int64_t id, const struct launch_case *work, int round,
			   struct worker_reply *reply, enum trial_status *status,
			   struct text *reason, struct error *err)
{
	struct cuda_backend *backend = context;
	struct operation operation = {0};
	struct text finding = TEXT_INIT;
	int rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);

	if (rc)
		return rc;
	ranges_enter_case(backend->ranges, work, id);
	rc = operation_load(&operation, &backend->workshop, work, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_SKIPPED;
		goto out;
	}
	if (rc == 0)
		rc = operation_prepare(&operation, err);
	if (rc == 0)
		rc = verify(backend, id, round, &operation, reply, &finding, err);
	if (rc == 0 && finding.length) {
		*status = TRIAL_MISMATCH;
		goto out;
	}
	if (rc == 0 && backend->tool == ATTACHED_NCU)
		rc = execute_for_tool(backend, id, &operation, reply, err);
	else if (rc == 0)
		rc = time_case(backend, id, round, &operation, reply, err);
out:
	text_add(reason, finding.data);
	text_release(&finding);
	operation_release(&operation);
	ranges_leave_case(backend->ranges, work);
	return rc;
}

static int backend_count(void *context, const struct count_item *items, size_t count,
			 struct worker_reply *reply, enum trial_status *status, struct text *reason,
			 struct error *err)
{
	struct cuda_backend *backend = context;

	(void)status;
	(void)reason;
	if (!backend->plan)
		return error_set(err, PL_EPROTOCOL, "counting was asked for, but counters are off");
	return count_cases(&backend->workshop, backend->ranges, backend->plan, backend->settings,
			   items, count, reply, err);
}

int cuda_worker(int socket_fd)
{
	struct cuda_backend backend = {0};
	const struct backend_ops ops = {.name = "cuda",
					.version = PERFLAB_WORKER_VERSION,
					.backend = &backend,
					.doctor = backend_doctor,
					.devices = backend_devices,
					.metrics = backend_metrics,
					.passes = backend_passes,
					.open = backend_open,
					.inspect = backend_inspect,
					.measure = backend_measure,
					.count = backend_count,
					.close = backend_close};

	return worker_main(&ops, socket_fd);
}
