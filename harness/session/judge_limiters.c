/* Judges what limits each case of a run, and stores it for queries. */
#include <stdlib.h>

#include "harness/session/judge.h"

#define UNJUDGED_AT_ONCE 256

int judge_limiters(struct db *db, const struct run *run, struct error *err)
{
	struct trial_limiter *items = xcalloc(run->trial_count + 1, sizeof(*items));
	struct ceiling_list ceilings = {0};
	const struct verdict_context context = verdict_context_of(run, &ceilings);
	size_t count = 0;
	int rc = db_ceilings_load(db, run->id, &ceilings, err);

	for (size_t i = 0; i < run->trial_count && !rc; i++) {
		const struct trial *trial = &run->trials[i];
		struct trial_limiter *item = &items[count];

		if (!trial_status_counted(trial->status))
			continue;
		item->trial_id = trial->id;
		roofline_point_of(&item->point, trial, run->traits.emulated, &ceilings);
		verdict_of(&item->verdict, trial, &item->point, &context);
		count++;
	}
	if (!rc)
		rc = db_limiters_store(db, run->id, items, count,
				       ceilings.count ? ceilings.items[0].run_id : 0, err);
	for (size_t i = 0; i < count; i++)
		verdict_release(&items[i].verdict);
	free(items);
	ceiling_list_release(&ceilings);
	return error_context(err, rc, "judging the limiters of run %lld", (long long)run->id);
}

struct unjudged {
	int64_t ids[UNJUDGED_AT_ONCE];
	size_t count;
};

static bool visit_unjudged(void *context, int64_t run_id)
{
	struct unjudged *unjudged = context;

	unjudged->ids[unjudged->count++] = run_id;
	return unjudged->count < UNJUDGED_AT_ONCE;
}

int judge_unjudged(struct db *db, int64_t most_ns, struct error *err)
{
	const int64_t end_ns = monotonic_ns() + most_ns;
	size_t judged = 0;
	int rc = 0;

	do {
		struct unjudged unjudged = {.count = 0};

		rc = db_unjudged_visit(db, visit_unjudged, &unjudged, err);
		for (judged = 0; judged < unjudged.count && !rc && monotonic_ns() < end_ns;
		     judged++) {
			struct run run = {0};

			rc = db_run_load(db, unjudged.ids[judged], true, &run, err);
			if (!rc)
				rc = judge_limiters(db, &run, err);
			run_release(&run);
		}
	} while (!rc && judged == UNJUDGED_AT_ONCE);
	return rc;
}
