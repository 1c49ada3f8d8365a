/* The control cases of --decide: which they are, and whether they moved meanwhile. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sweep/decide/decide.h"

/* A case that takes longer than so many times the mean is a control case only if there is no other.
 */
#define CONTROL_COST_MOST 3

/* ---- which cases ---- */

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
				      double *error)
{
	double *before = xcalloc(trial->round_count + 1, sizeof(*before));
	double *after = xcalloc(trial->round_count + 1, sizeof(*after));
	const size_t n = medians_between(before, trial, 0, first);
	const size_t m = medians_between(after, trial, begin, end);
	struct effect effect = effect_with_share((struct process_medians){before, n},
						 (struct process_medians){after, m}, 1);

	*error = sqrt(effect.variance * (1 / (double)n + 1 / (double)m));
	free(before);
	free(after);
	return effect;
}

struct candidate {
	size_t index;
	bool undecided, dear;
	double variance; /* of its first rounds */
};

static int by_suitability(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->undecided != b->undecided)
		return a->undecided - b->undecided;
	if (a->dear != b->dear)
		return a->dear - b->dear;
	if (a->variance != b->variance)
		return a->variance > b->variance ? 1 : -1;
	return a->index < b->index ? -1 : 1;
}

/* The cases that have their first rounds, the best control cases first; malloc'd. */
static struct candidate *find_candidates(size_t *count, const struct sweep_decide *decide,
					 const struct run *head, const struct regress *regress)
{
	const struct sweep *sweep = decide->sweep;
	struct candidate *found = xcalloc(sweep->plan->count + 1, sizeof(*found));
	double mean_ns = 0;

	*count = 0;
	for (size_t i = 0; i < sweep->plan->count; i++) {
		const struct trial *trial = run_trial(head, decide->trial_ids[i]);
		struct candidate *item = &found[*count];
		double error;

		if (sweep->cases[i].ended || !trial || sweep->cases[i].rounds_done < decide->first)
			continue;
		item->index = i;
		item->variance =
			effect_of_rounds(trial, decide->first, 0, decide->first, &error).variance;
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

static bool control_has(const struct sweep_decide *decide, size_t index, bool kernel_of_it)
{
	const struct sweep *sweep = decide->sweep;

	for (size_t i = 0; i < decide->control_count; i++)
		if (kernel_of_it ? strcmp(sweep->plan->cases[decide->control[i].index].kernel,
					  sweep->plan->cases[index].kernel) == 0
				 : decide->control[i].index == index)
			return true;
	return false;
}

void decide_choose_control(struct sweep_decide *decide, const struct run *head,
			   const struct regress *regress)
{
	struct candidate *found;
	size_t count;

	if (decide->control_count)
		return;
	found = find_candidates(&count, decide, head, regress);
	/* one of each kernel first */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count && decide->control_count < CONTROL_CASES; i++) {
			const bool others = !found[0].undecided && found[i].undecided;

			if (!others && !control_has(decide, found[i].index, pass == 0))
				decide->control[decide->control_count++].index = found[i].index;
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
	double moves[CONTROL_CASES], variance = 0, moved;
	size_t count = 0;

	for (size_t i = 0; i < decide->control_count; i++) {
		const struct control_case *control = &decide->control[i];
		const struct trial *trial = run_trial(head, decide->trial_ids[control->index]);
		struct effect effect;
		double error;

		if (!trial)
			continue;
		effect =
			effect_of_rounds(trial, decide->first, control->unchecked, INT_MAX, &error);
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
