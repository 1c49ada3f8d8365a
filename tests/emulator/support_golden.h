/*
 * support_golden: a file of results that a GPU gave, a line for each case: its name, a tab, and the
 * results. Lines that begin with # are comments.
 */
#ifndef TESTS_EMULATOR_SUPPORT_GOLDEN_H
#define TESTS_EMULATOR_SUPPORT_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

struct golden {
	char *text; /* of the file, split into lines */
	char **lines;
	size_t line_count, line_capacity;
};

/* Returns false, and prints why, if the file cannot be read; *golden then has no lines. Release it
 * in both cases. */
bool golden_read(struct golden *golden, const char *path);
void golden_release(struct golden *golden);
/* Returns what follows the name and its tab; NULL: there is no such line. */
const char *golden_line(const struct golden *golden, const char *name);

#endif
