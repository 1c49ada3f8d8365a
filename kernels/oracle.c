/* What the oracles of all families share. */
#include <string.h>

#include "kernels/table.h"

int oracle_buffer(void **out, const struct launch_case *work, const struct host_buffers *buffers,
		  const char *name, int64_t *length, struct error *err)
{
	for (size_t i = 0; i < work->buffer_count; i++) {
		if (strcmp(work->buffers[i].name, name))
			continue;
		if (!buffers->data[i])
			break;
		*out = buffers->data[i];
		*length = work->buffers[i].length;
		return 0;
	}
	return error_set(err, PL_EUSAGE, "oracle %s: the case %s/%s has no buffer \"%s\"",
			 work->oracle, work->kernel, work->variant, name);
}
