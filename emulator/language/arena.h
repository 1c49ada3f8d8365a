/*
 * arena: the memory of a module, freed as a whole, with a limit, and the
 * names in it: equal names are one struct name, so that comparing is comparing
 * pointers, and what a name means in the scope being read is found in it.
 * Internal to emulator/language/.
 */
#ifndef EMULATOR_LANGUAGE_ARENA_H
#define EMULATOR_LANGUAGE_ARENA_H

#include "base/base.h"

struct ptx_arena;

/* What a name is bound to. */
enum name_meaning { NAME_FREE, NAME_REGISTER, NAME_VARIABLE, NAME_LABEL, NAME_FUNCTION };
struct name_binding {
	enum name_meaning meaning;
	uint32_t index;   /* of a register or a function */
	uint32_t scope;   /* serial number of the scope that it was declared in */
	const char *text; /* what it is called in the module: unique */
};

struct name {
	struct name *next; /* in its bucket */
	uint64_t hash;
	struct name_binding binding;
	uint32_t used_in; /* serial number of the function that declared it last */
	/* Of a mnemonic, once split. */
	const char *base;
	const char *const *modifiers;
	size_t modifier_count;
	size_t length;
	char text[];
};

/* NULL: no memory. */
struct ptx_arena *arena_create(size_t limit_bytes);
void arena_destroy(struct ptx_arena *arena); /* NULL is fine */
/* Zeroed, aligned for anything. PL_ENOMEM: beyond the limit, or no memory. */
int arena_allocate(struct ptx_arena *arena, void **out, size_t count, size_t size,
		   struct error *err);
/* Makes room for one more than `count` elements in an array of the arena; *capacity doubles. */
int arena_grow(struct ptx_arena *arena, void **array, size_t *capacity, size_t count, size_t size,
	       struct error *err);
int arena_intern(struct ptx_arena *arena, struct name **out, const char *text, size_t length,
		 struct error *err);

#endif
