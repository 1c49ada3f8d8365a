/* Handlers of conversions of narrow floats: the rows of alu_narrow.def. */
#include "emulator/lanes/alu_narrow.h"

#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_narrow.def"

instruction_handler *LANES_NAME(alu_narrow)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_narrow.def"
	default:
		return NULL;
	}
}
