/*
 * gpu_devices: the GPUs that the words of --gpus name. Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_DEVICES_H
#define HARNESS_SWEEP_GPUS_GPU_DEVICES_H

#include "metrics/metrics.h"

#define GPUS_ALL "all"

/* Owned. */
struct gpu_devices {
	struct gpu_device {
		int number; /* as `perflab list devices` numbers them */
		struct device_info info;
	} * items;
	size_t count, capacity;
};

/* Asks the worker of the backend for its devices. PL_EUNSUPPORTED: there is none. */
int gpu_devices_list(struct gpu_devices *out, const char *backend, struct error *err);
/*
 * Chooses among all devices. `words`: GPUS_ALL, or numbers and UUIDs, or beginnings of UUIDs,
 * separated by commas; the order is that of the numbers. PL_EUSAGE: no such GPU, several of that
 * UUID, or one that is named twice.
 */
int gpu_devices_choose(struct gpu_devices *out, const struct gpu_devices *all, const char *words,
		       struct error *err);
/* What can be said of the words without a device. PL_EUSAGE: an empty word, or one given twice. */
int gpu_devices_check_words(const char *words, struct error *err);
/* PL_EUSAGE: the cases of a sweep cannot be split over these GPUs, which are of several models. */
int gpu_devices_check_equal(const struct gpu_devices *devices, struct error *err);
void gpu_devices_release(struct gpu_devices *devices);

#endif
