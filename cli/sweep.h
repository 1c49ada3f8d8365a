/*
 * The parts of `perflab sweep`: what to plan, where results go, what the user
 * sees meanwhile.
 */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/shared.h"
#include "db/db.h"
#include "harness/harness.h"

/* ---- progress on stderr ---- */

/*
 * On a terminal one line that is rewritten; elsewhere a line now and then. A
 * message in between goes through progress_say(), so that the two never mix.
 */
struct progress {
	bool quiet, rewrites;
	int width;
	bool shown; /* a rewritten line stands on the terminal */
	int64_t last_ns;
};
void progress_init(struct progress *progress, const struct terminal *terminal, bool quiet);
void progress_update(struct progress *progress, const struct sweep_progress *state);
void progress_say(struct progress *progress, const char *line);
/* Takes the rewritten line away. */
void progress_end(struct progress *progress);

/* ---- the plan ---- */

/* What the user asked for, or a stored run to go on with. */
struct sweep_plan {
	struct string_list selectors;
	struct string_list names, values; /* overrides: axis names and their values */
	const struct run *resumed;        /* NULL: a fresh sweep */
	int64_t *trial_ids;               /* of the resumed run, by index in the plan */
	struct plan *plan;                /* made by sweep_plan_build() */
};
/* "NAME=VALUES". */
int sweep_plan_set(struct sweep_plan *plan, const char *assignment, struct error *err);
void sweep_plan_override(struct sweep_plan *plan, const char *name, const char *values);
/* plan_source.build; context is a struct sweep_plan. A second call replaces the first plan. */
int sweep_plan_build(void *context, const struct device_info *device, struct plan **out,
		     struct error *err);
void sweep_plan_release(struct sweep_plan *plan);
/* The plan as a table: case, runnable or skipped, reason. */
int sweep_plan_print(const struct invocation *call, const struct plan *plan,
		     enum report_format format, struct error *err);

/* ---- the store ---- */

struct sweep_store {
	struct db *db;        /* NULL: not made yet; borrowed */
	const char *new_path; /* where it is made when there is a run to store */
	struct sweep_plan *plan;
	struct progress *progress;
	const struct string_list *metrics; /* as metric_request() left them */
	struct run run; /* what is known before the device is; its id once it is stored */
	bool begun;     /* the run is in the database */
	int64_t *trial_ids;
};
struct sweep_sink sweep_store_sink(struct sweep_store *store);
void sweep_store_release(struct sweep_store *store);

#endif
