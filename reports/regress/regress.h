/* The writers of comparisons, one per format, and the phrases that they share. */
#ifndef REPORTS_REGRESS_REGRESS_H
#define REPORTS_REGRESS_REGRESS_H

#include "metrics/analysis/regress.h"
#include "reports/reports.h"

void regress_text(FILE *out, const struct regress_report *report,
		  const struct report_options *options);
void regress_markdown(FILE *out, const struct regress_report *report);

/* These append text that is not escaped yet. */

/* "12 (nightly, 2026-11-21T02:50:45Z, revision 24b7b65a4f5c)" */
void regress_describe_run(struct text *out, const struct run *run);
/* The counters that differ, worse ones first: "ptx_branches 8 to 9 (worse)". */
void regress_describe_counters(struct text *out, const struct regress_case *item);
/* "+2.03 %"; nothing if it is not known. */
void regress_describe_change(struct text *out, double change);

#endif
