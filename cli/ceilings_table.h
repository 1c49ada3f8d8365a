/* Ceilings as a table on stdout. */
#ifndef CLI_CEILINGS_TABLE_H
#define CLI_CEILINGS_TABLE_H

#include "cli/command.h"
#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

int print_ceilings(const struct invocation *call, const struct ceiling_list *list,
		   enum report_format format, struct error *err);

#endif
