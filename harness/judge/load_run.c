/* Loads stored runs with what a resumed sweep, a comparison and a report need. */
#include <string.h>

#include "harness/judge/judge.h"
#include "harness/origin/origin.h"

int run_load(struct db *db, int64_t id, bool with_trials, struct run *out, struct error *err)
{
	int rc = db_run_load(db, id, with_trials, out, err);

	if (!rc)
		host_correct_state(out);
	return rc;
}

int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err)
{
	int rc = run_load(db, id, with_trials, out, err);

	return !rc && with_trials ? db_rounds_load(db, out, err) : rc;
}

char *run_state(struct db *db, const struct run *run)
{
	struct run whole = {0};
	char *state;

	if (!run->state || strcmp(run->state, "running") != 0 ||
	    run_load(db, run->id, false, &whole, NULL))
		return run->state ? xstrdup(run->state) : NULL;
	state = xstrdup(whole.state);
	run_release(&whole);
	return state;
}
