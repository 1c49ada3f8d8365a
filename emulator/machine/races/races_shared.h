/*
 * races_shared: finds races in shared memory of checked blocks. It records for each word
 * which threads wrote and read it. It also notes that a word was read before it was
 * written; undefined/ then finds out whether the value is used. Internal to emulator/.
 *
 * Two accesses to a word by different threads race if all of these hold: at
 * least one writes; they are not both atomic; no barrier of the block lies
 * between them (block->epoch); no mbarrier and no barrier of some warps orders them
 * (block_clocks.h); and they
 * are not by the same warp with a synchronisation of the warp between them
 * (warp->sync_epoch). Relaxed, acquire
 * and release loads and stores count as atomic, and a load whose value a later atomic corrects.
 * Volatile ones count as atomic between warps, if the program executes fences. Lanes of
 * a warp have no other order, in whichever order the emulator runs them. Lanes
 * of one instruction that store different values to a word race; a store of the
 * value that the word already has does not race. Locks and flags in
 * shared memory order accesses, too (block_clocks.h).
 *
 * In a cluster, threads of other blocks access the memory, too. There the clocks (block_clocks.h)
 * stand for all barriers, and the epochs do not count. The end of a block must come after all
 * accesses to its memory.
 *
 * A cell of the shadow memory is a 4-byte word until an instruction accesses
 * fewer bytes. From then on each cell is a byte.
 */
#ifndef EMULATOR_MACHINE_RACES_RACES_SHARED_H
#define EMULATOR_MACHINE_RACES_RACES_SHARED_H

#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/machine.h"

struct shared_races;
/* For the blocks of this launch (shared_bytes, program). NULL: no memory. */
struct shared_races *shared_races_create(const struct launch *launch);
void shared_races_free(struct shared_races *shadow); /* NULL is allowed */
/* Call when a block starts: marks all cells as uninitialised and untouched. */
void shared_races_begin(struct shared_races *shadow);

/*
 * Returns those of `words`, a mask of the words of a row of SHADOW_ROW_BYTES,
 * that a load by the warp must still record. Two of the lanes that load the same
 * word are enough.
 */
#define SHADOW_ROW_BYTES 128
uint32_t shared_races_unsettled(struct warp *warp, struct block *block, uint32_t row,
				uint32_t words);

/*
 * Call before the lanes of the mask load, store or change (atomics) `bytes`
 * bytes each at aligned offsets inside of shared memory of `block`: their own,
 * or another one of the cluster. `values` of a store:
 * `bytes` bytes per lane. Reports a finding for the lowest lane at fault; none
 * of these kinds ends a launch.
 */
void shared_races_load(struct warp *warp, struct block *block, const struct instruction *at,
		       uint32_t mask, const uint32_t offset[LANES], unsigned bytes);
/* Checks loads of words of one row. `word` is the number of each lane's word in the row, and
 * `words` is the mask of the words that the lanes load. */
void shared_races_load_words(struct warp *warp, struct block *block, const struct instruction *at,
			     uint32_t mask, const uint32_t offset[LANES], const uint8_t word[LANES],
			     uint32_t words);
/* For all lanes, each of which stores the word with its number in a row of its block. Returns
 * false, and does nothing, if shared_races_store() must be called. */
bool shared_races_store_row(struct warp *warp, const struct instruction *at, uint32_t row);
void shared_races_store(struct warp *warp, struct block *block, const struct instruction *at,
			uint32_t mask, const uint32_t offset[LANES], unsigned bytes,
			const unsigned char *values);
void shared_races_atomic(struct warp *warp, struct block *block, const struct instruction *at,
			 uint32_t mask, const uint32_t offset[LANES], unsigned bytes);

/* Call before the last threads of a block of a cluster end, at that instruction. Reports a finding
 * if another block may access the memory after that. */
void shared_races_end(struct warp *warp, const struct instruction *at);

/*
 * Call when the lanes start an asynchronous copy of these bytes: a store that
 * takes effect when the lane waits for it. Pass the returned place to
 * shared_races_arrive() then, with the clock of the warp (block_clocks.h) at
 * which the lane waited or handed the copy to an mbarrier. Until then each read of these bytes, and
 * each write of other values to them, is a finding.
 */
uint32_t shared_races_copy(struct warp *warp, const struct instruction *at, uint32_t mask,
			   const uint32_t offset[LANES], unsigned bytes,
			   const unsigned char *values);
void shared_races_arrive(struct warp *warp, uint32_t mask, const uint32_t offset[LANES],
			 unsigned bytes, uint32_t place, uint32_t clock);

/*
 * Call before a warpgroup reads 16 bytes for each lane of the mask by wgmma. Each of its four
 * warps reads them. A write of another thread must have a fence of the async proxy (by that
 * thread, or by any after a barrier) and a barrier between. Returns the place of the instruction.
 * Until all warps have waited for the product, each write to these bytes is a finding.
 */
uint32_t shared_races_product(struct warp *warp, const struct instruction *at, uint32_t mask,
			      const uint32_t offset[LANES]);

/* ---- bulk copies ---- */

/* The bytes inside of shared memory that the copy of a lane accesses: of a checked block, which is
 * that of the lane or another one of the cluster. */
struct shadow_bulk {
	struct warp *warp;
	struct block *block;
	const struct instruction *at;
	unsigned lane;
	struct bulk_range range;
};

/*
 * Call before the copy reads its source, or writes its destination. `values`: the bytes that it
 * will write; NULL: it changes those that are there (a reduction). A fence of the async proxy must
 * lie between the store of a thread and the read. Return the place of the instruction, for struct
 * bulk_pending.
 */
uint32_t shadow_bulk_read(const struct shadow_bulk *access);
uint32_t shadow_bulk_write(const struct shadow_bulk *access, const unsigned char *values);

#endif
