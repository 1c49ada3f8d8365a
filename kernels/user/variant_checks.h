/* variant_checks: refuses checks of a variant that cannot fail. Internal to kernels/user. */
#ifndef KERNELS_USER_VARIANT_CHECKS_H
#define KERNELS_USER_VARIANT_CHECKS_H

#include "kernels/user/kernel_variant.h"

/*
 * Whether the launches of the check and those of the variant are the same: the
 * same entries of one file, with the same grids, blocks and arguments.
 * `variant` has its source, launches and check.
 */
bool variant_checks_itself(const struct kernel_variant *variant);
/*
 * The first result among the buffers that no launch of the variant gets, if its
 * check compares it for certain: the check names it, or the variant itself
 * declares it. Other results of the file may belong to other variants. NULL: none.
 */
const struct annotated_buffer *variant_untouched_result(const struct kernel_variant *variant,
							const struct variant_scopes *scopes,
							const struct annotated_buffers *buffers);

#endif
