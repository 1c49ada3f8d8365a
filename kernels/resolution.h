/*
 * Shared by the parts of kernel_resolve() and internal to it: the case that is
 * being resolved, and the functions by which a part skips or refuses it.
 */
#ifndef KERNELS_RESOLUTION_H
#define KERNELS_RESOLUTION_H

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
	/* axes, limits and, while a launch repeats, `i` */
	struct expression_variable variables[LIMIT_COUNT + MAX_AXES + 1];
	size_t variable_count;
	size_t struct_bytes; /* of all launches so far */
	struct error *err;
};

/* Skips the case for this reason: sets r->skipped and returns 0. */
int resolution_skip(struct resolution *r, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Refuses a value of `expression` that cannot be launched. Returns PL_EUSAGE,
 * which ends the resolution. If an axis in the expression is 0, also skips the
 * case, as a constraint would: kernel_resolve() sees r->skipped and returns 0.
 */
int resolution_refuse(struct resolution *r, const char *expression, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* The name of an axis in the expression that is 0 in this case; NULL: none. */
const char *resolution_zero_axis(const struct resolution *r, const char *expression);

/* Evaluates an expression of the descriptor. A failure is due to the requested sizes: PL_EUSAGE. */
int resolution_evaluate(struct resolution *r, int64_t *out, const char *expression,
			const char *what);
/* As resolution_evaluate(), but gives `absent` if the expression is NULL. */
int resolution_evaluate_or(struct resolution *r, int64_t *out, const char *expression,
			   int64_t absent, const char *what);
/* Copies a name. Returns PL_EUSAGE if it does not fit. */
int resolution_copy_name(struct resolution *r, char *out, size_t size, const char *name);
/* `name` is borrowed. One variable fits in addition to the axes and limits. */
void resolution_add_variable(struct resolution *r, const char *name, int64_t value);

/* Resolves an argument of a launch. The axes and buffers of the case must be resolved already. */
int resolution_argument(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg);
/* Resolves all launches of the variant. */
int resolution_launches(struct resolution *r);
/* Resolves the check of the variant, which has one. */
int resolution_check(struct resolution *r);

#endif
