/* Samples, counters and emulated counts of a fake worker. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_data.h"
#include "fake_results.h"
#include "fake_script.h"
#include "metrics/catalogue/catalogue.h"

#define ROUND_MAX_SAMPLES 4096

/* ---- numbers ---- */

uint64_t fake_hash(const char *name, const char *salt)
{
	uint64_t value = UINT64_C(14695981039346656037);

	for (const char *c = name; *c; c++)
		value = (value ^ (unsigned char)*c) * UINT64_C(1099511628211);
	for (const char *c = salt; *c; c++)
		value = (value ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return value;
}

/* ---- measuring ---- */

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
		factor *= 0.99 + 0.02 * (double)(fake_hash(name, salt) % 1000) / 999;
	if (scripted("drift", name) && round >= 3)
		factor *= 1.01;
	return factor;
}

/* How often the log has this round of the case. */
static int times_asked(int round, const char *name)
{
	FILE *file = fopen(getenv("FAKE_WORKER_LOG"), "r");
	char line[256], *wanted = xasprintf("measure-%d %s\n", round, name);
	int count = 0;

	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, wanted) != NULL;
	if (file)
		fclose(file);
	free(wanted);
	return count;
}

static int send_samples(const struct fake *fake, int64_t id, const char *name, int round,
			struct worker_reply *reply)
{
	int64_t rounds = fake->settings->rounds;
	int64_t count = (fake->settings->min_samples + rounds - 1) / rounds;
	double base = 10000 + (double)(fake_hash(name, "time") % 90000);
	double times[ROUND_MAX_SAMPLES];
	char slow_here[24];
	struct device_state state = {
		.sm_clock_hz = 1.98e9,
		.memory_clock_hz = NAN,
		.temperature_c = 40 + round,
		.power_w = 300,
		.throttle_reasons = 0,
		.event_ns = NAN,
		.launch_ns = NAN,
	};
	int rc;

	if (count > ROUND_MAX_SAMPLES)
		count = ROUND_MAX_SAMPLES;
	if (scripted("slow", name))
		base *= 1.5;
	snprintf(slow_here, sizeof(slow_here), "slow_on_%d", fake->settings->device);
	if (scripted(slow_here, name))
		base *= 1.5;
	if (scripted("by_work", name)) /* of the axis of the family `planted` */
		base = 1e5 * (strstr(name, "work=") ? atof(strstr(name, "work=") + 5) / 1000 : 1);
	base *= round_factor(fake, name, round);
	/* before the split it is measured alone, in the split with the others */
	if (scripted("interfered", name) && times_asked(round, name) > 1)
		base *= 1.2;
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

/* What other clocks read, if the metrics ask for them. One of them reads nothing. */
static int send_clocks(const struct fake *fake, int64_t id, const char *name, int round,
		       struct worker_reply *reply)
{
	struct counter_list clocks = {0};
	int rc;

