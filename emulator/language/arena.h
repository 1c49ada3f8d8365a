/*
 * arena: the memory of a module, and its names. Internal to emulator/language/.
 *
 * Memory is freed as a whole and has a limit, so that a small file cannot use up the host's memory.
 * Equal names are one struct name: comparing names is comparing pointers, and each name holds its
 * meaning in the current scope.
 */
#ifndef EMULATOR_LANGUAGE_ARENA_H
#define EMULATOR_LANGUAGE_ARENA_H

#include "base/base.h"

struct ptx_arena;

/* The current meaning of a name. */
enum name_meaning { NAME_FREE, NAME_REGISTER, NAME_VARIABLE, NAME_LABEL, NAME_FUNCTION };
struct name_binding {
	enum name_meaning meaning;
	uint32_t index;   /* of a register or a function */
	uint32_t scope;   /* serial number of the scope that declares it */
	const char *text; /* its name in the module, which is unique in its function */
};

struct name {
	struct name *next; /* in the hash bucket */
	uint64_t hash;
	struct name_binding binding;
	uint32_t used_in; /* serial number of the last function that declared it */
	/* The parts of a mnemonic, once it is split. */
	const char *base;
	const char *const *modifiers;
	size_t modifier_count;
	/* For the name of a source position: the function in which a .loc last set the outermost
	 * call at which the position is inlined, and that call; 0 and 0: it is not inlined. */
	uint32_t located_in, caller_file, caller_line;
	size_t length;
	char text[];
};

/* Creates an arena that hands out at most limit_bytes. Returns NULL without memory. */
struct ptx_arena *arena_create(size_t limit_bytes);
void arena_destroy(struct ptx_arena *arena); /* NULL is allowed */
/* Allocates zeroed memory, aligned for any type. PL_ENOMEM: over the limit, or the host has
 * none. */
int arena_allocate(struct ptx_arena *arena, void **out, size_t count, size_t size,
		   struct error *err);
/* Ensures that an array in the arena has space for one more than `count` elements. A full array
 * moves to twice its *capacity. Errors as arena_allocate(). */
int arena_grow(struct ptx_arena *arena, void **array, size_t *capacity, size_t count, size_t size,
	       struct error *err);
int arena_intern(struct ptx_arena *arena, struct name **out, const char *text, size_t length,
		 struct error *err);

#endif
