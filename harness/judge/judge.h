/*
 * judge: what a run says beside earlier runs. Loads runs for a comparison, finds the baseline of
 * each case, compares two runs, and stores verdicts, speed-ups and limiters. The statistics are in
 * metrics/analysis/.
 */
#ifndef HARNESS_JUDGE_JUDGE_H
#define HARNESS_JUDGE_JUDGE_H

#include "db/db.h"
#include "metrics/analysis/line_changes.h"
#include "metrics/analysis/regress.h"

/* ---- runs: load_runs.c ---- */

/* Calls db_run_load(). If the process of the run was killed on this host, the state becomes
 * RUN_INTERRUPTED. */
int run_load(struct db *db, int64_t id, bool with_trials, struct run *out, struct error *err);
/* As run_load(), with the rounds of the trials if `with_trials`, and the intervals that follow from
 * them, whatever is stored: an older perflab stored none. */
int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err);
/* The state of a run that was loaded without its environment, as by db_runs_visit(): what
 * run_load() says, or the stored state if that fails. */
enum run_state run_state_now(struct db *db, const struct run *run);

/* Loads what a run keeps of a source file: the hash of its text, the text, and why there is none,
 * all malloc'd; NULL: not known. PL_ENOENT: the hash is known, but a merge left the text behind.
 * `db` is a struct db; the type makes this a callback of reports/. */
int run_source_load(void *db, int64_t run_id, const char *file, char **hash, char **text,
		    char **why, struct error *err);

/* ---- baselines: load_runs.c ---- */

struct baseline_run {
	struct run run; /* its trials are borrowed: those that are baselines */
	char *refusal;  /* why it cannot be compared; NULL: it can */
	char *note;     /* says that it is not marked good although older runs are; or NULL */
};

struct baselines {
	struct run trials; /* of several runs (see run_id), with their rounds */
	struct baseline_run *runs;
	size_t run_count;
};
/* Loads the baselines of the cases of `head`, a run from run_load_measured(); see
 * db_baselines_load(). */
int baselines_load(struct baselines *out, struct db *db, const struct run *head, struct error *err);
/* Returns NULL if that run has no baseline. */
const struct baseline_run *baselines_run(const struct baselines *baselines, int64_t id);
/*
 * For a comparison with the last good run. If the base of a pair lacks the case
 * or did not measure it, sets the base to the case's own baseline and adds a
 * note. With `allowed`, also uses a baseline that cannot be compared. `pairs`
 * are from regress_pairs() with the same head. Adds to `notes`, which must live
 * as long as the pairs. Returns the number of pairs that got a baseline.
 */
size_t baselines_fill(const struct baselines *baselines, struct regress_pair *pairs,
		      const struct run *head, bool allowed, struct string_list *notes);
void baselines_release(struct baselines *baselines);

/* ---- earlier sessions: sessions.c ---- */

/*
 * Sets what earlier runs of the head's device say of the pairs: how the cases scatter between
 * sessions, how they follow the clock, and what limited the base.
 */
int pairs_take_sessions(struct regress_pair *pairs, size_t count, struct db *db, int64_t head_id,
			struct error *err);
/* Widens the intervals of a run from run_load_measured() to cover earlier sessions of equal code,
 * for other programs, which compare sessions. *widened: of so many cases. */
int run_widen_intervals(size_t *widened, struct run *run, struct db *db, struct error *err);

/* ---- verdicts: judge.c, judge_later.c ---- */

/*
 * Compares every case of a run with its baseline and stores the verdicts, which
 * replace earlier ones. A case is inconclusive if the environment of its
 * baseline differs. `run` is from run_load_measured(), with its trials.
 */
int judge_run(struct db *db, const struct run *run, struct error *err);
/*
 * Judges the pairs of a run with a base variant: sets the speed-ups of its
 * trials and stores them. `run` is from run_load_measured(), with its trials.
 */
int judge_speedups(struct db *db, struct run *run, struct error *err);
/*
 * Judges what limits each case of a run by the rules of
 * metrics/analysis/verdict.h, with the roofs that a report would use now, and
 * stores it. `run` is from run_load(), with its trials.
 */
int judge_limiters(struct db *db, const struct run *run, struct error *err);
/*
 * Does so for stored runs that lack it, the newest first: runs of an older perflab,
 * and those that were measured before the roofs of their device. Before that, it judges the
 * runs again whose baselines changed. Begins no further run after `most_ns`, so a
 * large file takes several calls.
 */
