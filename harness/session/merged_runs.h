/*
 * merged_runs: completes a merge of databases. Judges the runs that the merge
 * changed and finds the shards that a sweep still lacks.
 */
#ifndef HARNESS_SESSION_MERGED_RUNS_H
#define HARNESS_SESSION_MERGED_RUNS_H

#include "db/db.h"

/* Each function may be NULL. */
struct merged_runs_watch {
	void *context;
	void (*progress)(void *context, size_t done, size_t total);
};
/* Judges the runs that a merge changed, and those that have no verdicts because an earlier merge
 * was interrupted. */
int merged_runs_judge(struct db *db, const struct merge_summary *summary,
		      const struct merged_runs_watch *watch, struct error *err);

/* The shards that a run of a sweep lacks. */
struct missing_shards {
	size_t count, total; /* count 0: none is missing, or the run does not consist of shards */
	char *numbers;       /* "2, 5-7" */
	char *sweep;         /* the name of the sweep; NULL: it has none */
};
int missing_shards_load(struct missing_shards *out, struct db *db, int64_t run_id,
			struct error *err);
void missing_shards_release(struct missing_shards *missing);

#endif
