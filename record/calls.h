/* calls: the functions of the driver that the recorder follows (calls.def), and what each does.
 * Internal to record/. */
#ifndef RECORD_CALLS_H
#define RECORD_CALLS_H

#include "record/cupti.h"

/* cuda.h gives the name of the first form to the second one, and the first one has no other. */
#undef cuStreamBeginCapture

enum call_role {
	CALL_OTHER, /* not in the table */
	CALL_LAUNCH,
	CALL_LAUNCH_EX,
	CALL_LAUNCH_COOPERATIVE,
	CALL_GRAPH_LAUNCH,
	CALL_CAPTURE_BEGIN, /* of a stream, into a graph */
	CALL_CAPTURE_END,
	CALL_STREAM_DESTROY,
	CALL_MODULE_IMAGE, /* loads a module from memory */
	CALL_MODULE_FILE,
	CALL_LIBRARY_IMAGE,
	CALL_LIBRARY_FILE,
	CALL_UNLOAD,
	CALL_CONTEXT_DESTROY, /* CUPTI has events for this and what follows */
	CALL_PRIMARY_RELEASE,
	CALL_PRIMARY_RESET,
};

struct driver_call {
	CUpti_CallbackId id;
	const char *symbol; /* in libcuda */
	const char *name;   /* for cuGetProcAddress() */
	int version;        /* of CUDA, from which on the name means the symbol: 12030 */
	enum call_role role;
};

enum driver_call_index {
#define CALL(symbol, name, version, role, declared, given) DRIVER_CALL_##symbol,
#include "record/calls.def"
	DRIVER_CALL_COUNT
};

/* By enum driver_call_index. */
extern const struct driver_call driver_calls[DRIVER_CALL_COUNT];

/* The roles by callback. */
extern const unsigned char call_roles[CUPTI_DRIVER_TRACE_CBID_SIZE];

/* On the path of every launch, as what follows. */
static inline enum call_role call_role_of(CUpti_CallbackId id)
{
	return id < CUPTI_DRIVER_TRACE_CBID_SIZE ? (enum call_role)call_roles[id] : CALL_OTHER;
}

static inline bool call_concerns_captures(enum call_role role)
{
	return role >= CALL_CAPTURE_BEGIN && role <= CALL_STREAM_DESTROY;
}

/* Whether a call launches a kernel; the launch of a graph does not count. */
static inline bool call_launches(enum call_role role)
{
	return role >= CALL_LAUNCH && role <= CALL_LAUNCH_COOPERATIVE;
}

static inline bool call_loads_code(enum call_role role)
{
	return role >= CALL_MODULE_IMAGE && role <= CALL_LIBRARY_FILE;
}

/* Whether stream 0 of the call is that of the thread. */
bool call_is_per_thread(CUpti_CallbackId id);

#endif
