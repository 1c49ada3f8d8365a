/* Handlers of comparisons: the rows of alu_compare.def. */
#include "emulator/lanes/alu_handlers.h"

#include "emulator/program/alu_compare.def"

instruction_handler *LANES_NAME(alu_compare)(enum operation operation)
{
	switch ((int)operation) {
#include "emulator/lanes/alu_cases.h"

#include "emulator/program/alu_compare.def"
	default:
		return NULL;
	}
}
