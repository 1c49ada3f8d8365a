/*
 * Finds the best cases of a run: the fastest configuration of each problem. A key identifies the
 * problem, so ten thousand cases are sorted instead of compared pair by pair.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"

struct entry {
	char *problem;
	const struct trial *trial;
};

/*
 * Two trials solve the same problem if they have the same kernel and size and the work model counts
 * the same operations and bytes. Then the faster one is better. Without a work model every axis
 * except the block size must be the same.
 */
static char *problem_of(const struct trial *trial)
{
	struct text key = TEXT_INIT;

	text_add(&key, trial->kernel);
	if (trial->has_work)
		text_addf(&key, "\n%lld %lld %lld", (long long)trial->flop,
			  (long long)trial->bytes_read, (long long)trial->bytes_written);
	for (size_t i = 0; i < trial->axis_count; i++) {
		const struct named_value *axis = &trial->axes[i];

		if (strcmp(axis->name, "block") == 0 ||
		    (trial->has_work && strcmp(axis->name, "n") != 0))
			continue;
		text_addf(&key, "\n%s=%lld", axis->name, (long long)axis->value);
	}
	return text_detach(&key);
}

/* Orders by problem, then verified before unverified ones, then by time and by position in the
 * plan.
 */
static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->problem, b->problem);

	if (order)
		return order;
	if (a->trial->status != b->trial->status)
		return a->trial->status == TRIAL_OK ? -1 : 1;
	if (a->trial->summary.median_ns != b->trial->summary.median_ns)
		return a->trial->summary.median_ns < b->trial->summary.median_ns ? -1 : 1;
	return a->trial < b->trial ? -1 : 1;
}

bool *run_best(const struct run *run, const struct ceiling_list *ceilings)
{
	bool *best = xcalloc(run->trial_count + 1, sizeof(*best));
	struct entry *entries = xcalloc(run->trial_count + 1, sizeof(*entries));
	size_t count = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial_status_measured(trial->status) && isfinite(trial->summary.median_ns) &&
		    !trial_is_above_roof(run, trial, ceilings))
			entries[count++] = (struct entry){problem_of(trial), trial};
	}
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(entries[i].problem, entries[i - 1].problem) != 0)
			best[entries[i].trial - run->trials] = true;
	}
	for (size_t i = 0; i < count; i++)
		free(entries[i].problem);
	free(entries);
	return best;
}