	if (round || !string_list_has(&fake->settings->metrics, "clock_row_ns"))
		return 0;
	counter_list_set(&clocks, "clock_events_ns", "ns", "CUDA events", 12000);
	counter_list_set(&clocks, "clock_records_ns", "ns", "CUPTI records", 9000);
	counter_list_set(&clocks, "clock_row_ns", "ns", "row of launches", 8000);
	counter_list_set_missing(&clocks, "clock_graph_ns", "ns", "CUDA graph",
				 "scripted: no graph");
	rc = worker_reply_clocks(reply, id, round, &clocks);
	if (!rc && scripted("lie_clocks", name))
		rc = worker_reply_clocks(reply, id, round, &clocks);
	counter_list_release(&clocks);
	return rc;
}

/* The samples of the base case: as many as the case has, unless the script says otherwise. */
static int send_beside(const struct fake *fake, int64_t id, const char *name, const char *base,
		       int round, struct worker_reply *reply)
{
	const int64_t rounds = fake->settings->rounds;
	size_t count = (size_t)((fake->settings->min_samples + rounds - 1) / rounds);
	double times[ROUND_MAX_SAMPLES];
	/* near: 0.8 % more than a case takes with by_work */
	const double time_ns = scripted("near", name)
				       ? 1.008e5 * round_factor(fake, base, round)
				       : 10000 + (double)(fake_hash(base, "time") % 90000);

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

int fake_measure(void *backend, int64_t id, const struct launch_case *work,
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
	await_ready(name);
	gpu_may_die(fake->settings->device, request);
	if (scripted("takes_gpu", name))
		gpu_die(fake->settings->device);
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
	if (!rc && trial_status_measured(*status))
		rc = send_clocks(backend, id, name, round, reply);
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

static int send_counters(const struct string_list *wanted, const struct count_item *item,
			 const char *name, struct worker_reply *reply)
{
	struct counter_list counters = {0};
	int rc;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);
		const char *counter =
			metric ? metric_counter_on(metric, FAKE_CHIP) : wanted->items[i];

		if (!strncmp(wanted->items[i], "nonsense__", 10))
			counter_list_set_missing(&counters, wanted->items[i], "", counter,
						 "the fake GPU has no such counter");
		else if (counter && strcmp(wanted->items[i], "forgotten__sum"))
			counter_list_set(&counters, wanted->items[i], metric ? metric->unit : "1",
					 counter,
					 1 + (double)(fake_hash(name, counter) % 1000000) +
						 scripted("wasteful", name));
	}
	if (scripted("negative", name))
		counter_list_set(&counters, "sm__cycles_active.avg", "cycle", "x", -1);
	rc = worker_reply_counters(reply, item->id, &counters);
	counter_list_release(&counters);
	return rc;
}

static int count_case(const struct count_item *item, const char *name, int device, int64_t pass,
		      struct worker_reply *reply, struct error *err)
{
	int rc = 0;

	if (!scripted("count_silent_crash", name))
		rc = worker_reply_phase(reply, item->id, WORKER_PHASE_COUNT, pass);
	gpu_may_die(device, "count_phase");
	if (scripted("takes_gpu_in_count", name))
		gpu_die(device);
	if (scripted("die_in_count", name) || scripted("count_silent_crash", name))
		killed();
	if (scripted("hang_in_count", name) || (pass && scripted("hang_in_last_pass", name)))
		hang();
	if (scripted("lie_in_count", name))
		say("{\"reply\": \"counters\", \"id\": 999999, \"counters\": []}\n");
	if (scripted("lie_busy", name))
		say("{\"reply\": \"counters_off\", \"reason\": \"x\", \"busy\": 1}\n");
	if (!rc && scripted("oom_in_count", name))
		rc = error_set(err, PL_ENOMEM, "scripted: oom_in_count");
	if (!rc && scripted("device_error_in_count", name))
		rc = error_set(err, PL_EDEVICE, "scripted: device_error_in_count");
	if (!rc && scripted("fail_in_count", name))
		rc = error_set(err, PL_EUSAGE, "scripted: fail_in_count");
	return rc;
}

/* $FAKE_HOLDER is the process on the device. */
static int refuse_busy(struct worker_reply *reply)
{
	const char *holder = getenv("FAKE_HOLDER");
	const pid_t pid = holder ? atoi(holder) : 0;
	struct text reason = TEXT_INIT;
	int rc;

	note("busy", "-");
	text_add(&reason, "another process holds the counters");
	counter_holders_add(&reason, &pid, holder != NULL);
	rc = worker_reply_counters_off(reply, reason.data, true);
	text_release(&reason);
	return rc;
}

int fake_count(void *backend, const struct count_item *items, size_t count,
	       const struct string_list *metrics, struct worker_reply *reply,
	       enum trial_status *status, struct text *reason, struct error *err)
{
	const struct measure_settings *settings = ((struct fake *)backend)->settings;
	const int device = settings->device;
	int rc = 0;

