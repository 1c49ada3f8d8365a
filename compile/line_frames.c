/* The names and frames of a table of lines, each once. */
#include <stdlib.h>
#include <string.h>

#include "compile/line_parts.h"

int line_damaged(const struct line_input *in, const char *what)
{
	return error_set(in->err, PL_EPARSE, "the cubin is damaged: %s", what);
}

const char *line_text_at(const struct line_input *in, const Elf64_Shdr *section, uint64_t offset)
{
	const char *text = in->bytes + section->sh_offset;

	if (offset >= section->sh_size || !memchr(text + offset, 0, section->sh_size - offset))
		return NULL;
	return text + offset;
}

/* ---- numbers that were seen before ---- */

static size_t slot_of(const struct number_map *map, const struct number_key *key)
{
	/* the start differs from run to run: no file is made for one hash to repeat */
	uint64_t hash = (uint64_t)(uintptr_t)map->slots;
	size_t at;

	for (size_t i = 0; i < ARRAY_SIZE(key->numbers); i++) {
		hash = (hash ^ (uint64_t)key->numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	at = (size_t)hash & (map->slot_count - 1);
	while (map->slots[at].at != LINE_NONE &&
	       memcmp(&map->slots[at].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (map->slot_count - 1);
	return at;
}

static void map_grow(struct number_map *map)
{
	struct number_map larger = {.slot_count = map->slot_count ? 2 * map->slot_count : 64,
				    .count = map->count};

	larger.slots = xcalloc(larger.slot_count, sizeof(*larger.slots));
	for (size_t i = 0; i < larger.slot_count; i++)
		larger.slots[i].at = LINE_NONE;
	for (size_t i = 0; i < map->slot_count; i++)
		if (map->slots[i].at != LINE_NONE)
			larger.slots[slot_of(&larger, &map->slots[i].key)] = map->slots[i];
	free(map->slots);
	*map = larger;
}

int64_t *number_map_at(struct number_map *map, const struct number_key *key)
{
	struct number_slot *slot;

	if (2 * map->count >= map->slot_count)
		map_grow(map);
	slot = &map->slots[slot_of(map, key)];
	map->count += slot->at == LINE_NONE;
	slot->key = *key;
	return &slot->at;
}

/* ---- names and frames ---- */

int line_name(int64_t *out, struct line_input *in, const char *folder, const char *name)
{
	struct line_table *table = in->table;
	char *whole = *folder ? xasprintf("%s/%s", folder, name) : xstrdup(name);
	const size_t bytes = strlen(whole) + 1;
	size_t at;

	if (bytes > in->name_bytes) {
		free(whole);
		return line_damaged(in, "its names take too much memory");
	}
	in->name_bytes -= bytes;
	at = name_index_find(&table->name_index, whole);
	if (at == NO_NAME) {
		at = table->names.count;
		string_list_add(&table->names, whole);
		name_index_add(&table->name_index, table->names.items[at], at);
	}
	free(whole);
	*out = (int64_t)at;
	return 0;
}

int line_frame(int64_t *out, struct line_input *in, const struct number_key *key)
{
	struct line_table *table = in->table;
	int64_t *at = number_map_at(&in->frames, key);
	const int64_t file = key->numbers[0], function = key->numbers[2], caller = key->numbers[3];
	const unsigned short depth =
		caller == LINE_NONE ? 1 : (unsigned short)(in->depths[caller] + 1);

	*out = *at;
	if (*at != LINE_NONE)
		return 0;
	if (depth > LINE_DEPTH_LIMIT)
		return line_damaged(in, "too many calls are inlined into each other");
	*out = *at = (int64_t)table->frame_count;
	in->depths =
		xgrow(in->depths, &in->depth_capacity, table->frame_count + 1, sizeof(*in->depths));
	in->depths[table->frame_count] = depth;
	table->frames = xgrow(table->frames, &table->frame_capacity, table->frame_count + 1,
			      sizeof(*table->frames));
	table->frames[table->frame_count++] = (struct source_frame){
		table->names.items[file], key->numbers[1],
		function == LINE_NONE ? NULL : table->names.items[function], caller};
	return 0;
}
