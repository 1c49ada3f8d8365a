/*
 * pager: shows the output of verbs that only print a screen at a time, if it goes to a terminal, as
 * git does. A verb with an option row "no-pager" has one.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include "cli/command.h"

/* The option row; `type` has a bool `no_pager`. */
#define ROW_NO_PAGER(type)                                                         \
	{                                                                          \
		"no-pager", 0, OPTION_FLAG, offsetof(struct type, no_pager), NULL, \
			"never start a pager on a terminal", NULL, 0               \
	}

/*
 * Starts the pager, if stdout is a terminal and the call has not declined it. stdout, and stderr if
 * it is a terminal, then go to the pager. The pager is $PERFLAB_PAGER, else $PAGER, else less; ""
 * and "cat" mean none. Without the program, the output goes to the terminal. A user who leaves the
 * pager early ends only the output: the verb goes on, so the exit code is that of its result.
 */
void pager_start(const struct invocation *call);
/* Waits until the user has left the pager. Call it after everything was printed; both streams are
 * closed then. Does nothing without a pager. */
void pager_finish(void);

#endif
