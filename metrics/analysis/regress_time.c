#include "metrics/analysis/regress.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/regress_doubts.h"
#include "metrics/analysis/statistics.h"

/* ---- the schedule of interim analyses ---- */

/* Chosen by simulation (docs/sequential-tests.md): few interim analyses, because each costs a part
 * of the 5 %, and most of it for the later ones, where it buys the most. Multiples of the first
 * number of rounds, in thirds. */
static const struct {
	int thirds;
	double share;
} schedule[INTERIM_COUNT] = {{3, 0.1}, {8, 0.2}, {20, 0.7}};

int interim_rounds(int first, int interim)
{
	return (first * schedule[interim].thirds + 2) / 3;
}

double interim_share(int interim)
{
	return schedule[interim].share;
}

/* A number of rounds from `least` on; 0: the fact is missing or something else. */
static int rounds_fact(const struct run *run, const char *key, int64_t least)
{
	const char *text = key_value_get(&run->environment, key);
	struct error ignored = {0};
	int64_t value;

	if (!text || parse_i64(&value, text, &ignored) || value < least ||
	    value > SEQUENTIAL_FIRST_MOST * (int64_t)schedule[INTERIM_COUNT - 1].thirds)
		return 0;
	return (int)value;
}

struct sequential_test sequential_test_of_run(const struct run *run)
{
	struct sequential_test test = {.first = rounds_fact(run, SEQUENTIAL_FIRST_KEY, 2)};
	const char *moved = key_value_get(&run->environment, SEQUENTIAL_MOVED_KEY);
	struct error ignored = {0};

	if (test.first > SEQUENTIAL_FIRST_MOST)
		test.first = 0;
	if (!test.first)
		return test;
	test.used = rounds_fact(run, SEQUENTIAL_USED_KEY, test.first);
	if (!moved || parse_double(&test.moved, moved, &ignored))
		test.moved = 0;
	return test;
}

char *sequential_test_discarded(const struct sequential_test *test)
{
	if (!test->used)
		return NULL;
	return xasprintf("the rounds from number %d on are not used: the control cases moved by "
			 "%.2g %%",
			 test->used + 1, 100 * test->moved);
}

int interim_last(const struct sequential_test *test, const struct trial *trial)
{
	int last = 0,
	    rounds = trial->round_count ? trial->rounds[trial->round_count - 1].round + 1 : 0;

	if (!test->first)
		return 0;
	if (test->used && rounds > test->used)
		rounds = test->used;
	while (last + 1 < INTERIM_COUNT && interim_rounds(test->first, last + 1) <= rounds)
		last++;
	return last;
}

int interim_limit(const struct sequential_test *test, int interim)
{
	return test->first ? interim_rounds(test->first, interim) : INT_MAX;
}

double interim_share_of(const struct sequential_test *test, int interim)
{
	return test->first ? interim_share(interim) : 1;
}

/* ---- rounds needed ---- */

bool rounds_would_decide(const struct effect *effect, size_t base, size_t head,
			 const struct change_limits *limits, double share, size_t cases)
{
	const double difference = log1p(effect->change);
	/* both bounds are within the limits if they are at most this far away */
	const double room = fmin(difference - log1p(-limits->resolution),
				 log1p(limits->resolution) - difference);

	if (base < 2 || head < 2)
		return false;
	if (fabs(effect->change) >= limits->smallest &&
	    effect_chance(effect, difference, base, head) * (double)cases <
		    limits->false_alarms * share)
		return true;
	return room > 0 && effect_chance(effect, room, base, head) <= 2 * EFFECT_LEVEL * share;
}

/* The least number of rounds that decides, of both runs or of the head alone. */
static int least_rounds(const struct effect *effect, size_t base, size_t head, bool both,
			const struct change_limits *limits, double share, size_t cases)
{
	const size_t begin = both && base > head ? base : head;
	size_t below = begin, enough = begin;

	while (!rounds_would_decide(effect, both ? enough : base, enough, limits, share, cases)) {
		if (enough >= ROUNDS_NEEDED_MOST)
			return 0;
		below = enough;
		enough = enough * 2 > ROUNDS_NEEDED_MOST ? ROUNDS_NEEDED_MOST : enough * 2;
	}
	while (enough - below > 1) {
		const size_t middle = below + (enough - below) / 2;

		*(rounds_would_decide(effect, both ? middle : base, middle, limits, share, cases)
			  ? &enough
			  : &below) = middle;
	}
	return (int)enough;
}

struct rounds_needed rounds_needed_for(const struct effect *effect, size_t base, size_t head,
				       const struct change_limits *limits, double share,
				       size_t cases)
{
	if (isnan(effect->change) || base > ROUNDS_NEEDED_MOST || head > ROUNDS_NEEDED_MOST)
		return (struct rounds_needed){0, 0};
	return (struct rounds_needed){
		.each = least_rounds(effect, base, head, true, limits, share, cases),
		.head = least_rounds(effect, base, head, false, limits, share, cases),
	};
}

