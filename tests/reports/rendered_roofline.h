/* rendered_roofline: reports of the run of constructed_roofline.h under its roofs. */
#ifndef TESTS_REPORTS_RENDERED_ROOFLINE_H
#define TESTS_REPORTS_RENDERED_ROOFLINE_H

#include "tests/reports/constructed_roofline.h"
#include "tests/reports/golden.h"

/* Without it, a run of many kernels has no plot. */
extern const struct report_selection everything;

/* The whole report, with these options and `everything`; malloc'd. */
char *roofline_render(enum report_format format, struct report_options options, size_t *length);
/* Compares it with the golden file of this name. */
void expect_golden(const char *name, enum report_format format, struct report_options options);

#endif
