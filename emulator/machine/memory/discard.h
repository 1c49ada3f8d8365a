/* discard: destroys the contents of lines of global memory. Internal to machine/. */
#ifndef EMULATOR_MACHINE_MEMORY_DISCARD_H
#define EMULATOR_MACHINE_MEMORY_DISCARD_H

#include "emulator/machine/machine.h"

#define DISCARD_BYTES 128

/* OP_DISCARD. The bytes of the line get other values, and count as unwritten from then on. */
instruction_handler run_discard;

#endif
