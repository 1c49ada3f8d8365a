/* Compares the cases that two devices have in common; see the header. */
#include "metrics/analysis/cards.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/counted.h"
#include "metrics/analysis/regress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cards_differ(const struct run *a, const struct run *b)
{
	const struct device_info *x = &a->device, *y = &b->device;

	return strcmp(x->name, y->name) != 0 || strcmp(x->chip, y->chip) != 0 ||
	       x->sm_count != y->sm_count || x->memory_bytes != y->memory_bytes;
}

static bool card_has_time(const struct trial *trial)
{
	return trial && trial_status_measured(trial->status) && trial->summary.median_ns > 0;
}

static bool card_same_work(const struct trial *a, const struct trial *b)
{
	return a->has_work == b->has_work && a->flop == b->flop && a->bytes_read == b->bytes_read &&
	       a->bytes_written == b->bytes_written;
}

/* The medians of the rounds; malloc'd. */
static struct process_medians medians_of(const struct trial *trial)
{
	double *times = xcalloc(trial->round_count + 1, sizeof(*times));
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		if (trial->rounds[i].median_ns > 0)
			times[count++] = trial->rounds[i].median_ns;
	}
	return (struct process_medians){times, count};
}

static struct card_pair pair_of(const struct trial *here, const struct trial *there)
{
	struct process_medians base = medians_of(here), head = medians_of(there);
	struct effect effect = effect_of(base, head);
	struct card_pair pair = {
		.here = here,
		.there = there,
		.ratio = finite_quotient(there->summary.median_ns, here->summary.median_ns),
		.low = finite_or_nan(1 + effect.low),
		.high = finite_or_nan(1 + effect.high)};

	/* the interval is that of the geometric means of the rounds */
	if (isfinite(effect.change))
		pair.ratio = 1 + effect.change;
	free((void *)base.time_ns);
	free((void *)head.time_ns);
	return pair;
}

void card_pairs_of(struct card_pairs *out, const struct run *here, const struct run *there)
{
	struct regress_pair *named;
	size_t count = regress_pairs(&named, here, there);

	*out = (struct card_pairs){.items = xcalloc(count + 1, sizeof(*out->items))};
	for (size_t i = 0; i < count; i++) {
		const struct trial *a = named[i].base, *b = named[i].head;

		if (!card_has_time(a) || !card_has_time(b)) {
			out->only_here += card_has_time(a);
			out->only_there += card_has_time(b);
		} else if (!card_same_work(a, b)) {
			out->other_work++;
		} else {
			out->items[out->count++] = pair_of(a, b);
		}
	}
	free(named);
}

void card_pairs_release(struct card_pairs *pairs)
{
	free(pairs->items);
	*pairs = (struct card_pairs){0};
}
