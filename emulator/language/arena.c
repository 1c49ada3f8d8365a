#include "emulator/language/arena.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536
#define FIRST_BUCKETS 1024

struct arena_block {
	struct arena_block *next;
	size_t used, capacity;
	max_align_t bytes[];
};

struct ptx_arena {
	struct arena_block *blocks; /* The first block has free bytes. */
	size_t taken_bytes, limit_bytes;
	struct name **buckets; /* bucket_count is a power of two */
	size_t bucket_count, name_count;
};

struct ptx_arena *arena_create(size_t limit_bytes)
{
	struct ptx_arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		return NULL;
	arena->limit_bytes = limit_bytes;
	arena->bucket_count = FIRST_BUCKETS;
	arena->buckets = calloc(FIRST_BUCKETS, sizeof(*arena->buckets));
	if (!arena->buckets) {
		free(arena);
		return NULL;
	}
	return arena;
}

void arena_destroy(struct ptx_arena *arena)
{
	if (!arena)
		return;
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena->buckets);
	free(arena);
}

static int arena_out_of_memory(struct error *err, size_t bytes)
{
	return error_set(
		err, PL_ENOMEM,
		"it needs more memory than a PTX text of this length should (%zu more bytes)",
		bytes);
}

static struct arena_block *arena_add_block(struct ptx_arena *arena, size_t bytes)
{
	size_t capacity = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
	struct arena_block *block = calloc(1, sizeof(*block) + capacity);

	if (!block)
		return NULL;
	block->capacity = capacity;
	/* A block for one large object goes behind the first, which has free bytes. */
	if (capacity == bytes && arena->blocks) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		block->next = arena->blocks;
		arena->blocks = block;
	}
	return block;
}

int arena_allocate(struct ptx_arena *arena, void **out, size_t count, size_t size,
		   struct error *err)
{
	struct arena_block *block = arena->blocks;
	const size_t alignment = _Alignof(max_align_t);
	size_t bytes;

	if (size && count > SIZE_MAX / 2 / size)
		return arena_out_of_memory(err, SIZE_MAX);
	bytes = (count * size + alignment - 1) / alignment * alignment;
	if (bytes > arena->limit_bytes - arena->taken_bytes)
		return arena_out_of_memory(err, bytes);
	if (!block || bytes > block->capacity - block->used)
		block = arena_add_block(arena, bytes);
	if (!block)
		return arena_out_of_memory(err, bytes);
	*out = (char *)block->bytes + block->used;
	block->used += bytes;
	arena->taken_bytes += bytes;
	return 0;
}

int arena_grow(struct ptx_arena *arena, void **array, size_t *capacity, size_t count, size_t size,
	       struct error *err)
{
	size_t larger = *capacity ? 2 * *capacity : 4;
	void *copy = NULL;
	int rc;

	if (count < *capacity)
		return 0;
	rc = arena_allocate(arena, &copy, larger, size, err);
	if (rc)
		return rc;
	if (count)
		memcpy(copy, *array, count * size);
	*array = copy;
	*capacity = larger;
	return 0;
}

static uint64_t hash_name(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

/* Doubles the number of buckets. Without memory for them, lookups only become slower. */
static void grow_name_buckets(struct ptx_arena *arena)
{
	size_t count = 2 * arena->bucket_count;
	struct name **buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < arena->bucket_count; i++) {
		for (struct name *name = arena->buckets[i], *next; name; name = next) {
			next = name->next;
			name->next = buckets[name->hash & (count - 1)];
			buckets[name->hash & (count - 1)] = name;
		}
	}
	free(arena->buckets);
	arena->buckets = buckets;
	arena->bucket_count = count;
}

int arena_intern(struct ptx_arena *arena, struct name **out, const char *text, size_t length,
		 struct error *err)
{
	uint64_t hash = hash_name(text, length);
	struct name *name = arena->buckets[hash & (arena->bucket_count - 1)];
	void *memory = NULL;
	int rc;

	while (name && (name->hash != hash || name->length != length ||
			memcmp(name->text, text, length) != 0))
		name = name->next;
	if (name) {
		*out = name;
		return 0;
	}
	rc = arena_allocate(arena, &memory, 1, sizeof(*name) + length + 1, err);
	if (rc)
		return rc;
	if (arena->name_count >= arena->bucket_count)
		grow_name_buckets(arena);
	name = memory;
	name->hash = hash;
	name->length = length;
	memcpy(name->text, text, length);
	name->next = arena->buckets[hash & (arena->bucket_count - 1)];
	arena->buckets[hash & (arena->bucket_count - 1)] = name;
	arena->name_count++;
	*out = name;
	return 0;
}
