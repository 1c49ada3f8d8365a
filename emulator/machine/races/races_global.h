/*
 * races_global: finds races and reads of unwritten bytes in global memory. Internal to emulator/.
 *
 * Two accesses to a byte by different threads of one launch race if all of these hold: at least one
 * writes; they are not both strong; and neither is ordered before the other (global_order.h).
 * Atomics are strong, and so are loads and stores that are relaxed, acquire, release or volatile;
 * those with the scope of a block only among the threads of one block. So is a load of the first
 * guess for a compare-and-swap, minimum or maximum at the same address, and a load that a
 * compare-and-swap compares with. A store of the value that
 * the memory already has does not race with an earlier store.
 *
 * The check covers all blocks. Each byte remembers its last plain write, its last strong write and
 * two reads by different warps. A third reader can be forgotten, and a race with it is then missed.
 *
 * A byte is unwritten if device_memory_set_unwritten() says so and no thread has written it since.
 */
#ifndef EMULATOR_MACHINE_RACES_RACES_GLOBAL_H
#define EMULATOR_MACHINE_RACES_RACES_GLOBAL_H

#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/global_order.h"

/* What the check may take if the launch does not say. */
#define GLOBAL_SHADOW_BYTES (INT64_C(1) << 29)

struct global_races;
/* For one launch of that program on that memory. */
struct global_races *global_races_create(const struct launch *launch, int64_t limit_bytes);
void global_races_free(struct global_races *shadow); /* NULL is allowed */

/* What the lanes of an instruction do, before any data moves. */
struct global_request {
	struct warp *warp;
	const struct instruction *at;
	struct allocation *in;
	uint32_t mask;
	const uint64_t *offset; /* by lane, in the allocation; valid and aligned in every lane */
	unsigned bytes;         /* per lane, a power of two */
	bool consecutive;       /* all lanes, one behind the other */
	uint64_t spread;        /* bits in which offsets differ; or more bits */
	bool reads, writes;
};
/* Reports findings, which do not end the launch. Call if launch->global is not NULL. */
void global_races_access(const struct global_request *request);
/* Checks any bytes that one lane accesses, if launch->global is not NULL. */
void global_races_range(struct warp *warp, const struct instruction *at, unsigned lane,
			struct allocation *in, uint64_t offset, uint32_t bytes, bool reads,
			bool writes);

#endif
