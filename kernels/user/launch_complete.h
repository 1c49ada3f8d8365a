/*
 * launch_complete: finds out which arguments of a launch are buffers, and checks
 * the names and the form of its expressions.
 */
#ifndef KERNELS_USER_LAUNCH_COMPLETE_H
#define KERNELS_USER_LAUNCH_COMPLETE_H

#include "kernels/user/annotation_names.h"

/* *launch is a copy of the one that was scanned; its arguments are replaced by others of the pool.
 * On failure sets the error with the place. */
int launch_complete(struct kernel_launch *launch, const struct annotation_names *names,
		    struct annotation_pool *pool, struct annotation_place place, struct error *err);

#endif
