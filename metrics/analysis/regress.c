/* Compares two runs case by case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"

/* ---- counters ---- */

/* Relative to the base. A change from 0 exceeds every limit. */
static double relative_change(double base, double head)
{
	return base != 0 ? fabs(head - base) / fabs(base) : INFINITY;
}

static bool is_compared(const struct metric *metric, const char *name,
			const struct regress_options *options)
{
	if (options->counters == REGRESS_COUNTERS_NAMED)
		return string_list_has(options->names, name);
	/* derived metrics repeat what their inputs show */
	return metric && metric->exact && !metric->derive;
}

static int compare_counter(struct regress_case *item, const struct regress_pair *pair,
			   const struct counter_value *base, const struct counter_value *head,
			   const struct regress_options *options, struct error *err)
{
	const struct metric *metric = metric_find(head->metric);
	const bool exact = metric && metric_is_exact(metric);
	const struct threshold *limit =
		options->thresholds ? thresholds_find(options->thresholds, item->name, head->metric)
				    : NULL;
	struct counter_change change = {.metric = head->metric,
					.unit = head->unit,
					.base = base->value,
					.head = head->value};
	bool beyond;

	if (limit ? limit->ignore : !is_compared(metric, head->metric, options))
		return 0;
	if (!limit && !exact)
		return error_set(
			err, PL_EUSAGE,
			"%s does not repeat exactly: to compare it, give it a limit with a "
			"line such as \"* %s=+5%%\" in a file for --thresholds",
			head->metric, head->metric);
	/* counts may depend on the input */
	if (!limit && pair->base_seed != pair->head_seed)
		return 0;
	item->counters_compared++;
	if (base->value == head->value)
		return 0;
	change.worse = limit ? limit->worse : metric->worse;
	beyond = relative_change(base->value, head->value) > (limit ? limit->limit : 0);
	if (!beyond && !exact)
		return 0;
	if (beyond && change.worse != WORSE_NEITHER)
		change.verdict =
			(head->value > base->value) == (change.worse == WORSE_MORE) ? 1 : -1;
	item->counters =
		xrealloc(item->counters, (item->counter_count + 1) * sizeof(*item->counters));
	item->counters[item->counter_count++] = change;
	return 0;
}

static int by_relative_change(const void *left, const void *right)
{
	const struct counter_change *a = left, *b = right;
	const double of_a = relative_change(a->base, a->head),
		     of_b = relative_change(b->base, b->head);

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a->metric, b->metric);
}

/* Fills the counters of a case that has results in both runs. */
static int compare_counters(struct regress_case *item, const struct regress_pair *pair,
			    const struct regress_options *options, struct error *err)
{
	const struct counter_list *counters = &pair->head->counters;
	int rc = 0;

	if (options->counters == REGRESS_COUNTERS_NONE)
		return 0;
	for (size_t i = 0; i < counters->count && !rc; i++) {
		const struct counter_value *head = &counters->items[i], *base = NULL;

		/* both lists usually have the same order, so try the same place before a search */
		if (i < pair->base->counters.count &&
		    strcmp(pair->base->counters.items[i].metric, head->metric) == 0)
			base = &pair->base->counters.items[i];
		else
			base = counter_list_find(&pair->base->counters, head->metric);
		if (base && base->has_value && head->has_value)
			rc = compare_counter(item, pair, base, head, options, err);
	}
	if (item->counter_count)
		qsort(item->counters, item->counter_count, sizeof(*item->counters),
		      by_relative_change);
	return rc;
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

/* Says which of the results no check shows to be right. */
static void explain_unverified(struct regress_case *item)
{
	const bool base = item->base && item->base->status == TRIAL_UNVERIFIED;
	const bool head = item->head && item->head->status == TRIAL_UNVERIFIED;

	item->unverified = base || head;
	if (item->unverified)
		explain(item, xasprintf("%s unverified", base && head ? "base and head are"
							 : base       ? "the base is"
								      : "the head is"));
}

#define WAS_LEFT_OUT                                                                           \
	"the base left it out, because nothing of it had changed: a base that is marked good " \
	"(perflab mark, --base last-good) has its last measurement"

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
			explain(item, trial_is_unchanged(item->base)
					      ? xstrdup(WAS_LEFT_OUT)
					      : xasprintf("in the base it was %s",
							  trial_status_name(item->base->status)));
	} else {
		return false;
	}
	return true;
}

