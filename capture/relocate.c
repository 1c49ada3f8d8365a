/* Contents of memory that is at another address than in the program. */
#include <string.h>

#include "capture/capture.h"

void capture_relocate(const struct capture *capture, size_t index, enum capture_state state,
		      void *data, const uint64_t *addresses)
{
	const struct capture_memory *memory = &capture_info(capture)->memory[index];
	const struct capture_pointers *pointers =
		state == CAPTURE_AFTER && memory->changed ? &memory->after : &memory->before;

	for (size_t i = 0; i < pointers->count; i++) {
		const struct capture_pointer *pointer = &pointers->items[i];
		const uint64_t address = addresses[pointer->memory] + pointer->addend;

		if (addresses[pointer->memory])
			memcpy((char *)data + pointer->offset, &address, sizeof(address));
	}
}
