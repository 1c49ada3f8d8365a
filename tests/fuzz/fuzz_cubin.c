/* Reads untrusted bytes as a cubin. The reader must stay within them. */
#include <stddef.h>
#include <stdint.h>

#include "harness/workers/cuda/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	char hash[HASH_TEXT_BYTES], instructions[HASH_TEXT_BYTES];

	cubin_hash(hash, instructions, (const char *)data, size, &err);
	return 0;
}
