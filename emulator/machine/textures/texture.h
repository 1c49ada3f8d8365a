/*
 * texture: the handlers of texture and surface instructions. Such an access is none of the load and
 * store unit: it counts as an instruction, and its requests and sectors are not counted.
 * Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_TEXTURES_TEXTURE_H
#define EMULATOR_MACHINE_TEXTURES_TEXTURE_H

#include "emulator/machine/machine.h"
#include "emulator/machine/textures/texture_object.h"

/* NULL: not an instruction for textures; or for surfaces. Queries are of both. */
instruction_handler *texture_handler(const struct instruction *instruction);
instruction_handler *surface_handler(const struct instruction *instruction);

/* ---- texture_use.c ---- */

/* The objects that the lanes of one instruction use, one at a time. */
struct object_use {
	uint64_t handle;
	const struct texture_object *object; /* NULL: none yet */
	struct allocation *in;
};
/* Finds the object of a lane, unless it is the one before. STEP_STOPPED, with a finding: there is
 * none, or it is of another kind or geometry. */
enum step texture_use(struct object_use *use, struct warp *warp, const struct instruction *at,
		      int lane);

#endif