int judge_unjudged(struct db *db, int64_t most_ns, struct error *err);
#define JUDGE_UNJUDGED_NS INT64_C(2000000000) /* at the end of a verb that writes */
/* Loads the run and judges it, with its pairs and limiters. */
int judge_stored_run(struct db *db, int64_t run_id, struct error *err);
/* Changes the words of a run, and notes the later runs whose baselines a new mark may change. */
int judge_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err);
struct judged_again {
	size_t judged, left;
};
/*
 * Judges the noted runs, the newest first. Begins no further run after `most_ns`, or when *stop
 * becomes non-zero (NULL: nothing stops it): those that are left stay noted. PL_ECORRUPT: some runs
 * are damaged and stay noted, too; the others are judged, and *out counts them.
 */
int judge_changed_baselines(struct db *db, int64_t most_ns, const volatile int *stop,
			    struct judged_again *out, struct error *err);
#define JUDGE_CHANGED_NS INT64_C(250000000) /* after a mark, which the user waits for */

/* ---- what a user says about a comparison, and two runs: compare_runs.c ---- */

/* The lists are owned. */
struct comparison_rules {
	struct thresholds thresholds;
	struct string_list counters;
	const char *thresholds_path; /* borrowed; NULL: no file gave limits */
};
/*
 * Sets the counters and the thresholds of *options, which borrows from *out.
 * counters: "exact" or NULL for all that repeat exactly, "none", or names
 * separated by commas. thresholds: a file, which must exist, or "none"; NULL
 * means THRESHOLDS_NAME in the working directory, if it exists. PL_EUSAGE: an
 * unknown counter. PL_EPARSE: the file is malformed or too large. PL_ENOENT,
 * PL_EIO: it cannot be read. Release *out even after an error.
 */
int comparison_rules_load(struct comparison_rules *out, struct regress_options *options,
			  const char *counters, const char *thresholds, struct error *err);
void comparison_rules_release(struct comparison_rules *rules);
/* Whether no case of the comparison matches the pattern of the rule. */
bool comparison_rule_is_idle(const struct threshold_rule *rule, const struct regress *regress);

/* As a base: the newest run that is marked good; see db_base_resolve(). */
#define BASE_LAST_GOOD "last-good"

/* As a base: the revision with which `perflab sweep --against` compared the head, in its run. */
#define BASE_AGAINST "against"

struct run_comparison_request {
	/* References to runs; see db_run_resolve() and db_base_resolve(). With BASE_LAST_GOOD, a
	 * case that the base lacks is compared with its own baseline; see baselines_fill(). With
	 * BASE_AGAINST, the base of the result is the head, without trials and with the revision.
	 */
	const char *base, *head;
	const char *base_option; /* that gave the base, for messages; NULL: "--base" */
	bool measuring;          /* the head is still measured: cases with rounds have a result */
	bool allow_different;    /* compare runs although their environments differ */
	struct regress_options options;
};

struct run_comparison {
	struct run base, head;
	struct regress_differences differences; /* between the environments of the runs */
	struct regress regress;
	size_t filled; /* cases that are compared with an older run than the base */
	struct line_changes_list lines; /* from comparison_add_lines(); before: empty */
	/* The members above borrow from these. */
	struct baselines baselines;
	struct regress_pair *pairs;
	struct string_list notes;
};
/*
 * PL_EUSAGE: no such run; base and head are the same run; their backends
 * differ; their environments differ and allow_different is not set; they share
 * no case with times or counters. Also the errors of db/db.h and
 * regress_judge(). The data that the request points to must live as long as
 * *out. Release *out even after an error.
 */
int compare_runs(struct run_comparison *out, struct db *db,
		 const struct run_comparison_request *request, struct error *err);
/*
 * Compares the lines of the cases that have a profile in both runs, after compare_runs(): sets
 * comparison->lines, and adds the worst line to the explanation of a regression. `gate`: a case
 * whose lines together do more work also fails, whatever its time, and then has `by_lines`. So
 * does one whose profile is damaged, because nobody knows what its lines do. PL_EIO.
 */
int comparison_add_lines(struct run_comparison *comparison, struct db *db, bool gate,
			 struct error *err);
/* The profile of a case, with the source files of its run that were loaded so far. All zeroes:
 * none.
 */
struct profiled_side {
	int64_t run_id;
	struct line_source_list sources;
	struct profile *profile;
	struct line_cost_list lines;
};
/* Loads the profile of a trial in place of the one before. side->profile NULL: it has none.
 * PL_ECORRUPT, PL_EIO. Release *side even after an error. */
int profiled_side_load(struct profiled_side *side, struct db *db, const struct run *run,
		       const struct trial *trial, struct error *err);
void profiled_side_release(struct profiled_side *side);
/* Checks what can be known before the head has results: PL_EUSAGE for the references and the
 * environments, as above. Sets *base_id. */
int compare_runs_check(int64_t *base_id, struct db *db,
		       const struct run_comparison_request *request, struct error *err);
void run_comparison_release(struct run_comparison *comparison);

#endif
