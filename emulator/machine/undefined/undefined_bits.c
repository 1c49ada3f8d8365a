#include "emulator/machine/undefined/undefined_bits.h"

#include <stdlib.h>
#include <string.h>

bool undefined_memory_create(struct undefined_memory *memory, uint64_t bytes, bool undefined)
{
	/* The pages of calloc() cost nothing until an undefined value is stored. */
	memory->bits = calloc(bytes + 1, 1);
	memory->origins = calloc(bytes + 1, sizeof(*memory->origins));
	if (!memory->bits || !memory->origins) {
		undefined_memory_free(memory);
		memory->missing = true;
		return false;
	}
	if (undefined)
		memset(memory->bits, 0xff, bytes);
	return true;
}

void undefined_memory_free(struct undefined_memory *memory)
{
	free(memory->bits);
	free(memory->origins);
	*memory = (struct undefined_memory){0};
}

void undefined_memory_begin(struct undefined_memory *memory, uint64_t first, uint64_t bytes)
{
	if (!memory->bits)
		return;
	memset(memory->bits + first, 0xff, bytes);
	memset(memory->origins + first, 0, bytes * sizeof(*memory->origins));
}

void undefined_memory_move(struct undefined_memory *memory, uint64_t to, uint64_t from,
			   uint64_t bytes)
{
	if (!memory->bits)
		return;
	memmove(memory->bits + to, memory->bits + from, bytes);
	memmove(memory->origins + to, memory->origins + from, bytes * sizeof(*memory->origins));
}

bool undefined_file_create(struct undefined_file *file, size_t bytes)
{
	file->bits = calloc(bytes + 1, 1);
	file->origins = calloc(bytes + 1, 1);
	return file->bits && file->origins;
}

void undefined_file_free(struct undefined_file *file)
{
	free(file->bits);
	free(file->origins);
	*file = (struct undefined_file){0};
}
