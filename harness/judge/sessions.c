/* What earlier sessions, which are runs of the same device, say of the cases of a run. */
#include <stdlib.h>

#include "harness/judge/judge.h"

/* Finds the scatter of trials before a run. `out` has `count` entries. */
static int find_scatters(struct session_scatter *out, const struct trial *const *trials,
			 size_t count, struct db *db, int64_t run_id, struct error *err)
{
	struct case_sessions *cases = xcalloc(count + 1, sizeof(*cases));
	int rc = db_sessions_load(db, run_id, trials, count, cases, err);

	if (!rc)
		session_scatters_find(out, cases, count);
	case_sessions_release(cases, count);
	free(cases);
	return rc;
}

int pairs_take_sessions(struct regress_pair *pairs, size_t count, struct db *db, int64_t head_id,
			struct error *err)
{
	const struct trial **trials = xcalloc(count + 1, sizeof(const struct trial *));
	struct session_scatter *scatters = xcalloc(count + 1, sizeof(*scatters));
	size_t *places = xcalloc(count + 1, sizeof(*places)), found = 0;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		if (!pairs[i].base || !pairs[i].head)
			continue;
		places[found] = i;
		trials[found++] = pairs[i].base;
		rc = db_limiter_load(db, pairs[i].base->id, &pairs[i].limiter, err);
	}
	if (!rc)
		rc = find_scatters(scatters, trials, found, db, head_id, err);
	for (size_t i = 0; i < found && !rc; i++)
		pairs[places[i]].sessions = scatters[i];
	free(places);
	free(scatters);
	free(trials);
	return rc;
}

int run_widen_intervals(size_t *widened, struct run *run, struct db *db, struct error *err)
{
	const size_t count = run->trial_count;
	const struct trial **trials = xcalloc(count + 1, sizeof(const struct trial *));
	struct session_scatter *scatters = xcalloc(count + 1, sizeof(*scatters));
	int rc;

	for (size_t i = 0; i < count; i++)
		trials[i] = &run->trials[i];
	rc = find_scatters(scatters, trials, count, db, run->id, err);
	*widened = 0;
	for (size_t i = 0; i < count && !rc; i++)
		*widened += summary_widen(&run->trials[i].summary, &scatters[i]);
	free(scatters);
	free(trials);
	return rc;
}
