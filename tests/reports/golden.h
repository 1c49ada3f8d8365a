/*
 * golden: compares a report with its expected bytes in tests/golden/reports/. After an intended
 * change, set PERFLAB_GOLDEN_UPDATE=1 to rewrite the files, then read the difference.
 */
#ifndef TESTS_REPORTS_GOLDEN_H
#define TESTS_REPORTS_GOLDEN_H

#include "reports/reports.h"

/* The report of a run; malloc'd. */
char *golden_render(const struct run *run, enum report_format format,
		    const struct report_options *options, size_t *length);
void golden_compare(const char *name, const char *bytes, size_t length);

#endif
