/* Uploads by several threads to a driver whose copies happen as late as they may. */
#include "harness/workers/cuda/resources.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PART UPLOADER_PART_BYTES
#define MOST_COPIES 256

/* A stream: its copies happen when something waits for them, in their order. */
static struct {
	pthread_mutex_t mutex;
	struct {
		CUdeviceptr to;
		const void *from;
		size_t bytes;
	} copies[MOST_COPIES];
	size_t queued, done, largest;
	size_t fails_at;  /* the copy that is refused, from 1; 0: none */
	size_t buffers;   /* that are allocated */
	size_t available; /* that can be allocated */
	size_t events;
} stream = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void finish_copies(size_t end)
{
	for (; stream.done < end; stream.done++)
		memcpy((void *)(uintptr_t)stream.copies[stream.done].to,
		       stream.copies[stream.done].from, stream.copies[stream.done].bytes);
}

static CUresult late_copy(CUdeviceptr to, const void *from, size_t bytes, CUstream unused)
{
	CUresult result = CUDA_SUCCESS;

	(void)unused;
	pthread_mutex_lock(&stream.mutex);
	assert_true(stream.queued < MOST_COPIES);
	if (stream.queued + 1 == stream.fails_at)
		result = CUDA_ERROR_ILLEGAL_ADDRESS;
	stream.copies[stream.queued].to = to;
	stream.copies[stream.queued].from = from;
	stream.copies[stream.queued].bytes = result == CUDA_SUCCESS ? bytes : 0;
	stream.queued++;
	if (bytes > stream.largest)
		stream.largest = bytes;
	pthread_mutex_unlock(&stream.mutex);
	return result;
}

/* An event is the number of copies before it. */
static CUresult make_event(CUevent *out, unsigned flags)
{
	(void)flags;
	stream.events++;
	*out = calloc(1, sizeof(size_t));
	return CUDA_SUCCESS;
}

static CUresult free_event(CUevent event)
{
	stream.events--;
	free(event);
	return CUDA_SUCCESS;
}

static CUresult record_event(CUevent event, CUstream unused)
{
	(void)unused;
	pthread_mutex_lock(&stream.mutex);
	*(size_t *)event = stream.queued;
	pthread_mutex_unlock(&stream.mutex);
	return CUDA_SUCCESS;
}

static CUresult await_event(CUevent event)
{
	pthread_mutex_lock(&stream.mutex);
	finish_copies(*(size_t *)event);
	pthread_mutex_unlock(&stream.mutex);
	return CUDA_SUCCESS;
}

static CUresult make_buffer(void **out, size_t bytes, unsigned flags)
{
	(void)flags;
	if (stream.buffers == stream.available)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream.buffers++;
	*out = malloc(bytes);
	return CUDA_SUCCESS;
}

static CUresult free_buffer(void *buffer)
{
	stream.buffers--;
	free(buffer);
	return CUDA_SUCCESS;
}

static CUresult set_context(CUcontext context)
{
	(void)context;
	return CUDA_SUCCESS;
}

static CUresult name_error(CUresult result, const char **out)
{
	(void)result;
	*out = "CUDA_ERROR_ILLEGAL_ADDRESS";
	return CUDA_SUCCESS;
}

static struct device make_device(void)
{
	stream.queued = stream.done = stream.largest = stream.fails_at = 0;
	stream.available = SIZE_MAX;
	return (struct device){.driver = {.cuMemcpyHtoDAsync = late_copy,
					  .cuEventCreate = make_event,
					  .cuEventDestroy = free_event,
					  .cuEventRecord = record_event,
					  .cuEventSynchronize = await_event,
					  .cuMemHostAlloc = make_buffer,
					  .cuMemFreeHost = free_buffer,
					  .cuCtxSetCurrent = set_context,
					  .cuGetErrorName = name_error,
					  .cuGetErrorString = name_error}};
}

static unsigned char *make_content(size_t bytes)
{
	unsigned char *content = malloc(bytes + 1);

	assert_non_null(content);
	for (size_t i = 0; i < bytes; i++)
		content[i] = (unsigned char)(i * 2654435761u >> 24);
	return content;
}

static void assert_uploads(struct uploader *uploader, const struct device *device, size_t bytes)
{
	unsigned char *from = make_content(bytes), *to = calloc(bytes + 1, 1);
	struct error err = {0};

	assert_int_equal(
		uploader_queue(uploader, device, (CUdeviceptr)(uintptr_t)to, from, bytes, &err), 0);
	finish_copies(stream.queued);
	assert_memory_equal(to, from, bytes);
	assert_int_equal(to[bytes], 0);
	free(from);
	free(to);
}

static void assert_nothing_left(struct uploader *uploader, const struct device *device)
{
	uploader_close(uploader, device);
	assert_int_equal(stream.buffers, 0);
	assert_int_equal(stream.events, 0);
}

static void test_every_byte_arrives(void **state)
{
	static const size_t sizes[] = {1,        PART - 1,     2 * PART - 1, 2 * PART, 2 * PART + 1,
				       9 * PART, 17 * PART + 5};

	(void)state;
	for (size_t threads = 0; threads <= UPLOADER_THREADS_MOST; threads++) {
		struct device device = make_device();
		struct uploader uploader = {.threads = threads};

		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			assert_uploads(&uploader, &device, sizes[i]);
		/* without threads the driver splits the content itself */
		assert_int_equal(stream.largest, threads > 1 ? 2 * PART - 1 : 17 * PART + 5);
		assert_nothing_left(&uploader, &device);
	}
}

static void test_the_driver_uploads_without_buffers(void **state)
{
	/* none; those of one thread and a half */
	static const size_t available[] = {0, 3};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct device device = make_device();
		struct uploader uploader = {.threads = 4};

		stream.available = available[i];
		assert_uploads(&uploader, &device, 9 * PART);
		assert_uploads(&uploader, &device, 9 * PART);
		assert_int_equal(stream.queued, 2);
		assert_nothing_left(&uploader, &device);
	}
}

static void test_a_failed_copy_is_an_error(void **state)
{
	struct device device = make_device();
	struct uploader uploader = {.threads = 3};
	unsigned char *from = make_content(20 * PART), *to = calloc(20, PART);
	struct error err = {0};

	(void)state;
	stream.fails_at = 11;
	assert_int_equal(uploader_queue(&uploader, &device, (CUdeviceptr)(uintptr_t)to, from,
					20 * PART, &err),
			 PL_EDEVICE);
	assert_non_null(strstr(err.text, "uploading"));
	free(from);
	free(to);
	assert_nothing_left(&uploader, &device);
}

static void test_jobs_bound_the_threads(void **state)
{
	struct uploader uploader;

	(void)state;
	uploader_init(&uploader, 1);
	assert_int_equal(uploader.threads, 0);
	uploader_init(&uploader, 2);
	assert_true(uploader.threads == 2 || (usable_processors() == 1 && !uploader.threads));
	uploader_init(&uploader, 0);
	assert_true(uploader.threads <= UPLOADER_THREADS_MOST);
	assert_true((int)uploader.threads <= usable_processors());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte_arrives),
		cmocka_unit_test(test_the_driver_uploads_without_buffers),
		cmocka_unit_test(test_a_failed_copy_is_an_error),
		cmocka_unit_test(test_jobs_bound_the_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
