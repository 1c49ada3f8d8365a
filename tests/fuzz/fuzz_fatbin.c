/* Reads untrusted bytes as a fat binary. The reader must stay within them, and what it finds must
 * be text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fatbin_ptx ptx;
	struct error err = {0};

	if (fatbin_find_ptx_in(&ptx, data, size, "axpy", 90, &err))
		return 0;
	if (strlen(ptx.text) != ptx.bytes || !strstr(ptx.text, "axpy"))
		abort();
	free(ptx.text);
	return 0;
}
