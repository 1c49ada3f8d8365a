/* What this machine can do, for `perflab doctor`, `list devices` and `list metrics`. Internal to
 * harness/workers/cuda. */
#ifndef HARNESS_WORKERS_CUDA_DOCTOR_H
#define HARNESS_WORKERS_CUDA_DOCTOR_H

#include "harness/workers/worker_loop.h"

int doctor_check_machine(struct worker_reply *reply, struct error *err);
int doctor_list_devices(struct worker_reply *reply, struct error *err);
/* Chip of device 0 as CUPTI names it, or GH100 where there is none. */
void default_chip(char chip[16]);

#endif
