/* sweep_gpus: what perflab sweep --gpus does after its options are read: measures, and reports all
 * runs. */
#ifndef CLI_SWEEP_GPUS_H
#define CLI_SWEEP_GPUS_H

#include "cli/command.h"
#include "cli/progress.h"
#include "harness/sweep/sweep.h"
#include "reports/reports.h"

struct sweep_gpus_options {
	struct gpus_request gpus;
	enum report_format format;
	bool all_metrics, quiet, verbose;
	const char *db; /* as given; NULL: not given */
};

/* Sets the exit code: the worst of all runs, and at least EXIT_FAILED if a GPU failed. */
int sweep_gpus(struct invocation *call, const struct sweep_request *request,
	       const struct sweep_gpus_options *options, struct progress *progress,
	       struct error *err);

#endif
