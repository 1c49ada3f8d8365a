/*
 * undefined: follows the values that shuffles read from lanes that do not take
 * part. PTX leaves them undefined, so a kernel is wrong if such a value decides
 * what it stores or where it branches, but right if it drops the value, as many
 * do in the last warp of a block. Follows the values of some loads, too, whose
 * uses load_uses.h wants to know. Internal to emulator/.
 *
 * Each frame notes for its rows the lanes that hold such a value. Arithmetic
 * hands the note on. A finding is recorded, at the shuffle, when the value is
 * used: stored, as an address, as a condition, by an atomic, or by another
 * operation among lanes. A warp without such values runs as fast as before.
 */
#ifndef EMULATOR_MACHINE_UNDEFINED_H
#define EMULATOR_MACHINE_UNDEFINED_H

#include "emulator/machine/warp.h"

/* The lanes of a row that hold an undefined value, and where it comes from. */
struct undefined_row {
	uint32_t lanes;
	/* Index in warp_undefined.origins; behind them: a node of value_origins.h. */
	uint32_t origin;
};

/*
 * Notes the result of a shuffle: `from` is the source of each lane, and the
 * lanes `absent` of the active ones read a lane that does not take part. Call
 * before the result is written. Needed only if `absent` is not 0 or the warp
 * has undefined values.
 */
void undefined_shuffled(struct warp *warp, const struct instruction *at, const uint32_t *from,
			uint32_t absent);
/* Notes that the active lanes have loaded values that are followed. Call after the load, which is
 * that node of value_origins.h. */
void undefined_loaded(struct warp *warp, const struct instruction *at, uint32_t node);
/* Call before the lanes `lanes` execute an instruction, if the warp has undefined values. */
void undefined_follow(struct warp *warp, const struct instruction *at, uint32_t lanes);
/* The lanes of a row are about to be used in a way that undefined_follow() does not see. */
void undefined_used(struct warp *warp, struct frame *frame, const struct instruction *at,
		    uint32_t row, uint32_t lanes);
/* Forgets the notes of a frame, which begins to serve other lanes. */
void undefined_frame_begin(struct warp *warp, struct frame *frame);
void undefined_free(struct warp *warp);

#endif
