/*
 * What came of the cases of a run, against the baseline of each: judged once,
 * when the run has ended, and kept, so that the database's views tell it with
 * no statistics of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/baselines.h"
#include "cli/shared.h"
#include "harness/protocol/messages.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err)
{
	struct measure_settings settings = measure_settings_default;
	int rc = db_run_load(db, id, with_trials, out, err);

	if (rc)
		return rc;
	/* settings that cannot be read say nothing: no difference is made up of them */
	if (out->settings_json && out->backend && strcmp(out->backend, BACKEND_PTX) != 0 &&
	    measure_settings_from_json(&settings, out->settings_json, NULL) == 0) {
		key_value_set(&out->environment, "cache",
			      settings.cache == CACHE_COLD ? "cold" : "hot");
		measure_settings_release(&settings);
	}
	host_tell_abandoned(out);
	return with_trials ? db_rounds_load(db, out, err) : 0;
}

static void keep(struct trial_comparison_list *list, const struct regress_case *item,
		 const char *refusal)
{
	comparison_list_add(list, &(struct trial_comparison){
					  .trial_id = item->head->id,
					  .base_trial_id = item->base ? item->base->id : 0,
					  .verdict = refusal ? CHANGE_INCONCLUSIVE : item->verdict,
					  .change = item->effect.change,
					  .low = item->effect.low,
					  .high = item->effect.high,
					  .p = item->adjusted_p,
					  .why = refusal ? (char *)refusal : item->why,
				  });
}

/* Base and head of each case; what has a baseline that does not compare comes last. */
static int judge(const struct baselines *baselines, const struct run *head,
		 struct trial_comparison_list *list, struct error *err)
{
	struct regress_options options = {.limits = change_limits_default};
	struct regress regress = {0}, refused = {0};
	struct regress_pair *pairs, *apart;
	size_t all, count = 0, apart_count = 0;
	int rc;

	all = regress_pairs(&pairs, &baselines->trials, head);
	apart = xcalloc(all + 1, sizeof(*apart));
	for (size_t i = 0; i < all; i++) {
		const struct baseline_run *base =
			pairs[i].base ? baselines_run(baselines, pairs[i].base->run_id) : NULL;

		if (!pairs[i].head)
			continue;
		pairs[i].base_seed = base ? base->run.seed : pairs[i].head_seed;
		pairs[i].note = base ? base->note : NULL;
		if (base && base->refusal)
			apart[apart_count++] = pairs[i];
		else
			pairs[count++] = pairs[i];
	}
	rc = regress_judge(&regress, pairs, count, &options, err);
	if (!rc)
		rc = regress_judge(&refused, apart, apart_count, &options, err);
	for (size_t i = 0; i < regress.count && !rc; i++)
		keep(list, &regress.cases[i], NULL);
	for (size_t i = 0; i < refused.count && !rc; i++)
		keep(list, &refused.cases[i],
		     refused.cases[i].verdict == CHANGE_FAILED
			     ? NULL
			     : baselines_run(baselines, refused.cases[i].base->run_id)->refusal);
	regress_release(&regress);
	regress_release(&refused);
	free(pairs);
	free(apart);
	return rc;
}

int judge_run(struct db *db, int64_t run_id, struct error *err)
{
	struct run head = {0};
	struct baselines baselines = {0};
	struct trial_comparison_list list = {0};
	int rc = run_load_measured(db, run_id, true, &head, err);

	if (!rc)
		rc = baselines_load(&baselines, db, &head, err);
	if (!rc)
		rc = judge(&baselines, &head, &list, err);
	if (!rc)
		rc = db_comparisons_store(db, run_id, &list, err);
	comparison_list_release(&list);
	baselines_release(&baselines);
	run_release(&head);
	return error_context(err, rc, "judging run %lld", (long long)run_id);
}
