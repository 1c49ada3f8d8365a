/* The parts of a run's report that text and Markdown share. */
#ifndef REPORTS_RUN_RUN_H
#define REPORTS_RUN_RUN_H

#include "reports/reports.h"

/* What was run, where, when and how. The values are not escaped. */
void run_heading(struct key_value_list *lines, const struct run *run);

/* ---- sections ---- */

#define SECTION_COUNT 9
#define ROOFLINE_SECTION 1 /* of a measured run: the roofline follows this section */

struct section {
	const char *title, *note; /* note may be NULL */
	struct table *table;      /* NULL: the section is omitted */
};
/* Fills all sections. The caller frees each table. */
void run_sections(struct section sections[SECTION_COUNT], const struct run *run,
		  const struct report_options *options);
/* Whether the run has a roofline. */
bool run_shows_roofline(const struct run *run, const struct report_options *options);

/* ---- tables ---- */

/* These return NULL if the table would have no row, except run_table_sweep(). */
struct table *run_table_best(const struct run *run, const struct report_options *options);
struct table *run_table_sweep(const struct run *run, const struct report_options *options);
/* The failed cases, grouped by status and reason. */
struct table *run_table_failures(const struct run *run);
/* The cases with a status, grouped by reason; `head` is the head of the column of cases. */
struct table *run_table_status(const struct run *run, enum trial_status status, const char *head);
/* The measured speed-ups over the base variant, the best first. */
struct table *run_table_speedups(const struct run *run, const struct report_options *options);
/* The cases without a speed-up over their base case, grouped by reason. */
struct table *run_table_no_speedup(const struct run *run);
/* The counters without a value, grouped by reason. */
struct table *run_table_missing(const struct run *run);
/* For an emulated run: what stands out in its counts (docs/verdicts.md), by variant. */
struct table *run_table_notes(const struct run *run);
/* For a measured run: the cases above a measured roof (docs/verdicts.md). */
struct table *run_table_above(const struct run *run, const struct ceiling_list *ceilings);

#endif
