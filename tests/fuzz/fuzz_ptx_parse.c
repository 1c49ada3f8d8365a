/* Fuzz target: any bytes as PTX. The parser returns a module, or an error with a line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/language/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_module *module = NULL;
	struct error err = {0};
	int rc = ptx_module_parse(&module, (const char *)data, size, &err);

	if (rc == PL_EPARSE && !strstr(err.text, "line "))
		abort();
	ptx_module_free(module);
	return 0;
}