static bool pair_has_same_launch(const struct regress_pair *pair)
{
	return pair->base_seed == pair->head_seed &&
	       trials_have_same_launch(pair->base, pair->head);
}

/* Whether the head was not measured because it is like the base: --against found so, or the facts
 * that --changed-since stored of the head say so. The base may have been left out, too. */
static bool was_not_measured(const struct regress_pair *pair)
{
	if (pair->not_measured)
		return true;
	return pair->base && pair->head && trial_is_unchanged(pair->head) && pair->same_toolchain &&
	       trials_have_same_code(pair->base, pair->head) && pair_has_same_launch(pair);
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
		.context = {.noise = pair->noise, .sessions = pair->sessions},
		.beside = pair->beside,
		.other_base = pair->note != NULL,
	};
	if (options->thresholds && thresholds_ignore(options->thresholds, item->name)) {
		item->ignored = true;
		return 0;
	}
	if (pair->note)
		explain(item, xstrdup(pair->note));
	if (was_not_measured(pair)) {
		item->verdict = CHANGE_SAME_CODE;
		explain(item, xstrdup("not measured"));
		return 0;
	}
	if (judge_presence(item))
		return 0;
	item->same_code = trials_have_same_code(pair->base, pair->head);
	item->same_launch = pair_has_same_launch(pair);
	item->by_code = item->same_code && item->same_launch && pair->same_toolchain &&
			!options->judge_same_code;
	item->limiter = pair->limiter;
	regress_find_times(item, options);
	return compare_counters(item, pair, options, err);
}

double regress_clock_dependence(const struct regress_case *item, const char **why)
{
	const double seen = item->context.sessions.clock_dependence;

	*why = "sessions of equal code showed it";
	if (item->context.sessions.sessions > 1 && isfinite(seen))
		return fmin(1, fmax(0, seen));
	*why = "what limits the case runs at that clock";
	return item->limiter == BOUND_L1 || item->limiter == BOUND_SHARED ||
	       item->limiter == BOUND_COMPUTE || item->limiter == BOUND_ISSUE;
}

/* Makes a change inconclusive if the SM clock explains it, as far as the case follows that clock.
 */
static void account_for_clocks(struct regress_case *item)
{
	const struct round_clocks base =
		round_clocks_of(item->base->rounds, item->base->round_count);
	const struct round_clocks head =
		round_clocks_of(item->head->rounds, item->head->round_count);
	const double slower = base.sm_hz / head.sm_hz - 1, change = item->effect.change;
	const char *why;
	const double explained = slower * regress_clock_dependence(item, &why);

	if (item->beside) /* both had the same clock */
		return;
	if (item->time != CHANGE_REGRESSED && item->time != CHANGE_IMPROVED)
		return;
	if ((slower > 0) == (change > 0) && fabs(slower) > 1e-4) {
		if (fabs(change) - fabs(explained) < item->limits.smallest) {
			item->time = CHANGE_INCONCLUSIVE;
			explain(item,
				xasprintf("the SM clock explains it (%s): %.0f MHz, then %.0f", why,
					  base.sm_hz / 1e6, head.sm_hz / 1e6));
		} else if (fabs(change) - fabs(slower) < item->limits.smallest) {
			explain(item,
				xasprintf("the SM clock changed as much (%.0f MHz, then %.0f), "
					  "but nothing shows that the case follows it",
					  base.sm_hz / 1e6, head.sm_hz / 1e6));
		}
	}
	if (base.throttled * head.count != head.throttled * base.count)
		explain(item, xasprintf("throttled in %zu of %zu rounds, then in %zu of %zu",
					base.throttled, base.count, head.throttled, head.count));
}

/* Why a difference that is larger than the scatter decides nothing. Returns false if there is no
 * such difference. */
static bool explain_doubt(struct regress_case *item)
{
	const int next = interim_last(&item->head_test, item->head) + 1;

	switch (item->doubt) {
	case DOUBT_UNCONFIRMED:
		explain(item, xasprintf("the first %zu rounds differ by %+.2g %%, which has to "
					"show in %d rounds, too (sweep --resume --decide)",
					item->head_rounds, 100 * item->effect.change,
					interim_limit(&item->head_test, next)));
		return true;
	case DOUBT_TWO_MODES:
		explain(item, xstrdup("the rounds of one run have two modes, and the difference "
				      "may be that of the modes"));
		return true;
	case DOUBT_OUTLIERS:
		explain(item, xstrdup("a few rounds make the difference, and most of them do not "
				      "show it"));
		return true;
	default:
		return false;
	}
}

