#include "record/kernels.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/events.h"

#define SLOTS (2 * SEEN_HANDLES_MOST)

struct seen_handle {
	_Atomic(const void *) handle;
	_Atomic(struct seen_kernel *) kernel;
};

static struct {
	const struct record_request *request;
	pthread_mutex_t lock; /* held to add, and to read `items` */
	struct seen_kernel **items;
	size_t count, capacity;
	struct seen_handle *slots; /* a hash table */
	size_t used;
	struct seen_kernel others;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

void seen_kernels_init(const struct record_request *request)
{
	seen.request = request;
	seen.slots = xcalloc(SLOTS, sizeof(*seen.slots));
	seen.others.name = xstrdup("?");
}

/* The slot of the handle, or the free one that it would get. */
static struct seen_handle *slot_of(const void *handle)
{
	size_t at = (size_t)(((uintptr_t)handle >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		struct seen_handle *slot = &seen.slots[at % SLOTS];
		const void *there = atomic_load_explicit(&slot->handle, memory_order_acquire);

		if (!there || there == handle)
			return slot;
	}
}

/* The lock is held. */
static struct seen_kernel *kernel_named(const char *name)
{
	struct seen_kernel *kernel;

	for (size_t i = 0; i < seen.count; i++)
		if (!strcmp(seen.items[i]->name, name))
			return seen.items[i];
	kernel = xcalloc(1, sizeof(*kernel));
	kernel->name = xstrdup(name);
	kernel->wanted = record_request_wants(seen.request, name);
	seen.items = xgrow(seen.items, &seen.capacity, seen.count + 1, sizeof(*seen.items));
	seen.items[seen.count++] = kernel;
	return kernel;
}

struct seen_kernel *seen_kernel_add(const void *handle, const char *name)
{
	struct seen_kernel *kernel = &seen.others;
	struct seen_handle *slot;

	pthread_mutex_lock(&seen.lock);
	slot = slot_of(handle);
	if (atomic_load_explicit(&slot->kernel, memory_order_relaxed)) {
		kernel = slot->kernel; /* another thread has added it */
	} else if (name && (slot->handle || seen.used < SEEN_HANDLES_MOST)) {
		kernel = kernel_named(name);
		seen.used += !slot->handle;
		atomic_store_explicit(&slot->kernel, kernel, memory_order_release);
		atomic_store_explicit(&slot->handle, handle, memory_order_release);
	}
	pthread_mutex_unlock(&seen.lock);
	return kernel;
}

struct seen_kernel *seen_kernel_find(const void *handle)
{
	const struct seen_handle *slot = slot_of(handle);
	struct seen_kernel *kernel = atomic_load_explicit(&slot->kernel, memory_order_acquire);

	return kernel && atomic_load_explicit(&slot->handle, memory_order_relaxed) == handle
		       ? kernel
		       : NULL;
}

int64_t seen_kernels_send(void)
{
	int64_t launches = seen.others.launches;

	/* not even how many of them were wanted is known */
	if (launches) {
		char *why = xasprintf(
			"%" PRId64 " launches are of kernels that could not be told apart, and "
			"were not recorded: the program has more than %d kernels, or the driver "
			"does not tell a name",
			launches, SEEN_HANDLES_MOST);

		events_send("note", json_pack("{s:s}", "why", why));
		free(why);
	}
	pthread_mutex_lock(&seen.lock);
	for (size_t i = 0; i < seen.count; i++) {
		const struct seen_kernel *kernel = seen.items[i];

		launches += kernel->launches + kernel->graph_launches;
		events_send("seen",
			    json_pack("{s:o, s:I, s:I}", "kernel", event_json(kernel->name),
				      "launches", (json_int_t)kernel->launches, "graph_launches",
				      (json_int_t)kernel->graph_launches));
	}
	pthread_mutex_unlock(&seen.lock);
	return launches;
}

void seen_kernels_forget_handles(void)
{
	pthread_mutex_lock(&seen.lock);
	/* A handle keeps its slot, so that others are found behind it. */
	for (size_t i = 0; i < SLOTS; i++)
		atomic_store_explicit(&seen.slots[i].kernel, NULL, memory_order_release);
	pthread_mutex_unlock(&seen.lock);
}
