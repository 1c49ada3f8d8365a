/* Lists of counters. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void counter_value_release(struct counter_value *counter)
{
	free(counter->metric);
	free(counter->unit);
	free(counter->source);
	free(counter->reason);
	memset(counter, 0, sizeof(*counter));
}

/* Returns the entry of that name, or a new all-zero one at the end. */
static struct counter_value *counter_list_slot(struct counter_list *list, const char *metric)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].metric, metric) == 0)
			return &list->items[i];
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(list->items[0]));
	memset(&list->items[list->count], 0, sizeof(list->items[0]));
	return &list->items[list->count++];
}

static void counter_list_put(struct counter_list *list, struct counter_value counter)
{
	struct counter_value *slot = counter_list_slot(list, counter.metric);

	counter_value_release(slot);
	*slot = counter;
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
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].metric, metric) == 0)
			return &list->items[i];
	}
	return NULL;
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
	memset(list, 0, sizeof(*list));
}
