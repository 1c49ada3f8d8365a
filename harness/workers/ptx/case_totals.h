/*
 * case_totals: the sums of what all launches of one case counted, and the
 * counters made of them. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CASE_TOTALS_H
#define HARNESS_WORKERS_PTX_CASE_TOTALS_H

#include "emulator/emulator.h"
#include "harness/workers/case_buffers.h"
#include "metrics/metrics.h"

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

#endif
