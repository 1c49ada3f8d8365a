/* The sections of a run's report: tables, each with a title and a note. */
#include <math.h>
#include <string.h>

#include "reports/run/run.h"

#define MODEL_NOTE                                                                           \
	"The fastest configuration of each problem, of the verified ones if there are any. " \
	"\"model\" is not measured: it is "                                                  \
	"the compulsory bytes, or the operations, of the work model over the median time."
#define DRAM_NOTE                                                                                \
	"\n\"DRAM\" is measured: the bytes that hardware counters saw move to and from memory, " \
	"over the same time. Traffic that stays in the L2 cache is not included."

#define ABOVE_NOTE                                                                          \
	"A finding: a roof is the highest rate that was measured on this device, so these " \
	"times or amounts cannot be right. Such a case is never the best of its problem."

#define EMULATED_NOTE                                                                            \
	"Emulated PTX: no times. The counts are of the PTX, not of the machine code that a GPU " \
	"executes, and cannot be compared with hardware counters. warp %: lanes with a true "    \
	"guard, of 32. branch %: branches on which the warp stayed together. sec/req: sectors "  \
	"per global load or store. conflicts: in shared-memory banks. queue: lanes at one "      \
	"address per atomic. flop/B: operations per compulsory byte. occ %: theoretical "        \
	"occupancy. --all-metrics shows every count, and so do csv and json. \"sampled\": "      \
	"counted on some blocks only, and not verified."

#define UNVERIFIED_NOTE                                                                            \
	"Measured like the others, but the results were compared with nothing, so the kernel may " \
	"be wrong."

#define SPEEDUP_NOTE                                                                         \
	"The time of the base case over the time of the case, measured in turn in the same " \
	"rounds, with its 95 % interval. \"base median\" is that of the samples beside the " \
	"case. same: the interval rules out a difference of 1 %. inconclusive: the samples " \
	"neither show a "                                                                    \
	"difference nor rule one out; more --rounds do."

/* Whether the table has a column of measured bandwidth beside the modelled one. */
static bool has_dram_bandwidth(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct counter_value *value =
			counter_list_find(&run->trials[i].counters, "dram_bytes_per_s");

		if (value && isfinite(value->value))
			return true;
	}
	return false;
}

/* An emulated run has no times, so no case is the best and no roof applies. */
static void emulated_sections(struct section sections[SECTION_COUNT], const struct run *run,
			      const struct report_options *options)
{
	struct section all[SECTION_COUNT] = {
		{"Emulated", EMULATED_NOTE,
		 run->trial_count ? run_table_sweep(run, options) : NULL},
		{"Notes", NULL, options->no_roofline ? NULL : run_table_notes(run)},
		{"Sampled", NULL, run_table_status(run, TRIAL_SAMPLED, "sampled")},
		{"Unverified", UNVERIFIED_NOTE,
		 run_table_status(run, TRIAL_UNVERIFIED, "unverified")},
		{"Failures", NULL, run_table_failures(run)},
		{"Skipped", NULL, run_table_status(run, TRIAL_SKIPPED, "skipped")},
		{"No speed-up", NULL, run_table_no_speedup(run)},
		{"Not counted", NULL, run_table_missing(run)},
	};

	memcpy(sections, all, sizeof(all));
}

static void measured_sections(struct section sections[SECTION_COUNT], const struct run *run,
			      const struct report_options *options)
{
	struct section all[SECTION_COUNT] = {
		{"Speed-up over the base variant", SPEEDUP_NOTE, run_table_speedups(run, options)},
		{"Best per kernel", has_dram_bandwidth(run) ? MODEL_NOTE DRAM_NOTE : MODEL_NOTE,
		 run_table_best(run, options)},
		{"Above a measured roof", ABOVE_NOTE, run_table_above(run, options->ceilings)},
		{"Sweep", NULL, run->trial_count ? run_table_sweep(run, options) : NULL},
		{"Unverified", UNVERIFIED_NOTE,
		 run_table_status(run, TRIAL_UNVERIFIED, "unverified")},
		{"Failures", NULL, run_table_failures(run)},
		{"Skipped", NULL, run_table_status(run, TRIAL_SKIPPED, "skipped")},
		{"No speed-up", NULL, run_table_no_speedup(run)},
		{"Not measured", NULL, run_table_missing(run)},
	};

	memcpy(sections, all, sizeof(all));
}

void run_sections(struct section sections[SECTION_COUNT], const struct run *run,
		  const struct report_options *options)
{
	if (run->traits.emulated)
		emulated_sections(sections, run, options);
	else
		measured_sections(sections, run, options);
}

bool run_shows_roofline(const struct run *run, const struct report_options *options)
{
	return !options->no_roofline && !run->traits.emulated;
}
