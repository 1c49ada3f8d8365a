/*
 * A worker with no device: deterministic samples and counters, and faults on
 * demand. It stands on worker_loop wherever it is honest, so that a test of
 * perflab with it is a test of the protocol too.
 * fake_script.h says what it can be made to do. With "untimed" in the script it
 * is an emulator: it has no clock, and emulates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_data.h"
#include "fake_script.h"
#include "metrics/catalogue/catalogue.h"
#include "metrics/settings.h"

#define ROUND_MAX_SAMPLES 4096

struct fake {
	const struct measure_settings *settings;
};

/* ---- numbers ---- */

/* FNV-1a: the same number for the same name, everywhere. */
static uint64_t hash(const char *name, const char *salt)
{
	uint64_t value = UINT64_C(14695981039346656037);

	for (const char *c = name; *c; c++)
		value = (value ^ (unsigned char)*c) * UINT64_C(1099511628211);
	for (const char *c = salt; *c; c++)
		value = (value ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return value;
}

static const struct device_info device = {
	.name = "Fake GPU",
	.uuid = "GPU-00000000-0000-0000-0000-000000000000",
	.chip = "GH100",
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
	(void)backend;
	if (scripted("no_device", NULL))
		return error_set(err, PL_EUNSUPPORTED, "there is no fake device: plug one in");
	return worker_reply_device(reply, 0, &device);
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

static int fake_open(void *backend, const struct measure_settings *settings, bool check_counters,
		     struct session_info *info, struct error *err)
{
	struct fake *fake = backend;

	note("open", "-");
	if (scripted("open_crash", NULL) || (scripted("open_crash_once", NULL) && first_time()))
		crash();
	if (scripted("no_device", NULL))
		return error_set(err, PL_EUNSUPPORTED, "there is no fake device: plug one in");
	if (scripted("open_busy_once", NULL) && first_time())
		return error_set(err, PL_ENOMEM, "the dead worker's memory is not free yet");
	if (scripted("open_fail", NULL) || (scripted("only_one", NULL) && !first_time()))
		return error_set(err, PL_EIO, "the fake device will not open");
	if (settings->device > 0)
		return error_set(err, PL_EUSAGE, "no device %d: there is 0", settings->device);
	fake->settings = settings;
	info->device = device;
	info->traits.emulated = scripted("untimed", NULL);
	info->traits.timed = !info->traits.emulated;
	info->traits.warp_size = 32;
	info->inspects_by_launch = scripted("inspects_by_launch", NULL);
	key_value_set(&info->environment, "persistence_mode", "on");
	describe_processes(&info->environment);
	if (check_counters) {
		note("check_counters", "-");
		info->passes = (int64_t)(settings->metrics.count + 3) / 4;
	}
	if (scripted("ncu", NULL)) {
		strcpy(info->profiler, "ncu");
		info->counters_reason = xstrdup("ncu is attached and has the counters");
	} else if (check_counters && (scripted("no_counters", NULL) ||
				      (scripted("no_counters_once", NULL) && first_time()))) {
		info->counters_reason = xstrdup("the driver refuses counters to this user");
	}
	return 0;
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
	facts->registers_per_thread = 16 + (int64_t)(hash(name, "registers") % 64);
	facts->shared_static_bytes = 0;
	facts->shared_dynamic_bytes = work->launches[0].shared_bytes;
	facts->local_bytes_per_thread = 0;
	if (!scripted("no_occupancy", name) && !scripted("odd_occupancy", name))
		facts->theoretical_occupancy_pct = 50 + (double)(hash(name, "occupancy") % 50);
	strcpy(facts->occupancy_limiter, "registers");
	snprintf(facts->code_hash, sizeof(facts->code_hash), "%016llx",
		 (unsigned long long)hash(name, scripted("recompiled", name) ? "new" : "code"));
	strcpy(facts->code_kind, "fake");
	free(name);
	return 0;
}

/* The first round's is the largest. */
static int send_accuracy(int64_t id, const char *name, int round, struct worker_reply *reply)
{
	if (scripted("no_accuracy", name))
		return 0;
	if (scripted("no_floats", name))
		return worker_reply_accuracy(reply, id, round, NAN, "scripted: no_floats");
	return worker_reply_accuracy(reply, id, round, 0x1p-20 / (round + 1), NULL);
}

/* Cases are as long as the script says, and their rounds as far apart. */
static double round_factor(const struct fake *fake, const char *name, int round)
{
	char salt[48];
	double factor = scripted("long", name) ? 400 : 1;

	snprintf(salt, sizeof(salt), "%llu/%d", (unsigned long long)fake->settings->seed, round);
	if (scripted("scatter", name)) /* evenly within 1 % */
		factor *= 0.99 + 0.02 * (double)(hash(name, salt) % 1000) / 999;
	if (scripted("drift", name) && round >= 3)
		factor *= 1.01;
	return factor;
}

static int send_samples(const struct fake *fake, int64_t id, const char *name, int round,
			struct worker_reply *reply)
{
	int64_t rounds = fake->settings->rounds;
	int64_t count = (fake->settings->min_samples + rounds - 1) / rounds;
	double base = 10000 + (double)(hash(name, "time") % 90000);
	double times[ROUND_MAX_SAMPLES];
	struct device_state state = {
		.sm_clock_hz = 1.98e9,
		.memory_clock_hz = NAN,
		.temperature_c = 40 + round,
		.power_w = 300,
		.throttle_reasons = 0,
	};
	int rc;

	if (count > ROUND_MAX_SAMPLES)
		count = ROUND_MAX_SAMPLES;
	if (scripted("slow", name))
		base *= 1.5;
	if (scripted("by_work", name)) /* of the axis of the family `planted` */
		base = 1e5 * (strstr(name, "work=") ? atof(strstr(name, "work=") + 5) / 1000 : 1);
	base *= round_factor(fake, name, round);
	for (int64_t i = 0; i < count; i++)
		times[i] = base + 8 * (double)((i * 7 + round) % 11);
	rc = scripted("unverified", name) ? 0 : send_accuracy(id, name, round, reply);
	if (!rc && scripted("lie_accuracy", name))
		rc = send_accuracy(id, name, round, reply);
	if (!rc)
		rc = worker_reply_samples(reply, id + scripted("lie_id", name),
					  round + scripted("lie_round", name), times, (size_t)count,
					  fake->settings->placements,
					  scripted("unmoved", name) ? "scripted: unmoved" : NULL);
	return rc ? rc : worker_reply_state(reply, id, round, &state);
}

/* The samples of the base case: as many as the case has, unless the script says otherwise. */
static int send_beside(const struct fake *fake, int64_t id, const char *name, const char *base,
		       int round, struct worker_reply *reply)
{
	const int64_t rounds = fake->settings->rounds;
	size_t count = (size_t)((fake->settings->min_samples + rounds - 1) / rounds);
	double times[ROUND_MAX_SAMPLES];
	const double time_ns = 10000 + (double)(hash(base, "time") % 90000);

	if (scripted("lie_beside_none", name))
		return 0;
	if (scripted("base_fails", base))
		return worker_reply_alone(reply, id, round, "scripted: base_fails");
	for (size_t i = 0; i < count && i < ROUND_MAX_SAMPLES; i++)
		times[i] = time_ns + 8 * (double)((i * 5 + (size_t)round) % 11);
	count -= scripted("lie_beside_count", name);
	return worker_reply_beside(reply, id, round, times, count, !scripted("apart", name));
}

/* What happens while the base case is prepared. */
static int prepare_beside(int64_t id, const char *name, const char *base,
			  struct worker_reply *reply, struct error *err)
{
	int rc = base ? worker_reply_phase(reply, id, WORKER_PHASE_BESIDE, -1) : 0;

	if (base && scripted("base_crashes", base))
		crash();
	if (base && scripted("base_hangs", base))
		hang();
	if (!rc && base && scripted("base_errs", base))
		rc = error_set(err, PL_EDEVICE, "scripted: base_errs");
	/* nobody asked for this */
	if (!rc && !base && scripted("lie_beside", name))
		rc = worker_reply_alone(reply, id, 0, "scripted: lie_beside");
	return rc;
}

/* What the parts of the request took. A clock of a device would say how much of the timing were
 * samples: half of it. */
static int send_times(int64_t id, const char *name, struct meter *meter, struct worker_reply *reply)
{
	meter_read(meter);
	meter_move(meter, RUN_PART_TIMING, RUN_PART_SAMPLES, meter->ns[RUN_PART_TIMING] / 2);
	for (int part = 0; part < RUN_PART_COUNT && scripted("lie_times", name); part++)
		meter->ns[part] = INT64_MAX;
	return worker_reply_times(reply, id, meter);
}

static int fake_measure(void *backend, int64_t id, const struct launch_case *work,
			const struct launch_case *base_work, int round, struct worker_reply *reply,
			enum trial_status *status, struct text *reason, struct error *err)
{
	char *name = case_name(work), *base = base_work ? case_name(base_work) : NULL;
	const struct fake *fake = backend;
	struct meter meter;
	char request[32];
	int rc;

	meter_start(&meter);
	snprintf(request, sizeof(request), "measure-%d", round);
	note(request, name);
	if (base)
		note("beside", base);
	if (scripted("silent_crash", name))
		crash();
	if (round == 5 && scripted("hang_in_round_5", name))
		hang();
	rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);
	fake_take_data(strchr(request, '-') + 1, work, fake->settings->seed, true, round == 0);
	if (base_work)
		fake_take_data("beside", base_work, fake->settings->seed, true, round == 0);
	if (!rc)
		rc = worker_reply_phase(reply, id, WORKER_PHASE_VERIFY, -1);
	if (!rc && (!scripted("in_round_1", NULL) || round == 1))
		rc = misbehave(name, status, reason, err);
	if (!rc && trial_status_measured(*status))
		rc = prepare_beside(id, name, base, reply, err);
	meter_enter(&meter, RUN_PART_TIMING);
	if (!rc && trial_status_measured(*status))
		rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);
	if (!rc && trial_status_measured(*status) && !scripted("ncu", NULL) &&
	    !scripted("lie_empty", name))
		rc = send_samples(backend, id, name, round, reply);
	if (!rc && base && trial_status_measured(*status) && !scripted("lie_empty", name))
		rc = send_beside(backend, id, name, base, round, reply);
	if (!rc && base && scripted("lie_beside_twice", name))
		rc = send_beside(backend, id, name, base, round, reply);
	if (!rc && scripted("late_device_error", name))
		rc = error_set(err, PL_EDEVICE, "scripted: late_device_error");
	if (!rc)
		rc = send_times(id, name, &meter, reply);
	free(name);
	free(base);
	return rc;
}

