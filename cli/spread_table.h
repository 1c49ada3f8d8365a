/* spread_table: how the GPUs of a spread sweep differ. */
#ifndef CLI_SPREAD_TABLE_H
#define CLI_SPREAD_TABLE_H

#include "cli/command.h"

struct run;

/* A row for each GPU but the first, which the others are compared with as `perflab regress` does.
 * runs: loaded with rounds; numbers: of their GPUs. */
int spread_table_print(const struct invocation *call, const struct run *runs, const int *numbers,
		       size_t count, struct error *err);

#endif
