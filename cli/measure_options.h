/*
 * measure_options: what the verbs that measure (sweep, ceilings, study) share:
 * their common options, the request made of them, and the exit code of a run.
 */
#ifndef CLI_MEASURE_OPTIONS_H
#define CLI_MEASURE_OPTIONS_H

#include "cli/command.h"
#include "cli/progress.h"
#include "harness/sweep/sweep.h"

struct measure_options {
	const char *db, *backend;
	uint64_t seed;
	int64_t min_samples, max_time_ns, rounds, placements, timeout_ns, device, jobs;
	double precision;
	int format;
	bool quiet;
};

/* Option rows of a struct `type` that has a struct measure_options `common`. */
#define ROW_OF(type, member) offsetof(struct type, common.member)
#define ROW_DB(type)                                                                    \
	{                                                                               \
		"db", 0, OPTION_TEXT, ROW_OF(type, db), "FILE",                         \
			"the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0 \
	}
#define ROW_SEED(type)                                                              \
	{                                                                           \
		"seed", 0, OPTION_SEED, ROW_OF(type, seed), "NUMBER",               \
			"seed of the inputs and of the order of the cases", NULL, 0 \
	}
#define ROW_MIN_SAMPLES(type)                                                        \
	{                                                                            \
		"min-samples", 0, OPTION_COUNT, ROW_OF(type, min_samples), "NUMBER", \
			"the least number of samples per case", NULL, 1              \
	}
#define ROW_MAX_TIME(type)                                                                     \
	{                                                                                      \
		"max-time", 0, OPTION_DURATION, ROW_OF(type, max_time_ns), "TIME",             \
			"device time for timing one case, over all rounds: 500ms, 2s", NULL, 0 \
	}
#define ROW_PRECISION(type)                                                                     \
	{                                                                                       \
		"precision", 0, OPTION_RATIO, ROW_OF(type, precision), "RATIO",                 \
			"stop when the half width of the median's confidence interval is this " \
			"small: 0.5%, 0.005",                                                   \
			NULL, 0                                                                 \
	}
#define ROW_ROUNDS(type)                                                                           \
	{                                                                                          \
		"rounds", 0, OPTION_COUNT, ROW_OF(type, rounds), "NUMBER",                         \
			"how many times each case is measured, each time in a fresh worker", NULL, \
			1                                                                          \
	}
#define ROW_PLACEMENTS(type)                                                                 \
	{                                                                                    \
		"placements", 0, OPTION_COUNT, ROW_OF(type, placements), "NUMBER",           \
			"how many places in physical memory the data has in each round; 1: " \
			"where the driver put it",                                           \
			NULL, 1                                                              \
	}
#define ROW_TIMEOUT(type)                                                                  \
	{                                                                                  \
		"timeout", 0, OPTION_DURATION, ROW_OF(type, timeout_ns), "TIME",           \
			"end a case when one of its phases takes longer; a compiler gets " \
			"as long, but at least 20s, and 300s without the option",          \
			NULL, 0                                                            \
	}
#define ROW_DEVICE(type)                                                           \
	{                                                                          \
		"device", 'd', OPTION_COUNT, ROW_OF(type, device), "NUMBER",       \
			"the device, as numbered by perflab list devices", NULL, 0 \
	}
#define ROW_JOBS(type)                                                                           \
	{                                                                                        \
		"jobs", 'j', OPTION_COUNT, ROW_OF(type, jobs), "NUMBER",                         \
			"processors to use: for emulated cases side by side, or for inputs and " \
			"oracles beside a device; 0 means all",                                  \
			NULL, 0                                                                  \
	}
#define ROW_FORMAT(type, meaning)                                                      \
	{                                                                              \
		"format", 'f', OPTION_CHOICE, ROW_OF(type, format), "FORMAT", meaning, \
			table_format_words, 0                                          \
	}
#define ROW_QUIET(type)                                                        \
	{                                                                      \
		"quiet", 'q', OPTION_FLAG, ROW_OF(type, quiet), NULL,          \
			"print no progress, only warnings and errors", NULL, 0 \
	}
#define ROW_BACKEND(type, words, meaning)                                                 \
	{                                                                                 \
		"backend", 0, OPTION_TEXT, ROW_OF(type, backend), words, meaning, NULL, 0 \
	}

/* The default settings; the backend is the caller's. */
void measure_options_init(struct measure_options *options);
/* PL_EUSAGE: an option is given beside `instead`, which measures nothing, and is none of those that
 * it uses (ended by NULL). */
int measuring_option_refuse(const struct invocation *call, const char *instead,
			    const char *const *used, struct error *err);
/* Starts a request with the common options and the names of the options that were given. */
void measure_request(struct sweep_request *request, const struct invocation *call,
		     const struct measure_options *options);
/* Sets the exit code by how the trials of a run ended, and says how many went wrong.
 * PL_EUNSUPPORTED when all were skipped. */
int run_conclude(struct invocation *call, const struct run *run, struct error *err);

#endif
