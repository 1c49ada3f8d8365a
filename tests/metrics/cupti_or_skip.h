/* Ends the test as skipped (77) with a reason if libcupti cannot be loaded. */
#ifndef TESTS_METRICS_CUPTI_OR_SKIP_H
#define TESTS_METRICS_CUPTI_OR_SKIP_H

void cupti_or_skip(void);

#endif
