/*
 * workbench: what the cases of one worker share, and one case on it. A case
 * has device memory, module variables and counts of its own, so that it gives
 * the same whatever ran before it. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_RUNNER_H
#define HARNESS_WORKERS_PTX_CASE_RUNNER_H

#include "emulator/emulator.h"
#include "harness/workers/ptx/case_totals.h"
#include "harness/workers/ptx/chips.h"
#include "harness/workers/ptx/expected_results.h"
#include "harness/workers/ptx/ptx_image.h"

/*
 * Warp-instructions. Beyond the first a case is sampled, if that is the same;
 * if not, it runs whole up to the second. About a second, and about ten.
 */
#define SAMPLED_BEYOND_INSTRUCTIONS (UINT64_C(1) << 26)
#define WHOLE_MOST_INSTRUCTIONS (UINT64_C(1) << 29)

struct case_runner {
	const struct chip *chip;
	struct ptx_image_cache images;
	struct expected_cache expected;
	uint64_t seed;
	bool all_blocks;
	int64_t memory_limit_bytes; /* of a case: emulated memory, and results to compare with */
	enum emulated_lanes lanes;
	/* Beyond which a case is sampled, and runs whole at most. */
	uint64_t sampled_beyond, whole_most;
	void (*print)(void *context, const char *text); /* device printf; NULL: dropped */
	void *print_context;
};
/* With the limits above and all of share/perflab/ptx. */
void case_runner_init(struct case_runner *runner, const struct chip *chip, uint64_t seed);
void case_runner_release(struct case_runner *runner);

/*
 * Facts of the case's largest launch. *status TRIAL_SKIPPED with the reason
 * when no device of the chip, or not the emulator, can run it.
 */
int case_facts(struct case_runner *runner, const struct launch_case *work,
	       struct launch_facts *facts, enum trial_status *status, struct text *reason,
	       struct error *err);

/*
 * Executes a case and compares its results with the oracle. *status:
 * TRIAL_OK; TRIAL_SAMPLED, TRIAL_FAULT or TRIAL_MISMATCH with the reason;
 * TRIAL_SKIPPED with the limit of the emulator that it exceeds: what it does
 * not run, or how much. *totals begins as all zeroes.
 */
int case_emulate(struct case_runner *runner, const struct launch_case *work,
		 struct case_totals *totals, enum trial_status *status, struct text *reason,
		 struct error *err);

#endif
