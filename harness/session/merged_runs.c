/* Completes a merge: verdicts and missing shards. */
#include "harness/session/merged_runs.h"

#include <stdlib.h>

#include "harness/session/judge.h"
#include "metrics/shards.h"

int merged_runs_judge(struct db *db, const struct merge_summary *summary,
		      const struct merged_runs_watch *watch, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < summary->touched_count && !rc; i++) {
		const struct merge_touched *touched = &summary->touched[i];
		struct trial_comparison_list before = {0};

		if (watch->progress)
			watch->progress(watch->context, i, summary->touched_count);
		if (!touched->changed)
			rc = db_comparisons_load(db, touched->run_id, &before, err);
		if (!rc && !before.count)
			rc = judge_stored_run(db, touched->run_id, err);
		comparison_list_release(&before);
	}
	return rc;
}

int missing_shards_load(struct missing_shards *out, struct db *db, int64_t run_id,
			struct error *err)
{
	struct run run = {0};
	struct shard_set set = {0};
	struct text numbers = TEXT_INIT;
	const char *shards, *sweep;
	int rc = db_run_load(db, run_id, false, &run, err);

	if (rc)
		return rc;
	shards = key_value_get(&run.environment, SHARDS_KEY);
	sweep = key_value_get(&run.environment, SWEEP_KEY);
	if (shards && shard_set_parse(&set, shards, NULL) == 0) {
		out->total = set.total;
		out->count = set.total - shard_set_count(&set);
		shard_set_missing(&numbers, &set);
		out->numbers = text_detach(&numbers);
		out->sweep = sweep ? xstrdup(sweep) : NULL;
	}
	shard_set_release(&set);
	run_release(&run);
	return 0;
}

void missing_shards_release(struct missing_shards *missing)
{
	free(missing->numbers);
	free(missing->sweep);
	*missing = (struct missing_shards){0};
}
