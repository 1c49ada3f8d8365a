/* What an emulator counted at the lines of a case beside what the hardware counted. Private to
 * reports/run/. */
#ifndef REPORTS_RUN_BOTH_LINES_H
#define REPORTS_RUN_BOTH_LINES_H

#include "reports/reports.h"

/* Text and Markdown. Writes nothing if one of the two is missing. */
void write_both_lines(FILE *out, const struct report_profile *reported, bool markdown,
		      const struct report_options *options);

#endif
