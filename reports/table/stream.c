/* Output streams; see the header. */
#include "reports/table/stream.h"

#include <errno.h>
#include <string.h>

int stream_check(FILE *out, struct error *err)
{
	/* errno comes from the failed write: the writers call nothing else that sets it */
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return error_set(err, PL_EIO, "cannot write the output: %s",
			 errno ? strerror(errno) : "an earlier write failed");
}
