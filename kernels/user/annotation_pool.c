/* Memory that is freed at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/user/annotation_pool.h"

static void *pool_own(struct annotation_pool *pool, void *item)
{
	pool->items = xgrow(pool->items, &pool->capacity, pool->count + 1, sizeof(*pool->items));
	pool->items[pool->count++] = item;
	return item;
}

void *pool_new(struct annotation_pool *pool, size_t size)
{
	return pool_own(pool, xcalloc(1, size));
}

char *pool_copy(struct annotation_pool *pool, const char *text, size_t length)
{
	return pool_own(pool, xstrndup(text, length));
}

char *pool_text(struct annotation_pool *pool, const char *text)
{
	return text ? pool_copy(pool, text, strlen(text)) : NULL;
}

char *pool_format(struct annotation_pool *pool, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort();
	va_end(arguments);
	return pool_own(pool, text);
}

void *pool_room(struct annotation_pool *pool, void *array, size_t count, size_t element_size)
{
	void *larger;

	if (count & (count - 1))
		return array;
	larger = pool_own(pool, xcalloc(count ? 2 * count : 1, element_size));
	if (count)
		memcpy(larger, array, count * element_size);
	return larger;
}

void pool_release(struct annotation_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++)
		free(pool->items[i]);
	free(pool->items);
	*pool = (struct annotation_pool){0};
}
