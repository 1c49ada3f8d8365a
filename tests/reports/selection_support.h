/*
 * selection_support: a run of which reports show a part: three kernels, variants, block sizes, two
 * sizes.
 */
#ifndef TESTS_REPORTS_SELECTION_SUPPORT_H
#define TESTS_REPORTS_SELECTION_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/reports.h"
#include "tests/reports/golden.h"

/* copy/plain is faster on the large problem, copy/wide on the small one; syncwarp_tail is a variant
 * whose name contains that of the kernel tail. */
void selection_run_init(struct run *run);
struct trial *selection_add_case(struct run *run, const char *kernel, const char *variant,
				 int64_t block, int64_t n, double median_ns);

/* Selects and writes, as the command line does. NULL: the selection was refused. */
char *selection_render(const struct run *run, enum report_format format,
		       const struct report_selection *selection, int width, struct error *err);
/* selection_render() of the run of selection_run_init(), which must not be refused. */
char *selection_render_with(enum report_format format, const struct report_selection *selection,
			    int width);
/* The selection is refused with a message that contains the text. */
void expect_refused(const struct report_selection *selection, const char *text);
/* The cases of a CSV report in order: "copy/plain/64/1024 ...". */
void expect_cases(const struct report_selection *selection, const char *expected);

/* How often the part is in the text. */
size_t selection_count(const char *text, const char *part);

#endif
