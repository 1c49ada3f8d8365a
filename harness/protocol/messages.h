/*
 * messages: what a worker reports about itself and its device, as structs.
 * protocol.h encodes and decodes them.
 */
#ifndef HARNESS_PROTOCOL_MESSAGES_H
#define HARNESS_PROTOCOL_MESSAGES_H

#include "metrics/metrics.h"
#include "metrics/settings.h"

#define WORKER_PROTOCOL_VERSION 1
/* Where a worker finds its end of the socket. */
#define WORKER_SOCKET_FD 3

/* Phases of a case: symbol, word on the wire. */
#define WORKER_PHASE_LIST(X)               \
	X(WORKER_PHASE_PREPARE, "prepare") \
	X(WORKER_PHASE_VERIFY, "verify")   \
	X(WORKER_PHASE_TIME, "time")       \
	X(WORKER_PHASE_COUNT, "count")     \
	X(WORKER_PHASE_EMULATE, "emulate")

enum worker_phase {
#define X(symbol, name) symbol,
	WORKER_PHASE_LIST(X)
#undef X
};
const char *worker_phase_name(enum worker_phase phase);
bool worker_phase_parse(enum worker_phase *out, const char *name);

/* One line of `perflab doctor`. */
struct worker_check {
	const char *name; /* "driver", "device 0", "CUPTI", "counter permission", … */
	bool ok;
	const char *found;  /* "580.159.04", or what is wrong */
	const char *remedy; /* "" when ok */
};

/* One metric as a chip describes it, for `list metrics`. */
struct worker_metric {
	const char *name, *unit, *kind, *description;
};

/* What a worker reports about its device and environment when it has opened. */
struct session_info {
	struct device_info device;
	struct backend_traits traits;      /* either timed or emulated */
	struct key_value_list environment; /* clocks, persistence mode, profiler … */
	char profiler[16];                 /* "" none, "ncu", "nsys" */
	char *counters_reason; /* why counters are off; NULL: they are on, or none were requested */
	int64_t passes;        /* of the counter plan */
};
void session_info_release(struct session_info *info);

#endif
