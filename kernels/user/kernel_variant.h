/* kernel_variant: one variant of a user's kernel, complete and checked. */
#ifndef KERNELS_USER_KERNEL_VARIANT_H
#define KERNELS_USER_KERNEL_VARIANT_H

#include "kernels/user/annotations.h"

/* ---- what the scopes that a variant sees declare together ---- */

/* The nearest first. */
struct variant_scopes {
	const struct annotation_scope *given;   /* the command line */
	const struct annotation_scope *variant; /* NULL: the launch is outside of `variant` */
	const struct annotation_scope *file;    /* of the variant's source */
	const struct annotation_scope *first;   /* of the first file with a launch; may be `file` */
};

struct annotated_axes {
	struct annotated_axis items[KERNEL_MAX_CASE_AXES];
	size_t count;
};
struct annotated_buffers {
	struct annotated_buffer items[KERNEL_MAX_BUFFERS];
	size_t count;
};
/* All axes and buffers, those of the farthest scope first. One of a nearer scope replaces one of
 * the same name. The error is that there are too many, or that a buffer cannot be compared as its
 * line says. */
int scopes_axes(struct annotated_axes *out, const struct variant_scopes *scopes, struct error *err);
int scopes_buffers(struct annotated_buffers *out, const struct variant_scopes *scopes,
		   struct error *err);
/* Refuses a comparison that names no buffer. */
int scopes_check_comparisons(struct annotated_buffers *buffers, const struct variant_scopes *scopes,
			     struct error *err);
bool same_buffers(const struct annotated_buffers *a, const struct annotated_buffers *b);

/* The nearest scope that has checks; NULL: none has. */
const struct annotation_scope *scopes_with_checks(const struct variant_scopes *scopes);
/* The work line of the nearest scope that has one; NULL: none has. */
const struct annotated_work *scopes_work(const struct variant_scopes *scopes);
/* Without a line: abs 0; rel 0 if all results are integers, 1e-2 if one is F16, BF16 or TF32,
 * else 1e-5. */
struct kernel_tolerance scopes_tolerance(const struct variant_scopes *scopes,
					 const struct annotated_buffers *buffers);
/* The source at `path`. The nearest standard and compiler count. The flags are those of the file
 * (the first file's if it has none), then the variant's, then those of the command line. */
struct kernel_source *scopes_source(const struct variant_scopes *scopes,
				    struct annotation_pool *pool, const char *path);

/* A text may be NULL. */
bool same_text(const char *a, const char *b);

/* ---- a variant ---- */

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

/* ---- checks of a variant that cannot fail ---- */

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
