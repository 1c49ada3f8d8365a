/* Memory of the fake driver. See fake_cuda.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/record/fake_cuda.h"

#define RANGES_MOST 256
#define GRANULE_BYTES ((size_t)2 << 20)

struct range {
	char *start;
	size_t bytes;
	CUmemorytype type;
	bool managed;
	bool reserved;   /* by cuMemAddressReserve() */
	unsigned mapped; /* of a reserved range: a bit for each granule that is mapped */
};

static struct range ranges[RANGES_MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the table ---- */

static void add_range(const struct range *range)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES_MOST; i++) {
		if (!ranges[i].start) {
			ranges[i] = *range;
			pthread_mutex_unlock(&lock);
			return;
		}
	}
	abort();
}

void fake_memory_add(const void *start, size_t bytes, CUmemorytype type, bool managed)
{
	const struct range range = {(char *)(uintptr_t)start, bytes, type, managed, false, 0};

	add_range(&range);
}

/* All zeroes: no range has the address. */
static struct range range_at(const void *address)
{
	struct range found = {0};

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES_MOST && !found.start; i++)
		if (ranges[i].start &&
		    (size_t)((char *)(uintptr_t)address - ranges[i].start) < ranges[i].bytes)
			found = ranges[i];
	pthread_mutex_unlock(&lock);
	return found;
}

static bool remove_range(const void *start, struct range *removed)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES_MOST && !found; i++) {
		if (start && ranges[i].start == start) {
			*removed = ranges[i];
			ranges[i].start = NULL;
			found = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- allocations ---- */

static CUresult allocate(void **out, size_t bytes, CUmemorytype type, bool managed)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	fake_memory_add(start, bytes, type, managed);
	*out = start;
	return CUDA_SUCCESS;
}

static CUresult allocate_device(CUdeviceptr *out, size_t bytes, bool managed)
{
	void *start = NULL;
	CUresult result = allocate(&start, bytes, CU_MEMORYTYPE_DEVICE, managed);

	*out = (CUdeviceptr)(uintptr_t)start;
	return result;
}

static CUresult release(const void *start)
{
	struct range range;

	if (!remove_range(start, &range))
		return CUDA_ERROR_INVALID_VALUE;
	munmap(range.start, range.bytes);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
	return allocate_device(out, bytes, false);
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream)
{
	(void)stream;
	return allocate_device(out, bytes, false);
}

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
	(void)flags;
	return allocate_device(out, bytes, true);
}

CUresult CUDAAPI cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
	(void)flags;
	return allocate(out, bytes, CU_MEMORYTYPE_HOST, false);
}

CUresult CUDAAPI cuMemFree(CUdeviceptr start)
{
	return release((void *)(uintptr_t)start);
}

/* ---- mappings ---- */

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment,
				     CUdeviceptr hint, unsigned long long flags)
{
	char *start =
		mmap(NULL, bytes + GRANULE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct range range = {.bytes = bytes, .type = CU_MEMORYTYPE_DEVICE, .reserved = true};

	(void)alignment;
	(void)hint;
	(void)flags;
	if ((void *)start == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	range.start = start + (GRANULE_BYTES - (uintptr_t)start % GRANULE_BYTES);
	add_range(&range);
	*out = (CUdeviceptr)(uintptr_t)range.start;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
			     const CUmemAllocationProp *properties, unsigned long long flags)
{
	(void)properties;
	(void)flags;
	*out = bytes; /* nobody asks what a handle stands for */
	return CUDA_SUCCESS;
}

static size_t granule_of(const struct range *range, const void *address)
{
	return (size_t)((const char *)address - range->start) / GRANULE_BYTES;
}

/* Maps one granule. */
CUresult CUDAAPI cuMemMap(CUdeviceptr start, size_t bytes, size_t offset,
			  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	char *address = (char *)(uintptr_t)start;

	(void)offset;
	(void)flags;
	if (bytes != GRANULE_BYTES || !handle || mprotect(address, bytes, PROT_READ | PROT_WRITE))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES_MOST; i++)
		if (ranges[i].reserved && (size_t)(address - ranges[i].start) < ranges[i].bytes)
			ranges[i].mapped |= 1u << granule_of(&ranges[i], address);
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address)
{
	struct range range = range_at(address);

	if (!range.reserved || !(range.mapped >> granule_of(&range, address) & 1))
		return CUDA_ERROR_INVALID_VALUE;
	*out = 1;
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle)
{
	return handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- questions ---- */

/* As the real driver: an unknown address is no error, its attributes are 0; of an address that was
 * mapped by cuMemMap(), the range is what was reserved. */
CUresult CUDAAPI cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
					void **values, CUdeviceptr address)
{
	struct range range = range_at((void *)(uintptr_t)address);

	for (unsigned i = 0; i < count; i++) {
		switch (attributes[i]) {
		case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
			*(CUdeviceptr *)values[i] = (CUdeviceptr)(uintptr_t)range.start;
			break;
		case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
			*(size_t *)values[i] = range.bytes;
			break;
		case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
			*(unsigned *)values[i] = range.type;
			break;
		case CU_POINTER_ATTRIBUTE_IS_MANAGED:
			*(unsigned *)values[i] = range.managed;
			break;
		case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
			*(int *)values[i] = range.start ? 0 : -2;
			break;
		default:
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	return CUDA_SUCCESS;
}

/* ---- copies ---- */

static CUresult copy(void *to, const void *from, const void *device, size_t bytes)
{
	struct range range = range_at(device);

	if (fake_capture_forbids())
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (!range.start || bytes > range.bytes - (size_t)((const char *)device - range.start))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(to, from, bytes);
	return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
	return copy(to, (void *)(uintptr_t)from, (void *)(uintptr_t)from, bytes);
}

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
	return copy((void *)(uintptr_t)to, from, (void *)(uintptr_t)to, bytes);
}
