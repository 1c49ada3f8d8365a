/* What a report of a run needs besides the run itself. */
#ifndef CLI_REPORT_SOURCES_H
#define CLI_REPORT_SOURCES_H

#include "cli/command.h"
#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

struct db;
/* Samples and ceilings from the database of the run, which must stay open, and the width and
 * colours of stdout. */
struct report_sources {
	struct report_options options;
	struct ceiling_list ceilings;
};
int report_sources_load(struct report_sources *out, const struct invocation *call, struct db *db,
			const struct run *run, struct error *err);
void report_sources_release(struct report_sources *sources);

#endif