static void explain_undecided(struct regress_case *item)
{
	const struct rounds_needed needed = item->needed;

	if (explain_doubt(item))
		return;
	if (item->beside)
		explain(item, xstrdup("the interval of the speed-up reaches beyond 1 %; "
				      "more rounds (--decide) narrow it"));
	else if (item->base_rounds < 2 || item->head_rounds < 2)
		explain(item, xstrdup("each run needs at least two rounds to show a change"));
	else if (!needed.each)
		explain(item, xasprintf("a change of %.3g %% is not ruled out, and at this "
					"difference no number of rounds would do so",
					100 * item->limits.resolution));
	else
		explain(item, xasprintf("a change of %.3g %% is not ruled out; about %d rounds of "
					"each run would decide it",
					100 * item->limits.resolution, needed.each));
	if (item->correlation > 0)
		explain(item, xasprintf("rounds that follow each other are alike (correlation "
					"%.2g), so they count as fewer",
					item->correlation));
	/* of the two runs that are compared, the report says it once */
	if (item->other_base && item->base_test.used &&
	    item->base_rounds >= (size_t)item->base_test.used) {
		char *discarded = sequential_test_discarded(&item->base_test);

		explain(item, xasprintf("of the base, %s", discarded));
		free(discarded);
	}
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
			text_addf(&listed, "%s%s from %.15g to %.15g", listed.length ? ", " : "",
				  item->counters[i].metric, item->counters[i].base,
				  item->counters[i].head);
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

/* What differs although the code, the launch, the data and the toolchain are the same. */
static void judge_same_code(struct regress_case *item)
{
	item->verdict = CHANGE_SAME_CODE;
	if (item->timed && is_change(item->time))
		explain(item, xstrdup("the time differs by the environment, not by the kernel"));
	if (item->counter_count)
		explain(item,
			xasprintf("%s differs although the code is the same: the kernel is not "
				  "deterministic, or perflab counts otherwise",
				  item->counters[0].metric));
}

/* A change of time decides, because a kernel that got faster may execute more instructions. Without
 * one, the counters decide. */
static void judge_numbers(struct regress_case *item)
{
	const bool worse = has_counter(item, 1), better = has_counter(item, -1);

	if (item->undecided)
		explain_undecided(item);
	if (item->timed && !item->by_code)
		account_for_clocks(item);
	if (item->by_code)
		judge_same_code(item);
	else if (item->timed && is_change(item->time))
		item->verdict = item->time;
	else if (worse || better)
		item->verdict = worse ? CHANGE_REGRESSED : CHANGE_IMPROVED;
	else if (item->timed)
		item->verdict = item->time;
	else
		item->verdict = item->counters_compared ? CHANGE_UNCHANGED : CHANGE_INCONCLUSIVE;
	if (item->by_code)
		return;
	if (worse)
		explain_counters(item, 1);
	else if (better && item->verdict == CHANGE_IMPROVED && !is_change(item->time))
		explain_counters(item, -1);
	if (!item->timed && !item->counters_compared)
		explain(item, xstrdup("nothing to compare: the runs have neither times nor "
				      "counters in common"));
	item->gates = item->verdict == CHANGE_REGRESSED;
}

/* ---- all cases ---- */

static void tally_verdicts(struct regress *regress)
{
	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		if (item->ignored) {
			regress->ignored++;
			continue;
		}
		if (has_result(item->base) && has_result(item->head))
			judge_numbers(item);
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
		/* a case that was skipped or did not run in both runs is left out */
		if (has_result(pairs[i].base) || has_result(pairs[i].head) ||
		    has_failed(pairs[i].base) || has_failed(pairs[i].head) ||
		    was_not_measured(&pairs[i]))
			rc = compare_numbers(&regress.cases[regress.count++], &pairs[i], options,
					     err);
	if (rc) {
		regress_release(&regress);
		return rc;
	}
	regress_judge_times(&regress);
	tally_verdicts(&regress);
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
