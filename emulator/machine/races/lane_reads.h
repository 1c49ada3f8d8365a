/*
 * lane_reads: whether an earlier read by a lane is over when another lane of its warp writes. For
 * the race checks; program/program.h says what ends a read. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_RACES_LANE_READS_H
#define EMULATOR_MACHINE_RACES_LANE_READS_H

#include "emulator/machine/machine.h"

/* Whether the read by the lane, at that instruction of that function, is over. Other lanes of the
 * warp execute `at` now. */
bool lane_read_is_over(struct warp *warp, const struct instruction *at, unsigned lane,
		       uint32_t function, uint32_t read);

#endif
