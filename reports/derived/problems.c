/*
 * Finds which trials of a run solve the same problem. Keys are sorted instead of compared pair by
 * pair, so ten thousand trials are quick.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"

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
