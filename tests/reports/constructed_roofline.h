/*
 * A constructed run under roofs: one kernel per limiter, one without operations, one above a roof,
 * one without counters, one with a hostile name, and failures.
 */
#ifndef TESTS_REPORTS_CONSTRUCTED_ROOFLINE_H
#define TESTS_REPORTS_CONSTRUCTED_ROOFLINE_H

#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

/* DRAM 4, L2 8, L1 16, shared memory 32 TB/s; f64 32, f32 64 TFLOP/s. */
void constructed_roofs_init(struct ceiling_list *out);
void constructed_roofline_init(struct run *run);
/* A run with `count` best kernels, all counted and timed. */
void constructed_many_init(struct run *run, size_t kernels);

#endif
