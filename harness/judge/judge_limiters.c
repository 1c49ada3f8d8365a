/* Judges what limits each case of a run, and stores it for queries. */
#include <stdlib.h>

#include "harness/judge/judge.h"

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
