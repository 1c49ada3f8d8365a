/* The writers of comparisons, one per format, and the phrases that they share. */
#ifndef REPORTS_REGRESS_REGRESS_H
#define REPORTS_REGRESS_REGRESS_H

#include <jansson.h>

#include "metrics/analysis/regress.h"
#include "reports/reports.h"

void regress_text(FILE *out, const struct regress_report *report,
		  const struct report_options *options);
void regress_markdown(FILE *out, const struct regress_report *report);

/* What changed in the lines of the cases, below the table; nothing if no line did. */
void regress_lines_text(FILE *out, const struct regress_report *report,
			const struct report_options *options);
void regress_lines_markdown(FILE *out, const struct regress_report *report);
/* null: the lines of the case were not compared. */
json_t *regress_lines_json(const struct line_changes *changes);

/* These append text that is not escaped yet. */

/* "unchanged, fails by its lines": why a case fails that its time and counters let pass. */
void regress_describe_verdict(struct text *out, const struct regress_case *item);

/* "saxpy.cu:41: sectors per request 4 → 16; saxpy.cu:43: ..." */
void regress_describe_lines(struct text *out, const struct line_changes *changes);

/* "12 (nightly, 2026-11-21T02:50:45Z, revision 24b7b65a4f5c)" */
void regress_describe_run(struct text *out, const struct run *run);
/* The counters that differ, worse ones first: "ptx_branches 8 to 9 (worse)". */
void regress_describe_counters(struct text *out, const struct regress_case *item);
/* "+2.03 %"; nothing if it is not known. */
void regress_describe_change(struct text *out, double change);

#endif
