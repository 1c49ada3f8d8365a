/* Texture and surface instructions, and queries. Surfaces are accessed by integer coordinates,
 * without a filter. An access outside of one does what its bounds say. */
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/textures/texture_object.h"
#include "emulator/machine/undefined/undefined.h"

#include <inttypes.h>
#include <string.h>

/* The objects that the lanes of one instruction use, one at a time. */
struct object_use {
	uint64_t handle;
	const struct texture_object *object; /* NULL: none yet */
	struct allocation *in;
};

/* ---- the object of an instruction ---- */

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

/* Finds the object of a lane, unless it is the one before. STEP_STOPPED, with a finding: there is
 * none, or it is of another kind or geometry. */
static enum step texture_use(struct object_use *use, struct warp *warp,
			     const struct instruction *at, int lane)
{
	const struct device_memory *memory = warp->block->launch->memory;
	const uint64_t handle = lane_value(warp, at->a, 8, lane);

	if (use->object && use->handle == handle)
		return STEP_NEXT;
	use->handle = handle;
	use->object = texture_object_find(memory, handle);
	use->in = use->object ? texture_object_memory(memory, use->object) : NULL;
	return check_object(warp, at, lane, use);
}

struct surface_place {
	int64_t x, y, z; /* x in bytes, or in texels for formatted accesses */
};

static struct surface_place surface_place_of(const struct warp *warp, const struct instruction *at,
					     int lane)
{
	const uint32_t *rows = &at->rows[TEXTURE_COORDINATES];
	bool layered = at->geometry == GEOMETRY_A1D || at->geometry == GEOMETRY_A2D;
	struct surface_place place = {0};

	if (layered) /* a number without a sign: -1 is behind the last layer */
		place.z = (uint32_t)lane_value(warp, *rows++, 4, lane);
	place.x = (int32_t)lane_value(warp, rows[0], 4, lane);
	if (at->geometry != GEOMETRY_1D && at->geometry != GEOMETRY_A1D)
		place.y = (int32_t)lane_value(warp, rows[1], 4, lane);
	if (at->geometry == GEOMETRY_3D)
		place.z = (int32_t)lane_value(warp, rows[2], 4, lane);
	return place;
}

static int64_t nearest_inside(int64_t value, int64_t most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

static enum step report_outside(struct warp *warp, const struct instruction *at, int lane,
				const struct object_use *use, struct surface_place place,
				bool stores)
{
	const struct emulated_texture *what = &use->object->what;
	const int64_t unit = use->object->texel_bytes;

	return warp_finding(
		warp, at, lane, FINDING_OUT_OF_BOUNDS,
		"%s at byte %" PRId64 ", row %" PRId64 ", slice %" PRId64 " of '%s' (%" PRId64
		" x %" PRId64 " x %" PRId64 " texels of %" PRId64 " bytes)",
		stores ? "a surface store" : "a surface load", place.x, place.y, place.z,
		use->object->name, what->width, what->height, what->depth, unit);
}

/* Clamping moves an access to the nearest aligned place in the row, which a wider one does not
 * have.
 */
static enum step report_wider(struct warp *warp, const struct instruction *at, int lane,
			      const struct object_use *use, int64_t bytes)
{
	return warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS,
			    "a surface access of %" PRId64
			    " bytes cannot be clamped to '%s', whose rows have %" PRId64
			    " bytes; access at most a row",
			    bytes, use->object->name,
			    use->object->what.width * use->object->texel_bytes);
}

/*
 * Finds the bytes that a lane accesses. NULL, and STEP_NEXT in *step: they are outside, and the
 * access does nothing; STEP_STOPPED: a finding.
 */
