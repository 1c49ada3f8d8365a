/* Judges later runs again after a run got another mark. */
#include <stdlib.h>
#include <string.h>

#include "harness/session/judge.h"

struct later_runs {
	const struct run *marked;
	int64_t *ids;
	size_t count, capacity;
};

static int visit_later_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct later_runs *later = context;
	const struct run *marked = later->marked;

	(void)tally;
	/* runs come newest first, so the rest is older */
	if (run->started_ns < marked->started_ns || run->id == marked->id)
		return 1;
	if (strcmp(run->backend, marked->backend) != 0 ||
	    strcmp(run->device.name, marked->device.name) != 0 ||
	    strcmp(run->device.uuid, marked->device.uuid) != 0)
		return 0;
	later->ids = xgrow(later->ids, &later->capacity, later->count + 1, sizeof(*later->ids));
	later->ids[later->count++] = run->id;
	return 0;
}

int judge_later_runs(struct db *db, int64_t run_id, const volatile int *stop, size_t *judged,
		     struct error *err)
{
	struct later_runs later = {0};
	struct run marked = {0};
	int rc = db_run_load(db, run_id, false, &marked, err);

	later.marked = &marked;
	if (!rc)
		rc = db_runs_visit(db, 0, visit_later_run, &later, err);
	/* the newest first, because they matter most if the user interrupts */
	for (*judged = 0; !rc && *judged < later.count; ++*judged) {
		if (*stop)
			rc = error_set(err, PL_EINTERRUPTED,
				       "interrupted: the mark is stored, but %zu of %zu later runs "
				       "are not judged again; mark the run once more to continue",
				       later.count - *judged, later.count);
		else
			rc = judge_stored_run(db, later.ids[*judged], err);
	}
	free(later.ids);
	run_release(&marked);
	return rc;
}