static int send_counters(const struct fake *fake, const struct count_item *item, const char *name,
			 struct worker_reply *reply)
{
	const struct string_list *wanted = &fake->settings->metrics;
	struct counter_list counters = {0};
	int rc;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);
		const char *counter =
			metric ? metric_counter_on(metric, device.chip) : wanted->items[i];

		if (!strncmp(wanted->items[i], "nonsense__", 10))
			counter_list_set_missing(&counters, wanted->items[i], "", counter,
						 "the fake GPU has no such counter");
		else if (counter && strcmp(wanted->items[i], "forgotten__sum"))
			counter_list_set(&counters, wanted->items[i], metric ? metric->unit : "1",
					 counter,
					 1 + (double)(hash(name, counter) % 1000000) +
						 scripted("wasteful", name));
	}
	if (scripted("negative", name))
		counter_list_set(&counters, "sm__cycles_active.avg", "cycle", "x", -1);
	rc = worker_reply_counters(reply, item->id, &counters);
	counter_list_release(&counters);
	return rc;
}

static int count_case(const struct count_item *item, const char *name, int64_t pass,
		      struct worker_reply *reply, struct error *err)
{
	int rc = 0;

	if (!scripted("count_silent_crash", name))
		rc = worker_reply_phase(reply, item->id, WORKER_PHASE_COUNT, pass);
	if (scripted("die_in_count", name) || scripted("count_silent_crash", name))
		killed();
	if (scripted("hang_in_count", name) || (pass && scripted("hang_in_last_pass", name)))
		hang();
	if (scripted("lie_in_count", name))
		say("{\"reply\": \"counters\", \"id\": 999999, \"counters\": []}\n");
	if (!rc && scripted("oom_in_count", name))
		rc = error_set(err, PL_ENOMEM, "scripted: oom_in_count");
	if (!rc && scripted("device_error_in_count", name))
		rc = error_set(err, PL_EDEVICE, "scripted: device_error_in_count");
	if (!rc && scripted("fail_in_count", name))
		rc = error_set(err, PL_EUSAGE, "scripted: fail_in_count");
	return rc;
}

