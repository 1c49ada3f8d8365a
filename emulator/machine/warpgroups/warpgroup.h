/*
 * warpgroup: wgmma, by which the four warps of a warpgroup multiply matrices
 * together. Internal to emulator/.
 *
 * The emulator computes a product when a warp issues it. A warp that waits for
 * a product waits until all four have issued it, as the hardware computes it for
 * all of them together. The hardware computes
 * it at any time until the warp waits for its group, so a right program touches
 * neither its registers nor its operands in shared memory before. What a program
 * does too early is a finding:
 *
 * - it reads or writes a register of D, or writes one of A;
 * - it writes shared memory that a product reads, before all four warps have
 *   waited for it (in checked blocks);
 * - it stores an operand without a fence of the async proxy before wgmma reads
 *   it (in checked blocks; races_shared.h);
 * - the first product has no wgmma.fence before it.
 *
 * It is a finding, too, if the warps of a warpgroup do not execute the same
 * products.
 */
#ifndef EMULATOR_MACHINE_WARPGROUPS_WARPGROUP_H
#define EMULATOR_MACHINE_WARPGROUPS_WARPGROUP_H

#include "emulator/machine/machine.h"
#include "emulator/machine/warpgroups/group_matrix.h"

#define GROUP_WARPS 4

/* A product that is about to be computed. */
struct issued_product {
	const struct program_group_product *product;
	struct group_matrix a, b;
	bool adds; /* D counts; else the sums begin at zero */
};

/*
 * Call when all lanes of a warp have arrived at OP_GROUP_PRODUCT. Checks and
 * records the product. STEP_NEXT: *out is set, and its operands are inside of
 * shared memory.
 */
enum step warpgroup_issue(struct issued_product *out, struct warp *warp,
			  const struct instruction *at);

instruction_handler run_group_fence, run_group_commit, run_group_wait;

/* Whether products of the warp are pending: then call warpgroup_follow() before every instruction
 * that the lanes `lanes` execute. */
static inline bool warpgroup_is_pending(const struct warp *warp)
{
	return warp->pending_products != 0;
}
void warpgroup_follow(struct warp *warp, const struct instruction *at, uint32_t lanes);

/* Call when all lanes of a warp have ended. */
void warpgroup_warp_ended(struct warp *warp);
/* Whether a product that not all warps have waited for reads the 16 bytes of shared memory around
 * an offset: then sets its warpgroup and its place, as races_shared.h numbers places. */
bool warpgroup_reads(const struct block *block, uint32_t offset, unsigned *group, uint32_t *place);

/*
 * For a bulk copy by the warp `by` to the 16 bytes around an offset: the warps of the block whose
 * products have read them, if one warp of their warpgroup has waited for the product and `by` is
 * ordered after that. Such reads are forgotten. The four warps compute a product together, so
 * producers take the signal of one of them for that of all.
 */
uint32_t warpgroup_reads_over(struct block *block, uint32_t offset, const struct warp *by);

/* Call when a block starts. */
void warpgroups_begin(struct block *block);
void warpgroups_free(struct block *block);
void warpgroup_warp_free(struct warp *warp);
/* Forgets the notes of a frame, which begins to serve other lanes. */
void warpgroup_frame_begin(struct frame *frame);

/* ---- what a block remembers of wgmma: shared by warpgroup.c and warpgroup_state.c ---- */

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

unsigned warpgroup_count(const struct block *block);
/* The units of 16 bytes in shared memory. */
size_t warpgroup_unit_count(const struct block *block);

/* The warp has waited for the groups that it awaited. */
void warpgroup_finish_wait(struct warp *warp);

/* Checks and notes the registers of a product. */
void warpgroup_note_registers(struct warp *warp, const struct instruction *at,
			      const struct program_group_product *product);

#endif
