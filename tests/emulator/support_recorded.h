/*
 * support_recorded: the cases of copies.h, compared with what a GPU gave for the same PTX and data.
 */
#ifndef TESTS_EMULATOR_SUPPORT_RECORDED_H
#define TESTS_EMULATOR_SUPPORT_RECORDED_H

#include "support_copies.h"

/*
 * Runs every case of a list in the emulator, with each set of lanes, and compares with the golden
 * file at `path`. Takes over `copies`. Returns the exit status of the test; a file that cannot be
 * read is a failure.
 */
int recorded_run_tests(struct copy_list copies, const char *path);

#endif
