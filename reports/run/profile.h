/* The parts of the report of profiles that are only text and Markdown. Private to reports/run/. */
#ifndef REPORTS_RUN_PROFILE_H
#define REPORTS_RUN_PROFILE_H

#include "reports/reports.h"

/* Calls of one line that are shown. */
#define DEEPEST 64

/* The lines of a case, and with `sass` its instructions: profile_case.c. */
void write_profiled_case(FILE *out, const struct report_profile *reported,
			 const struct report_texts *texts, bool sass, bool markdown,
			 const struct report_options *options);
/* What an emulator counted at the lines of a case beside what the hardware counted; nothing if one
 * of the two is missing: both_lines.c. */
void write_both_lines(FILE *out, const struct report_profile *reported, bool markdown,
		      const struct report_options *options);
/* The lines that cost most of all cases: profile_worst.c. */
void write_worst_lines(FILE *out, const struct run *run, const struct report_profiles *report,
		       bool markdown, const struct report_options *options);

#endif
