/* A sweep of six cases with the fake worker, and a writer that remembers what it was told. */
#ifndef TESTS_HARNESS_SWEEP_FIXTURE_H
#define TESTS_HARNESS_SWEEP_FIXTURE_H

#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_state.h"
#include "metrics/settings.h"
#include "support.h"

#define CASES 6
#define VICTIM 2 /* "alpha/two/block=64" */
#define VICTIM_NAME "alpha/two/block=64"
/* --timeout of a test that waits for it. On a busy machine the other cases need most of it. */
#define SWEEP_SHORT_TIMEOUT_NS INT64_C(2000000000)

struct record {
	struct plan *plan;
	size_t opened, facts[CASES], finished[CASES], rounds[CASES], counted[CASES];
	size_t samples[CASES], lines[CASES];
	size_t pairs[CASES], apart[CASES]; /* rounds with a base case, and with other buffers */
	char alone[CASES][256];            /* why there is none any more; "": not said */
	enum trial_status status[CASES];
	char reason[CASES][512];
	struct counter_list counters[CASES];
	struct text notices;
	size_t notice_count, progress_calls, last_done, last_total;
	bool total_exceeded;
	double median_ns[CASES]; /* which a test may set before */
	bool has_profile[CASES]; /* from before, which a test may set */
	size_t profiled[CASES], profile_calls;
	int64_t profile_samples[CASES]; /* of the last one; -1: not sampled */
	char why_no_profile[CASES][512];
	/* The writer returns an error at this call of round(), counters() or profile(); 0: never.
	 */
	int fail_at_round, fail_at_counters, fail_at_profile;
	/* counters are stored when a worker of it has closed; NULL: at once */
	const struct sweep_fixture *await_close;
	volatile int *stop_at_round, *stop_at_profile;
	size_t round_calls, counter_calls;
	/* What was stored together: how often, how many cases ended in it, and with which code. */
	bool together;
	size_t together_calls, finished_together;
	int together_rc;
	char first_round[32]; /* order of round 0, a digit a case */
	char second_round[32];
};

struct sweep_fixture {
	struct record record;
	struct measure_settings settings;
	enum lines_when lines;
	struct sweep_outcome outcome;
	struct meter meter; /* of the sweep */
	int64_t wall_ns;    /* its time from opening to closing */
	struct error err;
	volatile int stop;
	char log[64], state[80];
};

/* What a script makes of the victim. */
struct fault {
	const char *script;
	enum trial_status status;
	const char *reason; /* a part of it */
	bool quick;         /* needs a short --timeout */
};

int sweep_set_up(void **context);
int sweep_tear_down(void **context);
/* Opens, inspects and measures, with the worker doing as the script says. */
int sweep_run_scripted(struct sweep_fixture *f, const char *script);
/* The parts of the last sweep add up to its wall time. */
void sweep_assert_parts(const struct sweep_fixture *f);
void sweep_want_counters(struct sweep_fixture *f);
/* How often a worker was asked, as its log says. */
size_t sweep_logged(const struct sweep_fixture *f, const char *request, const char *name);
/* Every worker that ever was asked something is gone. */
void sweep_assert_no_worker(const struct sweep_fixture *f);
void assert_all_ok_but(const struct sweep_fixture *f, size_t victim);

#endif