static int fake_count(void *backend, const struct count_item *items, size_t count,
		      struct worker_reply *reply, enum trial_status *status, struct text *reason,
		      struct error *err)
{
	int rc = 0;

	(void)status;
	(void)reason;
	if (scripted("counters_lost", NULL))
		return worker_reply_counters_off(reply, "another process holds the counters");
	for (int64_t pass = 0; pass < 2 && !rc; pass++)
		for (size_t i = 0; i < count && !rc; i++) {
			char *name = case_name(items[i].work);

			note("count", name);
			if (!pass)
				fake_take_data("count", items[i].work,
					       ((struct fake *)backend)->settings->seed, false,
					       false);
			rc = count_case(&items[i], name, pass, reply, err);
			if (!rc && pass && scripted("count_apart", NULL))
				rc = send_counters(backend, &items[i], name, reply);
			free(name);
		}
	for (size_t i = 0; i < count && !rc; i++) {
		char *name = case_name(items[i].work);

		if (!scripted("uncounted", name) && !scripted("count_apart", NULL))
			rc = send_counters(backend, &items[i], name, reply);
		free(name);
	}
	return rc;
}

/* ---- emulation ---- */

static int send_emulated(int64_t id, const char *name, struct worker_reply *reply)
{
	struct counter_list counters = {0};
	struct line_count_list lines = {0};
	struct line_count *line;
	int rc = 0;

	counter_list_set(&counters, "ptx_warp_instructions", "instruction", "emulated PTX",
			 1 + (double)(hash(name, "instructions") % 1000000));
	if (scripted("negative", name))
		counter_list_set(&counters, "ptx_x", "1", "emulated PTX", -0.5);
	if (scripted("over_all", name))
		counter_list_set(&counters, "ptx_x", "percent", "emulated PTX", 100.5);
	line_count_list_add(&lines, NULL, 12)->instructions = 1;
	line = line_count_list_add(&lines, "a.cu", 7);
	line->instructions = 3;
	line->lanes = 3 * 32;
	if (!scripted("uncounted", name))
		rc = worker_reply_counters(reply, id + scripted("lie_id", name), &counters);
	if (!rc && scripted("lie_twice", name))
		rc = worker_reply_counters(reply, id, &counters);
	if (!rc && !scripted("no_lines", name))
		rc = worker_reply_lines(reply, id, &lines);
	if (!rc && scripted("lie_lines", name))
		rc = worker_reply_lines(reply, id, &lines);
	counter_list_release(&counters);
	line_count_list_release(&lines);
	return rc;
}

static int fake_emulate(void *backend, int64_t id, const struct launch_case *work,
			struct worker_reply *reply, enum trial_status *status, struct text *reason,
			struct error *err)
{
	char *name = case_name(work);
	int rc;

	note("emulate", name);
	if (scripted("silent_crash", name))
		crash();
	rc = worker_reply_phase(reply, id, WORKER_PHASE_PREPARE, -1);
	fake_take_data("emulate", work, ((struct fake *)backend)->settings->seed, true, true);
	if (!rc)
		rc = worker_reply_phase(reply, id, WORKER_PHASE_EMULATE, -1);
	if (!rc && scripted("lie_time", name))
		rc = worker_reply_phase(reply, id, WORKER_PHASE_TIME, -1);
	meet(name);
	if (!rc)
		rc = misbehave(name, status, reason, err);
	if (!rc && *status != TRIAL_SKIPPED)
		rc = send_emulated(id, name, reply);
	if (!rc)
		rc = worker_reply_phase(reply, id, WORKER_PHASE_VERIFY, -1);
	free(name);
	return rc;
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
		.open = fake_open,
		.wake = fake_wake,
		.inspect = fake_inspect,
		.measure = untimed ? NULL : fake_measure,
		.count = untimed ? NULL : fake_count,
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
