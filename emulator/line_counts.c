/* Lists of counts per source line. */
#include "emulator/counts.h"

#include <stdlib.h>
#include <string.h>

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
