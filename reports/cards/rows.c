/* The cases of two devices, each trial under the roofs of its own device. */
#include <stdlib.h>
#include <string.h>

#include "reports/cards/cards.h"

static bool same_problem(const struct trial *a, const struct trial *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0 &&
	       a->flop == b->flop && a->bytes_read == b->bytes_read &&
	       a->bytes_written == b->bytes_written;
}

/* Whether no other case of the variant with the same work is faster on A. */
static bool is_best(const struct card_pairs *pairs, size_t index)
{
	const struct trial *trial = pairs->items[index].here;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct trial *other = pairs->items[i].here;

		if (i == index || !same_problem(trial, other))
			continue;
		if (other->summary.median_ns < trial->summary.median_ns ||
		    (other->summary.median_ns == trial->summary.median_ns && i < index))
			return false;
	}
	return true;
}

/* Both point into the trials of A. */
static int by_place_on_a(const void *left, const void *right)
{
	const struct card_row *a = left, *b = right;

	return a->trials[0] < b->trials[0] ? -1 : a->trials[0] > b->trials[0];
}

void card_rows_init(struct card_rows *out, const struct cards_report *report)
{
	const struct card_pairs *pairs = report->pairs;

	*out = (struct card_rows){.items = xcalloc(pairs->count + 1, sizeof(*out->items))};
	for (size_t i = 0; i < pairs->count; i++) {
		struct card_row *row = &out->items[out->count++];

		row->pair = &pairs->items[i];
		row->trials[0] = row->pair->here;
		row->trials[1] = row->pair->there;
		row->best = is_best(pairs, i);
		out->best_count += row->best;
		for (int card = 0; card < CARDS; card++)
			trial_roofline_init(&row->rooflines[card], report->runs[card],
					    row->trials[card], report->ceilings[card]);
	}
	if (out->count > 1)
		qsort(out->items, out->count, sizeof(*out->items), by_place_on_a);
}

void card_rows_release(struct card_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		for (int card = 0; card < CARDS; card++)
			trial_roofline_release(&rows->items[i].rooflines[card]);
	}
	free(rows->items);
	*rows = (struct card_rows){0};
}

const struct ceiling *card_roof(const struct ceiling_list *ceilings, bool is_level, int of)
{
	return is_level ? ceiling_of_level(ceilings, (enum memory_level)of)
			: ceiling_of_precision(ceilings, (enum precision)of);
}
