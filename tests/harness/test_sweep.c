/* Faults: whatever a worker does, only the case in flight is lost, and nothing is asked twice. */
#include "support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES 6
#define VICTIM 2 /* "alpha/two/block=64" */
#define VICTIM_NAME "alpha/two/block=64"

struct record {
	struct plan *plan;
	size_t opened, facts[CASES], finished[CASES], rounds[CASES], counted[CASES];
	size_t samples[CASES];
	enum trial_status status[CASES];
	char reason[CASES][512];
	struct counter_list counters[CASES];
	struct text notices;
	size_t notice_count, progress_calls, last_done, last_total;
	bool total_exceeded;
	int fail_at_round; /* the sink returns an error at this call of round(); 0: never */
	volatile int *stop_at_round;
	size_t round_calls;
	char first_round[32]; /* order of round 0, a digit a case */
	char second_round[32];
};

static int build(void *context, const struct device_info *device, struct plan **out,
		 struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_string_equal(device->name, "Fake GPU");
	*out = record->plan;
	return 0;
}

static int on_opened(void *context, const struct session_info *info, const struct plan *plan,
		     struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_ptr_equal(plan, record->plan);
	assert_string_equal(key_value_get(&info->environment, "persistence_mode"), "on");
	record->opened++;
	return 0;
}

static int on_facts(void *context, size_t index, const struct launch_facts *facts,
		    struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_int_equal(record->opened, 1);
	assert_true(facts->registers_per_thread >= 16);
	record->facts[index]++;
	return 0;
}

static int on_round(void *context, size_t index, const struct round_result *round,
		    struct error *err)
{
	struct record *record = context;
	char *order = round->round ? record->second_round : record->first_round;

	assert_int_equal(record->finished[index], 0);
	record->rounds[index]++;
	record->samples[index] += round->count;
	if (strlen(order) < 31)
		order[strlen(order)] = (char)('0' + index);
	assert_true(isnan(round->state.memory_clock_hz));
	assert_true(round->state.sm_clock_hz > 1e9);
	record->round_calls++;
	if (record->stop_at_round)
		*record->stop_at_round = 1;
	if (record->fail_at_round && record->round_calls == (size_t)record->fail_at_round)
		return error_set(err, PL_EIO, "the disk is full");
	return 0;
}

static int on_counters(void *context, size_t index, const struct counter_list *counters,
		       struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_int_equal(record->finished[index], 0);
	record->counted[index]++;
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *c = &counters->items[i];

		if (c->has_value)
			counter_list_set(&record->counters[index], c->metric, c->unit, c->source,
					 c->value);
		else
			counter_list_set_missing(&record->counters[index], c->metric, c->unit,
						 c->source, c->reason);
	}
	return 0;
}

static int on_finished(void *context, size_t index, enum trial_status status, const char *reason,
		       struct error *err)
{
	struct record *record = context;

	(void)err;
	record->finished[index]++;
	record->status[index] = status;
	snprintf(record->reason[index], sizeof(record->reason[index]), "%s", reason ? reason : "");
	return 0;
}

static void on_progress(void *context, const struct sweep_progress *progress)
{
	struct record *record = context;

	record->progress_calls++;
	record->last_done = progress->done;
	record->last_total = progress->total;
	if (progress->done > progress->total)
		record->total_exceeded = true;
}

static void on_notice(void *context, const char *line)
{
	struct record *record = context;

	record->notice_count++;
	text_addf(&record->notices, "%s\n", line);
}

/* ---- a sweep with the fake worker ---- */

struct sweep_fixture {
	struct record record;
	struct measure_settings settings;
	struct sweep_outcome outcome;
	struct error err;
	volatile int stop;
	char log[64], state[80];
};

