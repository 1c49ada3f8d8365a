/*
 * Which trials of a run solve the same problem, the order of the cases, and the best ones. Every
 * output takes them from here, so that text, page, JSON and pictures name the same fastest case.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"

/* ---- problems ---- */

/* The work of a variant on one problem. */
struct work {
	bool known;
	int64_t flop, bytes_read, bytes_written;
};

struct keyed {
	char *key;
	size_t trial;
};

static void add_axes_to_key(struct text *key, const struct trial *trial, bool only_n)
{
	for (size_t i = 0; i < trial->axis_count; i++) {
		const struct named_value *axis = &trial->axes[i];

		if (strcmp(axis->name, "block") == 0 || (only_n && strcmp(axis->name, "n") != 0))
			continue;
		text_addf(key, "\n%s=%lld", axis->name, (long long)axis->value);
	}
}

static int compare_keys(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order ? order : a->trial < b->trial ? -1 : 1;
}

/* Sorts the trials by a key. The caller frees the keys and the array. */
static struct keyed *sort_by_key(const struct run *run, const struct work *works,
				 char *(*key_of)(const struct trial *, const struct work *))
{
	struct keyed *entries = xcalloc(run->trial_count + 1, sizeof(*entries));

	for (size_t i = 0; i < run->trial_count; i++)
		entries[i] = (struct keyed){key_of(&run->trials[i], works ? &works[i] : NULL), i};
	qsort(entries, run->trial_count, sizeof(*entries), compare_keys);
	return entries;
}

static void free_keys(struct keyed *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(entries[i].key);
	free(entries);
}

static char *key_of_configuration(const struct trial *trial, const struct work *work)
{
	struct text key = TEXT_INIT;

	(void)work;
	text_addf(&key, "%s\n%s", trial->kernel, trial->variant);
	add_axes_to_key(&key, trial, false);
	return text_detach(&key);
}

static double amount_of(const struct work *work)
{
	return (double)work->bytes_read + (double)work->bytes_written;
}

static bool is_more_work(const struct work *a, const struct work *b)
{
	if (!b->known || amount_of(a) != amount_of(b))
		return !b->known || amount_of(a) > amount_of(b);
	return a->flop > b->flop;
}

/*
 * The work of some variants depends on the block size, as with a tree reduction per block. Gives
 * each trial the most work that its variant has at any block size, so that all block sizes solve
 * one problem.
 */
static struct work *find_works(const struct run *run)
{
	struct work *works = xcalloc(run->trial_count + 1, sizeof(*works));
	struct keyed *entries = sort_by_key(run, NULL, key_of_configuration);
	size_t begin = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		struct work most = {0};

		if (i + 1 < run->trial_count && strcmp(entries[i].key, entries[i + 1].key) == 0)
			continue;
		for (size_t j = begin; j <= i; j++) {
			const struct trial *trial = &run->trials[entries[j].trial];
			const struct work work = {trial->has_work, trial->flop, trial->bytes_read,
						  trial->bytes_written};

			if (work.known && is_more_work(&work, &most))
				most = work;
		}
		for (size_t j = begin; j <= i; j++)
			works[entries[j].trial] = most;
		begin = i + 1;
	}
	free_keys(entries, run->trial_count);
	return works;
}

static char *key_of_problem(const struct trial *trial, const struct work *work)
{
	struct text key = TEXT_INIT;

	text_add(&key, trial->kernel);
	if (work->known)
		text_addf(&key, "\n%lld %lld %lld", (long long)work->flop,
			  (long long)work->bytes_read, (long long)work->bytes_written);
	add_axes_to_key(&key, trial, work->known);
	return text_detach(&key);
}

/* The larger amount alone: a matrix product of the same size has fewer bytes in half precision. */
static double size_of(const struct trial *trial, const struct work *work)
{
	const struct named_value *n = trial_axis(trial, "n");

	if (work->known)
		return fmax((double)work->flop, amount_of(work));
	return n ? (double)n->value : 0;
}

