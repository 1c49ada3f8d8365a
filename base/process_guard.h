/*
 * process_guard: a process between this one and a program, which ends all that the program started,
 * also in other sessions and groups: the kernel makes it the parent of what lost its own. It does
 * so when the program exits, when it is asked to, and when this process is gone, however it ended.
 */
#ifndef BASE_PROCESS_GUARD_H
#define BASE_PROCESS_GUARD_H

#include <sys/types.h>

#include "base/process.h"

struct guard {
	pid_t pid; /* a zombie once everything has ended, until guard_end() */
	int answer;
};
/* Starts the program with these descriptors as its stdin, stdout and stderr. Returns 0 or the error
 * number of what failed before the program was tried; guard_end() tells of the program. */
int guard_start(struct guard *out, const struct limited_program *program, const int streams[3]);
/* Asks the guard to end the program with all that it started. */
void guard_ask(const struct guard *guard);
/* Waits for the guard. Returns 0 with the wait status of the program and the most memory that one
 * of its processes had, or the error number with which it could not be started. */
int guard_end(const struct guard *guard, int *status, int64_t *peak_bytes);

#endif
