/*
 * data_key: names the data of a case: the contents of its inputs, and the
 * results that are expected. Data with equal keys have equal bytes, so cases,
 * rounds and processes share them. The memory of a capture has addresses in it
 * that the key does not know: case_capture_add_key().
 */
#ifndef KERNELS_DATA_KEY_H
#define KERNELS_DATA_KEY_H

#include "base/hash.h"
#include "kernels/kernels.h"

/* The distance of the seed of other inputs from the seed of the sweep. */
#define MIXED_SEED_STEP UINT64_C(0x51ed270b)
/* The seed in the keys of a sweep's data. `mixed`: of the data for its other inputs. */
static inline uint64_t data_seed(uint64_t seed, bool mixed)
{
	return mixed ? seed + MIXED_SEED_STEP : seed;
}

/* The key consists of the name, type, length and fill of the buffer and the seed. The caller frees
 * it. */
char *case_input_key(const struct case_buffer *buffer, uint64_t seed);
/* The key consists of the check, the axes that the check can depend on, and every input and result
 * of the case. The caller frees it. */
char *case_expected_key(const struct launch_case *work, size_t buffer, uint64_t seed);

#endif
