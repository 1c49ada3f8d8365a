/* Estimates and judges speed-ups over a base variant. */
#include "metrics/analysis/speedup.h"
#include "metrics/against.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

#define PAIRS_FOR_INTERVAL 6
#define SIGN_ROUNDS_MOST 1000 /* beyond, only full agreement counts */

const struct change_limits speedup_limits_default = {
	.smallest = 0.002, .resolution = 0.01, .false_alarms = 0.05};

/* ---- one round ---- */

/* The logarithms of base / case, in ascending order; malloc'd. */
static double *sorted_ratios(const double *time_ns, const double *base_ns, size_t count,
			     size_t *usable)
{
	double *ratios = xcalloc(count + 1, sizeof(*ratios));
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (time_ns[i] > 0 && base_ns[i] > 0)
			ratios[used++] = log(base_ns[i] / time_ns[i]);
	sort_numbers(ratios, used);
	*usable = used;
	return ratios;
}

static double mean_between(const double *sorted, size_t begin, size_t end)
{
	double sum = 0;

	for (size_t i = begin; i < end; i++)
		sum += sorted[i];
	return sum / (double)(end - begin);
}

/* The variance of `sorted` when `cut` values at each end have the value of their neighbour. */
static double winsorised_variance(const double *sorted, size_t count, size_t cut)
{
	double mean = mean_between(sorted, cut, count - cut) * (double)(count - 2 * cut);
	double squares = 0;

	mean += (double)cut * (sorted[cut] + sorted[count - 1 - cut]);
	mean /= (double)count;
	for (size_t i = 0; i < count; i++) {
		const size_t at = i < cut ? cut : i >= count - cut ? count - 1 - cut : i;
		const double distance = sorted[at] - mean;

		squares += distance * distance;
	}
	return squares / (double)(count - 1);
}

struct round_speedup round_speedup_of(const double *time_ns, const double *base_ns, size_t count)
{
	struct round_speedup estimate = {NAN, INFINITY};
	size_t usable, cut;
	double *sorted = sorted_ratios(time_ns, base_ns, count, &usable);

	cut = usable / 4;
	if (usable)
		estimate.log_speedup = mean_between(sorted, cut, usable - cut);
	if (usable >= PAIRS_FOR_INTERVAL) {
		const double kept = (double)(usable - 2 * cut);
		const double error =
			sqrt(winsorised_variance(sorted, usable, cut) * (double)usable) / kept;

		estimate.reach = student_quantile(0.05, kept - 1) * error;
	}
	free(sorted);
	return estimate;
}

double speedup_of_round(const double *time_ns, const double *base_ns, size_t count)
{
	return exp(round_speedup_of(time_ns, base_ns, count).log_speedup);
}

/* ---- all rounds ---- */

static bool round_has_pair(const struct round_summary *round)
{
	return round->speedup > 0 && round->median_ns > 0;
}

/* Whether the rounds are on one side of 1: all of them or, of many, so many that chance has at most
 * RANK_LEVEL for it (sign test: Conover, Practical Nonparametric Statistics, 3.4). */
static bool rounds_agree(size_t above, size_t below, size_t rounds)
{
	const size_t fewer = above < below ? above : below, count = above + below;
	double term = pow(0.5, (double)count), tail = term;

	if (rounds < 2)
		return false;
	if (rounds < RANK_ROUNDS_LEAST || count > SIGN_ROUNDS_MOST)
		return above == rounds || below == rounds;
	for (size_t i = 1; i <= fewer; i++) {
		term *= (double)(count - i + 1) / (double)i;
		tail += term;
	}
	return 2 * tail <= RANK_LEVEL;
}

struct speedup_effect speedup_effect_of(const struct round_summary *rounds, size_t count)
{
	struct speedup_effect effect = {NAN, NAN, NAN, NAN, false, 0, true};
	double mean = 0, squares = 0, known = 0, freedom, variance, reach, step, base_step;
	size_t above = 0, below = 0;

