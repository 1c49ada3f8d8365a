/*
 * support_recorded: the cases of copies.h, compared with what a GPU gave for the same PTX and data.
 */
#ifndef TESTS_EMULATOR_SUPPORT_RECORDED_H
#define TESTS_EMULATOR_SUPPORT_RECORDED_H

#include "emulator/emulator.h"
#include "support_copies.h"
#include "support_golden.h"

/* Each of these fails the running test of cmocka, after a line for each case that is wrong. */

/* No two cases have one name. */
void recorded_names_differ(const struct copy_list *copies);
/* A case that a GPU runs has no finding, with all checks: its synchronisation is right. */
void recorded_are_well_formed(const struct copy_list *copies, const struct golden *golden);
/* All cases have a line, all lines have a case, and the emulator does what the lines say. `path`:
 * the golden file, for messages. */
void recorded_compare(const struct copy_list *copies, const struct golden *golden, const char *path,
		      enum emulated_lanes lanes);

#endif
