/*
 * shadow: what is known of each word of a block's shared memory in blocks that
 * are looked at: who wrote it, who read it, and whether anybody has. Finds
 * races and reads of what nobody wrote. Internal to emulator/.
 *
 * Two accesses of a word by different threads race when at least one writes,
 * not both are atomic, no barrier of the block lies between them
 * (block->epoch), and they are not of one warp with a synchronisation of the
 * warp between them (warp->sync_epoch). Loads and stores that are relaxed,
 * acquire or release are atomic, too; volatile ones are not. Lanes of one warp are in no order
 * otherwise, however they run here. Lanes of one instruction that store
 * different values to a word race; stores of the value that is there already
 * do not. Order by a lock or a flag is not seen: what it protects is told as a
 * race.
 *
 * Words are of four bytes until an instruction touches less; from then on each
 * byte is known for itself.
 */
#ifndef EMULATOR_MACHINE_SHADOW_H
#define EMULATOR_MACHINE_SHADOW_H

#include "emulator/machine/machine.h"

struct shared_shadow;
/* Of blocks of this launch (shared_bytes, program). NULL: the host has no memory for it. */
struct shared_shadow *shared_shadow_create(const struct launch *launch);
void shared_shadow_free(struct shared_shadow *shadow); /* NULL is fine */
/* A block begins: nothing is initialised, nobody has touched anything. */
void shared_shadow_begin(struct shared_shadow *shadow);

/*
 * Of the words of a row of SHADOW_ROW_BYTES, a bit each: those of which a load
 * by the warp is news. Of lanes that load one word, two are all the news.
 */
#define SHADOW_ROW_BYTES 128
uint32_t shared_shadow_unsettled(struct warp *warp, uint32_t row, uint32_t words);

/*
 * The lanes of the mask are about to load, store or change (atomics) `bytes`
 * bytes each at aligned offsets inside of shared memory. `values`, of a store:
 * each lane's bytes, `bytes` apart. A finding is for the lowest lane that has
 * one; neither kind ends a launch.
 */
void shared_shadow_load(struct warp *warp, const struct instruction *at, uint32_t mask,
			const uint32_t offset[LANES], unsigned bytes);
void shared_shadow_store(struct warp *warp, const struct instruction *at, uint32_t mask,
			 const uint32_t offset[LANES], unsigned bytes, const unsigned char *values);
void shared_shadow_atomic(struct warp *warp, const struct instruction *at, uint32_t mask,
			  const uint32_t offset[LANES], unsigned bytes);

/*
 * The lanes begin an asynchronous copy of these bytes: a store that happens
 * when each lane waits for it (shared_shadow_arrive(), with the place that this
 * returns). Until then whoever reads there, or writes anything else, is told.
 */
uint32_t shared_shadow_copy(struct warp *warp, const struct instruction *at, uint32_t mask,
			    const uint32_t offset[LANES], unsigned bytes,
			    const unsigned char *values);
void shared_shadow_arrive(struct warp *warp, uint32_t mask, const uint32_t offset[LANES],
			  unsigned bytes, uint32_t place);

#endif
