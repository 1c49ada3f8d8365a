/*
 * workbench: what the cases of one worker share, and one case on it. A case
 * has device memory, module variables and counts of its own, so that it gives
 * the same whatever ran before it. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_WORKBENCH_H
#define HARNESS_WORKERS_PTX_WORKBENCH_H

#include "emulator/emulator.h"
#include "harness/workers/case_buffers.h"
#include "harness/workers/ptx/chips.h"
#include "harness/workers/ptx/expected.h"
#include "harness/workers/ptx/image.h"

/*
 * Warp-instructions. Beyond the first a case is sampled, if that is the same;
 * if not, it runs whole up to the second. About a second, and about ten.
 */
#define SAMPLED_BEYOND_INSTRUCTIONS (UINT64_C(1) << 26)
#define WHOLE_MOST_INSTRUCTIONS (UINT64_C(1) << 29)

struct workbench {
	const struct chip *chip;
	struct image_cache images;
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
void workbench_init(struct workbench *bench, const struct chip *chip, uint64_t seed);
void workbench_release(struct workbench *bench);

/*
 * Facts of the case's largest launch. *status TRIAL_SKIPPED with the reason
 * when no device of the chip, or not the emulator, can run it.
 */
int case_facts(struct workbench *bench, const struct launch_case *work, struct launch_facts *facts,
	       enum trial_status *status, struct text *reason, struct error *err);

/* What all launches of a case did. */
struct case_totals {
	struct emulated_counts counts; /* of all blocks, scaled where only some were executed */
	struct line_count_list lines;  /* likewise */
	int64_t blocks_executed, blocks_total;
	bool has_touched; /* false: blocks were sampled */
	struct touched_bytes touched;
	struct case_accuracy accuracy; /* once results were compared: has_touched */
};
void case_totals_release(struct case_totals *totals);
/* Adds what `emulation` counted since its last reset, and resets it. Blocks are left alone. */
void case_totals_take(struct case_totals *totals, struct emulation *emulation);
/* Adds counts and lines of `from`, `times` over, and the blocks once. */
void case_totals_add(struct case_totals *totals, const struct case_totals *from, uint64_t times);

/*
 * Executes a case and compares its results with the oracle. *status:
 * TRIAL_OK; TRIAL_SAMPLED, TRIAL_FAULT or TRIAL_MISMATCH with the reason;
 * TRIAL_SKIPPED with the limit of the emulator that it exceeds: what it does
 * not run, or how much. *totals begins as all zeroes.
 */
int case_emulate(struct workbench *bench, const struct launch_case *work,
		 struct case_totals *totals, enum trial_status *status, struct text *reason,
		 struct error *err);

/* The counters of a case, by the catalogue of the emulator. facts: of case_facts(). */
void case_counters(struct counter_list *out, const struct case_totals *totals,
		   const struct launch_facts *facts);

#endif
