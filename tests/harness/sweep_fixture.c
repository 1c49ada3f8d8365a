#include "sweep_fixture.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/settings.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	if (!record->median_ns[index])
		record->median_ns[index] = round->time_ns[0];
	record->samples[index] += round->count;
	if (round->base_ns) {
		record->pairs[index]++;
		record->apart[index] += !round->same_buffers;
		assert_true(round->base_ns[round->count - 1] > 0);
	}
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

static void wait_for_close(const struct sweep_fixture *f)
{
	const int64_t end_ns = monotonic_ns() + INT64_C(20000000000);

	while (!sweep_logged(f, "close", "-") && monotonic_ns() < end_ns)
		poll(NULL, 0, 1);
	assert_int_equal(sweep_logged(f, "close", "-"), 1);
}

static int on_counters(void *context, size_t index, const struct counter_list *counters,
		       struct error *err)
{
	struct record *record = context;

	assert_int_equal(record->finished[index], 0);
	if (record->await_close)
		wait_for_close(record->await_close);
	record->counted[index]++;
	record->counter_calls++;
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *c = &counters->items[i];

		if (c->has_value)
			counter_list_set(&record->counters[index], c->metric, c->unit, c->source,
					 c->value);
		else
			counter_list_set_missing(&record->counters[index], c->metric, c->unit,
						 c->source, c->reason);
	}
	if (record->fail_at_counters && record->counter_calls == (size_t)record->fail_at_counters)
		return error_set(err, PL_EIO, "the disk is full");
	return 0;
}

static int on_lines(void *context, size_t index, const struct line_count_list *lines,
		    struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_int_equal(record->finished[index], 0);
	assert_null(lines->items[0].file);
	assert_string_equal(lines->items[1].file, "a.cu");
	assert_int_equal(lines->items[1].lanes, 96);
	record->lines[index] += lines->count;
	return 0;
}

static int on_profile(void *context, size_t index, const struct profile *profile, struct error *err)
{
	struct record *record = context;
	const char *why = profile->why_no_samples;

	assert_int_equal(record->finished[index], 1);
	assert_int_equal(profile_check(profile, NULL), 0);
	record->profiled[index]++;
	record->profile_calls++;
	record->profile_samples[index] = profile->samples;
	snprintf(record->why_no_profile[index], sizeof(record->why_no_profile[index]), "%s",
		 why ? why : "");
	if (record->stop_at_profile)
		*record->stop_at_profile = 1;
	if (record->fail_at_profile && record->profile_calls == (size_t)record->fail_at_profile)
		return error_set(err, PL_EIO, "the disk is full");
	return 0;
}

static bool on_has_profile(void *context, size_t index)
{
	const struct record *record = context;

	return record->has_profile[index];
}

/* The cases have no machine code, so nothing is kept with them. */
static int on_content(void *context, const char *hash, const void *bytes, size_t length,
		      struct error *err)
{
	(void)context, (void)hash, (void)bytes, (void)length, (void)err;
	fail();
	return PL_EIO;
}

static int on_source(void *context, const char *file, const char *hash, const char *why,
		     struct error *err)
{
	(void)context, (void)file, (void)hash, (void)why, (void)err;
	fail();
	return PL_EIO;
}

static double recorded_median(void *context, size_t index)
{
	const struct record *record = context;

	return record->status[index] == TRIAL_OK && record->finished[index]
		       ? record->median_ns[index]
		       : NAN;
}

static int on_alone(void *context, size_t index, const char *reason, struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_int_equal(record->finished[index], 0);
	assert_string_equal(record->alone[index], "");
	snprintf(record->alone[index], sizeof(record->alone[index]), "%s", reason);
	return 0;
}

static int on_begin(void *context, struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_false(record->together);
	record->together = true;
	record->together_calls++;
	return 0;
}

static int on_end(void *context, int rc, struct error *err)
{
	struct record *record = context;

	(void)err;
	assert_true(record->together);
	record->together = false;
	record->together_rc = rc;
	return rc;
}

static int on_finished(void *context, size_t index, enum trial_status status, const char *reason,
		       struct error *err)
{
	struct record *record = context;

	(void)err;
	record->finished[index]++;
	record->finished_together += record->together;
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

static void on_notice(void *context, enum notice_kind kind, const char *line)
{
	struct record *record = context;

	(void)kind;
	record->notice_count++;
	text_addf(&record->notices, "%s\n", line);
}

/* ---- a sweep with the fake worker ---- */

int sweep_set_up(void **context)
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

int sweep_tear_down(void **context)
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

/* What measure_run() does, with the plan and the writer of the record. */
int sweep_run_scripted(struct sweep_fixture *f, const char *script)
{
	const struct sweep_observer observer = {&f->record, on_notice, on_progress};
	struct sweep sweep = SWEEP_INIT(&f->settings, &observer, &f->stop);
	int rc;
	const struct result_writer writer = {
		.context = &f->record,
		.facts = on_facts,
		.round = on_round,
		.counters = on_counters,
		.lines = on_lines,
		.profile = on_profile,
		.has_profile = on_has_profile,
		.content = on_content,
		.source = on_source,
		.median_ns = recorded_median,
		.alone = on_alone,
		.finished = on_finished,
		.begin = on_begin,
		.end = on_end,
	};

	sweep.lines = f->lines;
	sweep.profile_sources = profile_sources_new(&writer, true);
	meter_start(&sweep.times.meter);
	f->wall_ns = -sweep.times.meter.since_ns;
	set_variable("FAKE_WORKER_SCRIPT", script);
	rc = sweep_open(&sweep, "fake", NULL, &f->err);
	if (!rc) {
		assert_string_equal(sweep.info.device.name, "Fake GPU");
		rc = sweep_inspect(&sweep, f->record.plan, &f->err);
	}
	if (!rc) {
		assert_string_equal(key_value_get(&sweep.info.environment, "persistence_mode"),
				    "on");
		f->record.opened++;
		rc = sweep_begin(&sweep, &writer, &f->err);
	}
	if (!rc)
		rc = sweep_measure(&sweep, &f->err);
	sweep_close(&sweep, rc);
	profile_sources_free(sweep.profile_sources);
	f->outcome = sweep.outcome;
	meter_read(&sweep.times.meter);
	f->meter = sweep.times.meter;
	f->wall_ns += f->meter.since_ns;
	return rc;
}

void sweep_assert_parts(const struct sweep_fixture *f)
{
	int64_t sum_ns = 0;

	for (int part = 0; part < RUN_PART_COUNT; part++) {
		assert_true(f->meter.ns[part] >= 0 && f->meter.ns[part] <= f->wall_ns);
		sum_ns += f->meter.ns[part];
	}
	assert_int_equal(sum_ns, f->wall_ns);
	assert_true(f->meter.ns[RUN_PART_STARTING] > 0);
}

void sweep_want_counters(struct sweep_fixture *f)
{
	string_list_add(&f->settings.metrics, "one__sum");
	string_list_add(&f->settings.metrics, "nonsense__sum");
	string_list_add(&f->settings.metrics, "forgotten__sum");
}

/* How often the log has a line that ends so: "measure-0 alpha/two/block=64,n=…". */
size_t sweep_logged(const struct sweep_fixture *f, const char *request, const char *name)
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

void sweep_assert_no_worker(const struct sweep_fixture *f)
{
	FILE *file = fopen(f->log, "r");
	char line[512];
	size_t workers = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(kill(atoi(line), 0), -1);
		workers++;
	}
	fclose(file);
	assert_true(workers > 0);
}

void assert_all_ok_but(const struct sweep_fixture *f, size_t victim)
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