void run_problems(struct problems *out, const struct run *run)
{
	struct work *works = find_works(run);
	struct keyed *entries = sort_by_key(run, works, key_of_problem);

	*out = (struct problems){
		.of = xcalloc(run->trial_count + 1, sizeof(*out->of)),
		.size = xcalloc(run->trial_count + 1, sizeof(*out->size)),
	};
	for (size_t i = 0; i < run->trial_count; i++) {
		size_t trial = entries[i].trial;

		if (i == 0 || strcmp(entries[i].key, entries[i - 1].key) != 0)
			out->size[out->count++] = size_of(&run->trials[trial], &works[trial]);
		out->of[trial] = out->count - 1;
	}
	free_keys(entries, run->trial_count);
	free(works);
}

void problems_release(struct problems *problems)
{
	free(problems->of);
	free(problems->size);
	*problems = (struct problems){0};
}

/* ---- the order of the cases ---- */

bool trial_can_be_best(const struct run *run, const struct trial *trial,
		       const struct ceiling_list *ceilings)
{
	return trial_status_measured(trial->status) && isfinite(trial->summary.median_ns) &&
	       !trial_is_above_roof(run, trial, ceilings);
}

bool trial_is_faster(const struct trial *a, const struct trial *b)
{
	if (a->status != b->status)
		return a->status == TRIAL_OK;
	if (a->summary.median_ns != b->summary.median_ns)
		return a->summary.median_ns < b->summary.median_ns;
	return a < b;
}

/* What the order is found with. */
struct ranking {
	const struct run *run;
	const struct ranks *ranks;
	const struct problems *problems;
	const struct trial **fastest; /* per problem; NULL: no case of it can be the best */
};

/* The larger problem first; of problems of one size, the one with the fastest case. */
static int compare_problems(const struct ranking *ranking, size_t a, size_t b)
{
	const struct problems *problems = ranking->problems;
	const struct trial *fastest_a = ranking->fastest[a], *fastest_b = ranking->fastest[b];

	if (problems->size[a] != problems->size[b])
		return problems->size[a] > problems->size[b] ? -1 : 1;
	if (!fastest_a || !fastest_b)
		return fastest_a ? -1 : fastest_b ? 1 : a < b ? -1 : 1;
	return trial_is_faster(fastest_a, fastest_b) ? -1 : 1;
}

static int compare_trials(const void *left, const void *right, void *context)
{
	const struct ranking *ranking = context;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const size_t *problem = ranking->problems->of;
	const bool *can_be_best = ranking->ranks->can_be_best;
	const struct trial *trials = ranking->run->trials;
	const bool counted = trial_status_counted(trials[a].status);

	if (problem[a] != problem[b])
		return compare_problems(ranking, problem[a], problem[b]);
	if (can_be_best[a] != can_be_best[b])
		return can_be_best[a] ? -1 : 1;
	if (counted != trial_status_counted(trials[b].status))
		return counted ? -1 : 1;
	if (can_be_best[a])
		return trial_is_faster(&trials[a], &trials[b]) ? -1 : 1;
	return a < b ? -1 : 1;
}

/* Flags the first trial that can be the best in each group of the order. `name_of` names the group
 * of a trial. */
static bool *first_of_groups(const struct ranks *ranks, const struct run *run,
			     void (*name_of)(struct text *, const struct trial *))
{
	bool *first = xcalloc(run->trial_count + 1, sizeof(*first));
	struct string_list names = {0};
	struct name_index seen = {0}; /* borrows the names */

	for (size_t i = 0; i < run->trial_count; i++) {
		const size_t trial = ranks->order[i];
		struct text name = TEXT_INIT;

		name_of(&name, &run->trials[trial]);
		if (ranks->can_be_best[trial] && name_index_find(&seen, name.data) == NO_NAME) {
			string_list_add(&names, name.data);
			name_index_add(&seen, names.items[names.count - 1], i);
			first[trial] = true;
		}
		text_release(&name);
	}
	name_index_release(&seen);
	string_list_release(&names);
	return first;
}

static void name_kernel(struct text *out, const struct trial *trial)
{
	text_add(out, trial->kernel);
}

static void name_variant(struct text *out, const struct trial *trial)
{
	text_addf(out, "%s\n%s", trial->kernel, trial->variant);
}

