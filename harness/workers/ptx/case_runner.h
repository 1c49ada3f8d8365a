/*
 * case_runner: executes the cases of one worker, and holds what they share. Each
 * case has its own device memory, module variables and counts, so its results do
 * not depend on earlier cases. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_RUNNER_H
#define HARNESS_WORKERS_PTX_CASE_RUNNER_H

#include "emulator/emulator.h"
#include "harness/protocol/messages.h"
#include "harness/workers/case_buffers.h"
#include "harness/workers/ptx/chips.h"
#include "harness/workers/ptx/ptx_image.h"
#include "harness/workers/shared_data.h"
#include "metrics/metrics.h"

/*
 * Limits in warp instructions. A case above the first limit is sampled if that is
 * sound; if not, all its blocks run, up to the second limit. They take about one
 * and about ten seconds.
 */
#define SAMPLED_BEYOND_INSTRUCTIONS (UINT64_C(1) << 26)
#define WHOLE_MOST_INSTRUCTIONS (UINT64_C(1) << 29)

/* A cache of expected results, for cases with equal ones: expected_results.c. */
struct expected_cache {
	struct expected_result {
		char *key;
		void *data;
		int64_t bytes;
		uint64_t last_use;
	} * items;
	size_t count, capacity;
	uint64_t clock;
};
void expected_cache_release(struct expected_cache *cache);

struct case_runner {
	const struct chip *chip;
	struct ptx_image_cache images;
	struct expected_cache expected;
	struct shared_data *shared; /* of the current request; NULL: none */
	uint64_t seed;
	bool all_blocks;
	int64_t memory_limit_bytes; /* per case: emulated memory and expected results together */
	enum emulated_lanes lanes;
	/* The limits above; tests set lower ones. */
	uint64_t sampled_beyond, whole_most;
	void (*print)(void *context, const char *text); /* device printf; NULL: dropped */
	void *print_context;
	/* Called before the expected results are computed (VERIFY) and before the blocks run
	 * (EMULATE), each at most once per case. NULL: nobody listens. Its error ends the case. */
	int (*announce)(void *context, enum worker_phase phase);
	void *announce_context;
	unsigned announced;   /* bits of the phases of this case */
	int64_t timeout_ns;   /* of a phase */
	int64_t check_end_ns; /* when a program that verifies must end, in this phase */
	/* When a launch must end, so that the worker can say where its threads are before perflab
	 * ends the worker. */
	int64_t launch_end_ns;
};
/* Uses the limits above and the images of share/perflab/ptx. */
void case_runner_init(struct case_runner *runner, const struct chip *chip, uint64_t seed);
void case_runner_release(struct case_runner *runner);
/* The sums over all launches of a case. */
struct case_totals {
	struct emulated_counts counts; /* of all blocks, extrapolated if only some ran */
	struct line_count_list lines;  /* the same, per source line */
	int64_t blocks_executed, blocks_total;
	bool has_touched; /* false: only some blocks ran */
	struct touched_bytes touched;
	struct case_accuracy accuracy; /* valid if has_touched */
};
void case_totals_release(struct case_totals *totals);
/* Adds the counts of `emulation` since its last reset, and resets it. Leaves the blocks unchanged.
 */
void case_totals_take(struct case_totals *totals, struct emulation *emulation);
/* Adds the counts and lines of `from`, multiplied by `times`, and its blocks once. */
void case_totals_add(struct case_totals *totals, const struct case_totals *from, uint64_t times);

/* The counters of a case, with the metrics of the catalogue. facts: as case_facts() returned. */
void case_counters(struct counter_list *out, const struct case_totals *totals,
		   const struct launch_facts *facts);

/*
 * Returns the facts of the case's largest launch. *status is TRIAL_SKIPPED, with
 * the reason, if the chip or the emulator cannot run the case.
 */
int case_facts(struct case_runner *runner, const struct launch_case *work,
	       struct launch_facts *facts, enum trial_status *status, struct text *reason,
	       struct error *err);

/*
 * Executes a case and compares its results with the oracle. *status is TRIAL_OK;
 * TRIAL_SAMPLED, TRIAL_FAULT or TRIAL_MISMATCH with the reason; or TRIAL_SKIPPED
 * with the feature that the emulator lacks or the size limit that the case
 * exceeds. *totals must be all zeroes.
 */
int case_emulate(struct case_runner *runner, const struct launch_case *work,
		 struct case_totals *totals, enum trial_status *status, struct text *reason,
		 struct error *err);

#endif
