/*
 * A worker with no device: deterministic samples and counters, and faults on
 * demand. It stands on worker_loop wherever it is honest, so that a test of
 * perflab with it is a test of the protocol too.
 * fake_script.h says what it can be made to do. With "untimed" in the script it
 * is an emulator: it has no clock, and emulates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_data.h"
#include "fake_results.h"
#include "fake_script.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/settings.h"

static const struct device_info device = {
	.name = "Fake GPU",
	.uuid = "GPU-00000000-0000-0000-0000-000000000000",
	.chip = FAKE_CHIP,
	.cc_major = 9,
	.cc_minor = 0,
	.sm_count = 132,
	.max_threads_per_sm = 2048,
	.max_threads_per_block = 1024,
	.max_blocks_per_sm = 32,
	.registers_per_sm = 65536,
	.shared_bytes_per_sm = 233472,
	.shared_bytes_per_block = 232448,
	.l2_bytes = 62914560,
	.memory_bytes = INT64_C(150120955904),
	.sm_clock_max_hz = 1980000000,
	.memory_clock_max_hz = 3201000000,
	.memory_bus_bits = 6144,
	.driver = "580.0",
	.cuda_driver = "13.0",
	.toolkit = "13.0",
	.cupti = "",
};

/* ---- several devices ---- */

/* $FAKE_WORKER_GPUS devices, one by default, which differ in their UUID. */
static int device_count(void)
{
	const char *count = getenv("FAKE_WORKER_GPUS");

	return count ? atoi(count) : 1;
}

static struct device_info device_of(int ordinal)
{
	struct device_info own = device;
	char number[12];

	snprintf(number, sizeof(number), "%d", ordinal);
	if (ordinal)
		snprintf(own.uuid, sizeof(own.uuid), "GPU-%08d-0000-0000-0000-000000000000",
			 ordinal);
	if (scripted("old_gpu", number)) {
		own.cc_major = 7;
		own.cc_minor = 5;
	}
	if (scripted("other_model", number)) {
		strcpy(own.name, "Fake GPU XL");
		own.sm_count = 144;
	}
	if (scripted("is_slice", number) || scripted("is_large_slice", number)) {
		snprintf(own.uuid, sizeof(own.uuid), "MIG-%08d-0000-0000-0000-000000000000",
			 ordinal);
		strcat(own.name, scripted("is_slice", number) ? " MIG 1g.18gb" : " MIG 2g.35gb");
		own.sm_count = scripted("is_slice", number) ? 16 : 32;
	}
	/* as if the device of this number was another one after a reset */
	if (scripted("swapped", number) && !first_time())
		strcpy(own.uuid, "GPU-99999999-0000-0000-0000-000000000000");
	return own;
}

/* ---- operations ---- */

static int fake_doctor(void *backend, struct worker_reply *reply, struct error *err)
{
	bool there = !scripted("no_device", NULL);
	int rc;

	(void)backend;
	(void)err;
	rc = worker_reply_check(reply, &(struct worker_check){"driver", true, "580.0", ""});
	if (rc)
		return rc;
	return worker_reply_check(reply, &(struct worker_check){"device 0", there,
								there ? device.name : "none",
								there ? "" : "plug one in"});
}

static int fake_devices(void *backend, struct worker_reply *reply, struct error *err)
{
	int rc = 0;

	(void)backend;
	if (scripted("no_device", NULL))
		return error_set(err, PL_EUNSUPPORTED, "there is no fake device: plug one in");
	for (int i = 0; i < device_count() && !rc; i++) {
		const struct device_info own = device_of(i);

		rc = worker_reply_device(reply, i, &own);
	}
	return rc;
}

static int fake_metrics(void *backend, const char *chip, const char *pattern,
			struct worker_reply *reply, struct error *err)
{
	static const struct worker_metric metrics[] = {
		{"dram__bytes_read.sum", "byte", "counter", "bytes read from DRAM"},
		{"sm__cycles_active.avg", "cycle", "counter", "cycles with a warp resident"},
	};
	int rc = 0;

