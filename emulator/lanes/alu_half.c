/* Handlers of half-precision arithmetic: the rows of alu_half.def. */
#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_half.def"

instruction_handler *LANES_NAME(alu_half)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_half.def"
	default:
		return NULL;
	}
}
