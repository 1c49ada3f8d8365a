#include "record/kernels.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS (2 * SEEN_HANDLES_MOST)

void seen_kernels_init(struct seen_kernels *seen, const struct record_request *request)
{
	*seen = (struct seen_kernels){.request = request,
				      .slots = xcalloc(SLOTS, sizeof(*seen->slots))};
	seen->others.name = xstrdup("?");
	pthread_mutex_init(&seen->lock, NULL);
}

/* The slot of the handle, or the free one that it would get. */
static struct seen_handle *slot_of(const struct seen_kernels *seen, const void *handle)
{
	size_t at = (size_t)(((uintptr_t)handle >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		struct seen_handle *slot = &seen->slots[at % SLOTS];
		const void *there = atomic_load_explicit(&slot->handle, memory_order_acquire);

		if (!there || there == handle)
			return slot;
	}
}

/* The lock is held. */
static struct seen_kernel *kernel_named(struct seen_kernels *seen, const char *name)
{
	struct seen_kernel *kernel;

	for (size_t i = 0; i < seen->count; i++)
		if (!strcmp(seen->items[i]->name, name))
			return seen->items[i];
	kernel = xcalloc(1, sizeof(*kernel));
	kernel->name = xstrdup(name);
	kernel->wanted = record_request_wants(seen->request, name);
	seen->items = xgrow(seen->items, &seen->capacity, seen->count + 1, sizeof(*seen->items));
	seen->items[seen->count++] = kernel;
	return kernel;
}

struct seen_kernel *seen_kernel_add(struct seen_kernels *seen, const void *handle, const char *name)
{
	struct seen_kernel *kernel = &seen->others;
	struct seen_handle *slot;

	pthread_mutex_lock(&seen->lock);
	slot = slot_of(seen, handle);
	if (atomic_load_explicit(&slot->kernel, memory_order_relaxed)) {
		kernel = slot->kernel; /* another thread has added it */
	} else if (name && (slot->handle || seen->used < SEEN_HANDLES_MOST)) {
		kernel = kernel_named(seen, name);
		seen->used += !slot->handle;
		atomic_store_explicit(&slot->kernel, kernel, memory_order_release);
		atomic_store_explicit(&slot->handle, handle, memory_order_release);
	}
	pthread_mutex_unlock(&seen->lock);
	return kernel;
}

struct seen_kernel *seen_kernel_find(const struct seen_kernels *seen, const void *handle)
{
	const struct seen_handle *slot = slot_of(seen, handle);
	struct seen_kernel *kernel = atomic_load_explicit(&slot->kernel, memory_order_acquire);

	return kernel && atomic_load_explicit(&slot->handle, memory_order_relaxed) == handle
		       ? kernel
		       : NULL;
}

int64_t seen_kernels_launches(struct seen_kernels *seen)
{
	int64_t launches = seen->others.launches;

	pthread_mutex_lock(&seen->lock);
	for (size_t i = 0; i < seen->count; i++)
		launches += seen->items[i]->launches + seen->items[i]->graph_launches;
	pthread_mutex_unlock(&seen->lock);
	return launches;
}

void seen_kernels_forget_handles(struct seen_kernels *seen)
{
	pthread_mutex_lock(&seen->lock);
	/* A handle keeps its slot, so that others are found behind it. */
	for (size_t i = 0; i < SLOTS; i++)
		atomic_store_explicit(&seen->slots[i].kernel, NULL, memory_order_release);
	pthread_mutex_unlock(&seen->lock);
}