static unsigned char *find_bytes(enum step *step, struct object_use *use, struct warp *warp,
				 const struct instruction *at, int lane, bool stores)
{
	struct surface_place place = surface_place_of(warp, at, lane), inside = place;
	const struct emulated_texture *what;
	int64_t bytes = at->texel_coordinates ? 0 : (int64_t)at->width * at->vector, unit, last;
	uint64_t offset;

	*step = texture_use(use, warp, at, lane);
	if (*step != STEP_NEXT)
		return NULL;
	what = &use->object->what;
	unit = use->object->texel_bytes;
	if (at->texel_coordinates) {
		bytes = unit;
		place.x = inside.x *= unit;
	}
	if (place.x % bytes) { /* whatever the bounds are */
		*step = warp_finding(warp, at, lane, FINDING_MISALIGNED,
				     "a surface access of %" PRId64 " bytes at byte %" PRId64
				     " of a row of '%s'",
				     bytes, place.x, use->object->name);
		return NULL;
	}
	last = what->width * unit / bytes * bytes - bytes;
	inside.x = nearest_inside(place.x, last);
	inside.y = nearest_inside(place.y, what->height - 1);
	inside.z = nearest_inside(place.z, what->depth - 1);
	if (inside.x != place.x || inside.y != place.y || inside.z != place.z) {
		if (at->extension == SURFACE_ZERO)
			return NULL;
		if (at->extension == SURFACE_TRAP)
			*step = report_outside(warp, at, lane, use, place, stores);
		else if (last < 0)
			*step = report_wider(warp, at, lane, use, bytes);
		if (*step != STEP_NEXT)
			return NULL;
	}
	offset = what->address - use->in->address +
		 texture_object_offset(use->object, 0, inside.y, inside.z) + (uint64_t)inside.x;
	if (stores) {
		touch_written(use->in, offset / SECTOR_BYTES,
			      (offset + (uint64_t)bytes - 1) / SECTOR_BYTES);
		written_add(use->in, offset, (uint64_t)bytes);
	} else {
		touch_read(use->in, offset / SECTOR_BYTES,
			   (offset + (uint64_t)bytes - 1) / SECTOR_BYTES);
		if (!written_all(use->in, offset, (uint64_t)bytes))
			*warp->block->launch->may_be_undefined = true;
	}
	return use->in->data + offset;
}

/* ---- suld, sust, sured ---- */

static unsigned register_bytes(const struct instruction *at)
{
	return at->width == 8 ? 8 : 4;
}

static enum step run_surface_load(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	uint64_t results[4][LANES] = {{0}};
	enum step step;

	EACH_BIT(lane, warp->active) {
		const unsigned char *from = find_bytes(&step, &use, warp, at, lane, false);

		if (step != STEP_NEXT)
			return step;
		for (int i = 0; i < at->vector && from; i++)
			memcpy(&results[i][lane], from + i * at->width, at->width);
		if (from && warp->block->launch->follower)
			undefined_surface_load(warp, at, lane, use.in,
					       (uint64_t)(from - use.in->data));
	}
	for (int i = 0; i < at->vector; i++)
		EACH_BIT(lane, warp->active)
			lane_set(warp, at->rows[i], register_bytes(at), lane, results[i][lane]);
	return STEP_NEXT;
}

static enum step run_surface_store(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	enum step step;

	EACH_BIT(lane, warp->active) {
		unsigned char *to = find_bytes(&step, &use, warp, at, lane, true);
		uint32_t channels[4] = {0};

		if (step != STEP_NEXT)
			return step;
		for (int i = 0; i < at->vector && to; i++) {
			uint64_t value = lane_value(warp, at->rows[i], register_bytes(at), lane);

			channels[i] = (uint32_t)value;
			if (!at->texel_coordinates)
				memcpy(to + i * at->width, &value, at->width);
		}
		if (to && at->texel_coordinates)
			texel_write(to, use.object, channels);
		if (to && warp->block->launch->follower)
			undefined_surface_store(
				warp, at, lane, use.in, (uint64_t)(to - use.in->data),
				at->texel_coordinates ? (unsigned)use.object->texel_bytes : 0);
	}
	return STEP_NEXT;
}

