/*
 * cupti: the functions of CUPTI that the recorder calls. A CUPTI that the
 * program has loaded itself is taken, because two of them disturb each other;
 * else that of the request, else what the loader finds. Internal to record/.
 */
#ifndef RECORD_CUPTI_H
#define RECORD_CUPTI_H

#include <cupti.h>

#include "base/base.h"

#define RECORD_CUPTI_LIST(X)                 \
	X(cuptiActivityEnable)               \
	X(cuptiActivityFlushAll)             \
	X(cuptiActivityGetNextRecord)        \
	X(cuptiActivityGetNumDroppedRecords) \
	X(cuptiActivityRegisterCallbacks)    \
	X(cuptiEnableCallback)               \
	X(cuptiGetResultString)              \
	X(cuptiSubscribe)                    \
	X(cuptiUnsubscribe)

struct record_cupti {
#define X(function) __typeof__(function) *function;
	RECORD_CUPTI_LIST(X)
#undef X
};

/* `path` is NULL if the request names none. PL_EUNSUPPORTED: there is no CUPTI. */
int record_cupti_open(struct record_cupti *out, const char *path, struct error *err);
/* 0, or PL_EUNSUPPORTED. */
int record_cupti_check(const struct record_cupti *cupti, CUptiResult result, struct error *err,
		       const char *what);
/* Makes CUPTI show what a recording needs: the calls of calls.def, and what happens to modules and
 * contexts; or no longer. PL_EUNSUPPORTED. */
int record_cupti_switch(const struct record_cupti *cupti, CUpti_SubscriberHandle subscriber,
			bool on, struct error *err);

#endif
