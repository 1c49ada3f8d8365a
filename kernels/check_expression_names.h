/* check_expression_names: what a check expression may name. A part of check_expression.h. */
#ifndef KERNELS_CHECK_EXPRESSION_NAMES_H
#define KERNELS_CHECK_EXPRESSION_NAMES_H

#include "kernels/kernels.h"

struct check_buffer_name {
	const char *name;
	enum element_type type;
	enum buffer_role role; /* only inputs (IN, INOUT) have a content that can be read */
};

/* What an expression may name. A name `i` among them cannot be used. */
struct check_names {
	const struct check_buffer_name *buffers;
	size_t buffer_count;
	const char *const *axes;
	size_t axis_count;
	bool of_fill; /* random() is a function, and there are no buffers */
};

/* Whether a function, or a reduction over a range, has this name. */
bool check_expression_has_function(const char *name, size_t length);
bool check_expression_is_reduction(const char *name, size_t length);

#endif
