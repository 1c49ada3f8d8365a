/*
 * settings: everything that decides how a sweep measures. A run stores them,
 * and --resume continues with them.
 */
#ifndef METRICS_SETTINGS_H
#define METRICS_SETTINGS_H

#include "base/base.h"

enum cache_mode { CACHE_COLD, CACHE_HOT };

struct measure_settings {
	int device; /* ordinal */
	uint64_t seed;
	enum cache_mode cache;
	int64_t min_samples; /* a case */
	int64_t max_time_ns; /* for timing one case, its flushes included, all rounds together */
	double precision;    /* stop when the median's interval is within +- this ratio */
	int rounds;          /* fresh workers */
	int64_t timeout_ns;  /* for one phase of one case */
	struct string_list metrics; /* as metric_request() left them; empty: no counters */
	char *chip;      /* whose limits an emulator takes: "GH100"; NULL: the backend's choice */
	bool all_blocks; /* an emulator runs every block, however many there are */
	int jobs;        /* workers of an emulator side by side; 0: one a processor */
	char *counter_dump; /* NULL, or a folder for counter-data images (tests' fixtures) */
};
extern const struct measure_settings measure_settings_default;
void measure_settings_release(struct measure_settings *settings);

#endif
