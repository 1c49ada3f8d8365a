/* The verdicts of comparisons: names, meanings, lists. */
#include "metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} changes[CHANGE_COUNT] = {
#define X(symbol, change_name, change_meaning) [symbol] = {change_name, change_meaning},
	CHANGE_LIST(X)
#undef X
};

const char *change_name(enum change change)
{
	return changes[change].name;
}

const char *change_meaning(enum change change)
{
	return changes[change].meaning;
}

bool change_parse(enum change *out, const char *name)
{
	for (size_t i = 0; i < CHANGE_COUNT; i++) {
		if (strcmp(changes[i].name, name) == 0) {
			*out = (enum change)i;
			return true;
		}
	}
	return false;
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
