/*
 * settings: everything that decides how a sweep measures. A run stores its
 * settings, and --resume continues with them.
 */
#ifndef METRICS_SETTINGS_H
#define METRICS_SETTINGS_H

#include "base/base.h"

enum cache_mode { CACHE_COLD, CACHE_HOT };

/* One bit per setting. */
enum setting {
	SETTING_DEVICE = 1 << 0,
	SETTING_SEED = 1 << 1,
	SETTING_CACHE = 1 << 2,
	SETTING_MIN_SAMPLES = 1 << 3,
	SETTING_MAX_TIME = 1 << 4,
	SETTING_PRECISION = 1 << 5,
	SETTING_ROUNDS = 1 << 6,
	SETTING_TIMEOUT = 1 << 7,
	SETTING_METRICS = 1 << 8,
	SETTING_CHIP = 1 << 9,
	SETTING_ALL_BLOCKS = 1 << 10,
	SETTING_JOBS = 1 << 11,
	SETTING_COUNTER_DUMP = 1 << 12,
	SETTING_BASE_VARIANT = 1 << 13,
	SETTING_PLACEMENTS = 1 << 14,
	SETTINGS_ALL = (1 << 15) - 1,
	/* those that mean nothing to a backend that measures no times */
	SETTINGS_OF_TIMING = SETTING_CACHE | SETTING_MIN_SAMPLES | SETTING_MAX_TIME |
			     SETTING_PRECISION | SETTING_ROUNDS | SETTING_COUNTER_DUMP |
			     SETTING_BASE_VARIANT | SETTING_PLACEMENTS,
};

struct measure_settings {
	int device; /* number of the device, from 0 */
	uint64_t seed;
	enum cache_mode cache;
	int64_t min_samples; /* per case */
	int64_t max_time_ns; /* for timing one case in all rounds, including the L2 flushes */
	double precision;    /* stop when the median's interval is within +- this ratio */
	int rounds;          /* per case, each in a fresh worker */
	/* Over how many placements of the data in physical memory a round spreads its samples, if
	 * the data can be moved. 1: the data stays where the driver put it. */
	int placements;
	int64_t timeout_ns;         /* for one phase of one case */
	struct string_list metrics; /* from metric_request(); empty: no counters */
	char *chip;      /* the emulator uses the limits of this chip: "GH100"; NULL: the backend's
			  * choice */
	bool all_blocks; /* the emulator executes all blocks, however many there are */
	/* processors: the number of emulator workers, or for inputs and oracles; 0: all */
	int jobs;
	char *counter_dump; /* folder for counter-data images, for test fixtures; NULL: none */
	/* The variant beside which the others are measured: "V", or "KERNEL/V" for one kernel;
	 * NULL: every case is measured alone. */
	char *base_variant;
};
extern const struct measure_settings measure_settings_default;
void measure_settings_release(struct measure_settings *settings);

#endif
