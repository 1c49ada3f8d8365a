/*
 * liveness: the live range of every value of a function. Internal to program/.
 *
 * An iteration over the basic blocks finds the values that are live at their boundaries. The live
 * range of a value then runs from the first place where it is live to the last, in the order of the
 * code.
 *
 * A guarded write leaves the other lanes unchanged, so it does not end the previous value's life.
 * Temporaries of the decoder are the exception: they are read under the same guard.
 */
#ifndef EMULATOR_PROGRAM_LIVENESS_H
#define EMULATOR_PROGRAM_LIVENESS_H

#include "emulator/program/decode.h"

struct block_range {
	uint32_t begin, end; /* instructions */
};

struct liveness {
	struct function_decoding *decoding;
	struct program_function *out;
	struct block_range *blocks;
	size_t block_count;
	uint32_t *block_at; /* by instruction */
	/* Values that are read in a block before they are written there. */
	uint32_t *number;   /* by value: its bit + 1, or 0 */
	uint32_t *numbered; /* by bit: its value */
	size_t bit_count, word_count;
	uint64_t *reads, *writes, *live; /* live: at the beginning of a block */
	bool everywhere;                 /* too many: numbered values live everywhere */
	uint32_t *begin, *end;           /* by value: its first and last place; begin > end: none */
};

/* Computes all fields from `decoding` and `out`, which the caller sets; liveness_release() frees
 * them. Also sets result_unused of every atomic whose result nothing reads. */
void analyse_liveness(struct liveness *live);
void liveness_release(struct liveness *live);
/* Extends the live range of a value to a place. */
void extend_live_range(struct liveness *live, uint32_t value, uint32_t place);
/* Whether the value with this bit is live when the function begins, so before any write to it. */
bool live_at_start(const struct liveness *live, uint32_t bit);

#endif
