/*
 * sampling: counts a large launch by executing some of its blocks. Along each
 * axis of the grid, a block belongs to one of these classes: the first block, the
 * last block, or those between with the same index modulo a period. After a
 * period, addresses that are linear in the block's index are equal modulo 128
 * bytes.
 *
 * Several blocks of each class run: neighbours, and blocks spread over the grid.
 * If they agree in every count and on every source line, they represent their
 * class. This is sound if no branch and no address depends on data
 * (program_dependence()). It is not a proof, because the other blocks did not
 * run; so the status of the case is TRIAL_SAMPLED. Internal to
 * harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_SAMPLING_H
#define HARNESS_WORKERS_PTX_SAMPLING_H

#include "harness/workers/ptx/emulated_case.h"

/*
 * Executes blocks of all launches of a case, at most `most` warp instructions by
 * the estimate `block_instructions` (per block, by launch), and adds the
 * extrapolated counts to *totals. The contents of the buffers are undefined
 * afterwards. Returns 0 with an empty *why_not if this succeeded or a finding
 * ended a launch. Otherwise *why_not has the reason and *totals is unchanged.
 */
int sample_case(struct emulated_case *emulated, const uint64_t *block_instructions, uint64_t most,
		struct case_totals *totals, struct text *why_not, struct error *err);

/* ---- classes of blocks ---- */

#define SAMPLED_AXIS_BLOCKS 6 /* samples of one class, at most */

/* A class of indexes along one axis. */
struct axis_class {
	int64_t count;
	int64_t samples[SAMPLED_AXIS_BLOCKS]; /* ascending, distinct */
	size_t sample_count;
};
/* The classes of an axis of `extent` blocks; every index is in exactly one. The caller frees them.
 */
struct axis_class *axis_classes(int64_t extent, int64_t period, size_t *count);

#endif
