/*
 * value_origins: where values come from that a run follows, and which of them are used. Internal to
 * emulator/.
 *
 * An origin is a node: an execution of a load, or what an instruction made of the values of other
 * origins. Nodes are numbered in the order in which they come up, so operands have lower numbers.
 * A use is noted at the node of the value; origins_settle() passes all uses on to the loads.
 */
#ifndef EMULATOR_MACHINE_RACES_VALUE_ORIGINS_H
#define EMULATOR_MACHINE_RACES_VALUE_ORIGINS_H

#include "emulator/machine/machine.h"

#define NO_ORIGIN UINT32_MAX

struct origin_node {
	const struct instruction *load; /* NULL: operands have the value */
	uint32_t active;                /* lanes that execute the load */
	uint32_t used;                  /* lanes whose value is used */
	uint32_t operand[2];            /* numbers; NO_ORIGIN: none */
	uint32_t lanes[2];              /* those in which the value depends on the operand */
	uint32_t map; /* of a shuffle: index in maps of the lanes that operand[0] comes from */
};

struct value_origins {
	struct origin_node *nodes;
	size_t count, capacity;
	uint8_t (*maps)[LANES];
	size_t map_count, map_capacity;
	size_t next; /* where origins_take_load() goes on */
};

void value_origins_release(struct value_origins *origins);

/* Something uses the value in these lanes. NO_ORIGIN: nothing is done. */
void origin_use(struct value_origins *origins, uint32_t origin, uint32_t lanes);
/*
 * New nodes. NO_ORIGIN: there are too many, and the operands count as used in these lanes.
 * origin_join: a value that depends on two others. origin_shuffle: lane i of `lanes` gets the value
 * of lane from[i].
 */
uint32_t origin_load(struct value_origins *origins, const struct instruction *at, uint32_t active);
uint32_t origin_join(struct value_origins *origins, uint32_t a, uint32_t a_lanes, uint32_t b,
		     uint32_t b_lanes);
uint32_t origin_shuffle(struct value_origins *origins, uint32_t a, uint32_t lanes,
			const uint32_t from[LANES]);

/* Passes the uses of all nodes on to the loads. */
void origins_settle(struct value_origins *origins);
/* The next load in the order of their execution: its lanes whose value was not used. 0 if it is
 * another one than expected. */
uint32_t origins_take_load(struct value_origins *origins, const struct instruction *at,
			   uint32_t active);

#endif
