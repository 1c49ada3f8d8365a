/* Lists of keys and values. */
#include "metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

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

void key_value_add_all(struct key_value_list *list, const struct key_value_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		key_value_set(list, from->items[i].key, from->items[i].value);
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
