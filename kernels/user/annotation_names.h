/*
 * annotation_names: the names that the expressions of a variant may use, and
 * whether an expression is well formed. Values are not computed.
 */
#ifndef KERNELS_USER_ANNOTATION_NAMES_H
#define KERNELS_USER_ANNOTATION_NAMES_H

#include "kernels/user/annotations.h"

#define ANNOTATION_MAX_NAMES 64

struct annotation_names {
	/* Axes, device limits and `i`. Each has a value, so that an expression can be evaluated. */
	struct expression_variable variables[ANNOTATION_MAX_NAMES];
	size_t count;
	const struct kernel_buffer *buffers;
	size_t buffer_count;
};

/* Starts with the device limits and the buffers. */
void names_begin(struct annotation_names *names, const struct kernel_buffer *buffers, size_t count);
void names_add(struct annotation_names *names, const char *name);
bool names_has(const struct annotation_names *names, const char *name); /* not buffers */
/* NULL: no buffer has this name. */
const struct kernel_buffer *names_buffer(const struct annotation_names *names, const char *name);
/* Checks an expression. NULL is none and right. `repeated`: `i` is a name too. `what` is the part
 * of the annotation: "the grid". */
int names_check(const struct annotation_names *names, struct annotation_place place,
		const char *what, const char *expression, bool repeated, struct error *err);
/* Checks an expression that gives a floating-point number. */
int names_check_real(const struct annotation_names *names, struct annotation_place place,
		     const char *what, const char *expression, bool repeated, struct error *err);
/* Checks an expression, and its value if no name can change it: it is from `low` to `high` then. A
 * value that depends on a name is computed for each case. */
int names_check_value(const struct annotation_names *names, struct annotation_place place,
		      const char *what, const char *expression, bool repeated, int64_t low,
		      int64_t high, struct error *err);
/* Refuses an expression for this cause, whose character it says: "WHAT: CAUSE", and the let that
 * the character comes from. `what` NULL: the cause says enough. */
int names_refuse(struct annotation_place place, const char *what, const char *expression,
		 const struct error *cause, struct error *err);
/* The names of axes, device limits, buffers and the lets of the line near `name`, as
 * nearest_names(). */
bool names_near(struct text *out, const struct annotation_names *names,
		struct annotation_place place, const char *name);

/* Finds mistakes in the fill of a buffer before any case is resolved: one in the form of an
 * expression, an unknown name, or a fill that is impossible in every case. One that is impossible
 * for some values of the axes skips those cases later. */
int check_annotated_fill(const struct annotation_names *names,
			 const struct annotated_buffer *buffer, struct error *err);
/* Finds out which arguments of a launch are buffers, and checks the names and the form of its
 * expressions. *launch is a copy of the one that was scanned; its arguments are replaced by others
 * of the pool. On failure sets the error with the place. */
int launch_complete(struct kernel_launch *launch, const struct annotation_names *names,
		    struct annotation_pool *pool, struct annotation_place place, struct error *err);

#endif