static int set_up(void **context)
{
	struct sweep_fixture *f = calloc(1, sizeof(*f));
	static const char *const variants[] = {"one", "two", "three"};

	f->settings = measure_settings_default;
	f->settings.min_samples = 10;
	f->settings.rounds = 2;
	/* Only a test that waits for a timeout lowers it: a busy machine is no fault. */
	f->settings.timeout_ns = INT64_C(20000000000);
	f->record.notices = (struct text)TEXT_INIT;
	f->record.plan = calloc(1, sizeof(*f->record.plan));
	for (size_t v = 0; v < ARRAY_SIZE(variants); v++)
		for (int64_t block = 64; block <= 128; block *= 2)
			add_case(f->record.plan, "alpha", variants[v], block);
	snprintf(f->log, sizeof(f->log), "/tmp/perflab-log-XXXXXX");
	close(mkstemp(f->log));
	snprintf(f->state, sizeof(f->state), "%s.state", f->log);
	set_variable("PERFLAB_WORKER_FAKE", FAKE_WORKER);
	set_variable("FAKE_WORKER_LOG", f->log);
	set_variable("FAKE_WORKER_STATE", f->state);
	set_variable("FAKE_WORKER_SCRIPT", NULL);
	*context = f;
	return 0;
}

static int tear_down(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		counter_list_release(&f->record.counters[i]);
	text_release(&f->record.notices);
	plan_free(f->record.plan);
	measure_settings_release(&f->settings);
	unlink(f->log);
	unlink(f->state);
	free(f);
	return 0;
}

static int execute(struct sweep_fixture *f, const char *script)
{
	const struct plan_source source = {&f->record, build};
	const struct sweep_sink sink = {&f->record,  on_opened,   on_facts,    on_round,
					on_counters, on_finished, on_progress, on_notice};

	set_variable("FAKE_WORKER_SCRIPT", script);
	return sweep_execute("fake", &source, &f->settings, &sink, &f->stop, &f->outcome, &f->err);
}

static void want_counters(struct sweep_fixture *f)
{
	string_list_add(&f->settings.metrics, "one__sum");
	string_list_add(&f->settings.metrics, "nonsense__sum");
	string_list_add(&f->settings.metrics, "forgotten__sum");
}

/* How often the log has a line that ends so: "measure-0 alpha/two/block=64,n=…". */
static size_t logged(const struct sweep_fixture *f, const char *request, const char *name)
{
	FILE *file = fopen(f->log, "r");
	char line[512];
	size_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *word = strchr(line, ' ') + 1;
		size_t length = strlen(request);

		if (!strncmp(word, request, length) && word[length] == ' ' &&
		    !strncmp(word + length + 1, name, strlen(name)))
			count++;
	}
	fclose(file);
	return count;
}

static void assert_all_ok_but(const struct sweep_fixture *f, size_t victim)
{
	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		if (i == victim)
			continue;
		assert_int_equal(f->record.status[i], TRIAL_OK);
		assert_int_equal(f->record.rounds[i], f->settings.rounds);
		assert_int_equal(f->record.samples[i], 10);
		assert_int_equal(f->record.counted[i], 1);
		assert_int_equal(f->record.facts[i], 1);
	}
	assert_false(f->record.total_exceeded);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

/* ---- tests ---- */

