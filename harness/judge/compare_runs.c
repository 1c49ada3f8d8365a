/* Loads two runs, checks that they compare, and judges every case. */
#include "harness/judge/judge.h"

#include <stdlib.h>
#include <string.h>

/* Cases of a run that is still measured have no status yet. */
static void end_measured_cases(struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].status == TRIAL_PENDING && run->trials[i].round_count)
			run->trials[i].status = TRIAL_OK;
}

static int load_base_and_head(struct run_comparison *out, struct db *db, bool with_trials,
			      const struct run_comparison_request *request, struct error *err)
{
	int64_t base_id, head_id;
	int rc = error_context(err, db_run_resolve(db, request->head, &head_id, err), "--head");

	if (!rc)
		rc = error_context(err, db_base_resolve(db, request->base, head_id, &base_id, err),
				   "%s", request->base_option ? request->base_option : "--base");
	if (!rc && base_id == head_id)
		rc = error_set(err, PL_EUSAGE,
			       "\"%s\" and \"%s\" are the same run, %lld: nothing to compare",
			       request->base, request->head, (long long)head_id);
	if (!rc)
		rc = run_load_measured(db, base_id, with_trials, &out->base, err);
	if (!rc)
		rc = run_load_measured(db, head_id, with_trials, &out->head, err);
	if (!rc && request->measuring)
		end_measured_cases(&out->head);
	if (!rc && with_trials && strcmp(request->base, BASE_LAST_GOOD) == 0)
		rc = baselines_load(&out->baselines, db, &out->head, err);
	return rc;
}

/* PL_EUSAGE: the numbers of these runs never compare, or only if the request allows it. */
static int check_environments(const struct run_comparison *comparison,
			      const struct run_comparison_request *request, struct error *err)
{
	const struct run *base = &comparison->base, *head = &comparison->head;
	struct text named = TEXT_INIT;
	int rc = 0;

	for (size_t i = 0; i < comparison->differences.count; i++) {
		const struct regress_difference *item = &comparison->differences.items[i];

		if (item->never) {
			rc = error_set(err, PL_EUSAGE,
				       "run %lld has the %s %s and run %lld has %s: their numbers "
				       "do not compare",
				       (long long)base->id, item->what, item->base,
				       (long long)head->id, item->head);
			break;
		}
		if (item->refuses && !request->allow_different)
			text_addf(&named, "%s%s (%s, then %s)", named.length ? ", " : "",
				  item->what, item->base, item->head);
	}
	if (!rc && named.length && request->measuring)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld and this sweep differ in more than the code: %s",
			       (long long)base->id, named.data);
	else if (!rc && named.length)
		rc = error_set(err, PL_EUSAGE,
			       "runs %lld and %lld differ in more than the code: %s; "
			       "--allow-different compares them anyway",
			       (long long)base->id, (long long)head->id, named.data);
	text_release(&named);
	return rc;
}

/* A comparison of no case must not look like one without regressions. */
static int check_compared(const struct run_comparison *comparison, struct error *err)
{
	const struct regress *regress = &comparison->regress;
	const struct run *base = &comparison->base, *head = &comparison->head;

	if (regress->compared || regress->gating)
		return 0;
	return error_set(
		err, PL_EUSAGE,
		"nothing to compare: runs %lld and %lld share no case with times or "
		"counters%s%s",
		(long long)base->id, (long long)head->id,
		regress->ignored ? " that no threshold ignores" : "",
		base->seed != head->seed ? "; counters of different --seed are not compared" : "");
}

int compare_runs(struct run_comparison *out, struct db *db,
		 const struct run_comparison_request *request, struct error *err)
{
	size_t count;
	int rc = load_base_and_head(out, db, true, request, err);

	if (rc)
		return rc;
	regress_differ(&out->differences, &out->base, &out->head);
	rc = check_environments(out, request, err);
	if (rc)
		return rc;
	count = regress_pairs(&out->pairs, &out->base, &out->head);
	out->filled = baselines_fill(&out->baselines, out->pairs, &out->head,
				     request->allow_different, &out->notes);
	rc = regress_judge(&out->regress, out->pairs, count, &request->options, err);
	return rc ? rc : check_compared(out, err);
}

int compare_runs_check(int64_t *base_id, struct db *db,
		       const struct run_comparison_request *request, struct error *err)
{
	struct run_comparison comparison = {0};
	int rc = load_base_and_head(&comparison, db, false, request, err);

	if (!rc) {
		*base_id = comparison.base.id;
		regress_differ(&comparison.differences, &comparison.base, &comparison.head);
		rc = check_environments(&comparison, request, err);
	}
	run_comparison_release(&comparison);
	return rc;
}

void run_comparison_release(struct run_comparison *comparison)
{
	regress_release(&comparison->regress);
	regress_differences_release(&comparison->differences);
	baselines_release(&comparison->baselines);
	string_list_release(&comparison->notes);
	free(comparison->pairs);
	run_release(&comparison->base);
	run_release(&comparison->head);
	*comparison = (struct run_comparison){0};
}
