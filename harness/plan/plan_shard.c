/*
 * A part of a plan. The cases of each variant are dealt to the shards like
 * cards, in an order that is drawn from their names: each shard gets its
 * share of every variant, and no shard all the large sizes. What is skipped
 * has no part in it, so that devices of one kind deal alike.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "harness/plan/plan.h"
#include "metrics/metrics.h"

struct card {
	uint64_t key;
	size_t index; /* of the case */
};

static int compare_cards(const void *left, const void *right)
{
	const struct card *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static bool is_same_variant(const struct plan_case *a, const struct plan_case *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0;
}

/* The cards of the cases from `begin` on that are of one variant, shuffled. Returns how many. */
static size_t cards_take(struct card *cards, const struct plan *plan, size_t begin)
{
	size_t count = 0;

	for (size_t i = begin; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];

		if (!is_same_variant(planned, &plan->cases[begin]))
			break;
		cards[count++] =
			(struct card){XXH64(planned->config, strlen(planned->config), begin), i};
	}
	qsort(cards, count, sizeof(*cards), compare_cards);
	return count;
}

void plan_take_shard(struct plan *plan, size_t shard, size_t total)
{
	struct card *cards = xcalloc(plan->count + 1, sizeof(*cards));
	bool *mine = xcalloc(plan->count + 1, sizeof(*mine));
	size_t dealt = 0, kept = 0;

	while (dealt < plan->count) {
		size_t count = cards_take(cards, plan, dealt);

		for (size_t i = 0; i < count; i++)
			mine[cards[i].index] = (dealt + i) % total == shard - 1;
		dealt += count;
	}
	plan->runnable = 0;
	for (size_t i = 0; i < plan->count; i++) {
		if (!mine[i]) {
			plan_case_release(&plan->cases[i]);
			continue;
		}
		plan->runnable += plan->cases[i].launch != NULL;
		plan->cases[kept++] = plan->cases[i];
	}
	plan->count = kept;
	free(mine);
	free(cards);
}
