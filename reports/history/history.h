/* The writers of one history, and what the formats share. */
#ifndef REPORTS_HISTORY_HISTORY_H
#define REPORTS_HISTORY_HISTORY_H

#include "metrics/analysis/history.h"
#include "reports/reports.h"
#include "reports/table/table.h"

/* Both show at most `rows` runs of the case, the newest; 0: all. */
void history_text(FILE *out, const struct history *history, size_t rows,
		  const struct report_options *options);
void history_markdown(FILE *out, const struct history *history, size_t rows);

/* ---- the parts of a history without times ---- */

/* "worse: ptx_shared_bank_conflicts from 0 to 1024 (+3 more), between run 2 (…) and run 3 (…)".
 * `name` writes a run. */
void describe_counter_step(struct text *out, const struct history *history,
			   const struct counter_step *step,
			   void (*name)(struct text *out, const struct run *run));
/* Adds number, start, label and revision of a run. */
void add_run_cells(struct row *row, const struct run *run);
/* The newest runs from `begin` on, with the values of the counters that changed most. */
struct table *table_of_counted_runs(const struct history *history, size_t begin);

#endif
