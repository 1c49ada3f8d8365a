/* idle: waits for the GPU, but not for ever: a kernel may wait for another one that the recorder
 * holds back. Internal to record/. */
#ifndef RECORD_IDLE_H
#define RECORD_IDLE_H

#include "record/driver.h"

/* Waits until the current context has no work, `limit_ns` at most. PL_EUNSUPPORTED: it still has.
 * PL_EDEVICE: the work failed. */
int device_wait_idle(const struct record_driver *driver, int64_t limit_ns, struct error *err);

#endif
