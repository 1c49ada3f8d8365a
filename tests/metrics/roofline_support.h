/*
 * Trials and roofs for tests of rooflines and verdicts: constructed ones, and
 * counters that an H200 gave (tests/fixtures/counters/gh100_core.expected).
 */
#ifndef TESTS_METRICS_ROOFLINE_SUPPORT_H
#define TESTS_METRICS_ROOFLINE_SUPPORT_H

#include "metrics/analysis/ceilings.h"
#include "metrics/metrics.h"

/* A device of round numbers: DRAM 4 TB/s, L2 8, L1 16, shared memory 32, f32 64 TFLOP/s, f64 32;
 * each known to 1 %. Release with ceiling_list_release(). */
void round_roofs(struct ceiling_list *out);
/* Adds a roof. */
void add_roof(struct ceiling_list *list, const char *name, enum ceiling_kind kind, int of,
	      double per_s);
/* 100 multiprocessors of compute capability 9.0. */
extern const struct device_info round_device;

/* Makes a trial with status ok and this median, known to 1 %. */
void timed_trial(struct trial *out, double median_ns);
void set_work(struct trial *trial, int64_t flop, int64_t read, int64_t written);
void set_counter(struct trial *trial, const char *metric, double value);
/* Adds all counters that the H200 gave for a case of the fixture. */
void real_counters(struct trial *trial, const char *case_name);

#endif
