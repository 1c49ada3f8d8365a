/* Which cases get more rounds, which are the control cases, and whether these moved meanwhile. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/decide/decide.h"

/* The most that a control case may take, relative to the mean of the cases, if there is another. */
#define CONTROL_COST_MOST 3

size_t decide_index(const struct sweep_decide *decide, const struct trial *head, size_t guess)
{
	const struct sweep *sweep = decide->sweep;
	const size_t count = sweep->plan->count;

	for (size_t i = 0; i < count; i++) {
		/* both are in canonical order, so the guess is nearly always right */
		const size_t at = (guess + i) % count;

		if (decide->trial_ids[at] == head->id)
			return at;
	}
	return NO_CASE;
}

/* ---- what may become of a case ---- */

/* Whether `base` and `head` rounds decide the case at the most favourable difference in the 90 %
 * interval of their mean. */
static bool may_be_decided(const struct regress_case *item, size_t base, size_t head, size_t cases)
{
	const double share =
		interim_share(INTERIM_COUNT - 1) *
		interim_share_of(&item->base_test, interim_last(&item->base_test, item->base));
	const double difference = log1p(item->effect.change);
	const double fewer = 1 / (double)item->head_rounds - 1 / (double)head +
			     1 / (double)item->base_rounds - 1 / (double)base;
	const double reach = DECIDE_LIKELY_SIGMAS * sqrt(item->effect.variance * fmax(0, fewer));
	struct effect nearest = item->effect, farthest = item->effect;

	nearest.change = fabs(difference) <= reach
				 ? 0
				 : expm1(copysign(fabs(difference) - reach, difference));
	farthest.change = expm1(copysign(fabs(difference) + reach, difference));
	return rounds_would_decide(&nearest, base, head, &item->limits, share, cases) ||
	       rounds_would_decide(&farthest, base, head, &item->limits, share, cases);
}

enum undecided_kind decide_kind(const struct sweep_decide *decide, const struct regress_case *item,
				size_t cases)
{
	const size_t last = (size_t)interim_rounds(decide->first, INTERIM_COUNT - 1);
	const size_t head = item->head_rounds > last ? item->head_rounds : last;

	if (item->doubt == DOUBT_TWO_MODES)
		return UNDECIDED_BY_NOISE;
	if (item->doubt == DOUBT_UNCONFIRMED)
		return UNDECIDED_OPEN;
	if (item->head_rounds < last && item->base_rounds >= 2 &&
	    may_be_decided(item, item->base_rounds, last, cases))
		return UNDECIDED_OPEN;
	if (item->base_rounds < last && may_be_decided(item, last, head, cases))
		return UNDECIDED_BY_BASE;
	return item->head_rounds < last ? UNDECIDED_BY_NOISE : UNDECIDED_AT_END;
}

/* ---- the cases of an interim analysis ---- */

struct choice {
	size_t index;
	bool by_base; /* UNDECIDED_BY_BASE */
	int needed;   /* rounds of the head; 0: not known */
};

static int by_need(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->by_base != b->by_base)
		return a->by_base - b->by_base;
	if (!a->needed != !b->needed)
		return !a->needed - !b->needed;
	if (a->needed != b->needed)
		return a->needed < b->needed ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static double rounds_cost_ns(const struct sweep_decide *decide, size_t index, int rounds)
{
	const struct sweep *sweep = decide->sweep;
	return sweep->cases[index].ended
		       ? 0
		       : decide->pace * (double)sweep->cases[index].round_ns * rounds;
}

size_t decide_choose(size_t **out, const struct sweep_decide *decide, const struct regress *regress,
		     int interim)
{
	const struct sweep *sweep = decide->sweep;
	const int rounds = interim_rounds(decide->first, interim);
	struct choice *choices = xcalloc(regress->count + 1, sizeof(*choices));
	double left_ns = DECIDE_TIME_PLANNED * (double)(decide->deadline_ns - monotonic_ns());
	size_t count = 0, taken = 0;
	int fewest = rounds;

	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index =
			item->undecided ? decide_index(decide, item->head, i) : NO_CASE;
		enum undecided_kind kind;

		if (index == NO_CASE || sweep->cases[index].ended ||
		    sweep->cases[index].rounds_done >= rounds)
			continue;
		kind = decide_kind(decide, item, regress->compared);
		if (kind != UNDECIDED_OPEN && kind != UNDECIDED_BY_BASE)
			continue;
		choices[count++] =
			(struct choice){index, kind == UNDECIDED_BY_BASE, item->needed.head};
		if (sweep->cases[index].rounds_done < fewest)
			fewest = sweep->cases[index].rounds_done;
	}
	qsort(choices, count, sizeof(*choices), by_need);
	*out = xcalloc(count + 1, sizeof(**out));
	/* the control cases are measured in each round, however many they have */
	for (size_t i = 0; i < decide->control_count; i++)
		left_ns -= rounds_cost_ns(decide, decide->control[i].index, rounds - fewest);
	for (size_t i = 0; i < count; i++) {
		const int lacking = rounds - sweep->cases[choices[i].index].rounds_done;
		const double cost_ns = rounds_cost_ns(decide, choices[i].index, lacking);

		if (cost_ns > left_ns || left_ns <= 0)
			continue;
		left_ns -= cost_ns;
		(*out)[taken++] = choices[i].index;
	}
	free(choices);
	return taken;
}

