/* Compares two runs case by case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/regress_counters.h"
#include "metrics/analysis/regress_time.h"
#include "metrics/analysis/round_clocks.h"
#include "metrics/analysis/thresholds.h"
#include "metrics/metrics.h"

/* ---- pairs ---- */

static int compare_cases(const struct trial *a, const struct trial *b)
{
	int order = strcmp(a->kernel, b->kernel);

	if (!order)
		order = strcmp(a->variant, b->variant);
	return order ? order : strcmp(a->config, b->config);
}

static int by_case(const void *left, const void *right)
{
	return compare_cases(*(const struct trial *const *)left,
			     *(const struct trial *const *)right);
}

/* A damaged database may lack names, and then the case cannot be paired. */
static bool has_name(const struct trial *trial)
{
	return trial->kernel && trial->variant && trial->config;
}

static const struct trial **sorted_trials(const struct run *run, size_t *count)
{
	const struct trial **sorted =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++)
		if (has_name(&run->trials[i]))
			sorted[(*count)++] = &run->trials[i];
	qsort(sorted, *count, sizeof(const struct trial *), by_case);
	return sorted;
}

/* Returns NULL if the case is not in the list. */
static const struct trial *find_case(const struct trial *trial, const struct trial *const *sorted,
				     size_t count)
{
	const struct trial *const *at =
		bsearch(&trial, sorted, count, sizeof(const struct trial *), by_case);

	return at ? *at : NULL;
}

size_t regress_pairs(struct regress_pair **out, const struct run *base, const struct run *head)
{
	size_t base_count, head_count, count = 0;
	const struct trial **bases = sorted_trials(base, &base_count);
	const struct trial **heads = sorted_trials(head, &head_count);
	const struct sequential_test base_test = sequential_test_of_run(base),
				     head_test = sequential_test_of_run(head);

	*out = xcalloc(base_count + head_count + 1, sizeof(**out));
	for (size_t i = 0; i < head->trial_count; i++) {
		const struct trial *trial = &head->trials[i];

		if (has_name(trial))
			(*out)[count++] = (struct regress_pair){
				.base = find_case(trial, bases, base_count),
				.head = trial,
				.base_seed = base->seed,
				.head_seed = head->seed,
				.base_test = base_test,
				.head_test = head_test,
			};
	}
	for (size_t i = 0; i < base->trial_count; i++) {
		const struct trial *trial = &base->trials[i];

		if (has_name(trial) && !find_case(trial, heads, head_count))
			(*out)[count++] = (struct regress_pair){
				.base = trial, .base_seed = base->seed, .head_seed = head->seed};
	}
	free(bases);
	free(heads);
	return count;
}

/* ---- one case ---- */

/* Appends to the explanation and frees `reason`. */
static void explain(struct regress_case *item, char *reason)
{
	char *before = item->why;

	item->why = before ? xasprintf("%s; %s", before, reason) : xstrdup(reason);
	free(before);
	free(reason);
}

static bool has_result(const struct trial *trial)
{
	return trial && trial_status_counted(trial->status);
}

static bool has_failed(const struct trial *trial)
{
	return trial && trial_status_is_failure(trial->status);
}

static char *status_and_reason(const struct trial *trial)
{
	return xasprintf("%s%s%s", trial_status_name(trial->status), trial->reason ? ": " : "",
			 trial->reason ? trial->reason : "");
}

static bool is_unverified(const struct trial *trial)
{
	return trial && trial->status == TRIAL_UNVERIFIED;
}

/* Says which of the results no check shows to be right. */
static void explain_unverified(struct regress_case *item)
{
	const bool base = is_unverified(item->base), head = is_unverified(item->head);

	item->unverified = base || head;
	if (item->unverified)
		explain(item, xasprintf("%s unverified", base && head ? "base and head are"
							 : base       ? "the base is"
								      : "the head is"));
}

/* Judges a case that lacks a result in one run. Returns false if both runs have one. */
static bool judge_presence(struct regress_case *item)
{
	if (has_failed(item->head)) {
		item->verdict = CHANGE_FAILED;
		item->gates = has_result(item->base);
		explain(item, status_and_reason(item->head));
		if (has_failed(item->base))
			explain(item, xstrdup("it failed in the base too"));
	} else if (!has_result(item->head)) {
		item->verdict = CHANGE_MISSING;
		if (item->head)
			explain(item, status_and_reason(item->head));
	} else if (!has_result(item->base)) {
		item->verdict = CHANGE_NEW;
		if (item->base)
			explain(item, xasprintf("in the base it was %s",
						trial_status_name(item->base->status)));
	} else {
		return false;
	}
	return true;
}

