/*
 * kernels: how often the program has launched each kernel. Looking one up is on
 * the path of every launch and takes no lock; adding one does. Internal to
 * record/.
 */
#ifndef RECORD_KERNELS_H
#define RECORD_KERNELS_H

#include <pthread.h>
#include <stdatomic.h>

#include "record/request.h"

/* Handles of kernels that a process may have: one per kernel and context, or per load. Further ones
 * share an entry that is never wanted. */
#define SEEN_HANDLES_MOST 65536

/* One name of a kernel. Several handles may have it. Never moves. */
struct seen_kernel {
	char *name; /* mangled */
	bool wanted;
	_Atomic int64_t launches, graph_launches;
};

struct seen_handle {
	_Atomic(const void *) handle;
	_Atomic(struct seen_kernel *) kernel;
};

struct seen_kernels {
	const struct record_request *request;
	pthread_mutex_t lock; /* held to add, and to read `items` */
	struct seen_kernel **items;
	size_t count, capacity;
	struct seen_handle *slots; /* a hash table */
	size_t used;
	struct seen_kernel others;
};

void seen_kernels_init(struct seen_kernels *seen, const struct record_request *request);
/* The kernel of a handle; NULL: it is new. */
struct seen_kernel *seen_kernel_find(const struct seen_kernels *seen, const void *handle);
/* Adds a new handle under `name`; NULL stands for an unknown name. */
struct seen_kernel *seen_kernel_add(struct seen_kernels *seen, const void *handle,
				    const char *name);
/* The launches of all kernels, also into graphs. */
int64_t seen_kernels_launches(struct seen_kernels *seen);
/* The handles may mean other kernels from now on: a module was unloaded. */
void seen_kernels_forget_handles(struct seen_kernels *seen);

#endif
