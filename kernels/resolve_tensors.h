/* resolve_tensors: tensor maps of a case. Internal to kernel_resolve(). */
#ifndef KERNELS_RESOLVE_TENSORS_H
#define KERNELS_RESOLVE_TENSORS_H

#include "kernels/resolution.h"

/* Sets out->tensor. out->integer is the buffer already. Skips the case if no device accepts the
 * map, or if the tensor does not lie in the buffer. */
int resolve_tensor(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg);

#endif
