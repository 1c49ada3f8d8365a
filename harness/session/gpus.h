/*
 * gpus: a sweep on several GPUs of this machine. A process for each GPU runs an ordinary sweep and
 * stores its own run in the one database. Split: the cases are spread over equal GPUs, and each is
 * measured once. Spread: every GPU measures every case.
 *
 * A GPU that fails loses the cases that it has not finished: others measure them. If only GPUs that
 * have already ended are left, one of them begins another run for these cases.
 */
#ifndef HARNESS_SESSION_GPUS_H
#define HARNESS_SESSION_GPUS_H

#include "harness/session/session.h"

struct gpus_request {
	const char *gpus; /* "all", or numbers and UUIDs */
	bool spread;
	enum interference_when interference;
};

struct gpus_run {
	int number; /* of the GPU */
	char *name; /* of its model */
	char uuid[48];
	int64_t run_id;    /* 0: none was begun */
	int code;          /* 0, or how its sweep failed */
	char *error;       /* NULL: it did not fail */
	size_t impossible; /* variants without a case that any device can launch */
	size_t cases;      /* that this run has the result of */
	bool took_over;    /* the GPU had ended before, and took over cases of another */
	int64_t wall_ns;
};

struct gpus_result {
	struct gpus_run *runs; /* by GPU, then those that took over */
	size_t count;
	size_t cases, unmeasured; /* of the plan; cases that no GPU was left for */
	int64_t wall_ns;
};
void gpus_result_release(struct gpus_result *result);

/*
 * Checks what gpus_run() checks before it measures, and adds to *said which GPUs it would use; or,
 * if no GPU can be asked, that the list was not checked, and why. PL_EUSAGE as gpus_run().
 */
int gpus_check(const struct sweep_request *request, const struct gpus_request *gpus,
	       struct text *said, struct error *err);
/*
 * Checks the request, then the GPUs, and measures. Returns 0 if every case has its result in a run
 * that is finished, even if a GPU failed. PL_EUSAGE: options that do not go with several GPUs; no
 * such GPU; GPUs of different models in a split. PL_EINTERRUPTED: each run can be resumed, and
 * together they have every case once. Otherwise the error of the first GPU that failed. *out is
 * valid in any case.
 */
int gpus_run(const struct sweep_request *request, const struct gpus_request *gpus,
	     const struct sweep_observer *observer, const volatile int *stop,
	     struct gpus_result *out, struct error *err);

#endif
