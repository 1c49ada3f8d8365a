/*
 * sampling: counting a large launch on some of its blocks. Blocks are sorted
 * into classes: along each axis the first, the last, and those between by
 * their index modulo a period, after which addresses are the same modulo 128
 * bytes, if they are linear in the block's index. Several blocks of each class
 * are executed, neighbours among them and spread over the grid, and must agree
 * in every count and on every source line; then they stand for their class.
 * That is sound where no branch and no address depends on data
 * (program_dependence()), but no proof: what was not executed was not seen, so
 * a sampled case says so. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_SAMPLING_H
#define HARNESS_WORKERS_PTX_SAMPLING_H

#include "harness/workers/ptx/emulated_case.h"

/*
 * Executes blocks of all launches of an emulated, at most `most`
 * warp-instructions by the estimate, and adds what they stand for to *totals.
 * Memory is then of no use. 0 with *why_not empty when that could be done or
 * a finding ended it; else *why_not says what stands against it, and *totals
 * is as it was.
 */
int sample_case(struct emulated_case *emulated, const uint64_t *block_instructions, uint64_t most,
		struct case_totals *totals, struct text *why_not, struct error *err);

/* ---- blocks in classes, apart from executing them ---- */

#define SAMPLED_AXIS_BLOCKS 6 /* of one class, at most */

/* Indexes along one axis that are alike. */
struct axis_class {
	int64_t count;
	int64_t samples[SAMPLED_AXIS_BLOCKS]; /* ascending, distinct */
	size_t sample_count;
};
/* Classes of an axis of `extent` blocks (malloc'd): every index is in exactly one. */
struct axis_class *axis_classes(int64_t extent, int64_t period, size_t *count);

#endif
