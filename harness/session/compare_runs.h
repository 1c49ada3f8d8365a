/*
 * compare_runs: loads two runs, refuses two runs that cannot be compared, and
 * judges every case. The statistics are in metrics/analysis/regress.h.
 */
#ifndef HARNESS_SESSION_COMPARE_RUNS_H
#define HARNESS_SESSION_COMPARE_RUNS_H

#include "harness/session/judge.h"

/* As a base: the newest run that is marked good; see db_base_resolve(). */
#define BASE_LAST_GOOD "last-good"

struct run_comparison_request {
	/* References to runs; see db_run_resolve() and db_base_resolve(). With BASE_LAST_GOOD, a
	 * case that the base lacks is compared with its own baseline; see baselines_fill(). */
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
/* Checks what can be known before the head has results: PL_EUSAGE for the references and the
 * environments, as above. Sets *base_id. */
int compare_runs_check(int64_t *base_id, struct db *db,
		       const struct run_comparison_request *request, struct error *err);
void run_comparison_release(struct run_comparison *comparison);

#endif