	(void)status;
	(void)reason;
	if (metrics)
		note("count_rest", "-");
	else
		metrics = &settings->metrics;
	if (scripted("counters_lost", NULL))
		return worker_reply_counters_off(reply, "another process holds the counters",
						 false);
	if (scripted("busy_after_one", NULL) && !first_time())
		return refuse_busy(reply);
	if (scripted("counters_busy", NULL) ||
	    (scripted("counters_busy_once", NULL) && first_time()))
		return refuse_busy(reply);
	for (int64_t pass = 0; pass < 2 && !rc; pass++)
		for (size_t i = 0; i < count && !rc; i++) {
			char *name = case_name(items[i].work);

			note("count", name);
			gpu_may_die(device, "count");
			if (!pass)
				fake_take_data("count", items[i].work, settings->seed, false,
					       false);
			rc = count_case(&items[i], name, device, pass, reply, err);
			if (!rc && pass && scripted("count_apart", NULL))
				rc = send_counters(metrics, &items[i], name, reply);
			free(name);
		}
	for (size_t i = 0; i < count && !rc; i++) {
		char *name = case_name(items[i].work);

		if (!scripted("uncounted", name) && !scripted("count_apart", NULL))
			rc = send_counters(metrics, &items[i], name, reply);
		free(name);
		if (!rc && scripted("busy_after_one", NULL))
			return refuse_busy(reply);
	}
	return rc;
}

/* ---- profiles ---- */

static int send_profile(int64_t id, const char *name, struct worker_reply *reply)
{
	static const bool own[] = {true};
	const int64_t samples = 100 + (int64_t)(fake_hash(name, "profile") % 100);
	struct profile *profile = profile_new();
	struct profile_instruction *at;
	int rc;

	profile->period_cycles = 512;
	profile->launches = 2;
	profile->samples = samples;
	profile->dropped = profile->buffer_full = 0;
	profile_function_add(profile, "fake_kernel", "");
	at = profile_instruction_add(profile, 0, 16);
	at->executed = 64;
	at->lanes = 2048;
	at->varies = 0;
	at->samples = samples;
	at->first_samples = samples / 2;
	profile_stall_add(profile, 0, "wait")->samples = samples - scripted("lie_sums", name);
	if (scripted("lie_flags", name))
		profile->buffer_full = 2;
	rc = worker_reply_profile(reply, id + 1000 * scripted("lie_profile_id", name), profile,
				  own);
	if (!rc && scripted("lie_profile_twice", name))
		rc = worker_reply_profile(reply, id, profile, own);
	profile_free(profile);
	return rc;
}

static int profile_case(const struct profile_item *item, const char *name, int64_t pass,
			struct worker_reply *reply, struct error *err)
{
	int rc = 0;

	if (!scripted("profile_silent_crash", name))
		rc = worker_reply_phase(reply, item->id, WORKER_PHASE_PROFILE, pass);
	if (!rc && scripted("lie_profile_phase", name))
		rc = worker_reply_phase(reply, item->id, WORKER_PHASE_PROFILE, pass);
	if (!rc && scripted("lie_profile_count", name))
		rc = worker_reply_phase(reply, item->id, WORKER_PHASE_COUNT, 1);
	if (scripted("profile_silent_crash", name) ||
	    (pass == 2 && scripted("die_in_profile", name)) ||
	    (pass == 2 && scripted("die_in_profile_once", name) && first_time()))
		killed();
	if (scripted("hang_in_profile", name) ||
	    (pass == 2 && scripted("hang_in_last_profile", name)))
		hang();
	if (scripted("lie_no_profile", name))
		say("{\"reply\": \"profile\", \"id\": 2}\n");
	if (scripted("lie_gossip", name))
		say("{\"reply\": \"gossip\", \"id\": 2}\n");
	if (!rc && scripted("device_error_in_profile", name))
		rc = error_set(err, PL_EDEVICE, "scripted: device_error_in_profile");
	return rc;
}

int fake_profile(void *backend, const struct profile_items *items, struct worker_reply *reply,
		 struct error *err)
{
	char budget[24];
	int rc = 0;

	(void)backend;
	snprintf(budget, sizeof(budget), "%lld", (long long)items->budget_ns);
	note("budget", budget);
	for (int64_t pass = 0; pass < 3 && !rc; pass++)
		for (size_t i = 0; i < items->count && !rc; i++) {
			char *name = case_name(items->items[i].work);

			if (!pass)
				note("profile", name);
			rc = profile_case(&items->items[i], name, pass, reply, err);
			if (!rc && pass == 2 && !scripted("unprofiled", name))
				rc = send_profile(items->items[i].id, name, reply);
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
			 1 + (double)(fake_hash(name, "instructions") % 1000000));
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

int fake_emulate(void *backend, int64_t id, const struct launch_case *work,
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
