/*
 * Between the parts of kernel_resolve(), and for nobody else: the case that is
 * being resolved, and how a part says that it cannot be.
 */
#ifndef KERNELS_RESOLVE_PARTS_H
#define KERNELS_RESOLVE_PARTS_H

#include "kernels/kernels.h"

#define X(field, meaning) +1
enum { LIMIT_COUNT = 0 DEVICE_LIMIT_LIST(X) };
#undef X
#define MAX_AXES ARRAY_SIZE(((struct launch_case *)NULL)->axes)

struct resolution {
	const struct kernel *kernel;
	const struct kernel_variant *variant;
	const struct device_limits *limits;
	struct text *skip;
	bool skipped;
	struct launch_case *work;
	/* axes, limits, and last, where a launch repeats, `i` */
	struct expression_variable variables[LIMIT_COUNT + MAX_AXES + 1];
	size_t variable_count;
	struct error *err;
};

/* Ends the case as skipped, for this reason: 0, and r->skipped is set. */
int resolution_skip(struct resolution *r, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * `expression` gives what cannot be launched. PL_EUSAGE, which unwinds; but
 * where an axis of it is 0 the case is skipped, as one that a constraint
 * forbids: r->skipped tells kernel_resolve().
 */
int resolution_refuse(struct resolution *r, const char *expression, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* An expression of the descriptor. What fails here was caused by the sizes asked for: PL_EUSAGE. */
int resolution_evaluate(struct resolution *r, int64_t *out, const char *expression,
			const char *what);
/* The same, for what may be left out. */
int resolution_evaluate_or(struct resolution *r, int64_t *out, const char *expression,
			   int64_t absent, const char *what);
/* PL_EUSAGE: a name that does not fit. */
int resolution_copy_name(struct resolution *r, char *out, size_t size, const char *name);
/* `name` is borrowed. There is room for one more than axes and limits. */
void resolution_add_variable(struct resolution *r, const char *name, int64_t value);

/* All launches of the variant, after its axes and buffers. */
int resolution_launches(struct resolution *r);

#endif