static void test_all_well(void **context)
{
	struct sweep_fixture *f = *context;
	const struct counter_value *counter;

	want_counters(f);
	assert_int_equal(execute(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(f->outcome.failed, 0);
	assert_int_equal(f->outcome.workers, 2); /* one a round; the last one counts, too */
	assert_int_equal(logged(f, "open", "-"), 2);
	assert_int_equal(logged(f, "close", "-"), 2);
	counter = counter_list_find(&f->record.counters[0], "one__sum");
	assert_true(counter && counter->has_value && counter->value >= 1);
	counter = counter_list_find(&f->record.counters[0], "nonsense__sum");
	assert_string_equal(counter->reason, "the fake GPU has no such counter");
	counter = counter_list_find(&f->record.counters[0], "forgotten__sum");
	assert_string_equal(counter->reason, "the worker gave no value");
	counter = counter_list_find(&f->record.counters[0], "theoretical_occupancy_pct");
	assert_true(counter && counter->has_value);
	assert_string_equal(counter->source, "occupancy calculator");
	assert_string_equal(counter->unit, "percent");
}

static void test_order_is_drawn_from_the_seed(void **context)
{
	struct sweep_fixture *f = *context;
	char again[32];

	assert_int_equal(execute(f, NULL), 0);
	assert_int_equal(strlen(f->record.first_round), CASES);
	assert_string_not_equal(f->record.first_round, "012345");
	assert_string_not_equal(f->record.first_round, f->record.second_round);
	strcpy(again, f->record.first_round);
	memset(&f->record.finished, 0, sizeof(f->record.finished));
	memset(f->record.first_round, 0, sizeof(f->record.first_round));
	f->record.opened = 0;
	assert_int_equal(execute(f, NULL), 0);
	assert_string_equal(f->record.first_round, again);
}

static const struct fault {
	const char *script;
	enum trial_status status;
	const char *reason; /* a part of it */
	bool quick;         /* needs a short --timeout */
} faults[] = {
	{"crash", TRIAL_CRASHED, "killed by signal 11 (Segmentation fault)", false},
	{"crash", TRIAL_CRASHED, "phase verify", false},
	{"abort", TRIAL_CRASHED, "killed by signal 6 (Aborted)", false},
	{"kill", TRIAL_CRASHED, "killed by signal 9 (Killed)", false},
	{"exit", TRIAL_CRASHED, "exited with 3", false},
	{"silent_crash", TRIAL_CRASHED, "killed by signal 11", false},
	{"half", TRIAL_CRASHED, "in the middle of a reply", false},
	{"hang", TRIAL_TIMEOUT, "phase verify did not end within", true},
	{"flood", TRIAL_CRASHED, "a line is longer than 16777216 bytes", false},
	{"lie_json", TRIAL_CRASHED, "a line is no JSON", false},
	{"lie_array", TRIAL_CRASHED, "no object", false},
	{"lie_reply", TRIAL_CRASHED, "'gossip' came as an answer to 'measure'", false},
	{"lie_type", TRIAL_CRASHED, "member 'id' is not a whole number", false},
	{"lie_done", TRIAL_CRASHED, "'reason' is missing", false},
	{"lie_pending", TRIAL_CRASHED, "status 'pending'", false},
	{"lie_id", TRIAL_CRASHED, "about case 3, asked was 2", false},
	{"lie_round", TRIAL_CRASHED, "about round 1, asked was 0", false},
	{"lie_phases", TRIAL_CRASHED, "phase 'verify' is unknown or out of order", false},
	{"lie_empty", TRIAL_CRASHED, "gave no samples", false},
	{"oom", TRIAL_OUT_OF_MEMORY, "scripted: oom", false},
	{"device_error", TRIAL_DEVICE_ERROR, "scripted: device_error", false},
	{"late_device_error", TRIAL_DEVICE_ERROR, "scripted: late_device_error", false},
	{"fail", TRIAL_FAILED, "scripted: fail", false},
	{"mismatch", TRIAL_MISMATCH, "scripted: mismatch", false},
	{"inspect_crash", TRIAL_CRASHED, "the worker died in inspection: killed by signal 11",
	 false},
	{"inspect_hang", TRIAL_TIMEOUT, "inspection did not end within", true},
};

static void test_fault(void **context)
{
	struct sweep_fixture *f = *context;
	const struct fault *fault = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		char script[128];

		if (i) {
			tear_down((void **)&f);
			set_up((void **)&f);
			*context = f;
		}
		fault = &faults[i];
		print_message("%s\n", fault->script);
		if (fault->quick)
			f->settings.timeout_ns = 300 * 1000000;
		snprintf(script, sizeof(script), "%s:%s", fault->script, VICTIM_NAME);
		assert_int_equal(execute(f, script), 0);
		assert_all_ok_but(f, VICTIM);
		assert_int_equal(f->record.status[VICTIM], fault->status);
		if (!strstr(f->record.reason[VICTIM], fault->reason))
			fail_msg("'%s' does not say '%s'", f->record.reason[VICTIM], fault->reason);
		assert_int_equal(f->record.rounds[VICTIM], 0);
		assert_int_equal(f->outcome.ok, CASES - 1);
		assert_int_equal(f->outcome.failed, 1);
		/* What failed is not tried again. */
		assert_true(logged(f, "measure-0", VICTIM_NAME) <= 1);
		assert_int_equal(logged(f, "measure-1", VICTIM_NAME), 0);
		assert_int_equal(logged(f, "count", VICTIM_NAME), 0);
	}
}

static void test_failure_in_second_round_keeps_the_first(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "in_round_1;crash:" VICTIM_NAME), 0);
	assert_all_ok_but(f, VICTIM);
	assert_int_equal(f->record.status[VICTIM], TRIAL_CRASHED);
	assert_int_equal(f->record.rounds[VICTIM], 1);
}

