/* The parts of a run's report that text and Markdown share. */
#ifndef REPORTS_RUN_RUN_H
#define REPORTS_RUN_RUN_H

#include "reports/reports.h"
#include "reports/roofline/roofline.h"

/* ---- heading ---- */

/* What a reader must know before the results: device, time, cases, and what makes them doubtful.
 * The values are not escaped. */
void run_heading(struct key_value_list *lines, const struct run *run,
		 const struct report_options *options);
/* "Run 12", or "Sweep on 2 GPUs" with whether it was split, and an identification. */
void run_heading_title(struct text *title, struct text *uid, const struct run *run,
		       const struct report_options *options);
/* How it was measured, for the end. */
void run_heading_method(struct key_value_list *lines, const struct run *run);

/* ---- sections ---- */

/* Owned. */
struct section {
	char *title;
	char *note; /* NULL: none */
	struct table *table;
};
struct section_list {
	struct section *items;
	size_t count, capacity;
	size_t roofline; /* the roofline comes before this section */
};
/* Fills all sections that have a row. PL_EUSAGE as kernel_rows_choose(). */
int run_sections(struct section_list *out, const struct run *run,
		 const struct report_options *options, struct error *err);
void section_list_release(struct section_list *list);

/* How much of the roofline is shown. */
enum roofline_extent roofline_extent_of(const struct run *run,
					const struct report_options *options);

/* ---- tables; NULL: there is no row ---- */

/* The best case of each kernel, on its largest problem. */
struct table *run_table_fastest(const struct run *run, const struct report_options *options);
/* Adds a section with the chosen rows of each kernel. PL_EUSAGE as kernel_rows_choose(). */
int run_add_kernels(struct section_list *out, const struct run *run,
		    const struct report_options *options, struct error *err);
/* The failed cases, grouped by status and reason, the most frequent first. */
struct table *run_table_failures(const struct run *run);
/* What the run lacks and why: cases that were skipped, sampled or not verified, speed-ups and
 * counters without a value. `in_short`: reasons that differ only in details are one, and a narrow
 * terminal cuts them. */
struct table *run_table_gaps(const struct run *run, bool in_short);
/* The measured speed-ups over the base variant, the best first. */
struct table *run_table_speedups(const struct run *run, const struct report_options *options);
/* The cases that were measured by several clocks (`sweep --clocks all`). NULL: none. */
struct table *run_table_clocks(const struct run *run);
/* For an emulated run: what its counts show to be wasted, worst first, by variant. `in_full`: with
 * the sentences of docs/verdicts.md. */
struct table *run_table_findings(const struct run *run, bool in_full);
/* For a measured run: the cases above a measured roof (docs/verdicts.md). */
struct table *run_table_above(const struct run *run, const struct ceiling_list *ceilings);

/* ---- the end ---- */

/* Appends the commands that show more. */
void run_next_commands(struct text *out, const struct run *run,
		       const struct report_options *options);

#endif