static void compare_code(struct regress_case *item, const struct regress_pair *pair)
{
	const struct launch_facts *base = &pair->base->facts, *head = &pair->head->facts;

	item->same_code = base->code_hash[0] && strcmp(base->code_hash, head->code_hash) == 0 &&
			  strcmp(base->code_kind, head->code_kind) == 0;
	item->same_launch = pair->base_seed == pair->head_seed && pair->base->launch_hash[0] &&
			    strcmp(pair->base->launch_hash, pair->head->launch_hash) == 0;
}

/* Compares the numbers of a case. judge_numbers() gives the verdict later, because p has to be
 * adjusted for all cases first. */
static int compare_numbers(struct regress_case *item, const struct regress_pair *pair,
			   const struct regress_options *options, struct error *err)
{
	*item = (struct regress_case){
		.name = trial_case_name(pair->head ? pair->head : pair->base),
		.base = pair->base,
		.head = pair->head,
		.verdict = CHANGE_INCONCLUSIVE,
		.effect = EFFECT_UNKNOWN,
		.adjusted_p = NAN,
		.time = CHANGE_INCONCLUSIVE,
		.limits = options->limits,
		.base_test = pair->base_test,
		.head_test = pair->head_test,
		.other_base = pair->note != NULL,
	};
	if (options->thresholds && thresholds_ignore(options->thresholds, item->name)) {
		item->ignored = true;
		return 0;
	}
	if (pair->note)
		explain(item, xstrdup(pair->note));
	if (judge_presence(item))
		return 0;
	compare_code(item, pair);
	regress_find_times(item, options);
	return regress_compare_counters(item, pair, options, err);
}

/* Makes a change inconclusive if the SM clock alone explains it. */
static void account_for_clocks(struct regress_case *item)
{
	struct round_clocks base = round_clocks_of(item->base->rounds, item->base->round_count);
	struct round_clocks head = round_clocks_of(item->head->rounds, item->head->round_count);
	double explained = base.sm_hz / head.sm_hz - 1;
	double least = item->limits.smallest;

	if (item->time != CHANGE_REGRESSED && item->time != CHANGE_IMPROVED)
		return;
	if ((explained > 0) == (item->effect.change > 0) && fabs(explained) > 1e-4 &&
	    fabs(item->effect.change) - fabs(explained) < least) {
		item->time = CHANGE_INCONCLUSIVE;
		explain(item, xasprintf("the SM clock explains it: %.0f MHz, then %.0f",
					base.sm_hz / 1e6, head.sm_hz / 1e6));
	}
	if (base.throttled * head.count != head.throttled * base.count)
		explain(item, xasprintf("throttled in %zu of %zu rounds, then in %zu of %zu",
					base.throttled, base.count, head.throttled, head.count));
}

static void explain_undecided(struct regress_case *item)
{
	const struct rounds_needed needed = item->needed;

	if (item->base_rounds < 2 || item->head_rounds < 2)
		explain(item, xstrdup("each run needs at least two rounds to show a change"));
	else if (!needed.each)
		explain(item, xasprintf("a change of %.3g %% is not ruled out, and at this "
					"difference no number of rounds would do so",
					100 * item->limits.resolution));
	else
		explain(item, xasprintf("a change of %.3g %% is not ruled out; about %d rounds of "
					"each run would decide it",
					100 * item->limits.resolution, needed.each));
	/* of the two runs that are compared, the report says it once */
	if (item->other_base && item->base_test.used &&
	    item->base_rounds >= (size_t)item->base_test.used) {
		char *discarded = sequential_test_discarded(&item->base_test);

		explain(item, xasprintf("of the base, %s", discarded));
		free(discarded);
	}
}

static void judge_time(struct regress_case *item)
{
	if (item->undecided)
		explain_undecided(item);
	account_for_clocks(item);
}

static void add_counter_text(struct text *out, const struct counter_change *change)
{
	text_addf(out, "%s%s from %.15g to %.15g", out->length ? ", " : "", change->metric,
		  change->base, change->head);
}

/* Names the first three counters with the verdict, and the number of the others. */
static void explain_counters(struct regress_case *item, int verdict)
{
	struct text listed = TEXT_INIT;
	size_t count = 0;

	for (size_t i = 0; i < item->counter_count; i++) {
		if (item->counters[i].verdict != verdict)
			continue;
		if (count++ < 3)
			add_counter_text(&listed, &item->counters[i]);
	}
	if (count > 3)
		text_addf(&listed, ", and %zu more", count - 3);
	if (count)
		explain(item, text_detach(&listed));
	text_release(&listed);
}