static void test_every_case_crashes(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "crash"), 0);
	assert_int_equal(f->outcome.failed, CASES);
	assert_int_equal(f->outcome.workers, CASES);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_CRASHED);
}

static void test_inspection_may_skip(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "inspect_skip:" VICTIM_NAME), 0);
	assert_null(f->record.plan->cases[VICTIM].launch);
	assert_string_equal(f->record.plan->cases[VICTIM].skip_reason,
			    "its registers do not allow this block");
	assert_int_equal(f->record.plan->runnable, CASES - 1);
	assert_int_equal(f->record.finished[VICTIM], 0); /* the plan says it */
	assert_int_equal(f->outcome.skipped, 1);
	assert_int_equal(f->outcome.ok, CASES - 1);
}

static void test_dead_on_arrival(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "open_crash"), PL_EWORKER);
	assert_non_null(strstr(f->err.text, "given up after 3 attempts"));
	assert_non_null(strstr(f->err.text, "signal 11"));
	assert_int_equal(logged(f, "open", "-"), 3);
	assert_int_equal(f->record.opened, 0);

	assert_int_equal(execute(f, "start_exit"), PL_EWORKER);
	assert_non_null(strstr(f->err.text, "exited with 3"));
}

static void test_one_death_at_open_is_forgiven(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "open_crash_once"), 0);
	assert_all_ok_but(f, CASES);
	unlink(f->state);
	memset(f->record.finished, 0, sizeof(f->record.finished));
	f->record.opened = 0;
	assert_int_equal(execute(f, "open_busy_once"), 0);
}

static void test_no_device(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(execute(f, "no_device"), PL_EUNSUPPORTED);
	assert_string_equal(f->err.text, "there is no fake device: plug one in");
	assert_int_equal(logged(f, "open", "-"), 1);
	assert_int_equal(execute(f, "open_fail"), PL_EWORKER);
	f->settings.device = 7;
	assert_int_equal(execute(f, NULL), PL_EUSAGE);
	assert_string_equal(f->err.text, "no device 7: there is 0");
	f->settings.device = 0;
	assert_int_equal(execute(f, "bad_protocol_version"), PL_EVERSION);
	assert_non_null(strstr(f->err.text, "speaks protocol 99"));
	set_variable("PERFLAB_WORKER_FAKE", "/nonexistent/worker");
	assert_int_equal(execute(f, NULL), PL_EUNSUPPORTED);
	assert_non_null(strstr(f->err.text, "/nonexistent/worker"));
	assert_int_equal(f->record.opened, 0);
}

/* ---- counting ---- */

static const struct fault count_faults[] = {
	{"die_in_count", TRIAL_OK, "the worker died in counting: killed by signal 9", false},
	{"hang_in_count", TRIAL_OK, "counting did not end within", true},
	{"lie_in_count", TRIAL_OK, "which is not in the batch", false},
	{"oom_in_count", TRIAL_OK, "scripted: oom_in_count", false},
	{"device_error_in_count", TRIAL_OK, "scripted: device_error_in_count", false},
	{"uncounted", TRIAL_OK, "the worker gave no counters for this case", false},
};

