/* What the fuzz targets of the emulator share: launching whatever a PTX text holds. */
#ifndef TESTS_FUZZ_PTX_LAUNCH_H
#define TESTS_FUZZ_PTX_LAUNCH_H

#include "emulator/emulator.h"

/*
 * Parses, decodes and launches every entry of the text (the first few) on a
 * small grid, with an end to its instructions, on each set of handlers that is
 * here. Aborts when two sets disagree on a byte, a count or a finding: the
 * emulator promises that they never do.
 */
void ptx_launch_text(const char *text, size_t length);

#endif
