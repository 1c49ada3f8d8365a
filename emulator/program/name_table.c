/* A hash table of borrowed names with open addressing. The first entry of a name is kept. */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

static size_t name_table_hash(const char *name)
{
	uint64_t hash = UINT64_C(1469598103934665603);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return (size_t)(hash ^ hash >> 32);
}

static struct name_slot *name_table_slot(const struct name_table *table, const char *name)
{
	size_t at = name_table_hash(name) & (table->capacity - 1);

	while (table->slots[at].name && strcmp(table->slots[at].name, name) != 0)
		at = (at + 1) & (table->capacity - 1);
	return &table->slots[at];
}

void name_table_add(struct name_table *table, const char *name, uint32_t number)
{
	struct name_slot *slot;

	if (table->count * 2 >= table->capacity) {
		struct name_table larger = {.capacity = table->capacity ? table->capacity * 2 : 16};

		larger.slots = xcalloc(larger.capacity, sizeof(*larger.slots));
		for (size_t i = 0; i < table->capacity; i++) {
			if (table->slots[i].name)
				*name_table_slot(&larger, table->slots[i].name) = table->slots[i];
		}
		larger.count = table->count;
		free(table->slots);
		*table = larger;
	}
	slot = name_table_slot(table, name);
	if (slot->name)
		return;
	*slot = (struct name_slot){name, number};
	table->count++;
}

bool name_table_find(const struct name_table *table, const char *name, uint32_t *number)
{
	const struct name_slot *slot;

	if (table->count == 0)
		return false;
	slot = name_table_slot(table, name);
	if (!slot->name)
		return false;
	*number = slot->number;
	return true;
}

void name_table_release(struct name_table *table)
{
	free(table->slots);
	*table = (struct name_table){0};
}
