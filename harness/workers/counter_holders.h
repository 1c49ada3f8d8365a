/*
 * counter_holders: who may hold the counters of a device while CUPTI is refused them. The driver
 * does not say it, so these are the processes on the device and the profilers and monitors that run
 * on this machine, as far as /proc shows them.
 */
#ifndef HARNESS_WORKERS_COUNTER_HOLDERS_H
#define HARNESS_WORKERS_COUNTER_HOLDERS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/base.h"

/* Adds "; it may be nv-hostengine (process 12)" with all candidates, or that none can be seen.
 * `on_device`: other processes on the device. */
void counter_holders_add(struct text *out, const pid_t *on_device, size_t count);

#endif
