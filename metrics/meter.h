/*
 * meter: where the wall time of a sweep goes. At any moment exactly one part is
 * current, so the parts add up to the time since meter_start(). perflab has a
 * meter for each sweep, and a worker one for each request, whose parts perflab
 * takes over.
 */
#ifndef METRICS_METER_H
#define METRICS_METER_H

#include "base/base.h"

/* Symbol, name, meaning. What runs beside the measurement, such as storing one result while the
 * next case is measured, costs no wall time and is in no part. */
#define RUN_PART_LIST(X)                                                                      \
	X(RUN_PART_STARTING, "starting", "starting and ending workers, opening the device")   \
	X(RUN_PART_COMPILING, "compiling", "compiling the files of the user")                 \
	X(RUN_PART_INSPECTING, "inspecting", "loading the code of every case")                \
	X(RUN_PART_WAITING, "waiting", "waiting for inputs and expected results")             \
	X(RUN_PART_DATA, "data", "making inputs and expected results in the worker itself")   \
	X(RUN_PART_LOADING, "loading", "loading code and libraries in the worker of a round") \
	X(RUN_PART_UPLOADING, "uploading", "copying them to the device")                      \
	X(RUN_PART_VERIFYING, "verifying", "executing each case and comparing its results")   \
	X(RUN_PART_SAMPLES, "samples", "the timed executions, on the device")                 \
	X(RUN_PART_FLUSHES, "flushes",                                                        \
	  "between them: flushes, restored inputs, warm-up executions")                       \
	X(RUN_PART_TIMING, "timing", "the rest of timing: queueing, reading the clocks")      \
	X(RUN_PART_COUNTING, "counting", "reading counters")                                  \
	X(RUN_PART_PROFILING, "profiling", "sampling and counting single instructions")       \
	X(RUN_PART_EMULATING, "emulating", "emulating and verifying")                         \
	X(RUN_PART_STORING, "storing", "making the database, writing results to it")          \
	X(RUN_PART_JUDGING, "judging", "comparing with earlier runs, finding limiters")       \
	X(RUN_PART_OTHER, "other", "everything else")

enum run_part {
#define X(symbol, name, meaning) symbol,
	RUN_PART_LIST(X)
#undef X
		RUN_PART_COUNT
};
const char *run_part_name(enum run_part part);
const char *run_part_meaning(enum run_part part);
bool run_part_parse(enum run_part *out, const char *name);

struct meter {
	int64_t ns[RUN_PART_COUNT];
	enum run_part current;
	int64_t since_ns; /* monotonic_ns() of when it became current; 0: the meter is not started
			   */
	bool held; /* what is done now runs beside the current part: meter_enter() does nothing */
};

/* The current part is `other`. */
void meter_start(struct meter *meter);
/* Makes a part current. Returns the one before, to which the caller returns later. Does nothing if
 * the meter is NULL or not started. */
enum run_part meter_enter(struct meter *meter, enum run_part part);
/* Moves time from one part to another, but no more than the first has. */
void meter_move(struct meter *meter, enum run_part from, enum run_part to, int64_t ns);
/* Brings meter->ns up to date. */
void meter_read(struct meter *meter);

#endif
