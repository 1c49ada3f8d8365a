/*
 * gpu_pin: pins this process and a worker to the processors next to a GPU. What they start later,
 * and the memory that they touch first, then follows. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_PIN_H
#define HARNESS_SWEEP_GPUS_GPU_PIN_H

#include <sys/types.h>

#include "metrics/metrics.h"

/* The device is named by gpu.pci_bus_id of the environment. Adds GPUS_PROCESSORS_KEY to it: the
 * processors, or why nothing was pinned. */
void gpu_pin(struct key_value_list *environment, pid_t worker);

#endif
