/*
 * heap: the memory that device code gets from malloc(). It belongs to the emulation, so that a
 * launch may free what an earlier one allocated. Internal to emulator/.
 *
 * Each block is an allocation of device memory with guard bytes around it, and no address is used
 * twice. So an access outside of a block or after free() is always found; that it is after free()
 * is said of the last 65,536 freed blocks at least. An address is a multiple of 512, while a GPU's
 * is a multiple of 16: sector counts of accesses to the heap can differ.
 */
#ifndef EMULATOR_MACHINE_MEMORY_HEAP_H
#define EMULATOR_MACHINE_MEMORY_HEAP_H

#include "emulator/machine/memory/device_memory.h"

/* The limit of CUDA unless cudaDeviceSetLimit() changes it. */
#define HEAP_BYTES (INT64_C(8) << 20)

struct device_heap;
struct device_heap *device_heap_create(struct device_memory *memory);
void device_heap_free(struct device_heap *heap); /* NULL is allowed */
/* Releases all blocks and forgets them. */
void device_heap_reset(struct device_heap *heap);
/* Appends a finding for each malloc() that has blocks left, with their number. */
void device_heap_leaks(const struct device_heap *heap, struct finding_list *findings);
/* Appends "which is in 24 bytes that free() released" if the heap had the address.
 * NULL: no heap. */
bool device_heap_describe(struct text *out, const struct device_heap *heap, uint64_t address);

#endif