	(void)backend;
	if (chip && strcmp(chip, device.chip))
		return error_set(err, PL_EUSAGE, "no chip is called '%s': there is GH100", chip);
	for (size_t i = 0; i < ARRAY_SIZE(metrics) && !rc; i++)
		if (!pattern || pattern_matches(pattern, metrics[i].name))
			rc = worker_reply_metric(reply, &metrics[i]);
	return rc;
}

static int fake_passes(void *backend, const char *chip, const struct string_list *wanted,
		       int64_t *passes, struct string_list *missing, struct error *err)
{
	(void)backend;
	if (chip && strcmp(chip, device.chip))
		return error_set(err, PL_EUSAGE, "no chip is called '%s': there is GH100", chip);
	*passes = (int64_t)(wanted->count + 3) / 4;
	for (size_t i = 0; i < wanted->count; i++)
		if (!strncmp(wanted->items[i], "nonsense__", 10))
			string_list_add(missing, "nonsense__: the fake GPU has no such counter");
	return 0;
}

static void describe_processes(struct key_value_list *environment)
{
	key_value_set(environment, "gpu.other_processes", scripted("shared_gpu", NULL) ? "2" : "0");
}

static int fake_open(void *backend, const struct measure_settings *settings,
		     const struct open_manner *manner, struct session_info *info, struct error *err)
{
	struct fake *fake = backend;
	char bus_id[24];

	note("open", "-");
	if (manner->uuid)
		note("open_only", manner->uuid);
	if (manner->idle_ns >= 0)
		note("open_warm", manner->idle_ns < INT64_C(1000000000) ? "soon" : "late");
	if (manner->uuid && scripted("hides_all", NULL))
		return error_set(err, PL_EDEVICE, "the fake driver knows no UUIDs");
	if (scripted("open_crash", NULL) || (scripted("open_crash_once", NULL) && first_time()))
		crash();
	if (scripted("no_device", NULL))
		return error_set(err, PL_EUNSUPPORTED, "there is no fake device: plug one in");
	if (scripted("open_busy", NULL) || (scripted("open_busy_once", NULL) && first_time()))
		return error_set(err, PL_ENOMEM, "the dead worker's memory is not free yet");
	if (scripted("open_fail", NULL) || (scripted("only_one", NULL) && !first_time()))
		return error_set(err, PL_EIO, "the fake device will not open");
	if (settings->device >= device_count())
		return error_set(err, PL_EUSAGE, "no device %d: there is 0", settings->device);
	if (gpu_is_dead(settings->device))
		return error_set(err, PL_EDEVICE, "scripted: GPU %d has fallen off the bus",
				 settings->device);
	fake->settings = settings;
	info->device = device_of(settings->device);
	info->traits.emulated = scripted("untimed", NULL);
	info->traits.timed = !info->traits.emulated;
	info->traits.warp_size = 32;
	info->inspects_by_launch = scripted("inspects_by_launch", NULL);
	info->loads_code = scripted("loads_code", NULL);
	info->profiles = scripted("profiles", NULL);
	key_value_set(&info->environment, "persistence_mode", "on");
	describe_processes(&info->environment);
	if (device_count() > 1) {
		snprintf(bus_id, sizeof(bus_id), "00000000:%02X:00.0", 0xa0 + settings->device);
		key_value_set(&info->environment, "gpu.pci_bus_id", bus_id);
	}
	if (manner->check_counters) {
		note("check_counters", "-");
		info->passes = (int64_t)(settings->metrics.count + 3) / 4;
	}
	if (scripted("ncu", NULL)) {
		strcpy(info->profiler, "ncu");
		info->counters_reason = xstrdup("ncu is attached and has the counters");
	} else if (manner->check_counters &&
		   (scripted("no_counters", NULL) ||
		    (scripted("no_counters_once", NULL) && first_time()))) {
		info->counters_reason = xstrdup("the driver refuses counters to this user");
	} else if (manner->check_counters &&
		   (scripted("open_counters_busy", NULL) ||
		    (scripted("open_counters_busy_once", NULL) && first_time()))) {
		info->counters_reason = xstrdup("another process holds the counters");
		info->counters_busy = true;
	}
	return 0;
}

