/* Output streams. */
#ifndef REPORTS_TABLE_STREAM_H
#define REPORTS_TABLE_STREAM_H

#include <stdio.h>

#include "base/base.h"

/* Flushes the stream. Returns 0, or PL_EIO if any write to it failed. Set errno to 0 before the
 * first write: its value becomes the reason in the message. */
int stream_check(FILE *out, struct error *err);

#endif
