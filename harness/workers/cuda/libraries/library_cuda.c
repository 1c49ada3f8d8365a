/* The copy of the CUDA driver, the library baseline of the copy kernels. */
#include <stdio.h>

#include "harness/workers/cuda/libraries/library.h"

static int open_cuda(void **out, char version[LIBRARY_VERSION], const struct device *device,
		     struct memory *memory, struct error *err)
{
	(void)memory;
	(void)err;
	snprintf(version, LIBRARY_VERSION, "driver %.8s", device->info.driver);
	*out = (void *)(uintptr_t)device;
	return 0;
}

static void close_cuda(void *library)
{
	(void)library;
}

/* values: from, to, bytes. */
static int enqueue_copy(void *library, const union argument_value *values,
			const struct library_scratch *scratch, struct error *err)
{
	const struct device *device = library;

	(void)scratch;
	return cuda_check(&device->driver,
			  device->driver.cuMemcpyDtoDAsync(values[1].buffer, values[0].buffer,
							   (size_t)values[2].i64, device->stream),
			  err, "copying on the device");
}

static const struct library_operation operations[] = {
	{.name = "copy", .arguments = "bbn", .enqueue = enqueue_copy},
};

const struct library library_cuda = {
	.name = "cuda",
	.open = open_cuda,
	.close = close_cuda,
	.operations = operations,
	.operation_count = ARRAY_SIZE(operations),
};
