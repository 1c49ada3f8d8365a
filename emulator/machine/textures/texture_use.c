/* The object of a texture or surface instruction. See texture.h. */
#include "emulator/machine/textures/texture.h"

#include <inttypes.h>
#include <string.h>

static const char *geometry_name(enum texture_geometry geometry)
{
	static const char *const names[] = {
		[GEOMETRY_1D] = "1D",
		[GEOMETRY_2D] = "2D",
		[GEOMETRY_3D] = "3D",
		[GEOMETRY_A1D] = "layered 1D",
		[GEOMETRY_A2D] = "layered 2D",
		[GEOMETRY_CUBE] = "cube",
		[GEOMETRY_ACUBE] = "layered cube",
	};

	return names[geometry];
}

static enum step check_object(struct warp *warp, const struct instruction *at, int lane,
			      const struct object_use *use)
{
	const struct texture_object *object = use->object;
	const char *mnemonic = instruction_statement(warp->frame->function, at)->base;
	bool of_surface = at->operation != OP_TEXTURE && at->operation != OP_TEXTURE_QUERY;

	if (!object)
		return warp_finding(warp, at, lane, FINDING_BAD_OBJECT,
				    "%s with the handle 0x%" PRIx64
				    ", which is no texture or surface of this launch",
				    mnemonic, use->handle);
	if (!use->in)
		return warp_finding(warp, at, lane, FINDING_BAD_OBJECT,
				    "%s of '%s', whose memory is gone", mnemonic, object->name);
	if (at->operation == OP_TEXTURE_QUERY)
		return STEP_NEXT;
	if (object->what.surface != of_surface)
		return warp_finding(warp, at, lane, FINDING_BAD_OBJECT, "%s of '%s', which is a %s",
				    mnemonic, object->name, of_surface ? "texture" : "surface");
	if (object->what.geometry != (enum texture_geometry)at->geometry)
		return warp_finding(warp, at, lane, FINDING_BAD_OBJECT,
				    "%s %s of '%s', which is %s", mnemonic,
				    geometry_name((enum texture_geometry)at->geometry),
				    object->name, geometry_name(object->what.geometry));
	if (at->operation == OP_TEXTURE && at->geometry == GEOMETRY_1D &&
	    at->texel_coordinates != object->what.fetched)
		return warp_finding(warp, at, lane, FINDING_BAD_OBJECT,
				    "%s of '%s', which is %s: with %s coordinates a GPU reads 0",
				    mnemonic, object->name,
				    object->what.fetched ? "plain memory" : "an array",
				    object->what.fetched ? "floating-point" : "integer");
	return STEP_NEXT;
}

enum step texture_use(struct object_use *use, struct warp *warp, const struct instruction *at,
		      int lane)
{
	const struct device_memory *memory = warp->block->launch->memory;
	uint64_t handle;

	memcpy(&handle, (unsigned char *)row_of(warp, at->a) + (size_t)lane * sizeof(handle),
	       sizeof(handle));
	if (use->object && use->handle == handle)
		return STEP_NEXT;
	use->handle = handle;
	use->object = texture_object_find(memory, handle);
	use->in = use->object ? texture_object_memory(memory, use->object) : NULL;
	return check_object(warp, at, lane, use);
}
