/* Handlers of floating-point arithmetic: the rows of alu_float.def. */
#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_float.def"

instruction_handler *LANES_NAME(alu_float)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_float.def"
	default:
		return NULL;
	}
}
