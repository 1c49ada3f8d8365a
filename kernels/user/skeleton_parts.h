/* skeleton_parts: what is guessed and known of each kernel before its lines are written. */
#ifndef KERNELS_USER_SKELETON_PARTS_H
#define KERNELS_USER_SKELETON_PARTS_H

#include "kernels/user/skeleton.h"
#include "kernels/user/skeleton_source.h"

/* ---- what the type, the name and the use of a parameter suggest ---- */

struct guessed_element {
	const char *name;   /* of an element type: "f32" */
	unsigned per_value; /* 4 for float4 */
	bool known;         /* false: the type has no element type of its own */
};

/* The element of a type of C, such as "const float4 *__restrict__". */
struct guessed_element guess_element(const char *type);
/* The element of all pointers of a PTX kernel, from its instructions. */
struct guessed_element guess_ptx_element(const char *body);
/* "in", "inout" or "out", from the type, the compiled code, the use in the body, or without a body
 * the name. */
const char *guess_role(const struct source_parameter *parameter, enum skeleton_access access,
		       const char *body);
/* Whether a parameter is the handle of a texture or a surface. */
bool guess_is_texture(const struct source_parameter *parameter);
/* Whether a parameter is a CUtensorMap. */
bool guess_is_tensor_map(const struct source_parameter *parameter);
/* The dimensions that a code names. *linear: it names y only in the number of the block, blockIdx.y
 * * gridDim.x + blockIdx.x, so that a grid of one dimension will do and none is returned. */
struct skeleton_dimensions guess_dimensions(const char *code, bool *linear);
unsigned dimensions_count(struct skeleton_dimensions dimensions); /* 1, 2 or 3 */
/* The elements behind a pointer, from all its uses in the body. `total`: what a kernel of as many
 * dimensions may have. */
const char *guess_length(const char *body, const char *name, const char *total);
/* The fill of a buffer, with a blank before it; "": the default is right. */
const char *guess_fill(const struct source_parameter *parameter, struct guessed_element element);
/* "n", "block", "1" or `total`, from the name of an integer of a kernel of so many dimensions. */
const char *guess_integer(const char *name, unsigned dimensions, const char *total);
/* The bytes per thread of `extern __shared__ T name[]`; 0: there is none. */
unsigned guess_shared_bytes(const char *body);

/* ---- kernels ---- */

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
