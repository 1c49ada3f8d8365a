/* Anybody's bytes as a cubin: the reader of its section table stays inside the file. */
#include <stddef.h>
#include <stdint.h>

#include "harness/workers/cuda/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	char hash[24];

	cubin_hash(hash, (const char *)data, size, &err);
	return 0;
}
