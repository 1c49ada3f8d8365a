/* Lists of counters. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDEXED_LEAST 32 /* shorter lists are searched */

void counter_value_release(struct counter_value *counter)
{
	free(counter->metric);
	free(counter->unit);
	free(counter->source);
	free(counter->reason);
	memset(counter, 0, sizeof(*counter));
}

/* Returns NO_NAME if the list has no such counter. */
static size_t counter_list_place(const struct counter_list *list, const char *metric)
{
	if (list->index.count && list->index.count == list->count)
		return name_index_find(&list->index, metric);
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].metric, metric) == 0)
			return i;
	}
	return NO_NAME;
}

/* A counter of an imported file may be one of thousands. */
static void counter_list_index(struct counter_list *list)
{
	if (list->count < INDEXED_LEAST)
		return;
	while (list->index.count < list->count)
		name_index_add(&list->index, list->items[list->index.count].metric,
			       list->index.count);
}

/* Takes ownership of the texts of the counter. */
static void counter_list_put(struct counter_list *list, struct counter_value counter)
{
	size_t at = counter_list_place(list, counter.metric);

	if (at == NO_NAME) {
		list->items = xgrow(list->items, &list->capacity, list->count + 1,
				    sizeof(list->items[0]));
		list->items[list->count++] = counter;
		counter_list_index(list);
		return;
	}
	/* the index borrows the name */
	free(counter.metric);
	counter.metric = list->items[at].metric;
	list->items[at].metric = NULL;
	counter_value_release(&list->items[at]);
	list->items[at] = counter;
}

void counter_list_set(struct counter_list *list, const char *metric, const char *unit,
		      const char *source, double value)
{
	if (!isfinite(value)) {
		counter_list_set_missing(list, metric, unit, source, "the value is not finite");
		return;
	}
	counter_list_put(list, (struct counter_value){
				       .metric = xstrdup(metric),
				       .unit = xstrdup(unit),
				       .source = xstrdup(source),
				       .has_value = true,
				       .value = value,
			       });
}

void counter_list_set_missing(struct counter_list *list, const char *metric, const char *unit,
			      const char *source, const char *reason)
{
	counter_list_put(list, (struct counter_value){
				       .metric = xstrdup(metric),
				       .unit = xstrdup(unit),
				       .source = xstrdup(source),
				       .value = NAN,
				       .reason = xstrdup(reason),
			       });
}

const struct counter_value *counter_list_find(const struct counter_list *list, const char *metric)
{
	size_t at = counter_list_place(list, metric);

	return at == NO_NAME ? NULL : &list->items[at];
}

void counter_list_copy(struct counter_list *list, const struct counter_list *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct counter_value *value = &from->items[i];

		if (value->has_value)
			counter_list_set(list, value->metric, value->unit, value->source,
					 value->value);
		else
			counter_list_set_missing(list, value->metric, value->unit, value->source,
						 value->reason);
	}
}

void counter_list_release(struct counter_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		counter_value_release(&list->items[i]);
	free(list->items);
	name_index_release(&list->index);
	memset(list, 0, sizeof(*list));
}
