/*
 * decide: adds rounds to the cases of a sweep that are undecided against an earlier run (--decide).
 * Cases are judged at the interim analyses of metrics/analysis/regress.h. Each added round
 * also measures control cases, interleaved with the others. If these moved since the first rounds,
 * the added rounds are not used: they were measured in another state of the device. Internal to
 * sweep/.
 */
#ifndef HARNESS_SWEEP_DECIDE_DECIDE_H
#define HARNESS_SWEEP_DECIDE_DECIDE_H

#include "harness/judge/judge.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/analysis/regress.h"

/* Half width of a 90 % interval, in standard errors. */
#define DECIDE_LIKELY_SIGMAS 1.645
/* The fraction of the remaining time that is planned: the times of rounds vary. */
#define DECIDE_TIME_PLANNED 0.9

/* The control moved if it did by more than this, and by more than its scatter explains. */
#define CONTROL_MOVED_MOST 0.003
#define CONTROL_ERRORS 3 /* standard errors that its scatter explains */
#define CONTROL_CASES 8

/* Keys in the environment of a run, besides those of regress.h. */
#define DECIDE_BASE_KEY "decide.base"       /* uid of the run that it was compared with last */
#define DECIDE_OUTCOME_KEY "decide.outcome" /* what came of it, in words */
/* The number of the first round that is not checked yet by the control, and for each control case
 * its place in the plan and its first round that is not: "8 0:8 5:11" */
#define DECIDE_CONTROL_KEY "decide.control"

/* The control cases are measured in each added round, so one of a resumed run may have more rounds
 * than the cases beside it. */
struct control_case {
	size_t index;  /* in the plan */
	int unchecked; /* its rounds from this number on were not compared with its first ones */
};

/* The state of one sweep. The caller sets the first three members. */
struct sweep_decide {
	struct sweep *sweep;
	const struct sweep_request *request;
	int64_t begun_ns;          /* monotonic: when the sweep began */
	struct sweep_store *store; /* borrowed, as is its database */
	struct db *db;
	int64_t run_id, base_id;
	char *head, *base; /* references to the runs; the caller frees them */
	const struct sweep_observer *observer;
	const struct run *resumed; /* NULL: a new run */
	const int64_t *trial_ids;  /* by index in the plan */
	int first;                 /* rounds at the first interim analysis */
	struct control_case control[CONTROL_CASES];
	size_t control_count;
	int64_t deadline_ns;
	/* Wall time of the latest added rounds, relative to the time of their cases alone. The rest
	 * is storing, and the data that a worker waits for. */
	double pace;
	size_t added;           /* rounds */
	size_t added_for_later; /* of these, to decided cases: see decide_for_later() */
};

/* ---- checks: decide_check.c ---- */

/* Reads only the request. PL_EUSAGE: --compare or --decide-time without --decide, too few rounds,
 * or a shard. */
int decide_check_request(const struct sweep_request *request, struct error *err);
/* PL_EUSAGE: there is no run to compare with, or it has no times. db NULL: there is no file yet. */
int decide_check_database(const struct sweep_request *request, struct db *db, struct error *err);
/* PL_EUSAGE: the run that continues has no times, too few rounds, or is a shard. */
int decide_check_resumed(const struct sweep_request *request, const struct run *run,
			 struct error *err);
/* PL_EUNSUPPORTED: a profiler is attached. */
int decide_check_session(const struct session_info *info, struct error *err);
/* Deletes the rounds of a resumed run that are not used because its control moved. */
int decide_drop_unused(struct db *db, const struct run *resumed, struct error *err);

/* ---- the rounds ---- */

/* Checks the run that was begun against the base. PL_EUSAGE: they do not compare. */
int decide_begin(struct sweep_decide *decide, struct sweep_store *store,
		 const struct run_task *task, struct error *err);
/* Measures the rounds. That nothing can be compared is a warning, not an error. */
int decide_add_rounds(struct sweep *sweep, struct error *err);
/* Measures rounds of cases that are compared with an earlier revision in this run. They need no
 * control: what moves the device moves both versions. */
int decide_add_rounds_beside(struct sweep *sweep, struct error *err);
/* Whether cases are compared with an earlier revision in their run. */
bool decide_is_beside(const struct run_task *task);

/* ---- comparing and measuring: decide_rounds.c ---- */

/* What the run comes to now, by the rules of `perflab regress`. Release it even after an error. */
struct decide_judged {
	struct comparison_rules rules;
	struct run_comparison comparison;
};
int decide_judge(struct decide_judged *out, const struct sweep_decide *decide, struct error *err);
void decide_judged_release(struct decide_judged *judged);
/* Measures the chosen cases until each has this number of rounds, beside the control cases, or the
 * time is over. */
int decide_measure_to(struct sweep_decide *decide, const size_t *chosen, size_t count, int rounds,
		      struct error *err);

/* Adds rounds to decided cases that have too few to decide an equal run, as far as the time allows.
 * Their verdicts stay: the interim analysis that decided a case counts. */
int decide_for_later(struct sweep_decide *decide, struct error *err);

/* ---- which cases: decide_choose.c ---- */

/* Why a case is undecided, and what may become of it. */
enum undecided_kind {
	UNDECIDED_OPEN,     /* more rounds of this run may decide it */
	UNDECIDED_BY_BASE,  /* they cannot, and more rounds of the base might */
	UNDECIDED_BY_NOISE, /* not within the rounds of the last interim analysis */
	UNDECIDED_AT_END,   /* it has the rounds of the last interim analysis */
	UNDECIDED_KIND_COUNT
};
enum undecided_kind decide_kind(const struct sweep_decide *decide, const struct regress_case *item,
				size_t cases);
/* The index in the plan of a case of the comparison; NO_CASE: it is not in the plan. */
size_t decide_index(const struct sweep_decide *decide, const struct trial *head, size_t guess);
/* The undecided cases to measure up to this interim analysis, as far as the time allows; malloc'd.
 * Those that only the base holds back come last: their rounds decide nothing now, but the run is
 * the base of the next one. */
size_t decide_choose(size_t **out, const struct sweep_decide *decide, const struct regress *regress,
		     int interim);

/* ---- control cases: decide_choose.c ---- */

/* Chooses control cases, once: those whose first rounds scatter the least, of as many kernels as
 * possible, and not undecided unless all are. */
void decide_choose_control(struct sweep_decide *decide, const struct run *head,
			   const struct regress *regress);
/* Adds the control cases that are not among these cases. Returns the new count, which is at most
 * CONTROL_CASES more. */
size_t decide_add_control(const struct sweep_decide *decide, size_t *cases, size_t count);
/* By how much the control moved in its unchecked rounds, relative; 0: by no more than its scatter
 * explains. */
double decide_control_moved(const struct sweep_decide *decide, const struct run *head);
/* The rounds that the control cases have are checked. Stores that for a resumed run, with the
 * number of the first round that the cases beside them get now. */
int decide_store_control(struct sweep_decide *decide, int begin, struct error *err);
/* Takes the control cases of the run that continues. Returns the first round that is not checked;
 * 0: it has no control. */
int decide_load_control(struct sweep_decide *decide);

#endif
