/* Handlers of conversions: the rows of alu_convert.def. */
#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_convert.def"

instruction_handler *LANES_NAME(alu_convert)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_convert.def"
	default:
		return NULL;
	}
}
