#include "tests/reports/constructed_speedups.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdio.h>

/* A case with its pair. A verdict of SPEEDUP_NOT_MEASURED has `why` and no numbers. */
struct paired {
	const char *variant;
	int64_t block;
	double median_ns;
	enum speedup_verdict verdict;
	double speedup, low, high;
	const char *why;
	enum trial_status status;
	bool other_buffers, no_base_case;
};

static struct trial *add_case_of(struct run *run, const char *variant, int64_t block,
				 double median_ns)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.id = (int64_t)run->trial_count + 101,
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup("saxpy"),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=16777216", (long long)block),
		.axes = xcalloc(2, sizeof(*trial->axes)),
		.axis_count = 2,
		.status = TRIAL_OK,
		.rounds_done = 3,
		.has_work = true,
		.flop = 33554432,
		.bytes_read = 134217728,
		.bytes_written = 67108864,
		.facts = launch_facts_unknown,
		.summary = summarise(NULL, 0),
		.speedup = trial_speedup_none,
	};
	trial->axes[0] = (struct named_value){"block", block};
	trial->axes[1] = (struct named_value){"n", 16777216};
	if (median_ns > 0)
		trial->summary = (struct summary){
			.count = 60,
			.median_ns = median_ns,
			.mad_ns = 0.002 * median_ns,
			.session_low_ns = 0.999 * median_ns,
			.session_high_ns = 1.001 * median_ns,
			.min_ns = 0.99 * median_ns,
			.max_ns = 1.05 * median_ns,
		};
	run->trial_count++;
	return trial;
}

static void add_pair(struct run *run, const struct paired *pair)
{
	struct trial *trial = add_case_of(run, pair->variant, pair->block, pair->median_ns);
	struct trial_speedup *speedup = &trial->speedup;

	trial->status = pair->status;
	if (pair->status != TRIAL_OK)
		trial->reason = xstrdup(pair->status == TRIAL_UNVERIFIED
						? "verify none: the result was not compared"
						: "y[0] is 1, expected 2");
	speedup->base_variant = xstrdup("old");
	speedup->verdict = pair->verdict;
	speedup->why = pair->why ? xstrdup(pair->why) : NULL;
	if (!pair->no_base_case) {
		speedup->base_config = xstrdup(trial->config);
		speedup->base_trial_id = pair->block == 128 ? 101 : 102;
	}
	if (pair->verdict == SPEEDUP_NOT_MEASURED)
		return;
	speedup->speedup = pair->speedup;
	speedup->low = pair->low;
	speedup->high = pair->high;
	speedup->p = pair->verdict == SPEEDUP_SAME ? 0.75 : 1e-6;
	speedup->base_median_ns = pair->median_ns * pair->speedup;
	speedup->rounds = 3;
	speedup->same_buffers = !pair->other_buffers;
}

static void init_run(struct run *run)
{
	*run = (struct run){
		.id = 31,
		.uid = "abcdefabcdefabcdefabcdefabcdefab",
		.command = xstrdup("perflab sweep old.cu new.cu slow.cu --baseline old"),
		.backend = xstrdup("cuda"),
		.version = xstrdup("0.1.0"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.settings = measure_settings_default,
		.state = RUN_FINISHED,
		.seed = 1,
		.rounds = 3,
		.started_ns = INT64_C(1795229445000000000),
		.finished_ns = INT64_C(1795229458250000000),
	};
	run->settings.base_variant = xstrdup("old");
	snprintf(run->device.name, sizeof(run->device.name), "Round GPU");
}

void constructed_speedups_init(struct run *run)
{
	static const struct paired pairs[] = {
		{"slow", 128, 54000, SPEEDUP_SLOWER, 0.9259, 0.9241, 0.9277, NULL, TRIAL_OK, false,
		 false},
		{"slow", 256, 51000, SPEEDUP_INCONCLUSIVE, 1.004, 0.951, 1.06, NULL, TRIAL_OK, true,
		 false},
		{"new", 128, 48000, SPEEDUP_FASTER, 1.0417, 1.0399, 1.0438, NULL, TRIAL_OK, false,
		 false},
		{"new", 256, 50000, SPEEDUP_SAME, 1.0002, 0.9996, 1.0008, NULL, TRIAL_OK, false,
		 false},
		{"new", 512, 49000, SPEEDUP_NOT_MEASURED, NAN, NAN, NAN,
		 "old has no case with block=512", TRIAL_OK, false, true},
		{"wrong", 128, NAN, SPEEDUP_NOT_MEASURED, NAN, NAN, NAN, "the case is mismatch",
		 TRIAL_MISMATCH, false, false},
		{"wrong", 256, NAN, SPEEDUP_NOT_MEASURED, NAN, NAN, NAN, "the case is mismatch",
		 TRIAL_MISMATCH, false, false},
		{"trusted", 128, 25000, SPEEDUP_FASTER, 2.0, 1.9, 2.1, NULL, TRIAL_UNVERIFIED,
		 false, false},
		{"trusted", 256, 25000, SPEEDUP_NOT_MEASURED, NAN, NAN, NAN, NULL, TRIAL_UNVERIFIED,
		 false, false},
	};

	init_run(run);
	add_case_of(run, "old", 128, 50000);
	add_case_of(run, "old", 256, 50000);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		add_pair(run, &pairs[i]);
}

void constructed_speedups_many(struct run *run, size_t count)
{
	init_run(run);
	add_case_of(run, "old", 128, 50000);
	for (size_t i = 0; i < count; i++) {
		const struct paired pair = {
			"new", 256 + (int64_t)i, 48000, SPEEDUP_FASTER, 1.05, 1.04, 1.06,
			NULL,  TRIAL_OK,         false, false,
		};

		add_pair(run, &pair);
	}
}
