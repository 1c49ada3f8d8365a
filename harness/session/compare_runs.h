/*
 * compare_runs: loads two runs, refuses a pair whose numbers do not compare,
 * and judges every case. The statistics are in metrics/analysis/regress.h.
 */
#ifndef HARNESS_SESSION_COMPARE_RUNS_H
#define HARNESS_SESSION_COMPARE_RUNS_H

#include "harness/session/judge.h"

/* A base that means the newest run marked good; see db_base_resolve(). */
#define BASE_LAST_GOOD "last-good"

struct run_comparison_request {
	/* References to runs; see db_run_resolve() and db_base_resolve(). With BASE_LAST_GOOD, a
	 * case that the base lacks is compared with its own baseline; see baselines_fill(). */
	const char *base, *head;
	bool allow_different; /* compare runs although their environments differ */
	struct regress_options options;
};

struct run_comparison {
	struct run base, head;
	struct regress_differences differences; /* between the environments of the runs */
	struct regress regress;
	size_t filled; /* cases that are compared with an older run than the base */
	/* What the above borrows from. */
	struct baselines baselines;
	struct regress_pair *pairs;
	struct string_list notes;
};
/*
 * PL_EUSAGE: no such run; base and head are the same run; their backends
 * differ, or their environments do without allow_different; they share no case
 * with times or counters. Errors of db/db.h and regress_judge(). What the
 * request points to must live as long as *out. Release *out after an error,
 * too.
 */
int compare_runs(struct run_comparison *out, struct db *db,
		 const struct run_comparison_request *request, struct error *err);
void run_comparison_release(struct run_comparison *comparison);

#endif
