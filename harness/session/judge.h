/*
 * judge: loads runs as a comparison needs them, finds the baseline of each
 * case of a run, and stores how the cases compare. The statistics are in
 * metrics/analysis/regress.h.
 */
#ifndef HARNESS_SESSION_JUDGE_H
#define HARNESS_SESSION_JUDGE_H

#include "db/db.h"
#include "metrics/analysis/regress.h"

/* db_run_load(). A run whose process on this host was killed is shown as "interrupted". */
int run_load(struct db *db, int64_t id, bool with_trials, struct run *out, struct error *err);
/* The same with the rounds of its trials, if they are loaded. */
int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err);

/* ---- baselines ---- */

struct baseline_run {
	struct run run; /* its trials are borrowed: those that are baselines */
	char *refusal;  /* why it does not compare; NULL: it does */
	char *note;     /* that it is not marked good, where older runs are; NULL otherwise */
};

struct baselines {
	struct run trials; /* of several runs, as run_id says; with their rounds */
	struct baseline_run *runs;
	size_t run_count;
};
/* The baselines of the cases of `head`, a run from run_load_measured(); see db_baselines_load(). */
int baselines_load(struct baselines *out, struct db *db, const struct run *head, struct error *err);
/* NULL: no baseline is of that run. */
const struct baseline_run *baselines_run(const struct baselines *baselines, int64_t id);
/*
 * For a comparison with the last good run: gives each pair whose base lacks the
 * case, or did not measure it, the case's own baseline, with a note. With
 * `allowed`, also a baseline that does not compare. `pairs` are from
 * regress_pairs() with the same head. Adds to `notes`, which must live as long
 * as they. Returns the number of pairs that got a baseline.
 */
size_t baselines_fill(const struct baselines *baselines, struct regress_pair *pairs,
		      const struct run *head, bool allowed, struct string_list *notes);
void baselines_release(struct baselines *baselines);

/* ---- verdicts ---- */

/*
 * Compares every case of a run with its baseline and stores the result; what
 * was stored before is replaced. A case is inconclusive if the environment of
 * its baseline differs. `run` is from run_load_measured(), with its trials.
 */
int judge_run(struct db *db, const struct run *run, struct error *err);
/* Loads the run and judges it. */
int judge_stored_run(struct db *db, int64_t run_id, struct error *err);
/*
 * Judges the later runs of the same device and backend, the newest first. A new
 * mark on the run may have changed their baselines. *judged is their number.
 * PL_EINTERRUPTED: *stop became non-zero.
 */
int judge_later_runs(struct db *db, int64_t run_id, const volatile int *stop, size_t *judged,
		     struct error *err);

#endif
