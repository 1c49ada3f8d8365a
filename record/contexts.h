/* contexts: which contexts end with a call of the driver, for a recorder that listens by hooks.
 * CUPTI tells this as events. Internal to record/. */
#ifndef RECORD_CONTEXTS_H
#define RECORD_CONTEXTS_H

#include "record/calls.h"
#include "record/driver.h"

/* Call it when a call begins and when it has returned. Returns the context that ends with it, and
 * with it its modules; NULL: none, or it is not certain before the call has returned. */
CUcontext context_ended_by(const struct record_driver *driver, CUpti_CallbackId id,
			   const CUpti_CallbackData *data);

#endif
