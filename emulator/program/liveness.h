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
	uint32_t begin, end; /* instructions, without `end` */
};

struct liveness {
	struct function_decoding *decoding;
	struct program_function *out;
	struct block_range *blocks;
	size_t block_count;
	uint32_t *block_at; /* by instruction: its block */
	/* Only values that a block reads before it writes them have a bit in the sets. */
	uint32_t *number;   /* by value: its bit + 1, or 0 */
	uint32_t *numbered; /* by bit: its value */
	size_t bit_count, word_count;
	/* One set per block: what it reads before it writes it, what it writes, and what is live at
	 * its beginning. */
	uint64_t *reads, *writes, *live;
	/* The sets would be too large: values with a bit count as live everywhere. */
	bool everywhere;
	/* By value: the first and last instruction of its range. begin > end: no range. */
	uint32_t *begin, *end;
};

/* Computes all fields from `decoding` and `out`, which the caller sets. Also sets result_unused of
 * every atomic whose result is never read, and `unread` of every load from global memory, and
 * of words that may be in shared memory. The caller calls liveness_release(). */
void analyse_liveness(struct liveness *live);
void liveness_release(struct liveness *live);
/* Extends the live range of a value to an instruction. */
void extend_live_range(struct liveness *live, uint32_t value, uint32_t place);
/* Whether the value with this bit is live at the beginning of the function, before any write. */
bool live_at_start(const struct liveness *live, uint32_t bit);

#endif
