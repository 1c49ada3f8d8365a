#include "tests/packed.h"

#include <stdlib.h>

#include <zstd.h>

#define FILE_LIMIT (16u << 20)
#define DATA_LIMIT (64u << 20)
#define LEVEL 19

int packed_read(char **out, size_t *length, const char *path, struct error *err)
{
	unsigned long long bytes;
	size_t packed_bytes;
	char *packed;
	int result = read_file(&packed, &packed_bytes, path, FILE_LIMIT, err);

	*out = NULL;
	if (result)
		return result;
	bytes = ZSTD_getFrameContentSize(packed, packed_bytes);
	if (bytes <= DATA_LIMIT) {
		*out = xmalloc(bytes + 1);
		*length = ZSTD_decompress(*out, bytes, packed, packed_bytes);
	}
	free(packed);
	if (bytes > DATA_LIMIT || *length != bytes) {
		free(*out);
		*out = NULL;
		return error_set(err, PL_EPARSE, "%s is no file that tests/packed --make wrote",
				 path);
	}
	(*out)[bytes] = '\0';
	return 0;
}

int packed_make(char **out, size_t *length, const char *data, size_t bytes, struct error *err)
{
	const size_t room = ZSTD_compressBound(bytes);

	*out = xmalloc(room);
	*length = ZSTD_compress(*out, room, data, bytes, LEVEL);
	if (!ZSTD_isError(*length))
		return 0;
	free(*out);
	*out = NULL;
	return error_set(err, PL_EIO, "%s", ZSTD_getErrorName(*length));
}
