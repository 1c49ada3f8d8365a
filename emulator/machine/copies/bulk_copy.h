/*
 * bulk_copy: cp.async.bulk and cp.reduce.async.bulk, by which a thread copies a row of bytes
 * between global and shared memory, and their tensor forms. Internal to emulator/.
 *
 * The bytes move when the thread issues the copy, and an mbarrier counts them at once. Who accesses
 * shared memory before the copy is complete gets a finding (bulk_pending.h).
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_COPY_H
#define EMULATOR_MACHINE_COPIES_BULK_COPY_H

#include "emulator/machine/copies/bulk_issue.h"

instruction_handler run_bulk_copy; /* OP_BULK_COPY */
/* OP_BULK_REDUCE; `combine` is of the lanes that the launch chose. */
enum step run_bulk_reduction(struct warp *warp, const struct instruction *at,
			     bulk_combine *combine);

#endif
