/*
 * CUB: the library baselines for sums and histograms. CUB consists of C++
 * templates, so the build compiles the operations into a shared library next to
 * the images, if its toolkit has CUB.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/workers/cuda/libraries/cub.h"
#include "harness/workers/cuda/libraries/library.h"

struct cub {
	__typeof__(perflab_cub_sum) *sum;
	__typeof__(perflab_cub_histogram) *histogram;
	CUstream stream;
};

static int load_cub(struct cub *cub, char version[LIBRARY_VERSION], const char *path,
		    struct error *err)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	__typeof__(perflab_cub_version) *number;

	if (!library)
		return error_set(
			err, PL_EUNSUPPORTED,
			"CUB was not found (%s): build perflab with a CUDA toolkit that has it",
			dlerror());
	*(void **)&cub->sum = dlsym(library, "perflab_cub_sum");
	*(void **)&cub->histogram = dlsym(library, "perflab_cub_histogram");
	*(void **)&number = dlsym(library, "perflab_cub_version");
	if (!cub->sum || !cub->histogram || !number)
		return error_set(err, PL_EUNSUPPORTED,
				 "%s belongs to another build: install perflab again", path);
	snprintf(version, LIBRARY_VERSION, "CUB %d.%d.%d", number() / 100000, number() / 100 % 1000,
		 number() % 100);
	return 0;
}

static int open_cub(void **out, char version[LIBRARY_VERSION], const struct device *device,
		    struct memory *memory, struct error *err)
{
	struct cub *cub = xcalloc(1, sizeof(*cub));
	struct text path = TEXT_INIT;
	int rc = install_path(&path, "share/perflab/libraries/cub.so", err);

	(void)memory;
	cub->stream = device->stream;
	if (!rc)
		rc = load_cub(cub, version, path.data, err);
	text_release(&path);
	if (rc) {
		free(cub);
		return rc;
	}
	*out = cub;
	return 0;
}

static int cub_check(int status, struct error *err)
{
	return status ? error_set(err, PL_EDEVICE, "CUB: CUDA error %d", status) : 0;
}

static void *device_pointer(CUdeviceptr data)
{
	return (void *)(uintptr_t)data;
}

/* values: x, sum, n. If `scratch` is NULL, CUB only sets the bytes of scratch memory it needs. */
static int cub_sum(const struct cub *cub, const union argument_value *values, void *scratch,
		   size_t *bytes, struct error *err)
{
	return cub_check(cub->sum(scratch, bytes, device_pointer(values[0].buffer),
				  device_pointer(values[1].buffer), values[2].i64, cub->stream),
			 err);
}

/* values: x, counts, n, bins. */
static int cub_histogram(const struct cub *cub, const union argument_value *values, void *scratch,
			 size_t *bytes, struct error *err)
{
	if (values[3].i64 >= INT32_MAX)
		return error_set(err, PL_EUSAGE, "CUB makes at most 2^31 - 2 bins: use fewer bins");
	return cub_check(cub->histogram(scratch, bytes, device_pointer(values[0].buffer),
					device_pointer(values[1].buffer), values[2].i64,
					values[3].i64, cub->stream),
			 err);
}

#define WITH_SCRATCH(name)                                                                      \
	static int name##_scratch(void *library, const union argument_value *values,            \
				  size_t *bytes, struct error *err)                             \
	{                                                                                       \
		return cub_##name(library, values, NULL, bytes, err);                           \
	}                                                                                       \
	static int name##_enqueue(void *library, const union argument_value *values,            \
				  const struct library_scratch *scratch, struct error *err)     \
	{                                                                                       \
		size_t bytes = scratch->bytes;                                                  \
                                                                                                \
		return cub_##name(library, values, device_pointer(scratch->data), &bytes, err); \
	}
WITH_SCRATCH(sum)
WITH_SCRATCH(histogram)

static const struct library_operation operations[] = {
	{"sum", "bbn", sum_scratch, sum_enqueue},
	{"histogram", "bbnn", histogram_scratch, histogram_enqueue},
};

const struct library library_cub = {
	.name = "cub",
	.open = open_cub,
	.close = free,
	.operations = operations,
	.operation_count = ARRAY_SIZE(operations),
};
