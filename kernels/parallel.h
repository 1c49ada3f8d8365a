/*
 * A loop over independent indices, spread over the processors of the machine,
 * for fills and oracles. The body must not depend on how
 * the range is divided, so that every machine computes the same bits.
 */
#ifndef KERNELS_PARALLEL_H
#define KERNELS_PARALLEL_H

#include <stdint.h>

/*
 * Calls body(context, begin, end) for disjoint ranges that cover [0, count).
 * The length of every range but the last is a multiple of `grain`. Uses only
 * the calling thread if there are fewer than two grains of work, or if no
 * thread can be started.
 */
void parallel_for(int64_t count, int64_t grain,
		  void (*body)(void *context, int64_t begin, int64_t end), void *context);

/* The most threads that a loop of this process may use from now on; 0: one for each processor. To
 * be called while no loop runs. */
void parallel_limit(int threads);

#endif
