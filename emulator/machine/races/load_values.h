/*
 * load_values: follows the values of loads that race, whose uses dead_loads.h wants to know.
 * Internal to emulator/.
 *
 * Each frame notes for its rows the lanes that hold such a value. Arithmetic hands the note on. A
 * value is used when it is stored, as an address, as a condition, by an atomic, or by another
 * operation among lanes. A warp without such values runs as fast as before.
 */
#ifndef EMULATOR_MACHINE_RACES_LOAD_VALUES_H
#define EMULATOR_MACHINE_RACES_LOAD_VALUES_H

#include "emulator/machine/machine.h"

/* The lanes of a row that hold a value that is followed, and where it comes from. */
struct load_value_row {
	uint32_t lanes;
	uint32_t origin; /* a node of value_origins.h; NO_ORIGIN: it is known to be used */
};

/*
 * Notes the result of a shuffle: `from` is the source of each lane, and the
 * lanes `absent` of the active ones read a lane that does not take part. Call
 * before the result is written, if the warp has values that are followed.
 */
void load_values_shuffled(struct warp *warp, const struct instruction *at, const uint32_t *from,
			  uint32_t absent);
/* Notes that the active lanes have loaded values that are followed. Call after the load, which is
 * that node of value_origins.h. */
void load_values_loaded(struct warp *warp, const struct instruction *at, uint32_t node);
/* Call before the lanes `lanes` execute an instruction, if the warp has values
 * that are followed. */
void load_values_follow(struct warp *warp, const struct instruction *at, uint32_t lanes);
/* The lanes of a row are about to be used in a way that load_values_follow() does not see. */
void load_values_used(struct warp *warp, struct frame *frame, uint32_t row, uint32_t lanes);
/* Forgets the notes of a frame, which begins to serve other lanes. */
void load_values_frame_begin(struct warp *warp, struct frame *frame);

#endif
