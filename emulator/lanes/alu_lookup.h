/* alu_lookup: one function per part of alu.def that returns the handler of an operation, or NULL.
 */
#ifndef EMULATOR_LANES_ALU_LOOKUP_H
#define EMULATOR_LANES_ALU_LOOKUP_H

#include "emulator/lanes/handlers.h"

instruction_handler *LANES_NAME(alu_integer)(enum operation operation);
instruction_handler *LANES_NAME(alu_bits)(enum operation operation);
instruction_handler *LANES_NAME(alu_compare)(enum operation operation);
instruction_handler *LANES_NAME(alu_float)(enum operation operation);
instruction_handler *LANES_NAME(alu_half)(enum operation operation);
instruction_handler *LANES_NAME(alu_convert)(enum operation operation);
instruction_handler *LANES_NAME(alu_narrow)(enum operation operation);
instruction_handler *LANES_NAME(alu_video)(enum operation operation);

#endif
