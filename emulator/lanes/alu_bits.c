/* Handlers of bit operations: the rows of alu_bits.def. */
#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_bits.def"

instruction_handler *LANES_NAME(alu_bits)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_bits.def"
	default:
		return NULL;
	}
}
