/*
 * tensor_argument: a tensor map over a buffer, as a descriptor has it. A case has a struct
 * tensor_map (base/tensor_map.h), whose address whoever knows the buffer's puts there.
 */
#ifndef KERNELS_TENSOR_ARGUMENT_H
#define KERNELS_TENSOR_ARGUMENT_H

#include "base/tensor_map.h"

struct kernel_tensor {
	/* type, rank, mode, interleave, swizzle, promotion and fill; the rest are expressions. */
	struct tensor_map form;
	bool typed; /* the type is written; else the buffer's type decides */
	const char *sizes[TENSOR_MOST_RANK], *box[TENSOR_MOST_RANK]; /* elements */
	/* Bytes, of the dimensions from 1 on. NULL: the rows lie side by side. */
	const char *strides[TENSOR_MOST_RANK];
	const char *steps[TENSOR_MOST_RANK]; /* NULL: 1 */
	/* For the im2col mode, which has no box. A corner that is NULL is 0. */
	const char *channels, *pixels;
	const char *lower[TENSOR_IMAGE_MOST_RANK], *upper[TENSOR_IMAGE_MOST_RANK];
};

/* Appends all that tells two maps of a buffer apart:
 * " tensormap f32 64x32 +256 box 32x8 steps 1x1 swizzle 128". */
void tensor_map_describe(struct text *out, const struct tensor_map *map);

#endif
