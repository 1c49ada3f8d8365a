/* skeleton_parts: what is known of each kernel before its lines are written. */
#ifndef KERNELS_USER_SKELETON_PARTS_H
#define KERNELS_USER_SKELETON_PARTS_H

#include "kernels/user/skeleton.h"
#include "kernels/user/skeleton_guess.h"

struct skeleton_buffer {
	const char *name, *type, *length, *role;
	const char *fill;  /* with a blank before it; "": the default */
	const char *shown; /* the parameter in the source */
	bool known;        /* the element type follows from the source */
	bool role_known;   /* the type or the compiled code says whether it is written */
};

struct skeleton_argument {
	const char *value;
	const char *remark; /* why it has this value; NULL: a buffer */
};

struct skeleton_kernel {
	const struct skeleton_entry *entry;
	const struct source_kernel *declared; /* NULL: the text has no such declaration */
	const char *name;                     /* as the launch names it */
	struct skeleton_dimensions dimensions;
	bool linear;       /* a grid of one dimension will do for what names two */
	const char *total; /* the elements that it works on: "n", "n * n" */
	struct skeleton_buffer *buffers;
	size_t buffer_count;
	struct skeleton_argument *arguments; /* one per parameter, unless there is an obstacle */
	const char *obstacle;                /* why there is no launch; NULL: there is one */
};

struct skeleton {
	const struct skeleton_request *request;
	struct annotation_pool pool;
	struct source_kernels source;
	struct skeleton_kernel *kernels;
	size_t count;
};

/* Whether a kernel is a template of which the image has no instance. */
bool skeleton_is_open_template(const struct skeleton *skeleton,
			       const struct source_kernel *declared);
/* The line `flags`, with paths from the folder of the sidecar. */
void skeleton_print_flags(struct text *out, struct annotation_pool *pool,
			  const struct skeleton_request *request);
/* Writes the lines of all kernels, of which there is at least one, or of templates. Returns the
 * number of launches. */
size_t skeleton_print(struct text *out, struct skeleton *skeleton);

#endif
