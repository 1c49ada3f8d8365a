/* Reserves page-locked host memory. */
#include "harness/workers/cuda/staging.h"

int staging_reserve(struct staging *staging, size_t slot, size_t bytes, void **out,
		    struct error *err)
{
	const struct cuda_driver *driver = &staging->device->driver;
	CUresult result;
	char size[32];

	if (bytes > staging->bytes[slot] || !staging->slots[slot]) {
		if (staging->slots[slot])
			driver->cuMemFreeHost(staging->slots[slot]);
		staging->slots[slot] = NULL;
		staging->bytes[slot] = 0;
		result = driver->cuMemHostAlloc(&staging->slots[slot], bytes ? bytes : 1, 0);
		if (result != CUDA_SUCCESS) {
			format_bytes(size, (double)bytes);
			staging->slots[slot] = NULL;
			return error_context(err, cuda_check(driver, result, err, "cuMemHostAlloc"),
					     "allocating %s of host memory for uploads", size);
		}
		staging->bytes[slot] = bytes;
	}
	*out = staging->slots[slot];
	return 0;
}

void staging_release(struct staging *staging)
{
	for (size_t i = 0; i < STAGING_SLOTS; i++) {
		if (staging->slots[i])
			staging->device->driver.cuMemFreeHost(staging->slots[i]);
	}
	*staging = (struct staging){0};
}