/* ---- which control cases ---- */

/* The medians of the rounds from number `begin` to below `end`. */
static size_t medians_between(double *out, const struct trial *trial, int begin, int end)
{
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		const struct round_summary *round = &trial->rounds[i];

		if (round->round >= begin && round->round < end && round->median_ns > 0)
			out[count++] = round->median_ns;
	}
	return count;
}

/* From the rounds that a trial has from `begin` to below `end` against its first rounds. */
static struct effect effect_of_rounds(const struct trial *trial, int first, int begin, int end,
				      const struct noise *noise, double *error)
{
	double *before = xcalloc(trial->round_count + 1, sizeof(*before));
	double *after = xcalloc(trial->round_count + 1, sizeof(*after));
	const size_t n = medians_between(before, trial, 0, first);
	const size_t m = medians_between(after, trial, begin, end);
	struct effect effect =
		effect_of((struct process_medians){before, n}, (struct process_medians){after, m},
			  &(struct effect_context){.noise = *noise, .share = 1});

	*error = sqrt(effect.variance * (1 / (double)n + 1 / (double)m));
	free(before);
	free(after);
	return effect;
}

struct control_candidate {
	size_t index;
	bool undecided, dear;
	double variance; /* of its first rounds */
};

static int by_suitability(const void *left, const void *right)
{
	const struct control_candidate *a = left, *b = right;

	if (a->undecided != b->undecided)
		return a->undecided - b->undecided;
	if (a->dear != b->dear)
		return a->dear - b->dear;
	if (a->variance != b->variance)
		return a->variance > b->variance ? 1 : -1;
	return a->index < b->index ? -1 : 1;
}

/* The cases that have their first rounds, the best control cases first; malloc'd. */
static struct control_candidate *find_candidates(size_t *count, const struct sweep_decide *decide,
						 const struct run *head,
						 const struct regress *regress)
{
	const struct sweep *sweep = decide->sweep;
	struct control_candidate *found = xcalloc(sweep->plan->count + 1, sizeof(*found));
	const struct noise noise = noise_of_runs(&head, 1);
	double mean_ns = 0;

	*count = 0;
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct trial *trial = run_trial(head, decide->trial_ids[i]);
		struct control_candidate *item = &found[*count];
		double error;

		if (sweep->cases[i].ended || !trial || sweep->cases[i].rounds_done < decide->first)
			continue;
		item->index = i;
		item->variance =
			effect_of_rounds(trial, decide->first, 0, decide->first, &noise, &error)
				.variance;
		mean_ns += (double)sweep->cases[i].round_ns;
		*count += isfinite(item->variance);
	}
	mean_ns /= *count ? (double)*count : 1;
	for (size_t i = 0; i < *count; i++)
		found[i].dear =
			(double)sweep->cases[found[i].index].round_ns > CONTROL_COST_MOST * mean_ns;
	for (size_t i = 0; i < regress->count; i++) {
		const struct regress_case *item = &regress->cases[i];
		const size_t index =
			item->undecided ? decide_index(decide, item->head, i) : NO_CASE;

		for (size_t k = 0; k < *count && index != NO_CASE; k++)
			found[k].undecided |= found[k].index == index;
	}
	qsort(found, *count, sizeof(*found), by_suitability);
	return found;
}

void decide_choose_control(struct sweep_decide *decide, const struct run *head,
			   const struct regress *regress)
{
	struct control_candidate *found;
	size_t count;

	if (decide->control_count)
		return;
	found = find_candidates(&count, decide, head, regress);
	/* one of each kernel first */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count && decide->control_count < CONTROL_CASES; i++) {
			const struct plan_case *cases = decide->sweep->plan->cases;
			const size_t index = found[i].index;
			bool suits = found[0].undecided || !found[i].undecided;

			for (size_t k = 0; k < decide->control_count; k++) {
				const size_t other = decide->control[k].index;

				suits &= other != index &&
					 (pass > 0 ||
					  strcmp(cases[other].kernel, cases[index].kernel) != 0);
			}
			if (suits)
				decide->control[decide->control_count++].index = index;
		}
	free(found);
}

