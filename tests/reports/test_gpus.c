/* The report of a sweep on several GPUs: golden files, split and spread. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/statistics.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

#define GPUS 3
#define ROUNDS 3
#define SECOND INT64_C(1000000000)

/* A case of one kernel with 100 us at block=64, 200 us at 128 and so on, times the factor. */
static void add_case(struct run *run, int64_t position, double factor)
{
	static const double noise[ROUNDS] = {0.9995, 1, 1.0005};
	const int64_t block = 64 << position;
	const double median_ns = 1e5 * (double)(position + 1) * factor;
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count++];
	*trial = (struct trial){
		.id = 100 * run->id + position,
		.run_id = run->id,
		.position = position,
		.kernel = xstrdup("saxpy"),
		.variant = xstrdup(HOSTILE_NAME),
		.config = xasprintf("block=%lld", (long long)block),
		.axes = xcalloc(1, sizeof(*trial->axes)),
		.axis_count = 1,
		.status = TRIAL_OK,
		.rounds_done = ROUNDS,
		.has_work = true,
		.flop = 33554432,
		.bytes_read = 134217728,
		.bytes_written = 67108864,
		.facts = launch_facts_unknown,
		.summary = {.count = 60,
			    .median_ns = median_ns,
			    .mad_ns = 0.002 * median_ns,
			    .session_low_ns = 0.999 * median_ns,
			    .session_high_ns = 1.001 * median_ns,
			    .min_ns = 0.99 * median_ns,
			    .max_ns = 1.05 * median_ns},
		.speedup = trial_speedup_none,
		.rounds = xcalloc(ROUNDS, sizeof(*trial->rounds)),
		.round_count = ROUNDS,
	};
	trial->axes[0] = (struct named_value){"block", block};
	for (int i = 0; i < ROUNDS; i++) {
		/* the rounds of two GPUs do not vary alike */
		const double own = 1 + 1e-4 * ((run->settings.device * i) % ROUNDS);

		trial->rounds[i] = (struct round_summary){.round = i,
							  .median_ns = median_ns * noise[i] * own,
							  .state = {1980e6, 3201e6, 40, 300, 0}};
	}
}

static struct gpu_group group_of(const char *mode)
{
	struct gpu_group group = {.runs = xcalloc(GPUS, sizeof(*group.runs)), .count = GPUS};

	for (int i = 0; i < GPUS; i++) {
		struct run *run = &group.runs[i];
		struct key_value_list *facts = &run->environment;

		*run = (struct run){
			.id = 11 + i,
			.command = xasprintf("perflab sweep saxpy.cu --gpus all"),
			.backend = xstrdup("cuda"),
			.state = RUN_FINISHED,
			.traits = {.timed = true},
			.rounds = ROUNDS,
			.started_ns = INT64_C(1795229445) * SECOND + i * SECOND / 10,
			.finished_ns = INT64_C(1795229445) * SECOND + (i + 7) * SECOND,
		};
		snprintf(run->uid, sizeof(run->uid), "%032x", 0xabc + i);
		snprintf(run->device.name, sizeof(run->device.name), "GPU %s", HOSTILE_NAME);
		snprintf(run->device.uuid, sizeof(run->device.uuid), "GPU-%08d", i);
		run->settings.device = i;
		key_value_set(facts, "gpus.group", "f00dfacef00dfacef00dfacef00dface");
		key_value_set(facts, "gpus.mode", mode);
		key_value_set(facts, "gpus.count", "4");
		key_value_set(facts, "gpus.processors",
			      i ? "0-15" : "not pinned: no such file: " HOSTILE_NAME);
	}
	return group;
}

/* GPU 0 was not disturbed, GPU 1 was, GPU 2 failed, and GPU 3 has no run. */
static struct gpu_group split_group(void)
{
	struct gpu_group group = group_of("split");
	struct key_value_list *first = &group.runs[0].environment;
	struct key_value_list *second = &group.runs[1].environment;

	key_value_set(first, "gpus.interference", "not found");
	key_value_set(first, "gpus.interference.1",
		      "+0.1 % for saxpy/x/block=64 (95 % interval -0.2 to +0.3 %)");
	key_value_set(second, "gpus.interference", "found");
	key_value_set(second, "gpus.interference.1",
		      "+20.0 % for saxpy/x/block=128 (95 % interval +19.0 to +21.0 %)");
	key_value_set(second, "gpus.interference.2", HOSTILE_NAME);
	key_value_set(second, "gpus.interference.found",
		      "+20.0 % for saxpy/x/block=128 (95 % interval +19.0 to +21.0 %)");
	key_value_set(&group.runs[2].environment, "gpus.failed", "fell off the bus: " HOSTILE_NAME);
	group.runs[2].state = RUN_INTERRUPTED;
	for (int i = 0; i < GPUS; i++)
		key_value_set(&group.runs[i].environment, "gpus.absent.3",
			      "GPU-00000003: does not open: " HOSTILE_NAME);
	for (int64_t i = 0; i < 4; i++)
		add_case(&group.runs[i % 2], i, 1);
	return group;
}

/* GPU 1 is like GPU 0; GPU 2 is 5 % slower in two cases. */
static struct gpu_group spread_group(void)
{
	struct gpu_group group = group_of("spread");

	for (int gpu = 0; gpu < GPUS; gpu++)
		for (int64_t i = 0; i < 4; i++)
			add_case(&group.runs[gpu], i, gpu == 2 && i % 2 ? 1.05 : 1);
	return group;
}

static void expect_golden(const char *name, struct gpu_group group, enum report_format format,
			  struct report_options options)
{
	struct error err = {0};
	size_t length;
	char *bytes;

	if (gpu_group_complete(&group, &err))
		fail_msg("%s", err.text);
	options.gpus = &group;
	options.no_roofline = true;
	bytes = golden_render(&group.all, format, &options, &length);
	golden_compare(name, bytes, length);
	free(bytes);
	gpu_group_release(&group);
}

static void a_split_is_as_written(void **state)
{
	(void)state;
	expect_golden("gpus-split.txt", split_group(), REPORT_TEXT, (struct report_options){0});
	expect_golden("gpus-split-80-colour.txt", split_group(), REPORT_TEXT,
		      (struct report_options){.width = 80, .colour = true});
	expect_golden("gpus-split.md", split_group(), REPORT_MARKDOWN, (struct report_options){0});
	expect_golden("gpus-split.csv", split_group(), REPORT_CSV, (struct report_options){0});
	expect_golden("gpus-split.json", split_group(), REPORT_JSON, (struct report_options){0});
}

static void a_spread_is_as_written(void **state)
{
	(void)state;
	expect_golden("gpus-spread.txt", spread_group(), REPORT_TEXT, (struct report_options){0});
	expect_golden("gpus-spread.md", spread_group(), REPORT_MARKDOWN,
		      (struct report_options){0});
	expect_golden("gpus-spread.json", spread_group(), REPORT_JSON, (struct report_options){0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_split_is_as_written),
		cmocka_unit_test(a_spread_is_as_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
