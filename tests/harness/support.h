/* What the harness tests share: cases made by hand, so that no kernel's table matters. */
#ifndef TESTS_HARNESS_SUPPORT_H
#define TESTS_HARNESS_SUPPORT_H

#include "harness/plan/plan.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* kernel/variant/block=BLOCK, two launches and every kind of argument. */
struct launch_case *make_case(const char *kernel, const char *variant, int64_t block);
void add_case(struct plan *plan, const char *kernel, const char *variant, int64_t block);
/* $NAME=value for this process and the workers it starts; NULL unsets. */
void set_variable(const char *name, const char *value);

#endif
