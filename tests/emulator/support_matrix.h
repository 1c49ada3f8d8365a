/* Runs a case of matrices.h in the emulator. */
#ifndef TESTS_EMULATOR_SUPPORT_MATRIX_H
#define TESTS_EMULATOR_SUPPORT_MATRIX_H

#include "emulator/emulator.h"
#include "tests/emulator/matrices.h"

/* Writes matrix_out_bytes() of results. Returns false with the reason if the case cannot run or has
 * a finding. The first and the last `checked_blocks` blocks are checked; negative: all. */
bool matrix_emulate(void *results, const struct matrix_case *matrix, enum emulated_lanes lanes,
		    int64_t checked_blocks, struct text *why);

#endif