void run_ranks(struct ranks *out, const struct run *run, const struct ceiling_list *ceilings)
{
	const size_t count = run->trial_count;
	struct problems problems;
	struct ranking ranking = {.run = run, .ranks = out, .problems = &problems};

	run_problems(&problems, run);
	*out = (struct ranks){
		.order = xcalloc(count + 1, sizeof(*out->order)),
		.can_be_best = xcalloc(count + 1, sizeof(*out->can_be_best)),
		.of_problem = xcalloc(count + 1, sizeof(*out->of_problem)),
	};
	ranking.fastest = xcalloc(problems.count + 1, sizeof(const struct trial *));
	for (size_t i = 0; i < count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial **there = &ranking.fastest[problems.of[i]];

		out->order[i] = i;
		out->can_be_best[i] = trial_can_be_best(run, trial, ceilings);
		if (out->can_be_best[i] && (!*there || trial_is_faster(trial, *there)))
			*there = trial;
	}
	for (size_t i = 0; i < problems.count; i++) {
		if (ranking.fastest[i])
			out->of_problem[ranking.fastest[i] - run->trials] = true;
	}
	qsort_r(out->order, count, sizeof(*out->order), compare_trials, &ranking);
	out->of_variant = first_of_groups(out, run, name_variant);
	out->of_kernel = first_of_groups(out, run, name_kernel);
	free(ranking.fastest);
	problems_release(&problems);
}

void ranks_release(struct ranks *ranks)
{
	free(ranks->order);
	free(ranks->can_be_best);
	free(ranks->of_problem);
	free(ranks->of_variant);
	free(ranks->of_kernel);
	*ranks = (struct ranks){0};
}

/* ---- speed-ups ---- */

static bool may_be_wrong(const struct trial *trial)
{
	return trial && trial->status == TRIAL_UNVERIFIED;
}

/* A case that may be wrong ranks after those that are right, and one that cannot be right last. */
static int distrust_of(const struct ranked_speedup *item)
{
	if (item->above_roof)
		return 2;
	return may_be_wrong(item->trial) || may_be_wrong(item->base);
}

static int compare_speedups(const void *left, const void *right)
{
	static const int places[SPEEDUP_VERDICT_COUNT] = {
		[SPEEDUP_FASTER] = 0,
		[SPEEDUP_SAME] = 1,
		[SPEEDUP_INCONCLUSIVE] = 2,
		[SPEEDUP_SLOWER] = 3,
	};
	const struct ranked_speedup *a = left, *b = right;
	int order = distrust_of(a) - distrust_of(b);

	if (!order)
		order = places[a->trial->speedup.verdict] - places[b->trial->speedup.verdict];
	if (order)
		return order;
	if (a->trial->speedup.speedup != b->trial->speedup.speedup)
		return a->trial->speedup.speedup > b->trial->speedup.speedup ? -1 : 1;
	return a->trial < b->trial ? -1 : 1;
}

size_t run_speedups(struct ranked_speedup **out, const struct run *run, const struct run *whole,
		    const struct ceiling_list *ceilings)
{
	size_t count = 0;

	*out = xcalloc(run->trial_count + 1, sizeof(**out));
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial *base;

		if (!trial->speedup.base_variant || trial->speedup.verdict == SPEEDUP_NOT_MEASURED)
			continue;
		base = run_trial(whole ? whole : run, trial->speedup.base_trial_id);
		(*out)[count++] = (struct ranked_speedup){
			.trial = trial,
			.base = base,
			.above_roof = trial_is_above_roof(run, trial, ceilings) ||
				      (base && trial_is_above_roof(run, base, ceilings)),
		};
	}
	qsort(*out, count, sizeof(**out), compare_speedups);
	return count;
}

void speedup_remarks(struct text *out, const struct ranked_speedup *item)
{
	const struct trial_speedup *speedup = &item->trial->speedup;

	if (item->above_roof)
		text_add(out, "above a measured roof");
	if (may_be_wrong(item->trial))
		text_addf(out, "%sunverified", out->length ? "; " : "");
	if (may_be_wrong(item->base))
		text_addf(out, "%s%s is unverified", out->length ? "; " : "",
			  speedup->base_variant);
	if (speedup->same_buffers == 0)
		text_addf(out, "%son other buffers", out->length ? "; " : "");
	if (speedup->why)
		text_addf(out, "%s%s", out->length ? "; " : "", speedup->why);
}
