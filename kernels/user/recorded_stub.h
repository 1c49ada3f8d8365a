/* recorded_stub: the parameters of a kernel that replaces a recorded one. */
#ifndef KERNELS_USER_RECORDED_STUB_H
#define KERNELS_USER_RECORDED_STUB_H

#include "kernels/user/recorded_parameters.h"

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
