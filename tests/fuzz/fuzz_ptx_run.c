/* Fuzz target: any PTX. A decoded entry is executed to its end, to a finding or to a limit. */
#include <stddef.h>
#include <stdint.h>

#include "ptx_launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ptx_launch_text((const char *)data, size);
	return 0;
}
