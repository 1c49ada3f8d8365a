/*
 * panel: the inner loop of the oracles of matrix products, for several
 * instruction sets. Internal to this family.
 */
#ifndef KERNELS_MATMUL_PANEL_H
#define KERNELS_MATMUL_PANEL_H

#include <stdint.h>

/* A panel of B in doubles stays in the second-level cache, PANEL_ROWS times PANEL_COLUMNS
 * accumulators in the first-level cache. */
#define PANEL_DEPTH 128
#define PANEL_COLUMNS 128
#define PANEL_ROWS 4

/*
 * Adds factors[r][0 .. depth] times the panel to sums[r], for each of PANEL_ROWS rows. A sum has
 * the same additions in the same order, and so the same bits, whatever the instructions.
 */
typedef void panel_multiplication(double *const sums[PANEL_ROWS],
				  const float *const factors[PANEL_ROWS],
				  double panel[PANEL_DEPTH][PANEL_COLUMNS], int64_t depth);

/* The multiplications that this processor can execute, from index 0, the fastest first; NULL after
 * the last. All but the first are for tests. */
panel_multiplication *panel_multiplication_at(int index);

#endif
