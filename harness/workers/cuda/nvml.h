/*
 * nvml: reads the state of the device through NVML, which is opened at run time.
 * NVML is optional: without it, the state is "not measured". nvml.c declares
 * NVML's ABI, because not every toolkit has its header; the constants come from
 * the NVML API reference. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_NVML_H
#define HARNESS_WORKERS_CUDA_NVML_H

#include <sys/types.h>

#include "metrics/metrics.h"

struct nvml;
/* Begins the UUID of a slice of a GPU (MIG). */
#define NVML_SLICE_PREFIX "MIG-"
/*
 * Opens NVML for the device with a PCI bus id ("0000:3b:00.0") and a UUID. Returns PL_EUNSUPPORTED
 * with the reason if NVML is not available. A slice has the clocks, the temperature and the
 * throttling of its GPU, and processes of its own. Its power is not known: the GPU knows only that
 * of all slices together.
 */
int nvml_open(struct nvml **out, const char *pci_bus_id, const char *uuid, struct error *err);
void nvml_close(struct nvml *nvml); /* nvml may be NULL */
/* Returns NAN or -1 for a value that cannot be read, and for all values if nvml is NULL. */
struct device_state nvml_device_state(const struct nvml *nvml);
/* Writes the driver version, "580.159.04". Returns false if it is unknown. */
bool nvml_driver_version(const struct nvml *nvml, char out[32]);
/* The number of processes that compute on the device, without this one and other workers of its
 * perflab. -1: not known. */
int nvml_other_processes(const struct nvml *nvml);
/* Lists the ids of these processes. Returns how many there are, at most NVML_MOST_PROCESSES. */
#define NVML_MOST_PROCESSES 64
size_t nvml_list_others(const struct nvml *nvml, pid_t out[NVML_MOST_PROCESSES]);
/* Adds persistence mode, power limit, ECC and MIG to the environment. */
void nvml_environment(const struct nvml *nvml, struct key_value_list *environment);

#endif
