/*
 * variables: the __device__ and __constant__ variables that a launch can reach
 * without any pointer: those of its module. Internal to record/.
 */
#ifndef RECORD_VARIABLES_H
#define RECORD_VARIABLES_H

#include "record/images.h"
#include "record/memory_search.h"

/* Adds the variables that differ from their image, which is loaded as `module`, and keeps the
 * others in mind. The device must be idle. PL_EDEVICE. */
int memories_add_variables(struct memories *memories, CUmodule module, const struct cubin *cubin,
			   struct error *err);
/* Adds one variable. */
void memories_add_variable(struct memories *memories, const char *name, CUdeviceptr address,
			   size_t bytes);

#endif