static bool has_counter(const struct regress_case *item, int verdict)
{
	for (size_t i = 0; i < item->counter_count; i++)
		if (item->counters[i].verdict == verdict)
			return true;
	return false;
}

static bool is_change(enum change change)
{
	return change == CHANGE_REGRESSED || change == CHANGE_IMPROVED;
}

/* A change of time decides, because a kernel that got faster may execute more instructions. Without
 * one, the counters decide. */
static void judge_numbers(struct regress_case *item, const struct regress_options *options)
{
	const bool worse = has_counter(item, 1), better = has_counter(item, -1);

	if (item->timed)
		judge_time(item);
	if (item->timed && is_change(item->time))
		item->verdict = item->time;
	else if (worse || better)
		item->verdict = worse ? CHANGE_REGRESSED : CHANGE_IMPROVED;
	else if (item->timed)
		item->verdict = item->time;
	else
		item->verdict = item->counters_compared ? CHANGE_UNCHANGED : CHANGE_INCONCLUSIVE;
	if (worse)
		explain_counters(item, 1);
	else if (better && item->verdict == CHANGE_IMPROVED && !is_change(item->time))
		explain_counters(item, -1);
	if (!item->timed && !item->counters_compared)
		explain(item, xstrdup("nothing to compare: the runs have neither times nor "
				      "counters in common"));
	if (is_change(item->verdict) && item->same_code && item->same_launch &&
	    !options->judge_same_code) {
		item->verdict = CHANGE_INCONCLUSIVE;
		explain(item, xstrdup(item->timed ? "machine code, launch and input are the same: "
						    "noise or environment, not the kernel"
						  : "machine code, launch and input are the same: "
						    "not the kernel changed, but what counts"));
	}
	item->gates = item->verdict == CHANGE_REGRESSED;
}

/* ---- all cases ---- */

/* False if the case was skipped or did not run in both runs. */
static bool is_reported(const struct regress_pair *pair)
{
	return has_result(pair->base) || has_result(pair->head) || has_failed(pair->base) ||
	       has_failed(pair->head);
}

static void tally_verdicts(struct regress *regress, const struct regress_options *options)
{
	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		if (item->ignored) {
			regress->ignored++;
			continue;
		}
		if (has_result(item->base) && has_result(item->head))
			judge_numbers(item, options);
		explain_unverified(item);
		regress->unverified += item->unverified;
		regress->tally[item->verdict]++;
		regress->gating += item->gates;
		regress->compared += item->timed || item->counters_compared;
	}
}

/* Fails for a requested counter that no case has in both runs: it could never find a regression. */
static int check_requested_counters(const struct regress_pair *pairs, size_t count,
				    const struct string_list *names, struct error *err)
{
	for (size_t i = 0; i < names->count; i++) {
		bool found = false;

		for (size_t k = 0; k < count && !found; k++) {
			const struct counter_value *base, *head;

			if (!has_result(pairs[k].base) || !has_result(pairs[k].head))
				continue;
			base = counter_list_find(&pairs[k].base->counters, names->items[i]);
			head = counter_list_find(&pairs[k].head->counters, names->items[i]);
			found = base && base->has_value && head && head->has_value;
		}
		if (!found)
			return error_set(err, PL_EUSAGE, "no case has %s in both runs",
					 names->items[i]);
	}
	return 0;
}

int regress_judge(struct regress *out, const struct regress_pair *pairs, size_t count,
		  const struct regress_options *options, struct error *err)
{
	struct regress regress = {.cases = xcalloc(count ? count : 1, sizeof(*regress.cases))};
	int rc = options->counters == REGRESS_COUNTERS_NAMED
			 ? check_requested_counters(pairs, count, options->names, err)
			 : 0;

	for (size_t i = 0; i < count && !rc; i++)
		if (is_reported(&pairs[i]))
			rc = compare_numbers(&regress.cases[regress.count++], &pairs[i], options,
					     err);
	if (rc) {
		regress_release(&regress);
		return rc;
	}
	regress_judge_times(&regress);
	tally_verdicts(&regress, options);
	*out = regress;
	return 0;
}

void regress_release(struct regress *regress)
{
	for (size_t i = 0; i < regress->count; i++) {
		free(regress->cases[i].name);
		free(regress->cases[i].why);
		free(regress->cases[i].counters);
	}
	free(regress->cases);
	*regress = (struct regress){0};
}
