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
/* Writes CUPTI's name for the chip of device 0, or GH100 if there is no device. */
void default_chip(char chip[16]);

#endif
