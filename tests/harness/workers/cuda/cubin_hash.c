/* cubin_hash FILE: prints the hash of a cubin's machine code for ptx_same_code.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/workers/cuda/image.h"

int main(int argc, char **argv)
{
	struct error err = {0};
	char *bytes = NULL;
	size_t length = 0;
	char hash[HASH_TEXT_BYTES];
	int rc = argc == 2 ? read_file(&bytes, &length, argv[1], SIZE_MAX, &err)
			   : error_set(&err, PL_EUSAGE, "usage: cubin_hash FILE");

	if (rc == 0)
		rc = cubin_hash(hash, bytes, length, &err);
	if (rc)
		fprintf(stderr, "cubin_hash: %s\n", err.text);
	else
		puts(hash);
	free(bytes);
	return error_exit_code(rc);
}
