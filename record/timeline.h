/*
 * timeline: the times of all kernels of a program, from CUPTI's activity
 * records, for `perflab record --list`. CUPTI delivers them in a thread of its
 * own. Internal to record/.
 */
#ifndef RECORD_TIMELINE_H
#define RECORD_TIMELINE_H

#include "record/driver.h"
#include "record/events.h"

struct timeline_totals {
	int64_t launches, dropped;
	int64_t own_ns; /* processor time of the recorder */
};

/* Makes CUPTI deliver. PL_EUNSUPPORTED. */
int timeline_start(struct error *err);
/* Asks CUPTI for what it still has, and reports each kernel as an event. */
struct timeline_totals timeline_end(void);

#endif
