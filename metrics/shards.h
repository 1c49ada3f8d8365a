/*
 * shards: which parts of a sweep a run holds. A sweep of N shards is measured
 * by N runs, perhaps on several machines, and merged to one. Written "2/4",
 * "1,3/4", "1-3/4": numbers from 1, ascending, and how many there are.
 */
#ifndef METRICS_SHARDS_H
#define METRICS_SHARDS_H

#include "base/base.h"

#define SHARDS_MAX 65536

/* In the environment of a run: which shards it holds, what a user calls the sweep, the uid of the
 * run that all of them make, and how many cases that has. */
#define SHARDS_KEY "shards"
#define SWEEP_KEY "sweep"
#define SWEEP_UID_KEY "sweep_uid"
#define SWEEP_CASES_KEY "sweep_cases"

/* All zeroes is the set of no sweep. */
struct shard_set {
	size_t total;
	bool *has; /* by number - 1 */
};
/* PL_EUSAGE; *out is untouched then. */
int shard_set_parse(struct shard_set *out, const char *text, struct error *err);
void shard_set_release(struct shard_set *set);
size_t shard_set_count(const struct shard_set *set);
/* "1-3,5/8" */
void shard_set_text(struct text *out, const struct shard_set *set);
/* "4, 6-8" of the same: those that are not there. */
void shard_set_missing(struct text *out, const struct shard_set *set);
/* Adds those of `other`. False, and nothing is added, when it is of another number of shards. */
bool shard_set_join(struct shard_set *set, const struct shard_set *other);

#endif
