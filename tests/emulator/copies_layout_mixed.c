/* Interleaved layouts in im2col mode, where all differs from case to case: maps and places that a
 * generator draws. Each is a place in the bounding box of an image, so that no case should fault.
 */
#include <stdlib.h>
#include <string.h>

#include "copies_slices.h"

#define LOADS 160
#define STORES 80

/* A number from `least` to `most`. */
static int draw(uint64_t *state, int least, int most)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (int)((*state >> 33) % (uint64_t)(most - least + 1));
}

/* Sizes whose tensor fits in the data of a case, and distances with gaps. */
static void draw_tensor(struct tensor_map *map, uint64_t *state)
{
	static const int most[3][TENSOR_MOST_RANK] = {{9, 4, 3}, {6, 3, 3, 2}, {4, 3, 2, 2, 2}};
	uint64_t bytes = map->interleave;

	for (unsigned i = 0; i < map->rank; i++) {
		map->strides[i] = i ? bytes : 0;
		map->sizes[i] =
			(uint64_t)draw(state, i == map->rank - 1 ? 1 : 2, most[map->rank - 3][i]);
		bytes *= map->sizes[i];
		if (i < 2)
			bytes += map->interleave * (unsigned)draw(state, 0, 2);
	}
}

static void draw_map(struct tensor_map *map, uint64_t *state, bool loads)
{
	map->interleave = 16U * (unsigned)draw(state, 1, 2);
	map->type = (enum tensor_type)draw(state, 0, TENSOR_TYPE_COUNT - 1);
	map->rank = (unsigned)draw(state, 3, 5);
	map->im2col = true;
	map->swizzle = (enum tensor_swizzle)draw(state, 0, SWIZZLE_COUNT - 1);
	map->fills_nan = loads && map->type >= TENSOR_F16 && draw(state, 0, 1);
	map->channels = map->interleave / tensor_type_bytes(map->type);
	map->pixels = (uint32_t)draw(state, 1, 32);
	draw_tensor(map, state);
	for (unsigned i = 0; i < map->rank; i++)
		map->steps[i] = (uint32_t)(draw(state, 0, 1) ? 1 : draw(state, 1, 3));
	for (unsigned i = 0; i < map->rank - 2; i++) {
		const int size = (int)map->sizes[i];

		map->lower[i] = draw(state, loads ? -2 : 0, 1);
		/* so that the bounding box has one element or more */
		map->upper[i] = draw(state, map->lower[i] + 1 - size, loads ? 2 : 0);
	}
}

static char *draw_place(const struct tensor_map *map, uint64_t *state, bool loads)
{
	struct text at = TEXT_INIT;

	for (unsigned i = 0; i < map->rank; i++) {
		const int size = (int)map->sizes[i];
		int least = 0, most = size - 1;

		if (i < map->rank - 2) {
			least = map->lower[i];
			most += map->upper[i];
		} else {
			least -= loads && draw(state, 0, 3) == 0;
			most += draw(state, 0, 3) == 0;
		}
		text_addf(&at, "%s%d", i ? ", " : "", draw(state, least, most));
	}
	return text_detach(&at);
}

static char *draw_offsets(const struct tensor_map *map, uint64_t *state)
{
	struct text offsets = TEXT_INIT;

	for (unsigned i = 0; i < map->rank - 2; i++)
		text_addf(&offsets, "%s%d", i ? ", " : "",
			  draw(state, 0, 1) ? draw(state, 0, 3) : 0);
	return text_detach(&offsets);
}

void copies_add_layout_mixed(struct copy_list *list)
{
	uint64_t state = 18;

	for (unsigned i = 0; i < LOADS + STORES; i++) {
		const bool loads = i < LOADS;
		struct tensor_map map = {0};
		char *at, *offsets, *name = xasprintf("images drawn %u", i);

		draw_map(&map, &state, loads);
		at = draw_place(&map, &state, loads);
		offsets = draw_offsets(&map, &state);
		if (loads)
			slices_load_pixels(list, name, &map, map.interleave, at, offsets)->in_fill =
				map.type < TENSOR_TF32 ? FILL_HALVES : FILL_TIES;
		else
			slices_store(list, name, &map, map.interleave, "", at);
		free(at);
		free(offsets);
	}
}