static void test_count_fault_leaves_the_trial_ok(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(count_faults); i++) {
		const struct counter_value *counter;
		char script[128];

		if (i) {
			tear_down((void **)&f);
			set_up((void **)&f);
			*context = f;
		}
		print_message("%s\n", count_faults[i].script);
		want_counters(f);
		if (count_faults[i].quick)
			f->settings.timeout_ns = 300 * 1000000;
		snprintf(script, sizeof(script), "%s:%s", count_faults[i].script, VICTIM_NAME);
		assert_int_equal(execute(f, script), 0);
		assert_all_ok_but(f, CASES);
		counter = counter_list_find(&f->record.counters[VICTIM], "one__sum");
		assert_non_null(counter);
		assert_false(counter->has_value);
		if (!strstr(counter->reason, count_faults[i].reason))
			fail_msg("'%s' does not say '%s'", counter->reason, count_faults[i].reason);
		for (size_t c = 0; c < CASES; c++) {
			counter = counter_list_find(&f->record.counters[c], "one__sum");
			assert_int_equal(counter->has_value, c != VICTIM);
			/* The calculator needs no counters. */
			counter = counter_list_find(&f->record.counters[c],
						    "theoretical_occupancy_pct");
			assert_true(counter->has_value);
		}
	}
}

static void test_count_that_fails_for_all(void **context)
{
	struct sweep_fixture *f = *context;

	want_counters(f);
	assert_int_equal(execute(f, "fail_in_count:" VICTIM_NAME), 0);
	assert_all_ok_but(f, CASES);
	for (size_t c = 0; c < CASES; c++)
		assert_string_equal(counter_list_find(&f->record.counters[c], "one__sum")->reason,
				    "scripted: fail_in_count");
}

