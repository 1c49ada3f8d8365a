/* Reads untrusted bytes as machine code of a program. The reader must stay within them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_kernel(void *context, const char *name)
{
	*(size_t *)context += strlen(name);
	return false;
}

static void read_variable(void *context, const struct elf_variable *variable)
{
	*(size_t *)context += strlen(variable->name) + variable->bytes;
	/* The sum reads every byte. */
	for (size_t i = 0; variable->initial && i < variable->bytes; i++)
		*(size_t *)context += variable->initial[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum = 0;

	if (elf_size(data, size) > size)
		abort();
	elf_each_kernel(data, size, read_kernel, &sum);
	elf_each_variable(data, size, read_variable, &sum);
	return 0;
}
