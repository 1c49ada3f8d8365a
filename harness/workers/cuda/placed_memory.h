/*
 * placed_memory: memory of a capture as the program had it: memory of the GPU at
 * its old address, where that is free, managed memory, and memory of the host. An
 * address within a content that the recorder did not find is then right, too.
 * Internal to harness/workers/cuda.
 */
#ifndef HARNESS_WORKERS_CUDA_PLACED_MEMORY_H
#define HARNESS_WORKERS_CUDA_PLACED_MEMORY_H

#include "harness/workers/case_capture.h"
#include "harness/workers/cuda/device_memory.h"

struct placed_memory;

/*
 * Sets blocks[b] for the buffers b with memory of the capture that have none and
 * that can be placed. The others stay NULL: the caller gives them ordinary memory,
 * and relocates. The blocks belong to *out, which is NULL if there is none.
 */
int placed_memory_acquire(struct placed_memory **out, struct memory *memory,
			  const struct launch_case *work, const struct case_capture *from,
			  struct memory_block **blocks, struct error *err);
/* Waits for the device and frees all blocks. Accepts NULL. */
void placed_memory_release(struct placed_memory *placed);

#endif
