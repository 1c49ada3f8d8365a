/*
 * baselines: what the cases of a run are held against, each in the run that
 * has it (db_baselines_load()), and whether that run compares at all.
 */
#ifndef CLI_BASELINES_H
#define CLI_BASELINES_H

#include "db/db.h"
#include "metrics/analysis/regress.h"

struct baseline_run {
	struct run run; /* its trials are borrowed: those that are baselines */
	char *refusal;  /* why it does not compare; NULL: it does */
	char *note;     /* that it is not marked good, where older ones are; NULL otherwise */
};

struct baselines {
	struct run trials; /* of several runs: run_id says which; with their rounds */
	struct baseline_run *runs;
	size_t run_count;
};
/* `head` as of run_load_measured(). */
int baselines_load(struct baselines *out, struct db *db, const struct run *head, struct error *err);
const struct baseline_run *baselines_run(const struct baselines *baselines, int64_t id);
/*
 * Who gates against the last good run wants to know what got slower since, of
 * cases that were added since as well: each pair whose base lacks the case, or
 * did not measure it, gets its own baseline, with a note that says so. With
 * `allowed`, one that does not compare, too. `pairs` as of regress_pairs() with
 * the same head. `notes` is added to and has to live as long as they. Returns
 * how many got one.
 */
size_t baselines_fill(const struct baselines *baselines, struct regress_pair *pairs,
		      const struct run *head, bool allowed, struct string_list *notes);
void baselines_release(struct baselines *baselines);

#endif
