/*
 * doctor: finds out what this machine can do, for `perflab doctor`, `list
 * devices` and `list metrics`. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DOCTOR_H
#define HARNESS_WORKERS_CUDA_DOCTOR_H

#include "harness/workers/worker_loop.h"

/* Replies one check per row of `perflab doctor`, on a machine without a device too. */
int doctor_check_machine(struct worker_reply *reply, struct error *err);
/* Replies one device per GPU. */
int doctor_list_devices(struct worker_reply *reply, struct error *err);
/*
 * The hardware metrics of a chip. chip NULL: that of device 0, or GH100. PL_EUSAGE: the named chip
 * is unknown; PL_EUNSUPPORTED: CUPTI does not know the chip of the device.
 */

/* Replies the metrics whose names match the pattern; NULL: all. */
int chip_list_metrics(const char *chip, const char *pattern, struct worker_reply *reply,
		      struct error *err);
/* Counts the passes that `wanted` needs. Adds what the chip lacks to *missing. */
int chip_count_passes(const char *chip, const struct string_list *wanted, int64_t *passes,
		      struct string_list *missing, struct error *err);

#endif
