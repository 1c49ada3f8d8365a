/*
 * recorded_parameters: the parameters of a recorded launch. A capture has their
 * bytes and the addresses in them. The kernel's name tells the types of those
 * of a plain C++ function.
 */
#ifndef KERNELS_USER_RECORDED_PARAMETERS_H
#define KERNELS_USER_RECORDED_PARAMETERS_H

#include "base/mangled.h"
#include "capture/capture.h"
#include "kernels/user/annotations.h"

/* So many first parameters, and first addresses in a struct, always have names. */
#define RECORDED_FIRST_PARAMETERS 128
#define RECORDED_FIRST_ADDRESSES 16

/* Everything is borrowed from the capture. */
struct recorded_parameter {
	size_t bytes;
	const unsigned char *data;
	uint64_t offset; /* in all parameters */
	/* The pointers within the parameter. Their offsets are in all parameters. */
	const struct capture_pointer *pointers;
	size_t pointer_count;
	struct mangled_parameter type; /* all zeroes: not known */
};

struct recorded_parameters {
	struct recorded_parameter *items;
	size_t count;
};
void recorded_parameters_read(struct recorded_parameters *out, struct annotation_pool *pool,
			      const struct capture_info *info);

/* The parameter is one address and nothing else. NULL: it is not. */
const struct capture_pointer *recorded_pointer(const struct recorded_parameter *parameter);

/* Adds "x", or "dim3(x, 2, 3)" if the other extents are not 1. */
void recorded_extents_add(struct text *out, const char *x, const int64_t extents[3]);
/* Whether 4 bytes look like a float: only normal numbers around 1, as small integers are denormal.
 */
bool recorded_looks_like_float(const unsigned char *data);
/* Adds "m3 + 4096". */
void recorded_address_add(struct text *out, const struct capture_pointer *pointer);
/* Adds the argument of a launch that has the same bytes: "m3 + 4096", "bytes(e8030000)" or
 * "packed(bytes(01000000), m0)". */
void recorded_argument_add(struct text *out, const struct recorded_parameter *parameter);
/*
 * Adds what the parameter means, as an argument and in expressions: "1000",
 * "2.0" or "nullptr". Returns false and adds nothing if its type is not known, or
 * if no number has these bits.
 */
bool recorded_value_add(struct text *out, const struct recorded_parameter *parameter);
/* Whether a parameter of unknown type has the size of an integer; then *value is that integer. */
bool recorded_integer(int64_t *value, const struct recorded_parameter *parameter);

/* ---- the parameters of a kernel that replaces a recorded one ---- */

/* All of them have names, whatever the launch: see capture_lines.c. */
#define STUB_MOST_PARAMETERS RECORDED_FIRST_PARAMETERS

struct stub_parameter {
	const char *declaration; /* "const float *p0" */
	const char *argument;    /* "p0" */
};

struct stub {
	struct stub_parameter *items;
	size_t count;
	/* Definitions of the types that the parameters have; "" for none. */
	const char *types;
};

/*
 * A parameter for each recorded one, at most STUB_MOST_PARAMETERS. A struct with addresses becomes
 * a parameter for each address, so that the replacement need not know the struct. Everything
 * belongs to the pool.
 */
void stub_make(struct stub *out, struct annotation_pool *pool, const struct capture_info *info,
	       const struct recorded_parameters *parameters);

#endif
