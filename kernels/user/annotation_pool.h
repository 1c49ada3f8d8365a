/*
 * annotation_pool: memory that is freed at once. Descriptors are tables that
 * point to one another, so one owner is simpler than one per table.
 */
#ifndef KERNELS_USER_ANNOTATION_POOL_H
#define KERNELS_USER_ANNOTATION_POOL_H

#include "base/base.h"

/* All zeroes is an empty pool. */
struct annotation_pool {
	void **items;
	size_t count, capacity;
};
void *pool_new(struct annotation_pool *pool, size_t size); /* all zeroes */
char *pool_copy(struct annotation_pool *pool, const char *text, size_t length);
char *pool_text(struct annotation_pool *pool, const char *text); /* NULL gives NULL */
char *pool_format(struct annotation_pool *pool, const char *format, ...) PRINTF_LIKE(2, 3);
/* Returns the array, or a larger copy of it, with place for one element after `count`. Every call
 * adds one element, so the array is full when `count` is a power of two. */
void *pool_room(struct annotation_pool *pool, void *array, size_t count, size_t element_size);
void pool_release(struct annotation_pool *pool);

#endif
