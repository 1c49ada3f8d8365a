/*
 * counters: the parts of a history without times: which counters changed between
 * its runs, in words, and the values of those that say most. Private to
 * reports/history/.
 */
#ifndef REPORTS_HISTORY_COUNTERS_H
#define REPORTS_HISTORY_COUNTERS_H

#include "metrics/analysis/history.h"
#include "reports/table/table.h"

struct run;

/* "worse: ptx_shared_bank_conflicts from 0 to 1024 (+3 more), between run 2 (…) and run 3 (…)".
 * `name` writes a run. */
void describe_counter_step(struct text *out, const struct history *history,
			   const struct counter_step *step,
			   void (*name)(struct text *out, const struct run *run));
/* The newest runs from `begin` on, with the values of the counters that changed most. */
struct table *table_of_counted_runs(const struct history *history, size_t begin);

#endif