/* ---- the times of two runs ---- */

static struct process_medians medians_below(const struct trial *trial, int limit, double **held)
{
	const double launch_ns = round_clocks_of(trial->rounds, trial->round_count).launch_ns;
	struct process_medians medians = trial_medians(trial, limit, held);

	/* as if an empty kernel took the same in both runs */
	for (size_t i = 0; i < medians.count && isfinite(launch_ns); i++)
		(*held)[i] = fmax((*held)[i] + EMPTY_KERNEL_NS - launch_ns, 1);
	/* what another program measured may be a median without samples, which came from one
	 * process */
	if (trial->round_count == 0 && isfinite(trial->summary.median_ns) &&
	    trial->summary.median_ns > 0)
		(*held)[medians.count++] = trial->summary.median_ns;
	return medians;
}

static bool has_round_times(const struct trial *trial)
{
	double *held;
	const size_t count = medians_below(trial, INT_MAX, &held).count;

	free(held);
	return count > 0;
}

/* Whether the cost of the events was taken off the times of a trial. */
static bool has_event_cost(const struct trial *trial)
{
	return trial && isfinite(round_clocks_of(trial->rounds, trial->round_count).event_ns);
}

void regress_find_times(struct regress_case *item, const struct regress_options *options)
{
	const struct threshold *said =
		options->thresholds
			? thresholds_find(options->thresholds, item->name, THRESHOLDS_TIME)
			: NULL;

	item->limits = options->limits;
	if (said && !said->ignore) {
		item->limits.smallest = said->limit;
		item->limits.resolution = fmax(item->limits.resolution, said->limit);
	}
	if (has_event_cost(item->head))
		item->limits.resolution = fmax(item->limits.resolution,
					       CLOCK_RESOLUTION_NS / item->head->summary.median_ns);
	item->timed = has_round_times(item->base) && has_round_times(item->head) &&
		      has_event_cost(item->base) == has_event_cost(item->head) &&
		      !(said && said->ignore) &&
		      !(item->beside && isnan(item->head->speedup.speedup));
}

/* What is known of a change without two rounds in each run: one process does not show how far two
 * differ. */
static struct effect ratio_only(const struct effect *effect)
{
	struct effect ratio = *effect;

	ratio.low = ratio.high = ratio.bound_low = ratio.bound_high = ratio.p = NAN;
	ratio.by_sessions = false;
	return ratio;
}

/* The share of the errors that a comparison may spend of which the head has `share_of_head`. */
static double share_to_spend(const struct regress_case *item, double share_of_head)
{
	return interim_share_of(&item->base_test, interim_last(&item->base_test, item->base)) *
	       share_of_head;
}

static enum time_doubt doubt_of(struct process_medians base, struct process_medians head,
				double change)
{
	if (rounds_have_two_modes(base, head))
		return DOUBT_TWO_MODES;
	return most_rounds_agree(base, head, change) ? DOUBT_NONE : DOUBT_OUTLIERS;
}

static void compare_at(struct regress_case *item, int interim)
{
	const int base_interim = interim_last(&item->base_test, item->base);
	const double share = share_to_spend(item, interim_share_of(&item->head_test, interim));
	double *base, *head, before = item->effect.p;
	struct process_medians of_base =
		medians_below(item->base, interim_limit(&item->base_test, base_interim), &base);
	struct process_medians of_head =
		medians_below(item->head, interim_limit(&item->head_test, interim), &head);

	item->context.share = share;
	item->effect = effect_of(of_base, of_head, &item->context);
	effect_widen(&item->effect, of_base.count, of_head.count, share, item->correlation);
	item->effect.p = fmin(item->effect.p, before); /* fmin() ignores NAN */
	item->base_rounds = of_base.count;
	item->head_rounds = of_head.count;
	item->doubt = doubt_of(of_base, of_head, item->effect.change);
	if (of_base.count < 2 || of_head.count < 2) {
		item->effect = ratio_only(&item->effect);
		item->doubt = DOUBT_NONE;
	}
	free(base);
	free(head);
}

/* The correlation of the rounds of both runs. */
static double correlation_of(const struct regress *regress)
{
	struct process_medians *cases = xcalloc(2 * regress->count + 1, sizeof(*cases));
	double **held = xcalloc(2 * regress->count + 1, sizeof(*held)), correlation;
	struct round_series runs[2] = {{.cases = cases}, {.cases = cases + regress->count}};

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];

		if (!item->timed)
			continue;
		for (size_t k = 0; k < 2; k++) {
			const struct sequential_test *test =
				k ? &item->head_test : &item->base_test;

			runs[k].cases[runs[k].count++] =
				medians_below(k ? item->head : item->base,
					      test->used ? test->used : INT_MAX, &held[2 * i + k]);
		}
	}
	correlation = rounds_correlation(runs, ARRAY_SIZE(runs));
	for (size_t i = 0; i < 2 * regress->count; i++)
		free(held[i]);
	free(held);
	free(cases);
	return correlation;
}

