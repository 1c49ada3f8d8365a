/* Uploads by several threads, each of which has buffers of its own; and page-locked memory. */
#include "harness/workers/cuda/resources.h"

#include <pthread.h>
#include <string.h>

void uploader_init(struct uploader *uploader, int jobs)
{
	const size_t processors = (size_t)usable_processors();
	size_t threads = jobs > 0 && (size_t)jobs < processors ? (size_t)jobs : processors;

	if (threads > UPLOADER_THREADS_MOST)
		threads = UPLOADER_THREADS_MOST;
	/* the driver has one, too */
	*uploader = (struct uploader){.threads = threads > 1 ? threads : 0};
}

void uploader_close(struct uploader *uploader, const struct device *device)
{
	for (size_t t = 0; t < UPLOADER_THREADS_MOST; t++) {
		for (size_t b = 0; b < UPLOADER_BUFFERS; b++) {
			struct upload_buffer *buffer = &uploader->buffers[t][b];

			if (buffer->empty)
				device->driver.cuEventDestroy(buffer->empty);
			if (buffer->host)
				device->driver.cuMemFreeHost(buffer->host);
		}
	}
	*uploader = (struct uploader){0};
}

/* Uses as many threads as have their buffers. */
static void open_buffers(struct uploader *uploader, const struct cuda_driver *driver)
{
	for (size_t t = 0; t < uploader->threads; t++)
		for (size_t b = 0; b < UPLOADER_BUFFERS; b++) {
			struct upload_buffer *buffer = &uploader->buffers[t][b];

			if (driver->cuMemHostAlloc(&buffer->host, UPLOADER_PART_BYTES, 0) !=
				    CUDA_SUCCESS ||
			    driver->cuEventCreate(&buffer->empty, CU_EVENT_DISABLE_TIMING) !=
				    CUDA_SUCCESS)
				uploader->threads = t;
		}
	uploader->opened = true;
}

/* ---- one thread ---- */

/* The parts number first, first + step and so on. */
struct upload_share {
	const struct device *device;
	struct upload_buffer *buffers;
	CUdeviceptr to;
	const char *from;
	size_t bytes, first, step;
	CUresult result;
};

static void *upload_parts(void *context)
{
	struct upload_share *share = context;
	const struct cuda_driver *driver = &share->device->driver;
	const CUstream stream = share->device->stream;
	CUresult result = driver->cuCtxSetCurrent(share->device->context);
	size_t turn = 0;

	for (size_t part = share->first;
	     result == CUDA_SUCCESS && part * UPLOADER_PART_BYTES < share->bytes;
	     part += share->step) {
		struct upload_buffer *buffer = &share->buffers[turn++ % UPLOADER_BUFFERS];
		const size_t begin = part * UPLOADER_PART_BYTES;
		const size_t rest = share->bytes - begin;
		const size_t bytes = rest < UPLOADER_PART_BYTES ? rest : UPLOADER_PART_BYTES;

		result = driver->cuEventSynchronize(buffer->empty);
		if (result != CUDA_SUCCESS)
			break;
		memcpy(buffer->host, share->from + begin, bytes);
		result = driver->cuMemcpyHtoDAsync(share->to + begin, buffer->host, bytes, stream);
		if (result == CUDA_SUCCESS)
			result = driver->cuEventRecord(buffer->empty, stream);
	}
	share->result = result;
	return NULL;
}

/* ---- all of them ---- */

static CUresult upload_by_threads(struct uploader *uploader, const struct device *device,
				  CUdeviceptr to, const void *from, size_t bytes)
{
	struct upload_share shares[UPLOADER_THREADS_MOST];
	pthread_t threads[UPLOADER_THREADS_MOST];
	bool running[UPLOADER_THREADS_MOST];
	CUresult result = CUDA_SUCCESS;

	for (size_t t = 0; t < uploader->threads; t++) {
		shares[t] = (struct upload_share){
			device, uploader->buffers[t], to,          from, bytes,
			t,      uploader->threads,    CUDA_SUCCESS};
		running[t] = pthread_create(&threads[t], NULL, upload_parts, &shares[t]) == 0;
	}
	for (size_t t = 0; t < uploader->threads; t++) {
		if (running[t])
			pthread_join(threads[t], NULL);
		else
			upload_parts(&shares[t]);
		if (result == CUDA_SUCCESS)
			result = shares[t].result;
	}
	return result;
}

int uploader_queue(struct uploader *uploader, const struct device *device, CUdeviceptr to,
		   const void *from, size_t bytes, struct error *err)
{
	const bool large = bytes >= 2 * UPLOADER_PART_BYTES;
	CUresult result;

	if (large && !uploader->opened)
		open_buffers(uploader, &device->driver);
	result = large && uploader->threads > 1
			 ? upload_by_threads(uploader, device, to, from, bytes)
			 : device->driver.cuMemcpyHtoDAsync(to, from, bytes, device->stream);
	return cuda_check(&device->driver, result, err, "uploading");
}

/* ---- page-locked memory of the caller ---- */

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
