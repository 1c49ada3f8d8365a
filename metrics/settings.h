/*
 * settings: everything that decides how a sweep measures. A run stores its
 * settings, and --resume continues with them.
 */
#ifndef METRICS_SETTINGS_H
#define METRICS_SETTINGS_H

#include "base/base.h"

enum cache_mode { CACHE_COLD, CACHE_HOT };

struct measure_settings {
	int device; /* number of the device, from 0 */
	uint64_t seed;
	enum cache_mode cache;
	int64_t min_samples; /* per case */
	int64_t max_time_ns; /* for timing one case in all rounds, including the L2 flushes */
	double precision;    /* stop when the median's interval is within +- this ratio */
	int rounds;          /* per case, each in a fresh worker */
	int64_t timeout_ns;  /* for one phase of one case */
	struct string_list metrics; /* from metric_request(); empty: no counters */
	char *chip;      /* the emulator uses the limits of this chip: "GH100"; NULL: the backend's
			  * choice */
	bool all_blocks; /* the emulator executes all blocks, however many there are */
	int jobs;        /* number of emulator workers; 0: one per processor */
	char *counter_dump; /* folder for counter-data images, for test fixtures; NULL: none */
};
extern const struct measure_settings measure_settings_default;
void measure_settings_release(struct measure_settings *settings);

#endif
