/*
 * warpgroup_state: what a block remembers of wgmma. Shared by warpgroup.c, which
 * executes it, warpgroup_state.c and warpgroup_registers.c.
 */
#ifndef EMULATOR_MACHINE_WARPGROUPS_WARPGROUP_STATE_H
#define EMULATOR_MACHINE_WARPGROUPS_WARPGROUP_STATE_H

#include "emulator/machine/warpgroups/warpgroup.h"

/* The products of a warp. */
struct warp_products {
	uint32_t issued;    /* products */
	uint32_t complete;  /* products that the warp has waited for */
	uint32_t committed; /* groups */
	uint32_t waited;    /* groups that the warp has waited for */
	uint32_t awaited;   /* groups that it waits for until all warps have issued them */
	uint32_t *ends;     /* by committed group: products issued before its end */
	uint32_t *clocks;   /* by group that was waited for: of the warp at the wait */
	size_t end_capacity, clock_capacity;
	bool fenced; /* a wgmma.fence was executed */
};

/* The last product with a register. */
struct fragment_note {
	const struct program_group_product *product; /* NULL: none */
	const struct instruction *at;
	uint32_t group; /* of the warp */
	bool is_factor; /* a register of A, else of D */
};

/* What the warps of a warpgroup must agree on. */
struct group_entry {
	const struct instruction *at;
	uint64_t a, b;
	bool adds;
};
/* The last product that reads 16 bytes of shared memory. */
struct unit_reader {
	uint32_t number; /* of the product, plus 1; 0: none */
	uint32_t place;
};
struct warpgroup {
	/* Products that some warp has issued, but not all four. */
	struct group_entry *entries;
	size_t entry_count, entry_capacity;
	uint32_t first; /* number of the first of them */
	struct unit_reader *readers;
};

static inline unsigned warpgroup_count(const struct block *block)
{
	return (block->warp_count + GROUP_WARPS - 1) / GROUP_WARPS;
}

/* The units of 16 bytes in shared memory. */
static inline size_t warpgroup_unit_count(const struct block *block)
{
	return (size_t)block->launch->shared_bytes / GROUP_UNIT_BYTES + 1;
}

/* The warp has waited for the groups that it awaited. */
void warpgroup_finish_wait(struct warp *warp);

/* Checks and notes the registers of a product. warpgroup_registers.c */
void warpgroup_note_registers(struct warp *warp, const struct instruction *at,
			      const struct program_group_product *product);

#endif
