/*
 * kernels: how often the program has launched each kernel. Looking one up is on
 * the path of every launch and takes no lock; adding one does. Internal to
 * record/.
 */
#ifndef RECORD_KERNELS_H
#define RECORD_KERNELS_H

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

void seen_kernels_init(const struct record_request *request);
/* The kernel of a handle; NULL: it is new. */
struct seen_kernel *seen_kernel_find(const void *handle);
/* Adds a new handle under `name`; NULL stands for an unknown name. */
struct seen_kernel *seen_kernel_add(const void *handle, const char *name);
/* Sends an event for each kernel that was launched, and a note if some have no name. Returns the
 * launches of all kernels, also into graphs. */
int64_t seen_kernels_send(void);
/* The handles may mean other kernels from now on: a module was unloaded. */
void seen_kernels_forget_handles(void);

#endif
