/* group_report: the one report of a sweep on several GPUs. */
#ifndef CLI_GROUP_REPORT_H
#define CLI_GROUP_REPORT_H

#include "cli/command.h"
#include "harness/runs/runs.h"
#include "reports/reports.h"

struct group_look {
	enum report_format format;
	const struct report_selection *selection; /* NULL: everything as usual */
	const char *output;                       /* NULL: standard output */
	const char *db;                           /* as given; NULL: not given */
	bool all_metrics, no_roofline;
};
/* PL_EUSAGE: the selection, as report_select(), or the format shows no spread. Also the errors of
 * report_draw(). `db`: for the samples of a page. */
int group_report(const struct invocation *call, const struct group_data *data, struct db *db,
		 const struct group_look *look, struct error *err);

#endif