/* Adjusts p among the cases that the code decides, or among the others: a test of equal code is no
 * chance of a false alarm. Returns the number of timed cases. */
static size_t adjust_p_values(struct regress *regress, bool by_code)
{
	double *p = xcalloc(regress->count ? regress->count : 1, sizeof(*p));
	size_t timed = 0;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const bool is_judged = item->timed && item->by_code == by_code;

		p[i] = is_judged ? item->effect.p : NAN;
		timed += is_judged;
	}
	effects_adjust(p, regress->count);
	for (size_t i = 0; i < regress->count; i++)
		if (regress->cases[i].by_code == by_code)
			regress->cases[i].adjusted_p = p[i];
	free(p);
	return timed;
}

/* Compares the cases that are not decided yet and have rounds for this interim analysis. Returns
 * their number.
 */
static size_t compare_all_at(struct regress *regress, int interim)
{
	size_t compared = 0;

	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		if (!item->timed || item->beside || item->time != CHANGE_INCONCLUSIVE ||
		    interim > interim_last(&item->head_test, item->head))
			continue;
		compare_at(item, interim);
		compared++;
	}
	return compared;
}

/*
 * The verdict of an interim analysis. The next one has to confirm a change, except for the last:
 * a mode that a case enters at random may last for the few rounds of one analysis. Rounds of two
 * modes, or with outliers that make the difference, show no change at all.
 */
static enum change judge_interim(struct regress_case *item, int interim)
{
	const enum change change = effect_judge(&item->effect, item->adjusted_p, &item->limits);
	const int before = item->found;

	item->found = 0;
	if (change != CHANGE_REGRESSED && change != CHANGE_IMPROVED) {
		item->doubt = DOUBT_NONE;
		return change;
	}
	if (item->doubt != DOUBT_NONE)
		return CHANGE_INCONCLUSIVE;
	item->found = change == CHANGE_REGRESSED ? 1 : -1;
	if (!item->head_test.first || interim == INTERIM_COUNT - 1 || before == item->found)
		return change;
	item->doubt = DOUBT_UNCONFIRMED;
	return CHANGE_INCONCLUSIVE;
}

/* Takes the effect of a case that was measured beside its base from its speed-up, which is judged
 * together with all others of its run. */
static void take_speedup(struct regress_case *item)
{
	const struct trial_speedup *speedup = &item->head->speedup;

	item->effect.change = 1 / speedup->speedup - 1;
	item->effect.low = 1 / speedup->high - 1;
	item->effect.high = 1 / speedup->low - 1;
	item->effect.p = item->adjusted_p = speedup->p;
	item->base_rounds = item->head_rounds = (size_t)speedup->rounds;
	item->time = speedup->verdict == SPEEDUP_SLOWER   ? CHANGE_REGRESSED
		     : speedup->verdict == SPEEDUP_FASTER ? CHANGE_IMPROVED
		     : speedup->verdict == SPEEDUP_SAME   ? CHANGE_UNCHANGED
							  : CHANGE_INCONCLUSIVE;
	/* a limit that the user gave */
	if (item->time != CHANGE_INCONCLUSIVE &&
	    item->limits.smallest > change_limits_default.smallest &&
	    fabs(item->effect.change) < item->limits.smallest)
		item->time = CHANGE_UNCHANGED;
	item->undecided = item->time == CHANGE_INCONCLUSIVE && !item->by_code;
}

void regress_judge_times(struct regress *regress)
{
	/* the last interim analysis that --decide would add */
	const double last_share = interim_share(INTERIM_COUNT - 1);
	const double correlation = correlation_of(regress);
	size_t timed = 0;

	for (size_t i = 0; i < regress->count; i++)
		regress->cases[i].correlation = correlation;
	for (int interim = 0; interim < INTERIM_COUNT && compare_all_at(regress, interim);
	     interim++) {
		adjust_p_values(regress, true);
		timed = adjust_p_values(regress, false);
		for (size_t i = 0; i < regress->count; i++) {
			struct regress_case *item = &regress->cases[i];

			if (item->timed && item->time == CHANGE_INCONCLUSIVE &&
			    !isnan(item->effect.p) &&
			    interim <= interim_last(&item->head_test, item->head))
				item->time = judge_interim(item, interim);
		}
	}
	for (size_t i = 0; i < regress->count; i++) {
		struct regress_case *item = &regress->cases[i];

		if (item->timed && item->beside) {
			take_speedup(item);
			continue;
		}
		item->undecided =
			item->timed && item->time == CHANGE_INCONCLUSIVE && !item->by_code;
		if (item->undecided)
			item->needed = rounds_needed_for(&item->effect, item->base_rounds,
							 item->head_rounds, &item->limits,
							 share_to_spend(item, last_share), timed);
	}
}