	for (size_t i = 0; i < count; i++) {
		if (!round_has_pair(&rounds[i]))
			continue;
		effect.rounds++;
		effect.same_buffers &= rounds[i].same_buffers == 1;
		mean += log(rounds[i].speedup);
		/* the known variance of the logarithm; the rounding of a time to steps is uniform:
		 * its variance is the step's square over 12 */
		step = PAIR_NOISE_STEP_NS / sqrt(12) / rounds[i].median_ns;
		base_step = step / rounds[i].speedup;
		known += PAIR_NOISE_RELATIVE * PAIR_NOISE_RELATIVE + step * step +
			 base_step * base_step;
		above += rounds[i].speedup > 1;
		below += rounds[i].speedup < 1;
	}
	if (!effect.rounds)
		return effect;
	mean /= (double)effect.rounds;
	known /= (double)effect.rounds;
	for (size_t i = 0; i < count; i++) {
		const double distance =
			round_has_pair(&rounds[i]) ? log(rounds[i].speedup) - mean : 0;

		squares += distance * distance;
	}
	freedom = PAIR_NOISE_WEIGHT + (double)(effect.rounds - 1);
	variance = (PAIR_NOISE_WEIGHT * known + squares) / freedom / (double)effect.rounds;
	if (!effect.same_buffers)
		variance += 2 * PLACE_NOISE_RELATIVE * PLACE_NOISE_RELATIVE;
	reach = student_quantile(0.05, freedom) * sqrt(variance);
	effect.speedup = exp(mean);
	if (effect.rounds < 2)
		return effect; /* one process does not show how far two differ */
	effect.low = exp(mean - reach);
	effect.high = exp(mean + reach);
	effect.p = student_two_sided(mean / sqrt(variance), freedom);
	effect.agreed = rounds_agree(above, below, effect.rounds);
	return effect;
}

enum speedup_verdict speedup_effect_judge(const struct speedup_effect *effect, double adjusted_p,
					  const struct change_limits *limits)
{
	if (isnan(effect->speedup))
		return SPEEDUP_NOT_MEASURED;
	if (effect->agreed && adjusted_p < limits->false_alarms &&
	    fabs(log(effect->speedup)) >= log1p(limits->smallest))
		return effect->speedup > 1 ? SPEEDUP_FASTER : SPEEDUP_SLOWER;
	if (isnan(effect->low) || effect->low < 1 / (1 + limits->resolution) ||
	    effect->high > 1 + limits->resolution)
		return SPEEDUP_INCONCLUSIVE;
	return SPEEDUP_SAME;
}

/* ---- a run ---- */

/* Why a trial has no speed-up for good; NULL: it may have one. malloc'd. */
static char *speedup_refusal(const struct run *run, const struct trial *trial)
{
	const struct trial *base = run_trial(run, trial->speedup.base_trial_id);

	if (run->traits.emulated)
		return xstrdup("the backend measures no time");
	if (trial->status != TRIAL_PENDING && !trial_status_measured(trial->status))
		return xasprintf("the case is %s", trial_status_name(trial->status));
	if (base && base->status != TRIAL_PENDING && !trial_status_measured(base->status))
		return xasprintf("its base case is %s%s%s", trial_status_name(base->status),
				 base->reason ? ": " : "", base->reason ? base->reason : "");
	return NULL;
}

/* The rounds that an interim analysis judges. */
static size_t rounds_below(const struct trial *trial, int limit)
{
	size_t count = 0;

	while (count < trial->round_count && trial->rounds[count].round < limit)
		count++;
	return count;
}

/* The effect at an interim analysis; NAN: there is none. */
static struct speedup_effect effect_of_trial(const struct run *run, struct trial *trial,
					     const struct sequential_test *test, int interim)
{
	static const struct speedup_effect none = {NAN, NAN, NAN, NAN, false, 0, false};
	struct trial_speedup *speedup = &trial->speedup;
	struct speedup_effect effect;

	if (!speedup->base_variant)
		return none;
	if (!speedup->why)
		speedup->why = speedup_refusal(run, trial);
	if (speedup->why)
		return none;
	effect =
		speedup_effect_of(trial->rounds, rounds_below(trial, interim_limit(test, interim)));
	effect.p = fmin(1, effect.p / interim_share_of(test, interim));
	return effect;
}

static bool is_decided(const struct trial_speedup *speedup)
{
	return speedup->verdict != SPEEDUP_INCONCLUSIVE && speedup->verdict != SPEEDUP_NOT_MEASURED;
}

/* Judges what the interim analyses before this one left undecided. Returns whether a trial has
 * rounds for the next one. */
static bool judge_at(struct run *run, const struct sequential_test *test, int interim,
		     struct speedup_effect *effects, double *p)
{
	bool *judged = xcalloc(run->trial_count + 1, sizeof(*judged));
	bool more = false;

