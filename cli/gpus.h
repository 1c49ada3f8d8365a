/* gpus: sweeps on several GPUs, which have a run for each GPU and one report. */
#ifndef CLI_GPUS_H
#define CLI_GPUS_H

#include "cli/command.h"
#include "cli/progress.h"
#include "db/db.h"
#include "harness/runs/runs.h"
#include "harness/sweep/sweep.h"
#include "reports/reports.h"

/* For a command that takes one run: says which run was taken and which others there are, if the
 * reference means a sweep on several GPUs. `run_id` is what db_run_resolve() found for it. Errors
 * of db/db.h. */
int say_one_of_group(struct db *db, const char *reference, int64_t run_id, struct error *err);

struct group_look {
	enum report_format format;
	const struct report_selection *selection; /* NULL: everything as usual */
	const char *output;                       /* NULL: standard output */
	const char *db;                           /* as given; NULL: not given */
	bool all_metrics, no_roofline;
};
/* PL_EUSAGE: the selection, as report_select(), or the format shows no spread. Also the errors of
 * report_draw(). `db`: for the samples of a page. */
int group_report(struct invocation *call, const struct group_data *data, struct db *db,
		 const struct group_look *look, struct error *err);

struct sweep_gpus_options {
	struct gpus_request gpus;
	struct group_look look;
	bool quiet, verbose;
};
/* What perflab sweep --gpus does after its options are read: measures, and reports all runs. Sets
 * the exit code: the worst of all runs, and at least EXIT_FAILED if a GPU failed. */
int sweep_gpus(struct invocation *call, const struct sweep_request *request,
	       const struct sweep_gpus_options *options, struct progress *progress,
	       struct error *err);

#endif