static int fake_ready(void *backend, const struct ready_manner *manner, struct error *err)
{
	(void)backend;
	note("ready", manner->uuid ? manner->uuid : "-");
	if (scripted("ready_crash", NULL))
		crash();
	if (scripted("ready_hang", NULL))
		hang();
	return scripted("ready_fail", NULL) ? error_set(err, PL_EIO, "scripted: ready_fail") : 0;
}

static int fake_wake(void *backend, struct key_value_list *environment, struct error *err)
{
	(void)backend;
	note("wake", "-");
	if (scripted("wake_crash", NULL))
		crash();
	describe_processes(environment);
	return scripted("wake_fail", NULL) ? error_set(err, PL_EIO, "scripted: wake_fail") : 0;
}

static int fake_inspect(void *backend, const struct launch_case *work, struct launch_facts *facts,
			enum trial_status *status, struct text *reason, struct error *err)
{
	char *name = case_name(work);

	(void)backend;
	(void)err;
	note("inspect", name);
	if (scripted("inspect_crash", name))
		crash();
	if (scripted("inspect_hang", name))
		hang();
	if (scripted("inspect_skip", name)) {
		*status = TRIAL_SKIPPED;
		text_add(reason, "its registers do not allow this block");
	}
	if (scripted("inspect_unverified", name)) {
		*status = TRIAL_UNVERIFIED;
		text_add(reason, "scripted: inspect_unverified");
	}
	if (scripted("odd_occupancy", name))
		facts->theoretical_occupancy_pct = 250;
	facts->registers_per_thread = 16 + (int64_t)(fake_hash(name, "registers") % 64);
	facts->shared_static_bytes = 0;
	facts->shared_dynamic_bytes = work->launches[0].shared_bytes;
	facts->local_bytes_per_thread = 0;
	if (!scripted("no_occupancy", name) && !scripted("odd_occupancy", name))
		facts->theoretical_occupancy_pct = 50 + (double)(fake_hash(name, "occupancy") % 50);
	strcpy(facts->occupancy_limiter, "registers");
	snprintf(
		facts->code_hash, sizeof(facts->code_hash), "%016llx",
		(unsigned long long)fake_hash(name, scripted("recompiled", name) ? "new" : "code"));
	strcpy(facts->instructions_hash, facts->code_hash);
	snprintf(facts->code_kind, sizeof(facts->code_kind), "%s",
		 !work->code          ? "fake"
		 : work->code_arch[0] ? work->code_arch
				      : "ptx");
	free(name);
	return 0;
}

static void fake_close(void *backend)
{
	(void)backend;
	note("close", "-");
}

int main(void)
{
	struct fake fake = {0};
	const bool untimed = scripted("untimed", NULL);
	const struct backend_ops ops = {
		.name = "fake",
		.version = "1",
		.backend = &fake,
		.doctor = fake_doctor,
		.devices = fake_devices,
		.metrics = fake_metrics,
		.passes = fake_passes,
		.share = fake_share,
		.ready = fake_ready,
		.open = fake_open,
		.wake = fake_wake,
		.inspect = fake_inspect,
		.measure = untimed ? NULL : fake_measure,
		.count = untimed ? NULL : fake_count,
		.profile = untimed ? NULL : fake_profile,
		.emulate = untimed ? fake_emulate : NULL,
		.close = fake_close,
	};

	if (scripted("start_exit", NULL) || (scripted("start_exit_later", NULL) && !first_time()))
		_exit(3);
	if (scripted("start_hang", NULL))
		hang();
	if (scripted("bad_protocol_version", NULL)) {
		say("{\"reply\": \"hello\", \"protocol\": 99, \"backend\": \"fake\", "
		    "\"version\": \"9\"}\n{\"reply\": \"done\", \"status\": \"ok\", "
		    "\"reason\": null}\n");
		hang();
	}
	worker_watch_perflab(WORKER_SOCKET_FD);
	return worker_main(&ops, WORKER_SOCKET_FD);
}
