/*
 * One CUDA device, opened: driver, primary context, a stream, its description,
 * and the means to flush its L2. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_H
#define HARNESS_WORKERS_CUDA_DEVICE_H

#include "harness/workers/cuda/driver.h"
#include "harness/workers/cuda/nvml.h"
#include "metrics/metrics.h"

struct device {
	struct cuda_driver driver;
	CUdevice handle;
	CUcontext context; /* primary, current in the worker's only thread */
	CUstream stream;
	struct device_info info;
	char pci_bus_id[32];
	struct nvml *nvml; /* NULL: not to be had; nvml_reason says why */
	struct error nvml_reason;
};

/* Describes device `ordinal` of an open driver without making a context. */
int device_describe(const struct cuda_driver *driver, int ordinal, struct device_info *out,
		    char pci_bus_id[32], struct error *err);
/* Opens the driver and device `ordinal`. PL_EUNSUPPORTED when there is none, PL_EUSAGE when no such
 * ordinal. */
int device_open(struct device *device, int ordinal, struct error *err);
/* Lanes of a warp; 0 when the driver does not say. */
int device_warp_size(const struct device *device);
void device_close(struct device *device);
/* Waits for everything queued; a fault of a kernel shows here. */
int device_synchronise(const struct device *device, struct error *err, const char *what);

#endif
