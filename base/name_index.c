/* Finds names by hashing. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 32

/* FNV-1a */
static uint64_t name_hash(const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

/* The slot of the name, or the free one where it belongs. `slot_count` is a power of two, and some
 * slots are free. */
static struct indexed_name *indexed_name_of(const struct name_index *index, const char *name)
{
	size_t at = (size_t)name_hash(name) & (index->slot_count - 1);

	while (index->slots[at].name && strcmp(index->slots[at].name, name) != 0)
		at = (at + 1) & (index->slot_count - 1);
	return &index->slots[at];
}

size_t name_index_find(const struct name_index *index, const char *name)
{
	const struct indexed_name *slot = index->count ? indexed_name_of(index, name) : NULL;

	return slot && slot->name ? slot->at : NO_NAME;
}

/* Keeps at least half of the slots free. */
static void name_index_grow(struct name_index *index)
{
	const struct name_index old = *index;

	if (2 * (old.count + 1) <= old.slot_count)
		return;
	index->slot_count = old.slot_count ? 2 * old.slot_count : SLOTS_LEAST;
	index->slots = xcalloc(index->slot_count, sizeof(*index->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].name)
			*indexed_name_of(index, old.slots[i].name) = old.slots[i];
	free(old.slots);
}

void name_index_add(struct name_index *index, const char *name, size_t at)
{
	name_index_grow(index);
	*indexed_name_of(index, name) = (struct indexed_name){name, at};
	index->count++;
}

void name_index_release(struct name_index *index)
{
	free(index->slots);
	*index = (struct name_index){0};
}
