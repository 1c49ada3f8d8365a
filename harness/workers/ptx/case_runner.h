/*
 * case_runner: executes the cases of one worker, and holds what they share. Each
 * case has its own device memory, module variables and counts, so its results do
 * not depend on earlier cases. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_RUNNER_H
#define HARNESS_WORKERS_PTX_CASE_RUNNER_H

#include "emulator/emulator.h"
#include "harness/protocol/messages.h"
#include "harness/workers/ptx/case_totals.h"
#include "harness/workers/ptx/chips.h"
#include "harness/workers/ptx/expected_results.h"
#include "harness/workers/ptx/ptx_image.h"

/*
 * Limits in warp instructions. A case above the first limit is sampled if that is
 * sound; if not, all its blocks run, up to the second limit. They take about one
 * and about ten seconds.
 */
#define SAMPLED_BEYOND_INSTRUCTIONS (UINT64_C(1) << 26)
#define WHOLE_MOST_INSTRUCTIONS (UINT64_C(1) << 29)

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
