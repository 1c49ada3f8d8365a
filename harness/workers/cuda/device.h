/*
 * device: an open CUDA device with its driver, primary context, stream,
 * description and NVML handle. Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_DEVICE_H
#define HARNESS_WORKERS_CUDA_DEVICE_H

#include "harness/workers/cuda/driver.h"
#include "harness/workers/cuda/nvml.h"
#include "metrics/metrics.h"

struct device {
	struct cuda_driver driver;
	CUdevice handle;
	CUcontext context; /* the primary context, current in the worker's main thread */
	CUstream stream;
	struct device_info info;
	char pci_bus_id[32];
	struct nvml *nvml; /* NULL: not available, see nvml_reason */
	struct error nvml_reason;
	int other_processes; /* that computed on the device when it was opened; -1: not known */
};

/* Describes device `ordinal` of an open driver. Creates no context. Returns PL_EUSAGE if there is
 * no such ordinal. */
int device_describe(const struct cuda_driver *driver, int ordinal, struct device_info *out,
		    char pci_bus_id[32], struct error *err);
/* The profile of a slice of a GPU (MIG), "1g.18gb"; NULL: it is a whole GPU. */
const char *device_slice(const struct device_info *info);
/*
 * Opens the driver and device `ordinal`. Returns PL_EUNSUPPORTED if there is no driver or device,
 * PL_EUSAGE if there is no such ordinal. After an error, the caller still calls device_close().
 *
 * With `uuid`, which may be NULL, the driver shows that device alone, so that it initialises no
 * others, which takes time (docs/results/gpus.md). Every failure is PL_EDEVICE then. This process
 * must have one thread, and must not have opened the driver.
 */
int device_open(struct device *device, int ordinal, const char *uuid, struct error *err);
/* The first part of it, which leaves the device as it is: opens and describes. */
int device_open_driver(struct device *device, int ordinal, const char *uuid, struct error *err);
/* The second part: makes the context. */
int device_open_context(struct device *device, struct error *err);
/* Lanes of a warp; 0 when the driver does not say. */
int device_warp_size(const struct device *device);
void device_close(struct device *device);
/* Waits for all queued work. Reports the fault of a kernel; `what` begins the message. */
int device_synchronise(const struct device *device, struct error *err, const char *what);

#endif
