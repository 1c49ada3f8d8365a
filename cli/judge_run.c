/*
 * What came of the cases of a run, against the baseline of each: judged once,
 * when the run has ended, and kept, so that the database's views tell it with
 * no statistics of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "db/db.h"
#include "harness/harness.h"

int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err)
{
	struct measure_settings settings = measure_settings_default;
	int rc = db_run_load(db, id, with_trials, out, err);

	if (rc)
		return rc;
	/* settings that cannot be read say nothing: no difference is made up of them */
	if (out->settings && out->backend && strcmp(out->backend, BACKEND_PTX) != 0 &&
	    measure_settings_from_json(&settings, out->settings, NULL) == 0) {
		key_value_set(&out->environment, "cache",
			      settings.cache == CACHE_COLD ? "cold" : "hot");
		measure_settings_release(&settings);
	}
	host_tell_abandoned(out);
	return with_trials ? db_rounds_load(db, out, err) : 0;
}

/* One of the runs that baselines are of. */
struct base_run {
	struct run run; /* its trials are borrowed: those that are baselines */
	char *refusal;  /* why it does not compare; NULL: it does */
};

struct judging {
	struct run head, bases;
	struct base_run *runs;
	size_t run_count;
};

static void judging_release(struct judging *judging)
{
	for (size_t i = 0; i < judging->run_count; i++) {
		free(judging->runs[i].run.trials);
		judging->runs[i].run.trials = NULL;
		judging->runs[i].run.trial_count = 0;
		run_release(&judging->runs[i].run);
		free(judging->runs[i].refusal);
	}
	free(judging->runs);
	run_release(&judging->head);
	run_release(&judging->bases);
}

static struct base_run *base_run_find(const struct judging *judging, int64_t id)
{
	for (size_t i = 0; i < judging->run_count; i++)
		if (judging->runs[i].run.id == id)
			return &judging->runs[i];
	return NULL;
}

static char *refusal_of(const struct run *base, const struct run *head)
{
	struct regress_differences differences = {0};
	struct text text = TEXT_INIT;

	regress_differ(&differences, base, head);
	for (size_t i = 0; i < differences.count; i++) {
		const struct regress_difference *item = &differences.items[i];

		if (item->refuses)
			text_addf(&text, "%s%s: %s in run %lld, now %s", text.length ? "; " : "",
				  item->what, item->base, (long long)base->id, item->head);
	}
	regress_differences_release(&differences);
	if (text.length)
		return text_detach(&text);
	text_release(&text);
	return NULL;
}

static int load_base_run(struct judging *judging, struct db *db, int64_t id, struct error *err)
{
	struct base_run *base;
	struct run run = {0};
	int rc = run_load_measured(db, id, false, &run, err);

	if (rc)
		return rc;
	judging->runs = xrealloc(judging->runs, (judging->run_count + 1) * sizeof(*judging->runs));
	base = &judging->runs[judging->run_count++];
	*base = (struct base_run){.run = run};
	base->run.trials = xcalloc(judging->bases.trial_count, sizeof(*base->run.trials));
	for (size_t i = 0; i < judging->bases.trial_count; i++)
		if (judging->bases.trials[i].run_id == id)
			base->run.trials[base->run.trial_count++] = judging->bases.trials[i];
	base->refusal = refusal_of(&base->run, &judging->head);
	return 0;
}

static int load(struct judging *judging, struct db *db, int64_t run_id, struct error *err)
{
	int rc = run_load_measured(db, run_id, true, &judging->head, err);

	if (!rc)
		rc = db_baselines_load(db, run_id, &judging->bases, err);
	if (!rc)
		rc = db_rounds_load(db, &judging->bases, err);
	for (size_t i = 0; i < judging->bases.trial_count && !rc; i++)
		if (!base_run_find(judging, judging->bases.trials[i].run_id))
			rc = load_base_run(judging, db, judging->bases.trials[i].run_id, err);
	return rc;
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
static int judge(struct judging *judging, struct trial_comparison_list *list, struct error *err)
{
	struct regress_options options = {.limits = change_limits_default};
	struct regress regress = {0}, refused = {0};
	struct regress_pair *pairs, *apart;
	size_t all, count = 0, apart_count = 0;
	int rc;

	all = regress_pairs(&pairs, &judging->bases, &judging->head);
	apart = xcalloc(all + 1, sizeof(*apart));
	for (size_t i = 0; i < all; i++) {
		const struct base_run *base =
			pairs[i].base ? base_run_find(judging, pairs[i].base->run_id) : NULL;

		if (!pairs[i].head)
			continue;
		pairs[i].base_seed = base ? base->run.seed : pairs[i].head_seed;
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
			     : base_run_find(judging, refused.cases[i].base->run_id)->refusal);
	regress_release(&regress);
	regress_release(&refused);
	free(pairs);
	free(apart);
	return rc;
}

int judge_run(struct db *db, int64_t run_id, struct error *err)
{
	struct judging judging = {0};
	struct trial_comparison_list list = {0};
	int rc = load(&judging, db, run_id, err);

	if (!rc)
		rc = judge(&judging, &list, err);
	if (!rc)
		rc = db_comparisons_store(db, run_id, &list, err);
	comparison_list_release(&list);
	judging_release(&judging);
	return error_context(err, rc, "judging run %lld", (long long)run_id);
}
