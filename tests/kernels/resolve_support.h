/* Cases of the built-in kernels, for the tests of resolving them. */
#ifndef TESTS_KERNELS_RESOLVE_SUPPORT_H
#define TESTS_KERNELS_RESOLVE_SUPPORT_H

#include "kernels/kernels.h"

extern const struct device_limits h200;

/* There must be one. */
const struct kernel_variant *variant_of(const char *kernel, const char *variant);
/* The value of an axis: `ways` is 4, others have the first of their defaults. */
int64_t value_of(const struct kernel_axis *axis, int64_t block, int64_t n);
/* Resolves KERNEL/VARIANT with block, and n where it has that axis. The rest as kernel_resolve().
 */
int resolve(struct launch_case **out, struct text *skip, const char *kernel, const char *variant,
	    int64_t block, int64_t n, const struct device_limits *limits, struct error *err);
/* A variant that a user describes, in the family `stream` with block=64 and n=1000. The rest as
 * kernel_resolve(). */
int resolve_own(struct launch_case **out, struct text *skip, const struct kernel_variant *variant,
		struct error *err);
/* Asserts that it is refused with these words. */
void must_refuse_own(const struct kernel_variant *variant, const char *says);
/* Asserts that it runs. */
struct launch_case *must_resolve_own(const struct kernel_variant *variant);
/* Asserts that the case is skipped with a reason that contains these words. */
void must_skip(const char *kernel, const char *variant, int64_t block, int64_t n,
	       const struct device_limits *limits, const char *reason);

#endif
