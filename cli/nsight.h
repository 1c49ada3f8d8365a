/* The parts of `perflab nsight`: the tools, and their command lines. */
#ifndef CLI_NSIGHT_H
#define CLI_NSIGHT_H

#include "cli/shared.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

struct nsight_request {
	bool systems;     /* nsys; else ncu */
	const char *tool; /* its path */
	const char *file; /* -o */
	const char *db;   /* of the throw-away sweep */
	const char *backend;
	const struct string_list *cases;         /* canonical names */
	const struct string_list *extra;         /* further arguments of the tool */
	const struct measure_settings *settings; /* of the stored run */
};

/* Path of "ncu" or "nsys". PL_EUNSUPPORTED with the remedy when it is nowhere. */
int nsight_find(struct text *path, const char *tool, struct error *err);
/* The whole command line. */
int nsight_arguments(struct string_list *argv, const struct nsight_request *request,
		     struct error *err);
/* "reduce/shuffle/block=256,n=4096" as the nested NVTX ranges of its profile phase. */
void nsight_range(struct text *out, const char *case_name);

#endif
