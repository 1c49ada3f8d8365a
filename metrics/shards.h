/*
 * shards: which parts of a sweep a run holds. N runs, on one machine or several,
 * measure the N shards of a sweep; `perflab merge` joins them into one run. The
 * text form is the ascending numbers of the shards, from 1, and their total:
 * "2/4", "1,3/4", "1-3/4".
 */
#ifndef METRICS_SHARDS_H
#define METRICS_SHARDS_H

#include "base/base.h"

#define SHARDS_MAX 65536

/* Keys in the environment of a run: its shards, the user's name of the sweep, the uid of the run
 * into which all shards are merged, and the number of cases of that run. */
#define SHARDS_KEY "shards"
#define SWEEP_KEY "sweep"
#define SWEEP_UID_KEY "sweep_uid"
#define SWEEP_CASES_KEY "sweep_cases"

/* All zeroes: the run is no part of a sharded sweep. */
struct shard_set {
	size_t total;
	bool *has; /* indexed by number - 1 */
};
/* Returns 0 or PL_EUSAGE, which leaves *out unchanged. */
int shard_set_parse(struct shard_set *out, const char *text, struct error *err);
void shard_set_release(struct shard_set *set);
size_t shard_set_count(const struct shard_set *set);
/* Adds "1-3,5/8". */
void shard_set_text(struct text *out, const struct shard_set *set);
/* Adds the missing shards, for the same set "4, 6-8". */
void shard_set_missing(struct text *out, const struct shard_set *set);
/* Adds the shards of `other` to `set`. Returns false, and adds nothing, if the totals differ. */
bool shard_set_join(struct shard_set *set, const struct shard_set *other);

#endif
