/* Finds Nsight Compute and Nsight Systems, and writes their command lines. */
#ifndef CLI_NSIGHT_H
#define CLI_NSIGHT_H

#include "cli/command.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

struct nsight_request {
	bool systems;     /* nsys; else ncu */
	const char *tool; /* its path */
	const char *file; /* -o */
	const char *db;   /* temporary database of the sweep under the tool */
	const char *backend;
	const struct string_list *cases;         /* canonical names */
	const struct string_list *extra;         /* further arguments of the tool */
	const struct measure_settings *settings; /* of the stored run */
};

/* Path of "ncu" or "nsys". PL_EUNSUPPORTED with the remedy when it is not installed. */
int nsight_find(struct text *path, const char *tool, struct error *err);
/* The command line of the tool. */
int nsight_arguments(struct string_list *argv, const struct nsight_request *request,
		     struct error *err);
/* Adds the nested NVTX ranges of the profile phase of a case: "reduce/shuffle/block=256,n=4096". */
void nsight_range(struct text *out, const char *case_name);

#endif
