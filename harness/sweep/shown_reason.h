/* shown_reason: the reason of a worker in the words of its user. */
#ifndef HARNESS_SWEEP_SHOWN_REASON_H
#define HARNESS_SWEEP_SHOWN_REASON_H

#include "kernels/kernels.h"

/*
 * Appends the reason. A worker knows kernels by their names in the image, which can have hundreds
 * of characters: they become names of C++, shortened, unless the launches of the variant name them
 * so, or the reason offers them in parentheses for the user to write.
 */
void shown_reason_add(struct text *out, const char *reason, const struct kernel_variant *variant);

#endif
