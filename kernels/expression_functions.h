/*
 * expression_functions: functions of integers that descriptors and check
 * expressions share. min and max are in both languages too, but each has its
 * own: in check expressions they also take doubles, and reduce.
 */
#ifndef KERNELS_EXPRESSION_FUNCTIONS_H
#define KERNELS_EXPRESSION_FUNCTIONS_H

#include "base/base.h"

#define EXPRESSION_FUNCTION_ARGUMENTS 2

struct expression_function {
	const char *name;
	int argument_count;
	/* Returns NULL and sets *out; or returns why these arguments have no value. */
	const char *(*call)(int64_t *out, const int64_t *arguments);
};

/* NULL: no function has this name. */
const struct expression_function *expression_function_find(const char *name, size_t length);

/* What `^` would mean is not what its users expect, so both languages refuse it with this. */
#define EXPRESSION_NO_CARET                                                             \
	"\"^\" is a power only in the values of an axis; write pow2(20) for 2^20, and " \
	"xor(a, b) for the bits"

#endif