static uint64_t reduced(const struct instruction *at, uint64_t old, uint64_t with)
{
	const bool is_signed = at->type == TYPE_s32 || at->type == TYPE_s64;
	const int64_t a = at->width == 8 ? (int64_t)old : (int32_t)old;
	const int64_t b = at->width == 8 ? (int64_t)with : (int32_t)with;
	const bool less = is_signed ? b < a : with < old;

	switch (at->kind) {
	case ATOMIC_ADD:
		return old + with;
	case ATOMIC_MIN:
		return less ? with : old;
	case ATOMIC_MAX:
		return less ? old : with;
	case ATOMIC_AND:
		return old & with;
	default:
		return old | with;
	}
}

static enum step run_surface_reduce(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	enum step step;

	EACH_BIT(lane, warp->active) {
		unsigned char *to = find_bytes(&step, &use, warp, at, lane, true);
		uint64_t old = 0;

		if (step != STEP_NEXT)
			return step;
		if (at->texel_coordinates && at->width != use.object->texel_bytes)
			return warp_finding(
				warp, at, lane, FINDING_BAD_OBJECT,
				"sured.p of %d bytes in '%s', whose texels have %" PRId64 " bytes",
				at->width, use.object->name, use.object->texel_bytes);
		if (!to)
			continue;
		memcpy(&old, to, at->width);
		old = reduced(at, old, lane_value(warp, at->rows[0], register_bytes(at), lane));
		memcpy(to, &old, at->width);
	}
	return STEP_NEXT;
}

/* ---- tex, tld4 ---- */

static struct texture_place texture_place_of(const struct warp *warp, const struct instruction *at,
					     int lane)
{
	bool layered = at->geometry == GEOMETRY_A1D || at->geometry == GEOMETRY_A2D ||
		       at->geometry == GEOMETRY_ACUBE;
	const uint32_t *rows = &at->rows[TEXTURE_COORDINATES];
	struct texture_place place = {.integers = at->texel_coordinates};

	if (layered)
		place.layer = (uint32_t)lane_value(warp, *rows++, 4, lane);
	for (int i = 0; i < (layered ? 3 : 4) && i < 3; i++)
		place.at[i] = (uint32_t)lane_value(warp, rows[i], 4, lane);
	return place;
}

/* Two halves, rounded to nearest even. */
static uint32_t pack_halves(uint32_t low, uint32_t high)
{
	return texel_half(low) | (uint32_t)texel_half(high) << 16;
}

static enum step run_texture(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	uint32_t results[4][LANES];

	EACH_BIT(lane, warp->active) {
		struct texture_place place = texture_place_of(warp, at, lane);
		uint32_t channels[4];

		if (texture_use(&use, warp, at, lane) != STEP_NEXT)
			return STEP_STOPPED;
		texture_sample(channels, use.object, use.in, &place, (enum texture_kind)at->kind);
		if (at->vector == 2) {
			channels[0] = pack_halves(channels[0], channels[1]);
			channels[1] = pack_halves(channels[2], channels[3]);
		}
		for (int i = 0; i < at->vector; i++)
			results[i][lane] = channels[i];
	}
	for (int i = 0; i < at->vector; i++)
		EACH_BIT(lane, warp->active)
			lane_set(warp, at->rows[i], 4, lane, results[i][lane]);
	return STEP_NEXT;
}

/* ---- txq, suq ---- */

static enum step run_texture_query(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	uint32_t results[LANES];
	uint32_t *row = row_of(warp, at->dst);

	EACH_BIT(lane, warp->active) {
		if (texture_use(&use, warp, at, lane) != STEP_NEXT)
			return STEP_STOPPED;
		results[lane] = texture_property(use.object, (enum texture_query)at->kind);
	}
	EACH_BIT(lane, warp->active)
		row[lane] = results[lane];
	return STEP_NEXT;
}

instruction_handler *texture_handler(const struct instruction *instruction)
{
	switch (instruction->operation) {
	case OP_TEXTURE:
		return run_texture;
	case OP_TEXTURE_QUERY:
		return run_texture_query;
	case OP_SURFACE_LOAD:
		return run_surface_load;
	case OP_SURFACE_STORE:
		return run_surface_store;
	case OP_SURFACE_REDUCE:
		return run_surface_reduce;
	default:
		return NULL;
	}
}
