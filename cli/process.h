/* Starts other programs: gnuplot for a picture, ncu and nsys for a profile. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "base/base.h"

/* Adds a word as a shell reads it, quoted where needed. */
void shell_word(struct text *out, const char *word);

/*
 * Runs a program with `input` on its stdin and takes its stdout in *out (malloc'd, NUL-terminated
 * beyond *length). PL_ENOENT there is no such program; PL_EIO it fails or prints nothing, with the
 * first line of its stderr; PL_EPARSE it prints more than `limit`.
 */
int process_filter(char **out, size_t *length, size_t limit, const struct text *input,
		   char *const *argv, struct error *err);
/* Runs a program on this one's stdin, stdout and stderr; *exit_code as a shell would report it. */
int process_run(int *exit_code, char *const *argv, struct error *err);

#endif