static void test_count_deaths_that_blame_nobody_end(void **context)
{
	struct sweep_fixture *f = *context;

	want_counters(f);
	assert_int_equal(execute(f, "count_silent_crash"), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(logged(f, "count", ""), 3);
	assert_non_null(
		strstr(counter_list_find(&f->record.counters[0], "one__sum")->reason, "signal 9"));
}

static void test_counters_off(void **context)
{
	struct sweep_fixture *f = *context;

	want_counters(f);
	assert_int_equal(execute(f, "no_counters;no_occupancy:" VICTIM_NAME), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(logged(f, "count", ""), 0);
	assert_int_equal(f->record.notice_count, 1);
	assert_string_equal(f->record.notices.data,
			    "counters are off: the driver refuses counters to this user\n");
	assert_string_equal(counter_list_find(&f->record.counters[0], "one__sum")->reason,
			    "the driver refuses counters to this user");
	assert_false(counter_list_find(&f->record.counters[VICTIM], "theoretical_occupancy_pct")
			     ->has_value);
}

static void test_under_ncu(void **context)
{
	struct sweep_fixture *f = *context;

	want_counters(f);
	assert_int_equal(execute(f, "ncu"), 0);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(f->outcome.workers, 1);
	assert_int_equal(f->record.round_calls, 0);
	assert_int_equal(logged(f, "measure-0", ""), CASES);
	assert_int_equal(logged(f, "measure-1", ""), 0);
	assert_int_equal(f->record.notice_count, 1);
}

/* ---- resume and interrupt ---- */

static void test_resume_repeats_nothing(void **context)
{
	struct sweep_fixture *f = *context;
	struct plan_case *cases = f->record.plan->cases;

	want_counters(f);
	cases[0].finished = true;
	cases[0].rounds_done = 2;
	cases[0].counted = true;
	cases[1].rounds_done = 1;
	cases[2].rounds_done = 2;
	cases[3].rounds_done = 2;
	cases[3].counted = true;
	assert_int_equal(execute(f, NULL), 0);
	assert_int_equal(f->record.finished[0], 0);
	assert_int_equal(logged(f, "inspect", "alpha/one/block=64"), 0);
	assert_int_equal(logged(f, "measure-0", "alpha/one/block=128"), 0);
	assert_int_equal(logged(f, "measure-1", "alpha/one/block=128"), 1);
	assert_int_equal(f->record.rounds[2], 0);
	assert_int_equal(f->record.counted[2], 1);
	assert_int_equal(f->record.rounds[3], 0);
	assert_int_equal(f->record.counted[3], 0);
	for (size_t i = 1; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.status[i], TRIAL_OK);
	}
	assert_int_equal(f->record.rounds[4], 2);
	assert_false(f->record.total_exceeded);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

static void test_stop(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.stop_at_round = &f->stop;
	assert_int_equal(execute(f, NULL), PL_EINTERRUPTED);
	assert_true(f->outcome.interrupted);
	assert_int_equal(f->record.round_calls, 1);
}

static void on_alarm(int signal_number)
{
	(void)signal_number;
}

static struct sweep_fixture *alarmed;
static void stop_on_alarm(int signal_number)
{
	(void)signal_number;
	alarmed->stop = 1;
}

static void test_stop_while_a_worker_hangs(void **context)
{
	struct sweep_fixture *f = *context;
	int64_t began_ns = monotonic_ns();

	alarmed = f;
	signal(SIGALRM, stop_on_alarm);
	ualarm(200000, 0);
	assert_int_equal(execute(f, "hang"), PL_EINTERRUPTED);
	signal(SIGALRM, on_alarm);
	assert_true(f->outcome.interrupted);
	assert_true(monotonic_ns() - began_ns < f->settings.timeout_ns / 2);
}

static void test_sink_error_ends_the_sweep(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.fail_at_round = 3;
	assert_int_equal(execute(f, NULL), PL_EIO);
	assert_string_equal(f->err.text, "the disk is full");
	assert_int_equal(f->record.round_calls, 3);
	assert_false(f->outcome.interrupted);
}

static void test_dry_run(void **context)
{
	struct sweep_fixture *f = *context;
	const struct plan_source source = {&f->record, build};
	struct session_info info = {0};

	set_variable("FAKE_WORKER_SCRIPT",
		     "inspect_skip:alpha/one/block=64;inspect_crash:" VICTIM_NAME);
	assert_int_equal(sweep_inspect("fake", &source, &f->settings, &info, &f->err), 0);
	assert_string_equal(info.device.chip, "GH100");
	assert_int_equal(f->record.plan->runnable, CASES - 2);
	assert_non_null(f->record.plan->cases[0].skip_reason);
	assert_non_null(strstr(f->record.plan->cases[VICTIM].skip_reason, "crashed: "));
	assert_int_equal(logged(f, "measure-0", ""), 0);
	session_info_release(&info);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_all_well),
		SWEEP_TEST(test_order_is_drawn_from_the_seed),
		SWEEP_TEST(test_fault),
		SWEEP_TEST(test_failure_in_second_round_keeps_the_first),
		SWEEP_TEST(test_every_case_crashes),
		SWEEP_TEST(test_inspection_may_skip),
		SWEEP_TEST(test_dead_on_arrival),
		SWEEP_TEST(test_one_death_at_open_is_forgiven),
		SWEEP_TEST(test_no_device),
		SWEEP_TEST(test_count_fault_leaves_the_trial_ok),
		SWEEP_TEST(test_count_that_fails_for_all),
		SWEEP_TEST(test_count_deaths_that_blame_nobody_end),
		SWEEP_TEST(test_counters_off),
		SWEEP_TEST(test_under_ncu),
		SWEEP_TEST(test_resume_repeats_nothing),
		SWEEP_TEST(test_stop),
		SWEEP_TEST(test_stop_while_a_worker_hangs),
		SWEEP_TEST(test_sink_error_ends_the_sweep),
		SWEEP_TEST(test_dry_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
