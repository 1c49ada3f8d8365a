/* Inside the session: finds Nsight Compute and Nsight Systems, and writes their command lines. */
#ifndef HARNESS_NSIGHT_NSIGHT_TOOL_H
#define HARNESS_NSIGHT_NSIGHT_TOOL_H

#include "base/base.h"
#include "metrics/settings.h"

/* Borrowed. */
struct nsight_words {
	bool systems;     /* nsys; else ncu */
	const char *tool; /* its path */
	const char *file; /* -o */
	const char *db;   /* temporary database of the sweep under the tool */
	const char *backend;
	const struct string_list *sources;       /* words of `perflab sweep` for a user's files */
	const struct string_list *cases;         /* canonical names */
	const struct string_list *extra;         /* further arguments of the tool */
	const struct measure_settings *settings; /* of the stored run */
};

/* Path of "ncu" or "nsys". PL_EUNSUPPORTED with the remedy when it is not installed. */
int nsight_find(struct text *path, const char *tool, struct error *err);
/* The command line of the tool. */
int nsight_arguments(struct string_list *argv, const struct nsight_words *words, struct error *err);

#endif
