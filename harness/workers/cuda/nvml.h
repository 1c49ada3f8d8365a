/*
 * NVML, opened at run time: the device's state beside the samples. Everything
 * here is optional: without NVML the numbers are "not measured". NVML's ABI is
 * declared here because its header is not part of every toolkit; values from
 * the NVML API reference. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_NVML_H
#define HARNESS_WORKERS_CUDA_NVML_H

#include "metrics/metrics.h"

struct nvml;
/* Opens NVML for the device of a PCI bus id ("0000:3b:00.0"). PL_EUNSUPPORTED with the reason if it
 * cannot. */
int nvml_open(struct nvml **out, const char *pci_bus_id, struct error *err);
void nvml_close(struct nvml *nvml); /* NULL is fine */
/* Never fails: what cannot be read (or nvml NULL) is NAN or -1. */
struct device_state nvml_device_state(const struct nvml *nvml);
/* Driver version "580.159.04"; false if unknown. */
bool nvml_driver_version(const struct nvml *nvml, char out[32]);
/* Adds persistence mode, power limit, ECC and MIG to the environment. */
void nvml_environment(const struct nvml *nvml, struct key_value_list *environment);

#endif
