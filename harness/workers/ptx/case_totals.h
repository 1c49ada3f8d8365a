/*
 * case_totals: the sums of what all launches of one case counted, and the
 * counters made of them. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_TOTALS_H
#define HARNESS_WORKERS_PTX_CASE_TOTALS_H

#include "emulator/emulator.h"
#include "harness/workers/case_data.h"
#include "metrics/metrics.h"

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

/* The counters of a case, by the catalogue of the emulator. facts: of case_facts(). */
void case_counters(struct counter_list *out, const struct case_totals *totals,
		   const struct launch_facts *facts);

#endif
