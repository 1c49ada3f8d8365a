/* The writers of a run, one per format: declared from the table of formats. */
#ifndef REPORTS_RUN_WRITERS_H
#define REPORTS_RUN_WRITERS_H

#include "reports/reports.h"

#define X(symbol, name, subjects, traits, writer, meaning) report_run_writer run_write_##writer;
REPORT_FORMAT_LIST(X)
#undef X

#endif
