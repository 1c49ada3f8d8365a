/* Shared by the fuzz targets of the emulator: launches all entries of a PTX text. */
#ifndef TESTS_FUZZ_PTX_LAUNCH_H
#define TESTS_FUZZ_PTX_LAUNCH_H

#include "emulator/emulator.h"

/*
 * Parses, decodes and launches the first entries of the text on a small grid, with a limit of
 * instructions, with each set of handlers that this processor supports. Aborts if two sets disagree
 * on a byte, a count or a finding: the emulator guarantees that they agree.
 */
void ptx_launch_text(const char *text, size_t length);

#endif
