/* The memory of a module, its names, and scopes: each name means its latest declaration in the
 * current scope or in one around it. */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536
#define FIRST_BUCKETS 1024

struct arena_block {
	struct arena_block *next;
	size_t used, capacity;
	max_align_t bytes[];
};

/* Memory that is freed as a whole. It has a limit, so that a small file cannot use up the host's
 * memory. */
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
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena->buckets);
	free(arena);
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

void *parser_allocate(struct parser *parser, size_t count, size_t size)
{
	struct ptx_arena *arena = parser->arena;
	struct arena_block *block = arena->blocks;
	const size_t alignment = _Alignof(max_align_t);
	const bool overflows = size && count > SIZE_MAX / 2 / size;
	const size_t bytes =
		overflows ? SIZE_MAX : (count * size + alignment - 1) / alignment * alignment;
	void *memory;

	if (parser->rc)
		return NULL;
	if (bytes > arena->limit_bytes - arena->taken_bytes)
		block = NULL;
	else if (!block || bytes > block->capacity - block->used)
		block = arena_add_block(arena, bytes);
	if (!block) {
		parser->token.kind = TOKEN_END;
		parser->rc = error_set(parser->err, PL_ENOMEM,
				       "it needs more memory than a PTX text of this length should "
				       "(%zu more bytes)",
				       bytes);
		return NULL;
	}
	memory = (char *)block->bytes + block->used;
	block->used += bytes;
	arena->taken_bytes += bytes;
	return memory;
}

void *parser_append(struct parser *parser, void *array, size_t *count, size_t *capacity,
		    size_t size)
{
	void *items;

	/* `array` points to a pointer of some element type, which may not be read as a void *. */
	memcpy(&items, array, sizeof(items));
	if (*count == *capacity) {
		void *copy = parser_allocate(parser, *capacity ? 2 * *capacity : 4, size);

		if (copy && *count)
			memcpy(copy, items, *count * size);
		*capacity = !copy ? *capacity : *capacity ? 2 * *capacity : 4;
		items = copy;
	}
	if (parser->rc)
		return NULL;
	memcpy(array, &items, sizeof(items));
	items = (char *)items + (*count)++ * size;
	memset(items, 0, size);
	return items;
}

void parser_add(struct parser *parser, void *array, size_t *count, size_t *capacity,
		const void *element, size_t size)
{
	void *place = parser_append(parser, array, count, capacity, size);

	if (place)
		memcpy(place, element, size);
}

/* ---- names ---- */

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

struct name *parser_intern(struct parser *parser, const char *text, size_t length)
{
	struct ptx_arena *arena = parser->arena;
	uint64_t hash = hash_name(text, length);
	struct name *name = arena->buckets[hash & (arena->bucket_count - 1)];

	while (name && (name->hash != hash || name->length != length ||
			memcmp(name->text, text, length) != 0))
		name = name->next;
	if (name || parser->rc)
		return parser->rc ? NULL : name;
	name = parser_allocate(parser, 1, sizeof(*name) + length + 1);
	if (!name)
		return NULL;
	if (arena->name_count++ >= arena->bucket_count)
		grow_name_buckets(arena);
	name->hash = hash;
	name->length = length;
	memcpy(name->text, text, length);
	name->next = arena->buckets[hash & (arena->bucket_count - 1)];
	arena->buckets[hash & (arena->bucket_count - 1)] = name;
	return name;
}

struct name *parser_expect_name(struct parser *parser, const char *what)
{
	struct name *name;

	if (parser->token.kind != TOKEN_WORD) {
		parser_error(parser, "expected %s", what);
		return NULL;
	}
	name = parser_intern(parser, parser->token.text, parser->token.length);
	parser_advance(parser);
	return parser->rc ? NULL : name;
}

/* ---- scopes ---- */

void scope_enter(struct parser *parser)
{
	if (parser->depth == PTX_MAX_SCOPES) {
		parser_error(parser, "more than %d nested scopes", PTX_MAX_SCOPES);
		return;
	}
	parser->scopes[++parser->depth] = (struct scope){
		.serial = ++parser->scope_serial,
		.changes = parser->change_count,
		.uses = parser->use_count,
	};
}

void scope_leave(struct parser *parser)
{
	const struct scope *scope = &parser->scopes[parser->depth];
	size_t kept = scope->uses;

	/* A label may follow the branches to it. All labels of this scope are known now. */
	for (size_t i = scope->uses; i < parser->use_count; i++) {
		const struct name_use *use = &parser->uses[i];

		if (use->name->binding.meaning == NAME_LABEL &&
		    use->name->binding.scope == scope->serial)
			*use->where = use->name->binding.text;
		else
			parser->uses[kept++] = *use;
	}
	parser->use_count = kept;
	while (parser->change_count > scope->changes) {
		const struct name_change *change = &parser->changes[--parser->change_count];

		change->name->binding = change->before;
	}
	parser->depth--;
	if (parser->depth == 0)
		parser->use_count = 0;
}

static const char *unique_text(struct parser *parser, struct name *name)
{
	char number[16];
	char *text;
	int length = snprintf(number, sizeof(number), ".%u", ++parser->unique_serial);

	text = parser_allocate(parser, 1, name->length + (size_t)length + 1);
	if (!text)
		return name->text;
	memcpy(text, name->text, name->length);
	memcpy(text + name->length, number, (size_t)length + 1);
	return text;
}

const char *scope_declare(struct parser *parser, struct name *name, enum name_meaning meaning,
			  size_t index)
{
	const struct scope *scope = &parser->scopes[parser->depth];
	const char *text = name->text;

	if (name->binding.meaning != NAME_FREE && name->binding.scope == scope->serial &&
	    parser->depth) {
		parser_error(parser, "%.60s is declared twice", name->text);
		return NULL;
	}
	if (meaning != NAME_REGISTER && parser->depth) {
		if (name->used_in == parser->function_serial ||
		    (parser->depth > 1 && name->binding.meaning != NAME_FREE))
			text = unique_text(parser, name);
		name->used_in = parser->function_serial;
	}
	if (parser->depth)
		parser_add(parser, &parser->changes, &parser->change_count,
			   &parser->change_capacity,
			   &(struct name_change){.name = name, .before = name->binding},
			   sizeof(struct name_change));
	if (parser->rc)
		return NULL;
	name->binding = (struct name_binding){
		.meaning = meaning,
		.index = (uint32_t)index,
		.scope = scope->serial,
		.text = text,
	};
	return text;
}

const char *scope_rename(struct parser *parser, struct name *name)
{
	name->binding.text = unique_text(parser, name);
	return name->binding.text;
}

void scope_use(struct parser *parser, const char **where, struct name *name)
{
	const struct name_binding *binding = &name->binding;

	*where = name->text;
	if (binding->meaning == NAME_VARIABLE || binding->meaning == NAME_FUNCTION ||
	    (binding->meaning == NAME_LABEL &&
	     binding->scope == parser->scopes[parser->depth].serial)) {
		*where = binding->text;
		return;
	}
	parser_add(parser, &parser->uses, &parser->use_count, &parser->use_capacity,
		   &(struct name_use){.where = where, .name = name}, sizeof(struct name_use));
}
