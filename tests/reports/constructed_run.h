/*
 * A constructed run with everything that a report must handle: measured and missing numbers, every
 * kind of failure, and hostile names.
 */
#ifndef TESTS_REPORTS_CONSTRUCTED_RUN_H
#define TESTS_REPORTS_CONSTRUCTED_RUN_H

#include "metrics/metrics.h"

/* ESC, a newline, a byte that is not UTF-8, and special characters of CSV, Markdown and HTML. */
#define HOSTILE_NAME "ev\033[31mil\n\xff,\"quoted\"|<b>&`*_é\\"

void constructed_run_init(struct run *run);
/* A run of the backend ptx: complete, sampled, faulty and skipped cases, with and without source
 * lines. Its sources are in tests/fixtures/source. */
void constructed_emulated_init(struct run *run);

#endif
