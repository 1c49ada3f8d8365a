/* kernel_variant: one variant of a user's kernel, complete and checked. */
#ifndef KERNELS_USER_KERNEL_VARIANT_H
#define KERNELS_USER_KERNEL_VARIANT_H

#include "kernels/user/kernel_scopes.h"

/* What every variant shares. */
struct kernel_common {
	const struct kernel *kernel; /* its axes, constraints, work and tolerance are set */
	struct annotated_buffers buffers;
	/* The constraints of the first file and of the command line; messages name their places. */
	const struct annotated_constraint *constraints;
	size_t constraint_count;
};

struct variant_parts {
	const char *name;
	const char *path;  /* absolute, of the source */
	const char *shown; /* as the user wrote it */
	bool is_replacement;
	struct variant_scopes scopes;
	const struct annotated_launch *launches;
	size_t launch_count; /* at least 1 */
};

int variant_build(struct kernel_variant *out, struct annotation_pool *pool,
		  const struct kernel_common *common, const struct variant_parts *parts,
		  struct error *err);

#endif
