/* The measurement nouns: trial statuses, counters and their lists. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
#define X(symbol, name, meaning) [symbol] = name,
	TRIAL_STATUS_LIST(X)
#undef X
};

const char *trial_status_name(enum trial_status status)
{
	return status_names[status];
}

bool trial_status_parse(enum trial_status *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_names); i++) {
		if (strcmp(status_names[i], name) == 0) {
			*out = (enum trial_status)i;
			return true;
		}
	}
	return false;
}

bool trial_status_is_failure(enum trial_status status)
{
	return status != TRIAL_OK && status != TRIAL_SAMPLED && status != TRIAL_SKIPPED &&
	       status != TRIAL_PENDING;
}

struct line_count *line_count_list_add(struct line_count_list *list, const char *file, int64_t line)
{
	struct line_count *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(list->items[0]));
	added = &list->items[list->count++];
	*added = (struct line_count){.file = file ? xstrdup(file) : NULL, .line = line};
	return added;
}

void line_count_list_release(struct line_count_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].file);
	free(list->items);
	*list = (struct line_count_list){0};
}

const struct launch_facts launch_facts_unknown = {
	.registers_per_thread = -1,
	.shared_static_bytes = -1,
	.shared_dynamic_bytes = -1,
	.local_bytes_per_thread = -1,
	.theoretical_occupancy_pct = NAN,
};

void counter_value_release(struct counter_value *counter)
{
	free(counter->metric);
	free(counter->unit);
	free(counter->source);
	free(counter->reason);
	memset(counter, 0, sizeof(*counter));
}

/* The list's entry of that name, emptied, or a new one at its end. */
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
