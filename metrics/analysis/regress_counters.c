/* Counters of a case in two runs: which ones are compared, and which got worse. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/regress.h"
#include "metrics/analysis/regress_counters.h"
#include "metrics/analysis/thresholds.h"
#include "metrics/catalogue/catalogue.h"

/* Relative to the base. A change from 0 exceeds every limit. */
static double relative_change(double base, double head)
{
	return base != 0 ? fabs(head - base) / fabs(base) : INFINITY;
}

static bool is_compared(const struct metric *metric, const char *name,
			const struct regress_options *options)
{
	if (options->counters == REGRESS_COUNTERS_NAMED)
		return string_list_has(options->names, name);
	/* derived metrics repeat what their inputs show */
	return metric && metric->exact && !metric->derive;
}

static void add_counter_change(struct regress_case *item, const struct counter_change *change)
{
	item->counters =
		xrealloc(item->counters, (item->counter_count + 1) * sizeof(*item->counters));
	item->counters[item->counter_count++] = *change;
}

static int compare_counter(struct regress_case *item, const struct regress_pair *pair,
			   const struct counter_value *base, const struct counter_value *head,
			   const struct regress_options *options, struct error *err)
{
	const struct metric *metric = metric_find(head->metric);
	const bool exact = metric && metric_is_exact(metric);
	const struct threshold *limit =
		options->thresholds ? thresholds_find(options->thresholds, item->name, head->metric)
				    : NULL;
	struct counter_change change = {.metric = head->metric,
					.unit = head->unit,
					.base = base->value,
					.head = head->value};
	bool beyond;

	if (limit ? limit->ignore : !is_compared(metric, head->metric, options))
		return 0;
	if (!limit && !exact)
		return error_set(
			err, PL_EUSAGE,
			"%s does not repeat exactly: to compare it, give it a limit with a "
			"line such as \"* %s=+5%%\" in a file for --thresholds",
			head->metric, head->metric);
	/* counts may depend on the input */
	if (!limit && pair->base_seed != pair->head_seed)
		return 0;
	item->counters_compared++;
	if (base->value == head->value)
		return 0;
	change.worse = limit ? limit->worse : metric->worse;
	beyond = relative_change(base->value, head->value) > (limit ? limit->limit : 0);
	if (!beyond && !exact)
		return 0;
	if (beyond && change.worse != WORSE_NEITHER)
		change.verdict =
			(head->value > base->value) == (change.worse == WORSE_MORE) ? 1 : -1;
	add_counter_change(item, &change);
	return 0;
}

static int by_relative_change(const void *left, const void *right)
{
	const struct counter_change *a = left, *b = right;
	const double of_a = relative_change(a->base, a->head),
		     of_b = relative_change(b->base, b->head);

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return strcmp(a->metric, b->metric);
}

int regress_compare_counters(struct regress_case *item, const struct regress_pair *pair,
			     const struct regress_options *options, struct error *err)
{
	const struct counter_list *counters = &pair->head->counters;
	int rc = 0;

	if (options->counters == REGRESS_COUNTERS_NONE)
		return 0;
	for (size_t i = 0; i < counters->count && !rc; i++) {
		const struct counter_value *head = &counters->items[i], *base = NULL;

		/* both lists usually have the same order, so try the same place before a search */
		if (i < pair->base->counters.count &&
		    strcmp(pair->base->counters.items[i].metric, head->metric) == 0)
			base = &pair->base->counters.items[i];
		else
			base = counter_list_find(&pair->base->counters, head->metric);
		if (base && base->has_value && head->has_value)
			rc = compare_counter(item, pair, base, head, options, err);
	}
	if (item->counter_count)
		qsort(item->counters, item->counter_count, sizeof(*item->counters),
		      by_relative_change);
	return rc;
}