size_t decide_add_control(const struct sweep_decide *decide, size_t *cases, size_t count)
{
	const struct sweep *sweep = decide->sweep;

	for (size_t i = 0; i < decide->control_count; i++) {
		const size_t index = decide->control[i].index;
		bool has = sweep->cases[index].ended;

		for (size_t k = 0; k < count && !has; k++)
			has = cases[k] == index;
		if (!has)
			cases[count++] = index;
	}
	return count;
}

/* ---- whether they moved ---- */

static int compare_moves(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The standard error of the median of these moves: by what the known noise and the rounds say of
 * each, or by how far they are apart, which is more if the first rounds agreed by chance. */
static double error_of_median(const double *moves, size_t count, double variance)
{
	double mean = 0, squares = 0, by_rounds = variance / (double)count, by_moves = 0;

	for (size_t i = 0; i < count; i++)
		mean += moves[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (moves[i] - mean) * (moves[i] - mean);
	if (count > 1)
		by_moves = squares / (double)(count - 1);
	/* the variance of a median is pi/2 times that of a mean */
	return sqrt(M_PI / 2 * fmax(by_rounds, by_moves) / (double)count);
}

double decide_control_moved(const struct sweep_decide *decide, const struct run *head)
{
	const struct noise noise = noise_of_runs(&head, 1);
	double moves[CONTROL_CASES], variance = 0, moved;
	size_t count = 0;

	for (size_t i = 0; i < decide->control_count; i++) {
		const struct control_case *control = &decide->control[i];
		const struct trial *trial = run_trial(head, decide->trial_ids[control->index]);
		struct effect effect;
		double error;

		if (!trial)
			continue;
		effect = effect_of_rounds(trial, decide->first, control->unchecked, INT_MAX, &noise,
					  &error);
		if (isnan(effect.change))
			continue;
		moves[count++] = log1p(effect.change);
		variance += error * error;
	}
	if (!count)
		return 0;
	qsort(moves, count, sizeof(*moves), compare_moves);
	moved = fabs(moves[(count - 1) / 2] / 2 + moves[count / 2] / 2);
	return moved > CONTROL_MOVED_MOST &&
			       moved > CONTROL_ERRORS * error_of_median(moves, count, variance)
		       ? moved
		       : 0;
}

/* ---- what a resumed run needs of them ---- */

int decide_store_control(struct sweep_decide *decide, int begin, struct error *err)
{
	struct sweep *sweep = decide->sweep;
	struct text fact = TEXT_INIT;
	int rc;

	text_addf(&fact, "%d", begin);
	for (size_t i = 0; i < decide->control_count; i++) {
		struct control_case *control = &decide->control[i];

		control->unchecked = sweep->cases[control->index].rounds_done;
		text_addf(&fact, " %zu:%d", control->index, control->unchecked);
	}
	rc = db_environment_set(decide->db, decide->run_id, DECIDE_CONTROL_KEY, fact.data, err);
	text_release(&fact);
	return rc;
}

/* Reads "PLACE:ROUND". false: it is something else, as in a damaged database. */
static bool read_control(struct control_case *out, const char *word,
			 const struct sweep_decide *decide)
{
	const struct sweep *sweep = decide->sweep;
	struct string_list parts = {0};
	struct error ignored = {0};
	int64_t index = -1, round = -1;
	bool read;

	string_list_split(&parts, word, ':');
	read = parts.count == 2 && !parse_i64(&index, parts.items[0], &ignored) && index >= 0 &&
	       (uint64_t)index < sweep->plan->count &&
	       !parse_i64(&round, parts.items[1], &ignored) && round >= decide->first &&
	       round <= INT32_MAX;
	string_list_release(&parts);
	if (read)
		*out = (struct control_case){(size_t)index, (int)round};
	return read;
}

int decide_load_control(struct sweep_decide *decide)
{
	struct sweep *sweep = decide->sweep;
	const char *fact = key_value_get(&decide->resumed->environment, DECIDE_CONTROL_KEY);
	struct string_list words = {0};
	struct error ignored = {0};
	int64_t begin = 0;

	if (!fact)
		return 0;
	string_list_split(&words, fact, ' ');
	if (!words.count || parse_i64(&begin, words.items[0], &ignored) || begin < decide->first ||
	    begin > INT32_MAX)
		begin = 0;
	for (size_t i = 1; begin && i < words.count && decide->control_count < CONTROL_CASES; i++) {
		struct control_case *control = &decide->control[decide->control_count];

		if (read_control(control, words.items[i], decide) &&
		    !sweep->cases[control->index].ended)
			decide->control_count++;
	}
	string_list_release(&words);
	return (int)begin;
}
