/* Nodes of values that are followed. See value_origins.h. */
#include "emulator/machine/races/value_origins.h"

#include <stdlib.h>

/* About 100 MB. */
#define NODES_MOST ((size_t)1 << 21)
#define MAPS_MOST ((size_t)1 << 19)
#define NO_MAP UINT32_MAX

void value_origins_release(struct value_origins *origins)
{
	free(origins->nodes);
	free(origins->maps);
	*origins = (struct value_origins){0};
}

void origin_use(struct value_origins *origins, uint32_t origin, uint32_t lanes)
{
	if (origin != NO_ORIGIN)
		origins->nodes[origin].used |= lanes;
}

static uint32_t add_node(struct value_origins *origins, const struct origin_node *node)
{
	if (origins->count == NODES_MOST) {
		origin_use(origins, node->operand[0], ALL_LANES);
		origin_use(origins, node->operand[1], ALL_LANES);
		return NO_ORIGIN;
	}
	origins->nodes = xgrow(origins->nodes, &origins->capacity, origins->count + 1,
			       sizeof(*origins->nodes));
	origins->nodes[origins->count] = *node;
	return (uint32_t)origins->count++;
}

uint32_t origin_load(struct value_origins *origins, const struct instruction *at, uint32_t active)
{
	return add_node(origins, &(struct origin_node){.load = at,
						       .active = active,
						       .operand = {NO_ORIGIN, NO_ORIGIN},
						       .map = NO_MAP});
}

uint32_t origin_join(struct value_origins *origins, uint32_t a, uint32_t a_lanes, uint32_t b,
		     uint32_t b_lanes)
{
	if (a == NO_ORIGIN || b == NO_ORIGIN || a == b)
		return a == NO_ORIGIN ? b : a;
	return add_node(origins, &(struct origin_node){.operand = {a, b},
						       .lanes = {a_lanes, b_lanes},
						       .map = NO_MAP});
}

uint32_t origin_shuffle(struct value_origins *origins, uint32_t a, uint32_t lanes,
			const uint32_t from[LANES])
{
	const size_t map = origins->map_count;

	if (map == MAPS_MOST) {
		origin_use(origins, a, ALL_LANES);
		return NO_ORIGIN;
	}
	origins->maps =
		xgrow(origins->maps, &origins->map_capacity, map + 1, sizeof(*origins->maps));
	for (int lane = 0; lane < LANES; lane++)
		origins->maps[map][lane] = from[lane] % LANES;
	origins->map_count++;
	return add_node(origins, &(struct origin_node){.operand = {a, NO_ORIGIN},
						       .lanes = {lanes, 0},
						       .map = (uint32_t)map});
}

/* The lanes of an operand that these lanes of a node have their value from. */
static uint32_t lanes_from(const struct value_origins *origins, const struct origin_node *node,
			   uint32_t lanes)
{
	uint32_t from = 0;

	if (node->map == NO_MAP)
		return lanes;
	for (; lanes; lanes &= lanes - 1)
		from |= UINT32_C(1) << origins->maps[node->map][__builtin_ctz(lanes)];
	return from;
}

void origins_settle(struct value_origins *origins)
{
	for (size_t i = origins->count; i-- > 0;) {
		const struct origin_node *node = &origins->nodes[i];

		for (int k = 0; k < 2; k++)
			origin_use(origins, node->operand[k],
				   lanes_from(origins, node, node->used & node->lanes[k]));
	}
	origins->next = 0;
}

uint32_t origins_take_load(struct value_origins *origins, const struct instruction *at,
			   uint32_t active)
{
	const struct origin_node *node;

	while (origins->next < origins->count && !origins->nodes[origins->next].load)
		origins->next++;
	if (origins->next == origins->count)
		return 0;
	node = &origins->nodes[origins->next++];
	return node->load == at && node->active == active ? active & ~node->used : 0;
}
