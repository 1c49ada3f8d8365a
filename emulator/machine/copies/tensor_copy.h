/*
 * tensor_copy: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, by which a thread copies a box
 * of a tensor between global and shared memory, or pixels in im2col mode (tensor_walk.h). Internal
 * to emulator/.
 *
 * In shared memory the rows of the box lie side by side, the innermost dimension first. With a
 * swizzle, a row has exactly the bytes of its span, and bits of the offset in shared memory change
 * places: a 16-byte chunk is where bits 4 to 6 of its offset are combined with bits 7 to 9 (128
 * bytes; 4 and 5 with 7 and 8 for 64 bytes, 4 with 7 for 32). Elements outside of the tensor arrive
 * as 0 or NaN. They are not stored or reduced, except behind the last element of a row, to the
 * end of its 16-byte chunk.
 */
#ifndef EMULATOR_MACHINE_COPIES_TENSOR_COPY_H
#define EMULATOR_MACHINE_COPIES_TENSOR_COPY_H

#include "emulator/machine/copies/bulk_issue.h"

/* A box begins at a multiple of this many bytes in shared memory. */
#define TENSOR_BOX_ALIGN 128

enum step tensor_copy_issue(const struct bulk_issue *issue);

#endif
