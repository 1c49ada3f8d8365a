/*
 * global_report: what the files of the check of global memory share: its state, and the texts of
 * its findings. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_REPORT_H
#define EMULATOR_MACHINE_RACES_GLOBAL_REPORT_H

#include "emulator/machine/races/global_cells.h"
#include "emulator/machine/races/global_order.h"
#include "emulator/machine/races/races_global.h"

struct global_races {
	const struct ptx_program *program;
	struct device_memory *memory;
	uint32_t *first_place; /* by function: number of its first instruction */
	struct order order;
	struct cell_pool *pool; /* the memory's */
	int64_t limit_bytes;
	uint64_t unchecked; /* requests */
};

/* The place of an instruction of the function that a warp executes, as all records hold it. */
static inline uint32_t warp_place(const struct global_races *shadow, const struct warp *warp,
				  uint32_t number)
{
	return (shadow->first_place[warp->frame->function_index] + number) & PLACE_MOST;
}

/* The rows of the allocation, in cells that are small enough; NULL: it is not checked. */
struct shadow_rows *global_races_rows(struct global_races *shadow, struct allocation *in,
				      unsigned bytes);

/* The earlier access of a race. */
struct global_rival {
	struct cell_record record;
	bool wrote;
};

/* Reports that a lane's access races with an earlier one at that byte of the allocation. */
void global_report_race(const struct global_races *shadow, const struct global_request *by,
			unsigned lane, uint64_t byte, const struct global_rival *rival);

#endif