	for (size_t i = 0; i < run->trial_count; i++) {
		struct trial *trial = &run->trials[i];
		const int last = interim_last(test, trial);

		judged[i] = trial->speedup.base_variant && last >= interim &&
			    !(interim && is_decided(&trial->speedup));
		more |= last > interim;
		if (judged[i])
			effects[i] = effect_of_trial(run, trial, test, interim);
		p[i] = effects[i].p;
	}
	effects_adjust(p, run->trial_count);
	for (size_t i = 0; i < run->trial_count; i++) {
		struct trial_speedup *speedup = &run->trials[i].speedup;
		const struct speedup_effect *effect = &effects[i];

		if (!judged[i])
			continue;
		speedup->verdict = speedup_effect_judge(effect, p[i], &speedup_limits_default);
		speedup->speedup = effect->speedup;
		speedup->low = effect->low;
		speedup->high = effect->high;
		speedup->p = p[i];
		speedup->rounds = (int64_t)effect->rounds;
		speedup->same_buffers = effect->rounds ? effect->same_buffers : -1;
	}
	free(judged);
	return more;
}

void speedups_judge(struct run *run)
{
	const struct sequential_test all = {0}, of_run = sequential_test_of_run(run);
	/* the rounds of another run were not chosen by its speed-ups */
	const bool chosen = key_value_get(&run->environment, AGAINST_COMMIT_KEY) != NULL;
	struct speedup_effect *effects = xcalloc(run->trial_count + 1, sizeof(*effects));
	double *p = xcalloc(run->trial_count + 1, sizeof(*p));

	for (size_t i = 0; i < run->trial_count; i++)
		effects[i] = (struct speedup_effect){NAN, NAN, NAN, NAN, false, 0, false};
	for (int interim = 0; interim < INTERIM_COUNT; interim++)
		if (!judge_at(run, chosen ? &of_run : &all, interim, effects, p))
			break;
	free(effects);
	free(p);
}

/* ---- in words ---- */

/* Shows the first digit of the interval's width and one more, but at least two decimals. */
static int decimals_of(const struct trial_speedup *speedup)
{
	double width = speedup->high - speedup->low;

	if (!isfinite(width) || width >= 0.1)
		return 2;
	return width >= 0.002 ? 3 : 4;
}

void speedup_number_text(struct text *out, const struct trial_speedup *speedup)
{
	text_addf(out, "%.*f", decimals_of(speedup), speedup->speedup);
}

const char *speedup_refusal_text(const struct trial_speedup *speedup)
{
	return speedup->why ? speedup->why : "the run did not get there";
}

void speedup_text(struct text *out, const struct trial *trial)
{
	const struct trial_speedup *speedup = &trial->speedup;
	const char *verdict = speedup_verdict_name(speedup->verdict);
	int decimals = decimals_of(speedup);

	if (speedup->verdict == SPEEDUP_NOT_MEASURED) {
		text_addf(out, "%s: %s: %s", trial->variant, verdict,
			  speedup_refusal_text(speedup));
		return;
	}
	text_addf(out, "%s is ", trial->variant);
	speedup_number_text(out, speedup);
	text_addf(out, " times as fast as %s ", speedup->base_variant);
	if (isfinite(speedup->low) && isfinite(speedup->high))
		text_addf(out, "(%.*f to %.*f)", decimals, speedup->low, decimals, speedup->high);
	else
		text_add(out, "(no interval)");
	text_addf(out, ": %s", verdict);
}

void speedups_text(struct text *out, const struct run *run)
{
	static const enum speedup_verdict order[] = {SPEEDUP_FASTER, SPEEDUP_SLOWER, SPEEDUP_SAME,
						     SPEEDUP_INCONCLUSIVE, SPEEDUP_NOT_MEASURED};
	size_t counts[SPEEDUP_VERDICT_COUNT] = {0}, pairs = 0;
	const struct trial *first = NULL;

	if (run->traits.emulated)
		return;
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (!trial->speedup.base_variant)
			continue;
		counts[trial->speedup.verdict]++;
		pairs++;
		if (!first)
			first = trial;
	}
	if (pairs == 1) {
		speedup_text(out, first);
		return;
	}
	for (size_t i = 0, shown = 0; i < ARRAY_SIZE(order); i++) {
		if (counts[order[i]])
			text_addf(out, "%s%zu %s", shown++ ? ", " : "", counts[order[i]],
				  speedup_verdict_name(order[i]));
	}
}
