/*
 * merge_databases: merges the runs of several databases into one, judges the
 * runs that changed, and finds the shards that sweeps still lack. db/ merges
 * two databases.
 */
#ifndef HARNESS_SESSION_MERGE_DATABASES_H
#define HARNESS_SESSION_MERGE_DATABASES_H

#include "db/db.h"

/* Called in the thread of the caller. Each function may be NULL; strings live until it returns. */
struct merge_observer {
	void *context;
	void (*notice)(void *context, const char *line);
	/* Runs of one source; the output itself is the first source. */
	void (*progress)(void *context, size_t done, size_t total, const char *source);
	/* Afterwards: runs that were judged. The first call has done == 0. */
	void (*judging)(void *context, size_t done, size_t total);
};

/* Numbers of shards: "2, 5-7". */
struct shard_numbers {
	size_t count;
	char *text; /* owned */
};

struct shards_elsewhere {
	int64_t run_id;
	struct shard_numbers numbers;
};

/* The shards that a run of a sweep lacks. Owns its strings. */
struct missing_shards {
	int64_t run_id;
	size_t total;
	struct shard_numbers all; /* count is not 0 */
	char *sweep;              /* the name of the sweep; NULL: it has none */
	/* Of these, those in other runs of a sweep of this name, which were not measured in the
	 * same way, and those that no run here has. */
	struct shards_elsewhere *elsewhere;
	size_t elsewhere_count;
	struct shard_numbers nowhere;
};

/* Owned. */
struct merge_result {
	struct merge_summary summary;
	struct missing_shards *missing; /* one per run that lacks shards, in the order of touched */
	size_t missing_count;
};
/*
 * Merges the shards that `output` has already and then each source into it;
 * creates `output` if it does not exist. Opens all sources before it writes, so
 * that a wrong file name changes nothing. Judges the runs that changed, and
 * those that have no verdicts because an earlier merge was interrupted. Each
 * run is stored as a whole or not at all. PL_EUSAGE: a source is the output.
 * Also the errors of db/db.h. Release *out even after an error.
 */
int merge_databases(struct merge_result *out, const char *output, const struct string_list *sources,
		    const struct merge_observer *observer, struct error *err);
void merge_result_release(struct merge_result *result);

#endif
