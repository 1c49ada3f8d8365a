/* Where the wall time of a sweep went. */
#ifndef CLI_TIMES_TABLE_H
#define CLI_TIMES_TABLE_H

#include "cli/command.h"
#include "metrics/meter.h"

/* Prints the parts of a meter that has been read to standard error, the largest first. */
void times_table_print(const struct invocation *call, const struct meter *meter);

#endif
