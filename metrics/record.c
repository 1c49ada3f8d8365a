/* Records: what a run holds, and the release of what they own. */
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics.h"

void key_value_set(struct key_value_list *list, const char *key, const char *value)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].key, key) == 0) {
			free(list->items[i].value);
			list->items[i].value = xstrdup(value);
			return;
		}
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct key_value){xstrdup(key), xstrdup(value)};
}

const char *key_value_get(const struct key_value_list *list, const char *key)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].key, key) == 0)
			return list->items[i].value;
	}
	return NULL;
}

void key_value_list_release(struct key_value_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].key);
		free(list->items[i].value);
	}
	free(list->items);
	*list = (struct key_value_list){0};
}

void trial_release(struct trial *trial)
{
	free(trial->kernel);
	free(trial->variant);
	free(trial->config);
	free(trial->axes);
	free(trial->reason);
	counter_list_release(&trial->counters);
	line_count_list_release(&trial->lines);
	free(trial->rounds);
	*trial = (struct trial){0};
}

char *trial_case_name(const struct trial *trial)
{
	return xasprintf("%s/%s/%s", trial->kernel, trial->variant, trial->config);
}

void run_release(struct run *run)
{
	free(run->label);
	free(run->note);
	free(run->command);
	free(run->backend);
	free(run->version);
	free(run->source_revision);
	free(run->settings);
	free(run->state);
	free(run->mark);
	free(run->mark_why);
	key_value_list_release(&run->environment);
	for (size_t i = 0; i < run->trial_count; i++)
		trial_release(&run->trials[i]);
	free(run->trials);
	*run = (struct run){0};
}

void comparison_list_add(struct trial_comparison_list *list,
			 const struct trial_comparison *comparison)
{
	struct trial_comparison *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = *comparison;
	if (comparison->why)
		added->why = xstrdup(comparison->why);
}

void comparison_list_release(struct trial_comparison_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].why);
	free(list->items);
	*list = (struct trial_comparison_list){0};
}
