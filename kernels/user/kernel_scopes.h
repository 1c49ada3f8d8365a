/* kernel_scopes: what the scopes that a variant sees declare together. */
#ifndef KERNELS_USER_KERNEL_SCOPES_H
#define KERNELS_USER_KERNEL_SCOPES_H

#include "kernels/user/annotations.h"

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

#endif
