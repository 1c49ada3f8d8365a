/*
 * For fills and oracles only: a loop over independent indices, spread over
 * the machine's processors. The body must not care how the range is cut, so
 * that results are the same bits on every machine. Internal to kernels/.
 */
#ifndef KERNELS_PARALLEL_H
#define KERNELS_PARALLEL_H

#include <stdint.h>

/*
 * Calls body(context, begin, end) for disjoint ranges that cover [0, count),
 * each but the last a multiple of `grain` long. Runs in this thread alone when
 * there is less than two grains of work, or no thread is to be had.
 */
void parallel_for(int64_t count, int64_t grain,
		  void (*body)(void *context, int64_t begin, int64_t end), void *context);

#endif
