/*
 * packed: shows compressed data of the tests, or compresses such data.
 * usage: packed FILE.zst > FILE
 *        packed --make FILE > FILE.zst
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/packed.h"

#define LIMIT (64u << 20)

static int packed_from(char **out, size_t *length, const char *path, struct error *err)
{
	size_t bytes;
	char *data;
	int result = read_file(&data, &bytes, path, LIMIT, err);

	if (result)
		return result;
	result = packed_make(out, length, data, bytes, err);
	free(data);
	return result;
}

int main(int argc, char **argv)
{
	struct error err = {0};
	size_t length = 0;
	char *data = NULL;
	int failed = 0;

	if (argc == 3 && !strcmp(argv[1], "--make"))
		failed = packed_from(&data, &length, argv[2], &err);
	else if (argc == 2)
		failed = packed_read(&data, &length, argv[1], &err);
	else
		failed = error_set(&err, PL_EUSAGE, "usage: packed FILE.zst | --make FILE");
	if (!failed && (fwrite(data, 1, length, stdout) != length || fflush(stdout)))
		failed = error_set(&err, PL_EIO, "cannot write the output");
	if (failed)
		fprintf(stderr, "packed: %s\n", err.text);
	free(data);
	return failed ? 1 : 0;
}
