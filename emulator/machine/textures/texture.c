/* Texture instructions and queries. See texture.h. */
#include "emulator/machine/textures/texture.h"

#include <string.h>

#include "emulator/machine/textures/texture_sample.h"

/* ---- tex, tld4 ---- */

static uint32_t lane_word(const struct warp *warp, uint32_t row, int lane)
{
	uint32_t word = 0;

	if (row)
		memcpy(&word, (unsigned char *)row_of(warp, row) + (size_t)lane * sizeof(word),
		       sizeof(word));
	return word;
}

static struct texture_place texture_place_of(const struct warp *warp, const struct instruction *at,
					     int lane)
{
	bool layered = at->geometry == GEOMETRY_A1D || at->geometry == GEOMETRY_A2D ||
		       at->geometry == GEOMETRY_ACUBE;
	const uint32_t *rows = &at->rows[TEXTURE_COORDINATES];
	struct texture_place place = {.integers = at->texel_coordinates};

	if (layered)
		place.layer = lane_word(warp, *rows++, lane);
	for (int i = 0; i < (layered ? 3 : 4) && i < 3; i++)
		place.at[i] = lane_word(warp, rows[i], lane);
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

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
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
	for (int i = 0; i < at->vector; i++) {
		uint32_t *row = row_of(warp, at->rows[i]);

		for (uint32_t rest = at->rows[i] ? warp->active : 0; rest; rest &= rest - 1)
			row[__builtin_ctz(rest)] = results[i][__builtin_ctz(rest)];
	}
	return STEP_NEXT;
}

/* ---- txq, suq ---- */

static enum step run_texture_query(struct warp *warp, const struct instruction *at)
{
	struct object_use use = {0};
	uint32_t results[LANES];
	uint32_t *row = row_of(warp, at->dst);

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);

		if (texture_use(&use, warp, at, lane) != STEP_NEXT)
			return STEP_STOPPED;
		results[lane] = texture_property(use.object, (enum texture_query)at->kind);
	}
	for (uint32_t rest = warp->active; rest; rest &= rest - 1)
		row[__builtin_ctz(rest)] = results[__builtin_ctz(rest)];
	return STEP_NEXT;
}

instruction_handler *texture_handler(const struct instruction *instruction)
{
	return instruction->operation == OP_TEXTURE         ? run_texture
	       : instruction->operation == OP_TEXTURE_QUERY ? run_texture_query
							    : NULL;
}
