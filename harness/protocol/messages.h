/*
 * messages: the constants of the worker protocol and the structs that a worker
 * fills to describe itself and its device. protocol.h converts them to JSON and
 * back.
 */
#ifndef HARNESS_PROTOCOL_MESSAGES_H
#define HARNESS_PROTOCOL_MESSAGES_H

#include "kernels/data_key.h"
#include "metrics/metrics.h"
#include "metrics/settings.h"

#define WORKER_PROTOCOL_VERSION 3
/* The file descriptor of the socket in a worker process, and that of the shared data, which is
 * closed if perflab shares none. */
#define WORKER_SOCKET_FD 3
#define WORKER_DATA_FD 4

/* The name of what a worker makes in $TMPDIR for a program of `verify by`; see held_folder_make().
 */
#define WORKER_CHECK_FOLDER "perflab-check"

/*
 * A part of the shared data: the content of an input, or an expected result. It
 * belongs to the request that names it, and may change after `done`.
 */
struct data_range {
	char key[HASH_TEXT_BYTES]; /* hash_of() of the key of the content */
	int64_t offset, bytes;     /* in the file; the offset is a multiple of the page size */
	bool fill;                 /* not written yet: the worker writes it if it has it */
};

/* Phases of a case: symbol, name in the protocol. */
#define WORKER_PHASE_LIST(X)               \
	X(WORKER_PHASE_PREPARE, "prepare") \
	X(WORKER_PHASE_VERIFY, "verify")   \
	X(WORKER_PHASE_BESIDE, "beside")   \
	X(WORKER_PHASE_TIME, "time")       \
	X(WORKER_PHASE_COUNT, "count")     \
	X(WORKER_PHASE_PROFILE, "profile") \
	X(WORKER_PHASE_EMULATE, "emulate")

enum worker_phase {
#define X(symbol, name) symbol,
	WORKER_PHASE_LIST(X)
#undef X
};
const char *worker_phase_name(enum worker_phase phase);
bool worker_phase_parse(enum worker_phase *out, const char *name);

/* One row of `perflab doctor`. */
struct worker_check {
	const char *name; /* "driver", "device 0", "CUPTI", "counter permission", … */
	bool ok;
	const char *found;  /* "580.159.04", or the problem */
	const char *remedy; /* "" if ok */
};

/* One hardware metric of a chip, for `list metrics`. */
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
	bool counters_busy;    /* because another process holds them, which may pass */
	int64_t passes;        /* of the counter plan */
	/* `inspect` gives equal answers about cases with equal launches: docs/worker-protocol.md */
	bool inspects_by_launch;
	/* it loads the machine code of built-in kernels that the session makes for its device */
	bool loads_code;
	bool profiles; /* it serves `profile` */
};
void session_info_release(struct session_info *info);

#endif
