/* What `perflab watch` prints after each measurement. */
#ifndef CLI_WATCH_BLOCK_H
#define CLI_WATCH_BLOCK_H

#include "cli/command.h"
#include "harness/watch/watch.h"

/*
 * Prints one block to stdout: what went wrong, then the comparison. A run with one case gets a
 * table of its values; one with several gets a line per case. The last line is the verdict, which
 * begins with "run N: ".
 */
int watch_block_print(const struct invocation *call, const struct watch_report *report,
		      struct error *err);

#endif
