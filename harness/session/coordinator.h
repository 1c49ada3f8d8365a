/*
 * coordinator: the sweep in progress, as its parts share it: sessions and
 * results (coordinator.c), inspection and rounds (coordinator_cases.c),
 * counting (coordinator_count.c); and for a backend without a clock, in place
 * of the last two, emulation (coordinator_emulate.c). Internal to harness/.
 */
#ifndef HARNESS_SESSION_COORDINATOR_H
#define HARNESS_SESSION_COORDINATOR_H

#include "harness/plan/plan.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/protocol.h"
#include "harness/session/session.h"
#include "harness/session/worker_process.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

/* What the coordinator knows of one case of the plan. */
struct case_state {
	struct launch_facts facts;
	bool inspected; /* facts hold */
	bool ended;     /* nothing more is to be done */
	int rounds_done;
	bool counted;
	/* The most of all rounds that were measured here; NAN: none, for the reason ("": unsaid).
	 */
	double relative_error;
	char no_accuracy[96];
	/* A failure at inspection, kept until the sink is open; TRIAL_OK: none. */
	enum trial_status early_status;
	char *early_reason;
};

struct sweep {
	struct text path; /* of the worker */
	const struct measure_settings *settings;
	const struct sweep_sink *sink; /* NULL: a dry run */
	const volatile int *stop;
	struct sweep_outcome outcome;
	struct plan *plan;
	struct case_state *cases;
	struct session_info info; /* of the first session */
	bool info_known;
	bool begun;            /* the sink is open */
	char *counters_reason; /* of the session that runs; NULL: counters are on */
	int rounds;            /* 0 in an untimed session */
	struct worker_process worker;
	size_t steps_done, steps_total;
	int64_t started_ns;
};

/* ---- sessions: coordinator.c ---- */

/* Makes sure that this worker runs and is open; starts it if need be. */
int sweep_worker(struct sweep *sweep, struct worker_process *worker, struct error *err);

/*
 * What the end of an exchange means for the case that was in flight: 0 with
 * *status and *reason, or a code that ends the sweep. `where` is a phrase for
 * the reason ("phase time"). A worker that cannot be used again is gone.
 */
int sweep_settle(struct worker_process *worker, enum exchange_end end,
		 const struct exchange *exchange, const char *where, const struct error *cause,
		 enum trial_status *status, struct text *reason, struct error *err);

/* ---- results: coordinator.c ---- */

void sweep_progress(struct sweep *sweep, const char *phase, size_t index);
void sweep_notice(struct sweep *sweep, const char *line);
/* Steps that a case still needs. */
size_t case_steps_left(const struct sweep *sweep, size_t index);
int sweep_case_finished(struct sweep *sweep, size_t index, enum trial_status status,
			const char *reason, struct error *err);

/* Every metric that was asked for is there from now on, as a value or with this reason. Returns how
 * many were not. */
size_t counters_complete(const struct sweep *sweep, struct counter_list *counters,
			 const char *reason);
int answer_id_check(const json_t *message, int64_t wanted, struct error *err);

/* ---- the parts ---- */

/* Inspects every runnable case that is not finished; adds skips to the plan. */
int sweep_inspect_cases(struct sweep *sweep, struct error *err);
int sweep_rounds(struct sweep *sweep, struct error *err);
int sweep_count(struct sweep *sweep, struct error *err);
/* Executes every case once, in several workers side by side. */
int sweep_emulate(struct sweep *sweep, struct error *err);

#endif
