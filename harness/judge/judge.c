/* Judges a run: compares each case with its baseline, finds what limits it, and
 * stores the result, so that the views of the database need no statistics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"

static void add_comparison(struct trial_comparison_list *list, const struct regress_case *item,
			   const char *refusal)
{
	comparison_list_add(
		list,
		&(struct trial_comparison){
			.trial_id = item->head->id,
			.base_trial_id = item->base ? item->base->id : 0,
			.verdict = refusal ? CHANGE_INCONCLUSIVE : item->verdict,
			.change = item->effect.change,
			.low = item->effect.low,
			.high = item->effect.high,
			.p = item->adjusted_p,
			.time_verdict = item->timed && !refusal ? change_name(item->time) : NULL,
			.covers = effect_covers(&item->effect),
			.why = refusal ? (char *)refusal : item->why,
		});
}

/* Cases whose baseline does not compare are judged apart, and come last. */
static int compare_with_baselines(struct db *db, const struct baselines *baselines,
				  const struct run *head, struct trial_comparison_list *list,
				  struct error *err)
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
		if (base) {
			const struct noise noise = pairs[i].noise;

			regress_pair_set_runs(&pairs[i], &base->run, head, &noise);
			pairs[i].note = base->note;
		}
		if (base && base->refusal)
			apart[apart_count++] = pairs[i];
		else
			pairs[count++] = pairs[i];
	}
	rc = pairs_take_sessions(pairs, count, db, head->id, err);
	if (!rc)
		rc = regress_judge(&regress, pairs, count, &options, err);
	if (!rc)
		rc = regress_judge(&refused, apart, apart_count, &options, err);
	for (size_t i = 0; i < regress.count && !rc; i++)
		add_comparison(list, &regress.cases[i], NULL);
	for (size_t i = 0; i < refused.count && !rc; i++)
		add_comparison(
			list, &refused.cases[i],
			refused.cases[i].verdict == CHANGE_FAILED
				? NULL
				: baselines_run(baselines, refused.cases[i].base->run_id)->refusal);
	regress_release(&regress);
	regress_release(&refused);
	free(pairs);
	free(apart);
	return rc;
}

int judge_run(struct db *db, const struct run *run, struct error *err)
{
	struct baselines baselines = {0};
	struct trial_comparison_list list = {0};
	int rc = baselines_load(&baselines, db, run, err);

	if (!rc)
		rc = compare_with_baselines(db, &baselines, run, &list, err);
	if (!rc)
		rc = db_comparisons_store(db, run->id, &list, err);
	comparison_list_release(&list);
	baselines_release(&baselines);
	return error_context(err, rc, "judging run %lld", (long long)run->id);
}

/* The median of the base case's samples beside a trial. */
static int base_median(double *out, struct db *db, int64_t trial_id, struct error *err)
{
	struct sample *samples = NULL;
	size_t count = 0, paired = 0;
	int rc = db_samples_load(db, trial_id, &samples, &count, err);
	double *base_ns = xcalloc(count + 1, sizeof(*base_ns));

	for (size_t i = 0; i < count; i++)
		if (samples[i].base_ns > 0)
			base_ns[paired++] = samples[i].base_ns;
	*out = summarise(base_ns, paired).median_ns;
	free(base_ns);
	free(samples);
	return rc;
}

int judge_speedups(struct db *db, struct run *run, struct error *err)
{
	int rc = 0;

	if (!run->settings.base_variant)
		return 0;
	speedups_judge(run);
	for (size_t i = 0; i < run->trial_count && !rc; i++) {
		struct trial *trial = &run->trials[i];

		trial->speedup.base_median_ns = NAN;
		if (trial->speedup.verdict != SPEEDUP_NOT_MEASURED)
			rc = base_median(&trial->speedup.base_median_ns, db, trial->id, err);
	}
	if (!rc)
		rc = db_speedups_store(db, run, err);
	return error_context(err, rc, "judging the speed-ups of run %lld", (long long)run->id);
}

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

int judge_stored_run(struct db *db, int64_t run_id, struct error *err)
{
	struct run run = {0};
	int rc = run_load_measured(db, run_id, true, &run, err);

	if (rc)
		error_context(err, rc, "judging run %lld", (long long)run_id);
	else
		rc = judge_speedups(db, &run, err);
	if (!rc)
		rc = judge_run(db, &run, err);
	if (!rc)
		rc = db_session_intervals_store(db, &run, err);
	if (!rc)
		rc = judge_limiters(db, &run, err);
	run_release(&run);
	return rc;
}
