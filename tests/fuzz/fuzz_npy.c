/*
 * Fuzz target: any bytes as a .npy file. Reading must end with an array within the limit, or with
 * an error and a message. An array must fit the buffer of exactly the types that its file names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/npy.h"

enum { MOST_BYTES = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void copy_fuzzed(const struct npy_array *array)
{
	char *room = malloc(array->bytes ? array->bytes : 1);
	int accepted = 0;

	if (!room || array->bytes > MOST_BYTES)
		abort();
	for (int type = 0; type < ELEMENT_TYPES; type++)
		accepted += !npy_copy(room, (enum element_type)type, array->length, array, "fuzz",
				      NULL);
	if (!accepted || !npy_copy(room, ELEMENT_F32, array->length + 1, array, "fuzz", NULL))
		abort();
	free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct npy_array array = {0};
	struct error err = {0};
	FILE *stream;
	int rc;

	if (!size)
		return 0;
	stream = fmemopen((void *)(uintptr_t)data, size, "rb");
	if (!stream)
		abort();
	rc = npy_read_stream(&array, stream, "fuzz", MOST_BYTES, &err);
	fclose(stream);
	if (rc && (err.code != rc || !err.text[0] || array.data))
		abort();
	if (!rc)
		copy_fuzzed(&array);
	npy_array_release(&array);
	return 0;
}
