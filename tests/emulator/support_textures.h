/*
 * support_textures: the objects and instructions of tests/golden/ptx/textures.txt.zst, made on the
 * emulator as tests/gpu/textures/ made them on a GPU.
 */
#ifndef TESTS_EMULATOR_SUPPORT_TEXTURES_H
#define TESTS_EMULATOR_SUPPORT_TEXTURES_H

#include "emulator/texture.h"
#include "support_machine.h"

/* An object of the file, and what it needs. */
struct golden_object {
	char what[200]; /* its line */
	struct emulated_texture texture;
	char content[16];
	int levels;
	size_t bytes;
	struct device_memory *memory;
	uint64_t handle;
	bool usable;
};

/* Makes the object of a line "texture …" or "surface …". */
void golden_object_open(struct golden_object *object, const char *line);
void golden_object_close(struct golden_object *object);

/* Whether the instruction has this modifier, such as ".v4". */
bool texture_name_has(const char *name, const char *word);
/*
 * Adds a module with the kernel k(object, in, out): each thread executes the instruction on eight
 * words at `in` and stores four of the eight words at `out`.
 */
void texture_module_add(struct text *out, const char *name);

#endif
