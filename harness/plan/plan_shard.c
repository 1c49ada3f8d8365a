/*
 * Selects one shard of a plan. The cases of each variant are shuffled by a hash
 * of their configurations and dealt to the shards in turn. Each shard gets its
 * share of every variant, and no shard gets all the large sizes. A case that is
 * measured beside a base case goes to the shard of that case. Skipped cases
 * are dealt like runnable ones, so every machine deals the same cases to the
 * same shard.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

struct shuffled_case {
	uint64_t key;
	size_t index; /* of the case in the plan */
};

static int compare_shuffled_cases(const void *left, const void *right)
{
	const struct shuffled_case *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

bool plan_same_variant(const struct plan_case *a, const struct plan_case *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0;
}

/* Shuffles the cases of one variant, from `begin` on. Returns their number. */
static size_t shuffle_variant(struct shuffled_case *shuffled, const struct plan *plan, size_t begin)
{
	size_t count = 0;

	for (size_t i = begin; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (!plan_same_variant(planned, &plan->cases[begin]))
			break;
		shuffled[count++] = (struct shuffled_case){
			XXH64(planned->config, strlen(planned->config), begin), i};
	}
	qsort(shuffled, count, sizeof(*shuffled), compare_shuffled_cases);
	return count;
}

void plan_take_shard(struct plan *plan, size_t shard, size_t total)
{
	struct shuffled_case *shuffled = xcalloc(plan->count + 1, sizeof(*shuffled));
	bool *mine = xcalloc(plan->count + 1, sizeof(*mine));
	size_t *places = xcalloc(plan->count + 1, sizeof(*places));
	size_t dealt = 0, kept = 0;

	while (dealt < plan->count) {
		size_t count = shuffle_variant(shuffled, plan, dealt);

		for (size_t i = 0; i < count; i++)
			mine[shuffled[i].index] = (dealt + i) % total == shard - 1;
		dealt += count;
	}
	for (size_t i = 0; i < plan->count; i++)
		if (plan_base(plan, &plan->cases[i]))
			mine[i] = mine[plan->cases[i].base];
	plan->runnable = 0;
	for (size_t i = 0; i < plan->count; i++) {
		if (!mine[i]) {
			plan_case_release(&plan->cases[i]);
			continue;
		}
		plan->runnable += plan->cases[i].launch != NULL;
		places[i] = kept;
		plan->cases[kept++] = plan->cases[i];
	}
	plan->count = kept;
	for (size_t i = 0; i < plan->count; i++)
		if (plan_base(plan, &plan->cases[i]))
			plan->cases[i].base = places[plan->cases[i].base];
	free(places);
	free(mine);
	free(shuffled);
}
