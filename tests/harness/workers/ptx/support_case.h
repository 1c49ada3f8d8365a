/* Cases on the emulator: of the built-in kernels, with the PTX of the tree. */
#ifndef TESTS_HARNESS_WORKERS_PTX_SUPPORT_CASE_H
#define TESTS_HARNESS_WORKERS_PTX_SUPPORT_CASE_H

#include "harness/workers/ptx/case_runner.h"
#include "tests/emulator/support_sanitized.h"

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* GH100's limits, seed 1, PTX of `folder` ("kernels" is the tree's). */
void runner_open(struct case_runner *runner, const char *folder);

/* One axis value; name NULL ends a list. */
struct axis_setting {
	const char *name;
	int64_t value;
};
/* NULL: a constraint does not hold. An axis that is not given has its default's first value. */
struct launch_case *built_in_case(const char *kernel, const char *variant,
				  const struct axis_setting *axes);

/* A kernel of tests/emulator/images: (x, out), n threads in blocks of 128; out must become zero. */
struct launch_case *image_case(const char *folder, const char *entry, int64_t n);

/* Replaces an allocated text of a case, such as its image. */
void replace_text(char **member, const char *text);

/* What became of a case. outcome_release() when it was looked at. */
struct outcome {
	enum trial_status status;
	struct text reason;
	struct case_totals totals;
};
/* Fails the test on an error. */
struct outcome outcome_of(struct case_runner *runner, const struct launch_case *work);
void outcome_release(struct outcome *outcome);
/* Every count and every line. */
void assert_same_counts(const struct case_totals *a, const struct case_totals *b);

#endif
