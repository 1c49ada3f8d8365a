/*
 * A run made by hand that holds what a report must bear: measured and missing
 * numbers, every way to fail, and names that no format likes.
 */
#ifndef TESTS_REPORTS_CONSTRUCTED_RUN_H
#define TESTS_REPORTS_CONSTRUCTED_RUN_H

#include "metrics/metrics.h"

/* ESC, a newline, a byte that is no UTF-8, and what CSV, Markdown and HTML take for their own. */
#define HOSTILE_NAME "ev\033[31mil\n\xff,\"quoted\"|<b>&`*_é\\"

void constructed_run_init(struct run *run);
/* One of the backend ptx: whole, sampled, faulty and skipped cases, with and without source lines;
 * its sources are in tests/fixtures/source. */
void constructed_emulated_init(struct run *run);

#endif
